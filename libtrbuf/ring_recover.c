/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What a dead consumer left: slots that it had taken and not posted. They are
 * in none of the producers' words: not among the pages t...head, not in the
 * free queue, not one of the two that a switch may have half taken. The listing
 * is valid only if head's page, F and T stood still during it, so it is
 * repeated until they do.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/ring.h"
#include "libtrbuf/ring_pool.h"
#include "libtrbuf/ring_read.h"

#define TRIES 200000

struct words {
	uint64_t page, F, T;
	uint64_t number;
};

static int read_words(struct ring_reader *rd, struct words *w)
{
	uint64_t head = sync_load_acquire(&rd->ring->head);

	w->page = head_page(head);
	w->number = sync_load(&rd->ring->page[w->page & 1].number);
	w->F = sync_load_acquire(&rd->ring->F);
	w->T = sync_load_acquire(&rd->ring->T);
	return (w->number & HEAD_PAGE_MASK) == w->page;
}

static void mark(unsigned char *theirs, uint32_t n, uint32_t slot)
{
	if (slot < n)
		theirs[slot] = 1;
}

/* Set theirs[slot] for all that the producers' side holds. 0 if the words moved. */
static int list(struct ring_reader *rd, unsigned char *theirs, uint32_t nslots)
{
	const struct region *r = rd->r;
	uint64_t *pages = ring_pages(r, rd->ring);
	uint32_t *queue = ring_free(r, rd->ring), mask = r->geo.table_cap - 1;
	struct words before, after;
	uint32_t n, fn;

	memset(theirs, 0, nslots);
	if (!pages || !queue || !read_words(rd, &before))
		return 0;
	n = (uint32_t)before.number - t_oldest(before.T);
	for (uint32_t i = 0; i <= n && i <= mask; i++)
		mark(theirs, nslots, (uint32_t)sync_load(&pages[(t_oldest(before.T) + i) & mask]));
	n = f_posted(before.F) - f_taken(before.F);
	for (uint32_t i = 0; i < n && i <= mask; i++)
		mark(theirs, nslots, sync_load(&queue[(f_taken(before.F) + i) & mask]));
	if (t_slot(before.T) != T_NO_SLOT &&
	    t_tag(before.T) == ((uint32_t)(before.number + 1) & 0xffff))
		mark(theirs, nslots, t_slot(before.T)); /* stolen, page not yet open */
	fn = (uint32_t)(sync_load(&pages[before.number & mask]) >> 32);
	if (f_taken(before.F) == fn + 1)
		mark(theirs, nslots, sync_load(&queue[fn & mask])); /* taken, not yet open */
	sync_fence_acquire();
	return read_words(rd, &after) && after.page == before.page && after.F == before.F &&
	       after.T == before.T && after.number == before.number;
}

static int older_first(const void *a, const void *b)
{
	const struct ring_page *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* The entry of a slot that is ours; 0 if it holds nothing that was closed. */
static int load(struct ring_reader *rd, uint32_t slot, struct ring_page *p)
{
	const struct layout_slot *s = ring_slot(rd->r, rd->ring, slot);
	uint64_t mem = s ? sync_load(&s->mem) : 0;

	memset(p, 0, sizeof(*p));
	p->ring = rd->index;
	p->slot = slot;
	p->number = UINT64_MAX;
	if (!s || sync_load(&s->number) == UINT64_MAX)
		return 0;
	p->number = sync_load(&s->number);
	p->begin = sync_load(&s->begin);
	p->end = sync_load(&s->end);
	p->events_before = sync_load(&s->events_before);
	p->missed_before = sync_load(&s->missed_before);
	p->missed_since = sync_load(&s->missed_since);
	p->events = sync_load(&s->events);
	p->end_offset = sync_load(&s->end_offset);
	if (!region_in_pool(rd->r, mem, rd->r->geo.page_size) || mem % 4096 ||
	    p->end_offset < LAYOUT_PAGE_HEADER || p->end_offset > rd->r->geo.page_size ||
	    p->events > (p->end_offset - LAYOUT_PAGE_HEADER) / 8 || p->begin > p->end)
		return 0;
	p->mem = rd->r->base + mem;
	return 1;
}

static uint32_t collect(struct ring_reader *rd, const unsigned char *theirs, uint32_t nslots,
			struct ring_page *ours)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nslots; i++) {
		const struct layout_slot *s = ring_slot(rd->r, rd->ring, i);

		if (theirs[i] || !s || sync_load(&s->retired))
			continue;
		load(rd, i, &ours[n++]);
	}
	qsort(ours, n, sizeof(*ours), older_first);
	return n;
}

/* A consumer killed between a flag and the count left them apart. */
static void recount_pages(struct ring_reader *rd, uint32_t nslots)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nslots; i++) {
		const struct layout_slot *s = ring_slot(rd->r, rd->ring, i);

		n += s && !sync_load(&s->retired);
	}
	sync_store(&rd->ring->npages, n);
}

int ring_reader_recover(struct ring_reader *rd, int (*fn)(const struct ring_page *p, void *arg),
			void *arg)
{
	uint32_t nslots = ring_pool_slots(rd->r, rd->ring), n = 0;
	unsigned char *theirs = calloc(1, nslots + 1u);
	struct ring_page *ours = calloc(nslots + 1u, sizeof(*ours));
	int err = theirs && ours ? -EAGAIN : -ENOMEM;

	for (unsigned i = 0; err == -EAGAIN && i < TRIES; i++)
		if (list(rd, theirs, nslots))
			err = 0;
		else if (i % 64 == 63)
			sched_yield();
	if (!err)
		n = collect(rd, theirs, nslots, ours);
	recount_pages(rd, nslots);
	rd->held += n;
	for (uint32_t i = 0; !err && i < n; i++) {
		if (ours[i].mem)
			err = fn(&ours[i], arg);
		if (!err)
			ring_reader_post(rd, ours[i].slot);
	}
	free(theirs);
	free(ours);
	return err ? err : (int)n;
}
