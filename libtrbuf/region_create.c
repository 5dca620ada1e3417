/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The birth of a region file. Called by region_open() alone. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/layout_check.h"
#include "libtrbuf/region_create.h"
#include "libtrbuf/sync.h"

#define DEFAULT_MAP (UINT64_C(4) << 30)
#define DEFAULT_PAGE 65536u
#define DEFAULT_RING (UINT64_C(4) << 20)
#define DEFAULT_WATERMARK 50u
#define DEFAULT_FLUSH_MS 1000u

int region_parse_cpus(const char *list, uint32_t *count)
{
	uint64_t highest = 0, value;
	const char *p = list;
	int any = 0;

	while (*p && *p != '\n') {
		if (*p < '0' || *p > '9')
			return -EINVAL;
		for (value = 0; *p >= '0' && *p <= '9'; p++) {
			value = value * 10 + (uint64_t)(*p - '0');
			if (value >= LAYOUT_MAX_CPUS)
				return -EINVAL;
		}
		highest = value > highest ? value : highest;
		any = 1;
		if (*p == ',' || *p == '-')
			p++;
		else if (*p && *p != '\n')
			return -EINVAL;
	}
	if (!any)
		return -EINVAL;
	*count = (uint32_t)highest + 1;
	return 0;
}

uint32_t region_possible_cpus(void)
{
	char list[8192];
	size_t have = 0;
	uint32_t count = 0;
	long conf;
	int fd = open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && have < sizeof(list) - 1) {
		ssize_t n = read(fd, list + have, sizeof(list) - 1 - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	list[have] = '\0';
	if (have && region_parse_cpus(list, &count) == 0)
		return count;
	conf = sysconf(_SC_NPROCESSORS_CONF);
	return conf > 0 && conf <= (long)LAYOUT_MAX_CPUS ? (uint32_t)conf : 1;
}

/* An owner that is preempted keeps its ring for a time slice, so there should
 * be more of them than threads that emit at one moment on a busy machine. */
static uint32_t default_locked(uint32_t cpus)
{
	if (cpus < 2)
		return 16;
	return cpus > LAYOUT_MAX_LOCKED / 8 ? LAYOUT_MAX_LOCKED : cpus * 8;
}

static uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

static void fill_geometry(struct layout_region *h, const struct region_settings *s)
{
	uint64_t rings;

	h->magic = LAYOUT_MAGIC;
	h->version = LAYOUT_VERSION;
	h->header_size = sizeof(*h);
	layout_boot_id(h->boot_id);
	while (getrandom(h->region_id, sizeof(h->region_id), 0) < 0 && errno == EINTR)
		;
	h->map_size = s->map_size ? s->map_size : DEFAULT_MAP;
	h->nr_cpus = s->nr_cpus ? s->nr_cpus : region_possible_cpus();
	h->nr_locked = s->nr_locked ? s->nr_locked : default_locked(h->nr_cpus);
	h->page_size = s->page_size ? s->page_size : DEFAULT_PAGE;
	layout_tables(h->page_size, &h->table_cap, &h->max_slots);
	h->context = s->context >= 0 ? (uint32_t)s->context : LAYOUT_CONTEXT_PID_TID;
	h->clock = s->clock ? s->clock : clock_choose();
	h->off_gates = round_up(sizeof(*h), 4096);
	h->off_rings = h->off_gates + LAYOUT_MAX_EVENTS;
	rings = (uint64_t)(h->nr_cpus + h->nr_locked) * sizeof(struct layout_ring);
	h->off_pool = round_up(h->off_rings + rings, LAYOUT_GRANULE);
	h->pool_end = h->off_pool;
}

static void fill_control(struct layout_region *h, const struct region_settings *s)
{
	h->next_event = LAYOUT_FIRST_EVENT;
	h->next_module = 1;
	h->mode = s->mode;
	h->wanted_size = s->ring_size ? s->ring_size : DEFAULT_RING;
	h->watermark = s->watermark ? s->watermark : DEFAULT_WATERMARK;
	h->flush_ms = s->flush_ms >= 0 ? (uint32_t)s->flush_ms : DEFAULT_FLUSH_MS;
	h->control[0].mask = UINT64_MAX;
	h->control[1].mask = UINT64_MAX;
}

static int write_all(int fd, const void *data, size_t size)
{
	const char *p = data;
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(fd, p + done, size - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

static int room_for(uint64_t size)
{
	struct rlimit lim;

	return getrlimit(RLIMIT_FSIZE, &lim) != 0 || lim.rlim_cur == RLIM_INFINITY ||
	       lim.rlim_cur >= size;
}

static int fill_file(int fd, const char *dir, const struct layout_region *h, struct fault *f)
{
	int err = 0;

	if (fchmod(fd, strcmp(dir, "/run/trbuf") == 0 ? 0660 : 0600) != 0)
		err = -errno;
	if (!err && fallocate(fd, 0, 0, (off_t)h->off_pool) != 0)
		err = errno == EOPNOTSUPP ? ftruncate(fd, (off_t)h->off_pool) ? -errno : 0 : -errno;
	if (!err)
		err = write_all(fd, h, sizeof(*h));
	if (err)
		return fault_set(f, -err, "%s: cannot take %llu bytes for a region: %s; free some room "
					  "or choose another place with --region or TRBUF_REGION", dir,
				 (unsigned long long)h->off_pool, strerror(-err));
	return 0;
}

/* With no name where the file system can, else under a temporary one. */
static int open_nameless(const char *dir, const char *path, char *temp, size_t size)
{
	uint32_t nonce = 0;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	temp[0] = '\0';
	if (fd >= 0)
		return fd;
	if (getrandom(&nonce, sizeof(nonce), GRND_NONBLOCK) < 0)
		nonce = (uint32_t)getpid();
	if (snprintf(temp, size, "%s.%08x.tmp", path, nonce) >= (int)size)
		return -ENAMETOOLONG;
	fd = open(temp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd >= 0 ? fd : -errno;
}

static int give_name(int fd, const char *temp, const char *path)
{
	char proc[64];

	if (temp[0])
		return link(temp, path) == 0 ? 0 : -errno;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, proc, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
}

int region_create(const char *path, const char *dir, const struct region_settings *s,
		  struct fault *f)
{
	static const struct region_settings defaults = REGION_SETTINGS_DEFAULT;
	struct layout_region *h = calloc(1, sizeof(*h));
	char temp[4200];
	int fd, err;

	if (!h)
		return fault_set(f, ENOMEM, "no memory");
	fill_geometry(h, s ? s : &defaults);
	fill_control(h, s ? s : &defaults);
	clock_stamp(h);
	if (!room_for(h->off_pool)) {
		free(h);
		return fault_set(f, EFBIG, "%s: file size limit (ulimit -f) too small for a region", path);
	}
	fd = open_nameless(dir, path, temp, sizeof(temp));
	if (fd < 0) {
		free(h);
		return fault_set(f, -fd, "%s: cannot make a region there: %s", dir, strerror(-fd));
	}
	err = fill_file(fd, dir, h, f);
	if (!err) {
		err = give_name(fd, temp, path);
		if (err)
			fault_set(f, -err, "%s: cannot make the region: %s", path, strerror(-err));
	}
	if (temp[0])
		unlink(temp);
	close(fd);
	free(h);
	return err;
}

/* ------------------------------------------------------- later changes */

static int differs(const struct region *r, const struct region_settings *s)
{
	return (s->page_size && s->page_size != r->geo.page_size) ||
	       (s->context >= 0 && (uint32_t)s->context != r->geo.context) ||
	       (s->clock && s->clock != r->geo.clock);
}

static void adjust_geometry(struct region *r, const struct region_settings *s)
{
	struct layout_region *h = r->hdr;

	if (s->page_size) {
		sync_store(&h->page_size, s->page_size);
		layout_tables(s->page_size, &h->table_cap, &h->max_slots);
	}
	if (s->context >= 0)
		sync_store(&h->context, (uint32_t)s->context);
	if (s->clock && s->clock != r->geo.clock) {
		sync_store(&h->clock, s->clock);
		sync_store(&h->clock_frequency, 0);
		clock_stamp(h);
	}
	layout_refresh(h, &r->geo);
}

int region_adjust(struct region *r, const struct region_settings *s, struct fault *f)
{
	struct layout_region *h = r->hdr;

	if (differs(r, s)) {
		if (sync_load_acquire(&h->rings_ready))
			return fault_set(f, EBUSY, "%s: its rings exist, so page size, context and clock "
						   "can no longer change; use another region", r->path);
		adjust_geometry(r, s);
	}
	if (s->ring_size)
		sync_store(&h->wanted_size, s->ring_size);
	if (s->watermark)
		sync_store(&h->watermark, s->watermark);
	if (s->flush_ms >= 0)
		sync_store(&h->flush_ms, (uint32_t)s->flush_ms);
	return 0;
}
