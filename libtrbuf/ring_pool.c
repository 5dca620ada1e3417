/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The pages of a ring: making, posting, taking back, giving up. Consumer side,
 * under REGION_LOCK_CONSUMER. Memory is allocated before a page is posted, and
 * a slot keeps its place in the region for ever, so that producers' mappings
 * stay right. Whoever is killed here leaves a slot that is in none of the
 * producers' words, which the next consumer finds (ring_recover.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "libtrbuf/ring.h"
#include "libtrbuf/ring_pool.h"
#include "libtrbuf/ring_setup.h"

#define SWAPS_MAX 100000

uint32_t ring_pool_slots(const struct region *r, const struct layout_ring *ring)
{
	uint32_t n = sync_load(&ring->nslots);

	return n < r->geo.max_slots ? n : r->geo.max_slots;
}

void ring_pool_post(struct region *r, struct layout_ring *ring, uint32_t slot)
{
	uint32_t *queue = ring_free(r, ring);

	for (unsigned i = 0; queue && i < SWAPS_MAX; i++) {
		uint64_t F = sync_load_acquire(&ring->F);

		sync_store(&queue[f_posted(F) & (r->geo.table_cap - 1)], slot); /* [O2] */
		if (sync_cas64(&ring->F, F, f_make(f_taken(F), f_posted(F) + 1))) /* [O3] */
			return;
	}
}

static void count_page(struct layout_ring *ring, int by)
{
	sync_store(&ring->npages, sync_load(&ring->npages) + (uint32_t)by);
}

void ring_pool_retire(struct region *r, struct layout_ring *ring, uint32_t slot)
{
	struct layout_slot *s = ring_slot(r, ring, slot);

	if (!s)
		return;
	sync_store(&s->retired, 1);
	count_page(ring, -1);
	if (region_unback(r, sync_load(&s->mem), r->geo.page_size) == 0)
		sync_store(&s->backed, 0);
}

/* ---------------------------------------------------------------- grow */

static int slot_block(struct region *r, struct layout_ring *ring, uint32_t slot)
{
	uint64_t *dir = ring_table(r, sync_load(&ring->off_slots), 8 * 64);
	uint64_t off;
	int err;

	if (!dir)
		return -EBADMSG;
	if (sync_load(&dir[slot / LAYOUT_SLOT_BLOCK]))
		return 0;
	off = region_pool_alloc(r, LAYOUT_SLOT_BLOCK * sizeof(struct layout_slot), 64, &err);
	if (!off)
		return err;
	sync_store_release(&dir[slot / LAYOUT_SLOT_BLOCK], off);
	return 0;
}

static int new_slot(struct region *r, struct layout_ring *ring, uint64_t mem)
{
	uint32_t slot = sync_load(&ring->nslots);
	struct layout_slot *s;
	int err;

	if (slot >= r->geo.max_slots)
		return -ENOSPC;
	err = slot_block(r, ring, slot);
	if (err)
		return err;
	s = ring_slot(r, ring, slot);
	if (!s)
		return -EBADMSG;
	memset(s, 0, sizeof(*s));
	s->number = UINT64_MAX;
	s->mem = mem;
	s->backed = 1;
	sync_store_release(&ring->nslots, slot + 1);
	count_page(ring, 1);
	ring_pool_post(r, ring, slot);
	return 0;
}

/* A granule may be several pages. */
static int grow_new(struct region *r, struct layout_ring *ring, uint32_t *pages)
{
	uint32_t size = r->geo.page_size, each = size < LAYOUT_GRANULE ? LAYOUT_GRANULE / size : 1;
	int err = 0;

	while (*pages) {
		uint32_t ask = each > 1 ? each : *pages < 16 ? *pages : 16;
		uint64_t mem = region_pool_alloc(r, (uint64_t)ask * size, size, &err);

		if (!mem && ask > 1 && each == 1)
			mem = region_pool_alloc(r, size, size, &err), ask = 1;
		if (!mem)
			return err;
		for (uint32_t i = 0; i < ask; i++) {
			err = new_slot(r, ring, mem + (uint64_t)i * size);
			if (err)
				return err;
			*pages -= *pages ? 1 : 0;
		}
	}
	return 0;
}

int ring_pool_grow(struct region *r, struct layout_ring *ring, uint32_t pages)
{
	uint32_t n = ring_pool_slots(r, ring);

	for (uint32_t i = 0; i < n && pages; i++) {
		struct layout_slot *s = ring_slot(r, ring, i);
		int err;

		if (!s || !sync_load(&s->retired))
			continue;
		err = region_back(r, sync_load(&s->mem), r->geo.page_size);
		if (err)
			return err;
		sync_store(&s->backed, 1);
		sync_store(&s->number, UINT64_MAX);
		sync_store_release(&s->retired, 0);
		count_page(ring, 1);
		ring_pool_post(r, ring, i);
		pages--;
	}
	return pages ? grow_new(r, ring, &pages) : 0;
}

/* -------------------------------------------------------------- shrink */

uint32_t ring_pool_shrink(struct region *r, struct layout_ring *ring, uint32_t pages)
{
	uint32_t *queue = ring_free(r, ring), done = 0;

	for (unsigned i = 0; queue && done < pages && i < SWAPS_MAX; i++) {
		uint64_t F = sync_load_acquire(&ring->F);
		uint32_t slot;

		if ((int32_t)(f_posted(F) - f_taken(F)) <= 0)
			break;
		slot = sync_load(&queue[(f_posted(F) - 1) & (r->geo.table_cap - 1)]);
		if (!sync_cas64(&ring->F, F, f_make(f_taken(F), f_posted(F) - 1))) /* [O3] */
			continue;
		ring_pool_retire(r, ring, slot);
		done++;
	}
	return done;
}

/* --------------------------------------------------------------- sizes */

uint64_t ring_setup_round(const struct region *r, uint64_t size)
{
	uint64_t page = r->geo.page_size, unit = page > LAYOUT_GRANULE ? page : LAYOUT_GRANULE;
	uint64_t least = LAYOUT_MIN_PAGES * page > unit ? LAYOUT_MIN_PAGES * page : unit;
	uint64_t most = r->geo.max_slots * page / unit * unit;

	if (size >= most)
		return most;
	size = (size + unit - 1) / unit * unit;
	return size < least ? least : size;
}

uint32_t ring_pool_target(const struct region *r, uint32_t index)
{
	const struct layout_ring *ring = region_ring(r, index);
	uint64_t want = sync_load(&ring->wanted_size);

	if (!want)
		want = sync_load(&r->hdr->wanted_size);
	/* Locked rings are small until somebody needs them, and all together
	 * twice as large as those of the CPUs then. */
	if (index >= r->geo.nr_cpus && !sync_load(&ring->wanted_size))
		want = sync_load(&r->hdr->locked_users)
			       ? want * 2 * r->geo.nr_cpus / r->geo.nr_locked
			       : 1;
	return (uint32_t)(ring_setup_round(r, want) / r->geo.page_size);
}

/* One number out of a small file of the kernel; UINT64_MAX if it has none. */
static uint64_t number_in(const char *path)
{
	char text[64];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return UINT64_MAX;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0 || text[0] < '0' || text[0] > '9')
		return UINT64_MAX;
	text[n] = '\0';
	return strtoull(text, NULL, 10);
}

/* The path of our cgroup: version 2 if `controller` is NULL. */
static int cgroup_path(const char *controller, char *buf, size_t size)
{
	char line[4200];
	FILE *f = fopen("/proc/self/cgroup", "re");
	int found = -ENOENT;

	while (f && found && fgets(line, sizeof(line), f)) {
		char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (controller ? strcmp(names + 1, controller) == 0 : names[1] == '\0')
			found = snprintf(buf, size, "%s", path) < (int)size ? 0 : -ENAMETOOLONG;
	}
	if (f)
		fclose(f);
	return found;
}

static uint64_t left_of(const char *root, const char *group, const char *max, const char *now)
{
	char path[8400];
	uint64_t limit, used;

	snprintf(path, sizeof(path), "%s%s/%s", root, group, max);
	limit = number_in(path);
	snprintf(path, sizeof(path), "%s%s/%s", root, group, now);
	used = number_in(path);
	if (limit == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	return limit > used ? limit - used : 0;
}

uint64_t ring_pool_room(const struct region *r)
{
	struct statvfs fs;
	char group[4096];
	uint64_t room = UINT64_MAX, left;

	if (fstatvfs(r->fd, &fs) == 0)
		room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (cgroup_path(NULL, group, sizeof(group)) == 0) {
		left = left_of("/sys/fs/cgroup", group, "memory.max", "memory.current");
		room = left < room ? left : room;
	}
	if (cgroup_path("memory", group, sizeof(group)) == 0) {
		left = left_of("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes",
			       "memory.usage_in_bytes");
		room = left < room ? left : room;
	}
	return room / 4;
}
