/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Builds the records that the emit functions of trbuf.h do not build in line:
 * large ones, which may have to be cut, and the text of trbuf_printf.
 *
 * Owns no state. Touches the caller's data and its own stack, never the region:
 * the finished record goes to the producer's commit. Called by programs through trbuf.h.
 *
 * What programs pass may change under our hands (another thread). A plan made
 * of lengths is therefore only an upper bound; each field is copied once, and
 * what is then looked at is the copy.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libtrbuf/record.h"
#include "libtrbuf/sync.h"

#define NULL_TEXT "(null)"
#define SMALL_PAYLOAD 2048u
#define LARGE_PAYLOAD (TRBUF_RECORD_MAX - 16u)

/* The variable part of one field. */
struct part {
	size_t want; /* bytes */
	size_t have; /* bytes that it gets: whole elements */
	unsigned elem; /* bytes of an element */
};

struct plan {
	struct part part[TRBUF_MAX_FIELDS];
	size_t fixed; /* bytes of all else, counts and NULs of strings included */
	size_t payload;
	size_t cut; /* bytes that do not fit */
};

unsigned record_scalar_size(unsigned type)
{
	static const uint8_t size[TRBUF_T_END] = {
		[TRBUF_T_U8] = 1,  [TRBUF_T_U16] = 2, [TRBUF_T_U32] = 4, [TRBUF_T_U64] = 8,
		[TRBUF_T_S8] = 1,  [TRBUF_T_S16] = 2, [TRBUF_T_S32] = 4, [TRBUF_T_S64] = 8,
		[TRBUF_T_X8] = 1,  [TRBUF_T_X16] = 2, [TRBUF_T_X32] = 4, [TRBUF_T_X64] = 8,
		[TRBUF_T_F32] = 4, [TRBUF_T_F64] = 8, [TRBUF_T_BOOL] = 1, [TRBUF_T_PTR] = 8,
	};

	return type < TRBUF_T_END ? size[type] : 0;
}

static const char *text_of(const struct trbuf_arg *arg)
{
	return arg->data ? arg->data : NULL_TEXT;
}

/* Bytes of the fixed part of a field. */
static size_t fixed_size(const struct trbuf_field *f)
{
	switch (f->type) {
	case TRBUF_T_STR:
		return 1;
	case TRBUF_T_SEQ:
	case TRBUF_T_BLOB:
		return sizeof(uint16_t);
	case TRBUF_T_ARRAY:
		return (size_t)f->count * record_scalar_size(f->elem);
	case TRBUF_T_ENUM:
		return record_scalar_size(f->elem);
	default:
		return record_scalar_size(f->type);
	}
}

static void want_part(const struct trbuf_field *f, const struct trbuf_arg *arg, struct part *part)
{
	part->elem = 1;
	part->want = 0;
	if (f->type == TRBUF_T_STR) {
		part->want = strnlen(text_of(arg), UINT32_MAX);
	} else if (f->type == TRBUF_T_BLOB && arg->data) {
		part->want = arg->count;
	} else if (f->type == TRBUF_T_SEQ && arg->data) {
		part->elem = record_scalar_size(f->elem);
		if (__builtin_mul_overflow(arg->count, part->elem, &part->want))
			part->want = SIZE_MAX - part->elem;
	}
	part->have = part->want;
}

static size_t saturating_add(size_t a, size_t b)
{
	return a + b < a ? SIZE_MAX : a + b;
}

/*
 * The largest limit such that the parts, each cut to it, fit into `room`:
 * the longest are cut first, and all that are cut end up equally long.
 */
static size_t common_limit(const struct part *part, unsigned n, size_t room)
{
	size_t limit = n ? room / n : 0;
	unsigned round;

	/* Parts below the limit leave room to the others, so it only rises. */
	for (round = 0; round < n; round++) {
		size_t below = 0;
		unsigned i, above = 0;

		for (i = 0; i < n; i++) {
			if (part[i].want > limit)
				above++;
			else
				below += part[i].want;
		}
		if (above == 0 || (room - below) / above == limit)
			break;
		limit = (room - below) / above;
	}
	return limit;
}

/* Shares out what a record has. False if not even the fixed part fits. */
static int make_plan(struct plan *plan, const struct trbuf_event *event,
		     const struct trbuf_arg *arg, size_t max)
{
	size_t total, limit;
	unsigned i;

	plan->fixed = 0;
	plan->cut = 0;
	total = 0;
	for (i = 0; i < event->nfields; i++) {
		want_part(&event->fields[i], &arg[i], &plan->part[i]);
		plan->fixed += fixed_size(&event->fields[i]);
		total = saturating_add(total, plan->part[i].want);
	}
	plan->payload = plan->fixed + total;
	if (total <= max && plan->payload <= max)
		return 1;
	plan->fixed += RECORD_CUT_SIZE;
	if (!event->variable || plan->fixed > max)
		return 0;
	limit = common_limit(plan->part, event->nfields, max - plan->fixed);
	plan->payload = plan->fixed;
	for (i = 0; i < event->nfields; i++) {
		struct part *part = &plan->part[i];

		if (part->have > limit)
			part->have = limit - limit % part->elem;
		plan->payload += part->have;
		plan->cut = saturating_add(plan->cut, part->want - part->have);
	}
	return 1;
}

/* Length of text[0..len) without a UTF-8 sequence that is cut off at its end. */
static size_t whole_utf8(const unsigned char *text, size_t len)
{
	size_t back = 1;
	size_t need;

	while (back <= 3 && back <= len && (text[len - back] & 0xc0) == 0x80)
		back++;
	if (back > 3 || back > len || text[len - back] < 0xc0)
		return len;
	need = text[len - back] >= 0xf0 ? 4 : text[len - back] >= 0xe0 ? 3 : 2;
	return need > back ? len - back : len;
}

static unsigned char *put_text(unsigned char *p, const struct trbuf_arg *arg,
			       const struct part *part, size_t *cut)
{
	size_t len = part->have;
	const unsigned char *nul;

	memcpy(p, text_of(arg), len);
	nul = memchr(p, 0, len); /* of the copy: the original may have changed */
	if (nul) {
		len = (size_t)(nul - p);
	} else if (part->have < part->want) {
		len = whole_utf8(p, len);
		*cut = saturating_add(*cut, part->have - len);
	}
	p[len] = 0;
	return p + len + 1;
}

static unsigned char *put_elements(unsigned char *p, const struct trbuf_arg *arg,
				   const struct part *part)
{
	uint16_t n = (uint16_t)(part->have / part->elem);

	memcpy(p, &n, sizeof(n));
	p += sizeof(n);
	if (part->have)
		memcpy(p, arg->data, part->have);
	return p + part->have;
}

static unsigned char *put_fixed(unsigned char *p, const struct trbuf_field *f,
				const struct trbuf_arg *arg)
{
	size_t size = fixed_size(f);

	if (f->type != TRBUF_T_ARRAY)
		memcpy(p, &arg->value, size);
	else if (arg->data)
		memcpy(p, arg->data, size);
	else
		memset(p, 0, size);
	return p + size;
}

/* The record has room for plan->payload bytes. */
static void build(const struct trbuf_event *event, const struct trbuf_arg *arg, struct plan *plan,
		  unsigned char *record)
{
	unsigned char *start = record + TRBUF_RECORD_HEADROOM;
	unsigned char *p = start;
	int was_cut = plan->cut != 0;
	uint32_t cut;
	unsigned i;

	for (i = 0; i < event->nfields; i++) {
		const struct trbuf_field *f = &event->fields[i];

		if (f->type == TRBUF_T_STR)
			p = put_text(p, &arg[i], &plan->part[i], &plan->cut);
		else if (f->type == TRBUF_T_SEQ || f->type == TRBUF_T_BLOB)
			p = put_elements(p, &arg[i], &plan->part[i]);
		else
			p = put_fixed(p, f, &arg[i]);
	}
	if (!was_cut) {
		trbuf_commit(event, record, (size_t)(p - start));
		return;
	}
	cut = plan->cut < UINT32_MAX ? (uint32_t)plan->cut : UINT32_MAX;
	memcpy(p, &cut, sizeof(cut));
	p += sizeof(cut);
	trbuf_commit_id(event, event->id + 1, record, (size_t)(p - start));
}

/* Two sizes of frame, as a signal stack may be small. */
__attribute__((noinline)) static void build_small(const struct trbuf_event *event,
						  const struct trbuf_arg *arg, struct plan *plan)
{
	unsigned char record[2 * TRBUF_RECORD_HEADROOM + SMALL_PAYLOAD];

	build(event, arg, plan, record);
}

__attribute__((noinline)) static void build_large(const struct trbuf_event *event,
						  const struct trbuf_arg *arg, struct plan *plan)
{
	unsigned char record[2 * TRBUF_RECORD_HEADROOM + LARGE_PAYLOAD];

	build(event, arg, plan, record);
}

void trbuf_emit_args(const struct trbuf_event *event, const struct trbuf_arg *arg, unsigned n)
{
	size_t max = trbuf_record_max();
	struct plan plan;

	if (event->id == 0 || n != event->nfields || n > TRBUF_MAX_FIELDS)
		return;
	if (max > LARGE_PAYLOAD)
		max = LARGE_PAYLOAD;
	if (!make_plan(&plan, event, arg, max))
		trbuf_commit_too_large(event);
	else if (plan.payload <= SMALL_PAYLOAD)
		build_small(event, arg, &plan);
	else
		build_large(event, arg, &plan);
}

/* Commits the text at record + headroom of which `len` bytes are there and `whole` were wanted. */
static void commit_text(const struct trbuf_event *event, unsigned char *record, size_t len,
			size_t whole)
{
	unsigned char *text = record + TRBUF_RECORD_HEADROOM;
	size_t max = trbuf_record_max();
	uint32_t cut;

	if (max < RECORD_CUT_SIZE + 1) {
		trbuf_commit_too_large(event);
		return;
	}
	if (len == whole && len + 1 <= max) {
		trbuf_commit(event, record, len + 1);
		return;
	}
	if (len + 1 + RECORD_CUT_SIZE > max)
		len = max - 1 - RECORD_CUT_SIZE;
	len = whole_utf8(text, len);
	text[len] = 0;
	cut = (uint32_t)(whole - len);
	memcpy(text + len + 1, &cut, sizeof(cut));
	trbuf_commit_id(event, event->id + 1, record, len + 1 + RECORD_CUT_SIZE);
}

__attribute__((noinline, format(printf, 2, 0)))
static void print_record(const struct trbuf_event *event, const char *format, va_list args)
{
	unsigned char record[2 * TRBUF_RECORD_HEADROOM + RECORD_PRINTF_MAX + RECORD_CUT_SIZE];
	char *text = (char *)record + TRBUF_RECORD_HEADROOM;
	int n = vsnprintf(text, RECORD_PRINTF_MAX, format, args);
	size_t len, whole;

	if (n < 0)
		n = snprintf(text, RECORD_PRINTF_MAX, "(unprintable)");
	whole = (size_t)n;
	len = strnlen(text, RECORD_PRINTF_MAX - 1);
	if (len < whole && len < RECORD_PRINTF_MAX - 1)
		whole = len; /* a %c of 0 ends the text */
	commit_text(event, record, len, whole);
}

/* Is the event on? Registers it if nobody has. */
static int first_pass(struct trbuf_event *event)
{
	const unsigned char *gate = sync_load(&event->gate);

	if (gate == &event->reserved[0]) {
		trbuf_register(event);
		gate = sync_load_acquire(&event->gate);
	}
	if (gate != &event->reserved[0])
		return *gate != 0;
	if (sync_load(&event->id) == 0)
		sync_store(&event->gate, &event->off); /* refused: off for good */
	return 0; /* or another thread is about to set the gate */
}

void trbuf_emit_printf(struct trbuf_event *event, const char *format, ...)
{
	int saved = errno;
	va_list args;

	if (first_pass(event)) {
		errno = saved; /* for %m */
		va_start(args, format);
		print_record(event, format, args);
		va_end(args);
	}
	errno = saved;
}
