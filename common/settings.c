/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The shared settings: from text to struct region_settings, and into a region
 * that exists. Owns the limits of each value; the list itself is in the
 * header. Called by tracectl's record and start and by tracerd.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/parse.h"
#include "common/settings.h"
#include "libtrbuf/region_create.h"
#include "libtrbuf/sync.h"

#define LOCK_TIMEOUT_MS 2000
#define MIN_MAP (UINT64_C(16) << 20)
#define MAX_MAP (UINT64_C(1) << 44)
#define MAX_FLUSH_MS 3600000u

/* What region_create() takes for a 0; tests/unit/suite_config.c compares. */
#define DEFAULT_MAP (UINT64_C(4) << 30)
#define DEFAULT_PAGE 65536u
#define DEFAULT_RING (UINT64_C(4) << 20)
#define DEFAULT_WATERMARK 50u
#define DEFAULT_FLUSH_MS 1000u

static const struct {
	const char *name, *section;
} list[] = {
#define X(id, name, section, arg, help) { name, section },
	SETTINGS_LIST(X)
#undef X
};

void settings_init(struct settings *s)
{
	static const struct region_settings defaults = REGION_SETTINGS_DEFAULT;

	s->region = defaults;
	s->doorbell = 1;
	s->given = 0;
}

const char *settings_name(unsigned i)
{
	return list[i].name;
}

const char *settings_section(unsigned i)
{
	return list[i].section;
}

int settings_find(const char *name)
{
	for (int i = 0; i < SETTINGS_COUNT; i++)
		if (strcmp(list[i].name, name) == 0)
			return i;
	return -1;
}

static int size_between(const char *v, uint64_t min, uint64_t max, uint64_t *out, struct fault *f)
{
	char low[32], high[32];
	uint64_t n;
	int err = parse_size(v, &n, f);

	if (err)
		return err;
	parse_print_size(min, low, sizeof(low));
	parse_print_size(max, high, sizeof(high));
	if (n < min || n > max)
		return fault_set(f, EINVAL, "\"%.60s\" is not allowed; use a size from %s to %s", v,
				 low, high);
	*out = n;
	return 0;
}

static int set_page_size(struct region_settings *r, const char *v, struct fault *f)
{
	uint64_t n;
	int err = size_between(v, LAYOUT_MIN_PAGE, LAYOUT_MAX_PAGE, &n, f);

	if (err)
		return err;
	if (n & (n - 1))
		return fault_set(f, EINVAL,
				 "\"%.60s\" is not allowed; use a power of 2 from 4K to 1M", v);
	r->page_size = (uint32_t)n;
	return 0;
}

static int set_flush(struct region_settings *r, const char *v, struct fault *f)
{
	uint32_t ms;
	int err = parse_duration_ms(v, &ms, f);

	if (err)
		return err;
	if (ms > MAX_FLUSH_MS)
		return fault_set(f, EINVAL,
				 "\"%.60s\" is not allowed; use at most 1h, or 0 for never", v);
	r->flush_ms = (int)ms;
	return 0;
}

/* A clock that this machine does not have is refused now, not at the first event. */
static int set_clock(struct region_settings *r, const char *v, struct fault *f)
{
	uint32_t clock;
	int err = parse_clock(v, &clock, f);

	if (err)
		return err;
#if !defined(__x86_64__)
	if (clock == LAYOUT_CLOCK_TSC)
		return fault_set(f, EINVAL, "\"tsc\" is the clock of x86 machines; use auto");
#endif
#if !defined(__aarch64__)
	if (clock == LAYOUT_CLOCK_ARM)
		return fault_set(f, EINVAL, "\"arm\" is the clock of arm64 machines; use auto");
#endif
	r->clock = clock;
	return 0;
}

static int set_value(struct settings *s, unsigned i, const char *v, struct fault *f)
{
	struct region_settings *r = &s->region;

	switch (i) {
	case SETTINGS_RING_SIZE:
		return size_between(v, LAYOUT_MIN_PAGES * (uint64_t)LAYOUT_MIN_PAGE, MAX_MAP,
				    &r->ring_size, f);
	case SETTINGS_PAGE_SIZE:
		return set_page_size(r, v, f);
	case SETTINGS_MODE:
		return parse_mode(v, &r->mode, f);
	case SETTINGS_CONTEXT:
		return parse_context(v, &r->context, f);
	case SETTINGS_CLOCK:
		return set_clock(r, v, f);
	case SETTINGS_WATERMARK:
		return parse_percent(v, &r->watermark, f);
	case SETTINGS_FLUSH:
		return set_flush(r, v, f);
	case SETTINGS_DOORBELL:
		return parse_bool(v, &s->doorbell, f);
	case SETTINGS_MAP_SIZE:
		return size_between(v, MIN_MAP, MAX_MAP, &r->map_size, f);
	default:
		return fault_set(f, EINVAL, "no such setting");
	}
}

int settings_set(struct settings *s, unsigned i, const char *value, struct fault *f)
{
	struct fault inner;
	int err = set_value(s, i, value, &inner);

	if (err)
		return fault_set(f, EINVAL, "%s: %.400s", i < SETTINGS_COUNT ? list[i].name : "?",
				 inner.text);
	s->given |= 1u << i;
	return 0;
}

void settings_show(const struct settings *s, unsigned i, char *buf, size_t size)
{
	const struct region_settings *r = &s->region;

	switch (i) {
	case SETTINGS_RING_SIZE:
		parse_print_size(r->ring_size ? r->ring_size : DEFAULT_RING, buf, size);
		break;
	case SETTINGS_PAGE_SIZE:
		parse_print_size(r->page_size ? r->page_size : DEFAULT_PAGE, buf, size);
		break;
	case SETTINGS_MODE:
		snprintf(buf, size, "%s", parse_mode_name(r->mode));
		break;
	case SETTINGS_CONTEXT:
		snprintf(buf, size, "%s",
			 r->context < 0 ? "pid,tid" : parse_context_name((uint32_t)r->context));
		break;
	case SETTINGS_CLOCK:
		snprintf(buf, size, "%s", parse_clock_name(r->clock));
		break;
	case SETTINGS_WATERMARK:
		snprintf(buf, size, "%u", r->watermark ? r->watermark : DEFAULT_WATERMARK);
		break;
	case SETTINGS_FLUSH:
		snprintf(buf, size, "%ums",
			 r->flush_ms < 0 ? DEFAULT_FLUSH_MS : (unsigned)r->flush_ms);
		break;
	case SETTINGS_DOORBELL:
		snprintf(buf, size, "%s", s->doorbell ? "yes" : "no");
		break;
	case SETTINGS_MAP_SIZE:
		parse_print_size(r->map_size ? r->map_size : DEFAULT_MAP, buf, size);
		break;
	default:
		snprintf(buf, size, "?");
	}
}

int settings_check(const struct settings *s, struct fault *f)
{
	uint64_t map = s->region.map_size ? s->region.map_size : DEFAULT_MAP;
	uint64_t page = s->region.page_size ? s->region.page_size : DEFAULT_PAGE;

	if (s->region.ring_size > map / 2)
		return fault_set(f, EINVAL,
				 "ring-size: a ring may take at most half of map-size; make "
				 "ring-size smaller or map-size larger");
	if (page * LAYOUT_MIN_PAGES > map / 4)
		return fault_set(f, EINVAL,
				 "page-size: too large for map-size; make map-size larger");
	return 0;
}

void settings_options(struct option *o)
{
	for (int i = 0; i < SETTINGS_COUNT; i++) {
		o[i].name = list[i].name;
		o[i].has_arg = required_argument;
		o[i].flag = NULL;
		o[i].val = SETTINGS_OPTION + i;
	}
}

int settings_option(struct settings *s, int c, const char *value, struct fault *f)
{
	struct fault inner;
	int err;

	if (c < SETTINGS_OPTION || c >= SETTINGS_OPTION + SETTINGS_COUNT)
		return 0;
	err = settings_set(s, (unsigned)(c - SETTINGS_OPTION), value, &inner);
	return err ? fault_set(f, EINVAL, "--%.500s", inner.text) : 1;
}

/* Caller holds REGION_LOCK_CONTROL. */
static int apply_locked(struct region *r, const struct settings *s, struct fault *f)
{
	int err;

	if (s->given & 1u << SETTINGS_MODE)
		sync_store(&r->hdr->mode, s->region.mode);
	if (s->given & 1u << SETTINGS_DOORBELL)
		sync_store(&r->hdr->doorbell_off, !s->doorbell);
	err = region_adjust(r, &s->region, f);
	if (err) {
		/* The geometry is final; what may still change does. */
		struct region_settings rest = s->region;
		int again;

		rest.page_size = 0;
		rest.context = -1;
		rest.clock = 0;
		again = region_adjust(r, &rest, NULL);
		if (again)
			return again;
	}
	if (!err && s->region.map_size && s->region.map_size != r->geo.map_size)
		err = fault_set(f, EBUSY,
				"%.300s: its map-size is fixed since it was made; remove the "
				"region first or use another",
				r->path);
	return err;
}

/* Also when the bell was just switched off: the daemon has to learn that it
 * must poll from now on, and doorbell_ring() would not tell it. */
static void ring_anyway(struct region *r)
{
	sync_fetch_add(&r->hdr->doorbell, 2);
	syscall(SYS_futex, &r->hdr->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int settings_apply(struct region *r, const struct settings *s, struct fault *f)
{
	int err;

	if (!s->given)
		return 0;
	err = region_lock(r, REGION_LOCK_CONTROL, LOCK_TIMEOUT_MS);
	if (err)
		return fault_set(f, -err, "%.300s: another tool holds the region's lock: %s",
				 r->path, strerror(-err));
	err = apply_locked(r, s, f);
	region_unlock(r, REGION_LOCK_CONTROL);
	ring_anyway(r);
	return err;
}
