/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Rings come into being here, and get their size. Called by whoever holds
 * REGION_LOCK_CONSUMER: the daemon, or a tool without one. `resize` only
 * writes a wanted size; this makes it so.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/layout_check.h"
#include "libtrbuf/ring.h"
#include "libtrbuf/ring_pool.h"
#include "libtrbuf/ring_setup.h"

static struct ring_seed seed;

void ring_setup_seed(const struct ring_seed *s)
{
	seed = *s;
}

static uint64_t tables_size(const struct region *r)
{
	return (uint64_t)r->geo.table_cap * (sizeof(uint32_t) + sizeof(uint64_t)) + 8 * 64;
}

static int make_tables(struct region *r, struct layout_ring *ring)
{
	uint64_t cap = r->geo.table_cap, off = sync_load(&ring->off_pages);
	int err;

	if (off) /* left by one who was killed before `ready` */
		return ring_table(r, off, tables_size(r)) ? 0 : -EBADMSG;
	off = region_pool_alloc(r, tables_size(r), 64, &err);
	if (!off)
		return err;
	sync_store(&ring->off_slots, off + cap * 12);
	sync_store(&ring->off_free, off + cap * 8);
	sync_store_release(&ring->off_pages, off);
	return 0;
}

/* The first page is opened for the producers: page words, tables, head. */
static int open_first(struct region *r, struct layout_ring *ring)
{
	uint64_t F = sync_load(&ring->F), now = clock_read(r->geo.clock, r->hdr);
	uint32_t mask = r->geo.table_cap - 1, *queue = ring_free(r, ring);
	uint64_t *pages = ring_pages(r, ring);
	struct layout_page_words *words = &ring->page[seed.page & 1];
	uint32_t slot;
	struct layout_slot *s;

	if (!queue || !pages || f_taken(F) == f_posted(F))
		return -ENOMEM;
	slot = queue[f_taken(F) & mask];
	s = ring_slot(r, ring, slot);
	if (!s)
		return -EBADMSG;
	ring->F = f_make(f_taken(F) + 1, f_posted(F));
	ring->T = t_make((uint32_t)seed.page, T_NO_SLOT, 0);
	s->number = seed.page;
	s->begin = now;
	s->events_before = seed.events;
	s->missed_before = seed.missed;
	pages[seed.page & mask] = slot | (uint64_t)(f_taken(F) + 1) << 32;
	*words = (struct layout_page_words){ .number = seed.page, .base = s->mem, .slot = slot };
	ring->last = now;
	ring->missed = seed.missed;
	ring->disk_page = seed.page;
	ring->disk_events = seed.events;
	ring->disk_missed = seed.missed;
	ring->head = head_make(seed.page, LAYOUT_PAGE_HEADER);
	return 0;
}

static void set_watermark(const struct region *r, struct layout_ring *ring)
{
	uint64_t at = (uint64_t)sync_load(&ring->npages) * sync_load(&r->hdr->watermark) / 100;

	sync_store(&ring->ring_at, at ? (uint32_t)at : 1);
}

static int make_ring(struct region *r, uint32_t index, uint32_t pages)
{
	struct layout_ring *ring = region_ring(r, index);
	int err = make_tables(r, ring);

	if (err)
		return err;
	if (sync_load(&ring->nslots) == 0) {
		ring->F = f_make(seed.fa, seed.fa);
		ring->npages = 0;
	}
	if (sync_load(&ring->npages) < pages)
		err = ring_pool_grow(r, ring, pages - sync_load(&ring->npages));
	if (sync_load(&ring->npages) < LAYOUT_MIN_PAGES)
		return err ? err : -ENOMEM;
	err = open_first(r, ring);
	if (err)
		return err;
	set_watermark(r, ring);
	sync_store_release(&ring->ready, 1); /* [O6] */
	sync_store_release(&ring->limit, sync_load(&ring->denied) ? 0 : r->geo.page_size);
	return 0;
}

/* ----------------------------------------------------------- all rings */

/* Bit set of the CPUs that are online, below nr_cpus. */
static unsigned char *online_cpus(const struct region *r)
{
	unsigned char *set = calloc(1, r->geo.nr_cpus / 8 + 1);
	char text[8192];
	ssize_t n = -1;
	char *p = text;
	int fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (!set)
		return NULL;
	text[n > 0 ? n : 0] = '\0';
	while (*p >= '0' && *p <= '9') {
		unsigned long a = strtoul(p, &p, 10), b = a;

		if (*p == '-')
			b = strtoul(p + 1, &p, 10);
		for (; a <= b && a < r->geo.nr_cpus; a++)
			set[a / 8] |= (unsigned char)(1u << a % 8);
		if (*p == ',')
			p++;
	}
	if (n <= 0) /* not known: all */
		memset(set, 0xff, r->geo.nr_cpus / 8 + 1);
	return set;
}

static int wants_ring(const struct region *r, const unsigned char *online, uint32_t i)
{
	if (sync_load(&region_ring(r, i)->ready))
		return 0;
	return i >= r->geo.nr_cpus || (online[i / 8] >> i % 8 & 1);
}

/* Pages for each new ring, so that all together stay within the room. */
static uint64_t fair_share(const struct region *r, const unsigned char *online, uint64_t *asked)
{
	uint64_t room = ring_pool_room(r), all = 0;

	for (uint32_t i = 0; i < r->geo.nr_rings; i++)
		if (wants_ring(r, online, i))
			all += (uint64_t)ring_pool_target(r, i) * r->geo.page_size +
			       tables_size(r) + 2 * LAYOUT_GRANULE;
	*asked = all;
	return all <= room ? UINT64_MAX : room;
}

int ring_setup_all(struct region *r, struct fault *f)
{
	unsigned char *online;
	uint64_t room, asked;
	int made = 0, err = 0, smaller = 0;

	if (layout_refresh(r->hdr, &r->geo))
		return fault_set(f, EBADMSG, "%s: region is spoilt", r->path);
	online = online_cpus(r);
	if (!online)
		return fault_set(f, ENOMEM, "no memory");
	room = fair_share(r, online, &asked);
	for (uint32_t i = 0; i < r->geo.nr_rings; i++) {
		uint64_t pages;

		if (!wants_ring(r, online, i))
			continue;
		pages = ring_pool_target(r, i);
		if (room != UINT64_MAX) {
			pages = (uint64_t)((double)pages * (double)room / (double)asked);
			pages = ring_setup_round(r, pages * r->geo.page_size) / r->geo.page_size;
			smaller = 1;
		}
		err = make_ring(r, i, (uint32_t)pages);
		if (err)
			break;
		made++;
	}
	free(online);
	if (err)
		return fault_set(f, -err, "%s: no memory for ring buffers (%s); free some room there or "
					  "choose a smaller --ring-size", r->path, strerror(-err));
	sync_store_release(&r->hdr->rings_ready, 1);
	if (smaller && made)
		fault_set(f, 0, "%s: rings are smaller than asked: %llu bytes are wanted, a quarter of "
				"the free memory is %llu", r->path, (unsigned long long)asked,
			  (unsigned long long)room);
	return smaller && made;
}

/* -------------------------------------------------------------- resize */

void ring_setup_want(struct region *r, int ring, uint64_t size)
{
	if (ring >= 0 && (uint32_t)ring < r->geo.nr_rings) {
		sync_store(&region_ring(r, (uint32_t)ring)->wanted_size, size);
		return;
	}
	sync_store(&r->hdr->wanted_size, size);
	for (uint32_t i = 0; i < r->geo.nr_rings; i++)
		sync_store(&region_ring(r, i)->wanted_size, 0);
}

void ring_setup_allow(struct region *r, uint32_t index, int allowed)
{
	struct layout_ring *ring = region_ring(r, index);

	sync_store(&ring->denied, !allowed);
	sync_store_release(&ring->limit, allowed && sync_load(&ring->ready) ? r->geo.page_size : 0);
}

/* Overwrite mode without a recording: the oldest pages may go at once; the
 * ledger counts their events as overwritten. */
static uint32_t drop_oldest(struct region *r, struct layout_ring *ring, uint32_t pages)
{
	uint64_t *table = ring_pages(r, ring);
	uint32_t done = 0;

	if (sync_load(&r->hdr->mode) != LAYOUT_OVERWRITE || sync_load(&r->hdr->recording))
		return 0;
	for (unsigned i = 0; table && done < pages && i < 100000; i++) {
		uint64_t T = sync_load_acquire(&ring->T);
		uint64_t head = sync_load_acquire(&ring->head);
		uint32_t t = t_oldest(T), slot;

		if (((head_page(head) - t) & HEAD_PAGE_MASK) == 0)
			break;
		slot = (uint32_t)sync_load(&table[t & (r->geo.table_cap - 1)]);
		if (!sync_cas64(&ring->T, T, t_make(t + 1, t_slot(T), t_tag(T)))) /* [O3] */
			continue;
		ring_pool_retire(r, ring, slot);
		done++;
	}
	return done;
}

int ring_setup_apply(struct region *r, uint32_t index, struct fault *f)
{
	struct layout_ring *ring = region_ring(r, index);
	uint32_t want, have, grow;
	uint64_t room;
	int err = 0, short_of_room = 0;

	if (!sync_load_acquire(&ring->ready))
		return 0;
	want = ring_pool_target(r, index);
	have = sync_load(&ring->npages);
	if (have > want) {
		have -= ring_pool_shrink(r, ring, have - want);
		if (have > want)
			have -= drop_oldest(r, ring, have - want);
	} else if (have < want) {
		grow = want - have;
		room = ring_pool_room(r) / r->geo.page_size;
		if (grow > room) {
			grow = (uint32_t)room;
			short_of_room = 1;
		}
		err = grow ? ring_pool_grow(r, ring, grow) : 0;
		have = sync_load(&ring->npages);
	}
	set_watermark(r, ring);
	if (err || short_of_room)
		return fault_set(f, ENOMEM, "ring %u became %llu bytes: there is no memory for more (at most "
					    "a quarter of what is free is taken)", index,
				 (unsigned long long)have * r->geo.page_size);
	return sync_load(&ring->npages) > want;
}
