/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * From page n to page n+1. Decisions are made in C from a snapshot; every store
 * and every compare-and-swap is in a section that first sees `head` and the
 * 64-bit page number as in the snapshot. In this order:
 *
 *   a tag in T for another page than n+1 is stale         -> clear it
 *   T says that a slot was stolen for n+1                 -> use it
 *   f is one beyond what page n had taken                 -> use that slot
 *   a free page is posted                                 -> take it (f+1)
 *   overwrite mode and a page older than head's           -> steal it (T)
 *   else the page is sealed, and the event is a miss
 *
 *   I4  A half-done step is known by the tag in the word it changed, so a
 *       producer killed after a take or a steal leaves a slot that the next
 *       one uses; there is nothing to help and nothing to undo.
 *   I5  The page that head is in is never stolen.
 *   I6  Misses lie between pages only: the first one seals the page.
 *
 * The other sides: ring_read.c (take, post), ring_setup.c (shrink).
 */
#include "libtrbuf/clock.h"
#include "libtrbuf/doorbell.h"
#include "libtrbuf/inject.h"
#include "libtrbuf/ring.h"
#include "libtrbuf/ring_write.h"

struct snapshot {
	uint64_t head, last, missed, F, T;
	struct layout_page_words *words; /* of page n */
	uint64_t number;                 /* n */
	uint32_t slot;                   /* of page n */
	uint32_t fn;                     /* free pages taken up to page n */
	uint32_t mask;                   /* of the tables */
	uint32_t *free_queue;
	uint64_t *pages;
};

/* ------------------------------------------------- stores in a section */

static int all_equal(const struct rseq_word *cmp, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (sync_load(cmp[i].addr) != cmp[i].value)
			return 0;
	return 1;
}

static enum rseq_result stores(const struct section *s, const struct rseq_word *cmp, unsigned n,
			       const struct rseq_word *set, unsigned m)
{
	INJECT("switch.stores");
	if (s->area)
		return rseq_stores(s->area, s->cpu, cmp, n, set, m);
	if (!all_equal(cmp, n))
		return RSEQ_CHANGED;
	for (unsigned i = 0; i + 1 < m; i++) {
		sync_store(set[i].addr, set[i].value);
		INJECT("switch.store");
	}
	sync_store_release(set[m - 1].addr, set[m - 1].value); /* commit [O1] */
	INJECT("switch.stored");
	return RSEQ_DONE;
}

/* F is compared too: a steal that was decided when no page was posted must not
 * happen when one was taken meanwhile, or one of the two slots would be lost. */
static void swap(const struct section *s, const struct snapshot *n, uint64_t *word, uint64_t old,
		 uint64_t new)
{
	struct rseq_word cmp[3] = { { &s->ring->head, n->head },
				    { &n->words->number, n->number },
				    { &s->ring->F, n->F } };
	struct rseq_word from = { word, old };

	INJECT("switch.swap");
	if (s->area)
		rseq_swap(s->area, s->cpu, cmp, 3, &from, new);
	else if (all_equal(cmp, 3))
		sync_cas64(word, old, new); /* [O3] */
	INJECT("switch.swapped");
}

/* ------------------------------------------------------------ snapshot */

/* 0 if it does not hang together: somebody switched, or the ring is spoilt. */
static int look(const struct section *s, struct snapshot *n)
{
	const struct region *r = &producer.region;

	n->head = sync_load_acquire(&s->ring->head);
	n->words = &s->ring->page[head_page(n->head) & 1];
	n->number = sync_load_acquire(&n->words->number);
	n->slot = sync_load(&n->words->slot);
	if ((n->number & HEAD_PAGE_MASK) != head_page(n->head))
		return 0;
	n->missed = sync_load(&s->ring->missed);
	n->T = sync_load_acquire(&s->ring->T);
	n->F = sync_load_acquire(&s->ring->F); /* [O2] */
	n->last = sync_load(&s->ring->last);
	n->mask = r->geo.table_cap - 1;
	n->free_queue = ring_free(r, s->ring);
	n->pages = ring_pages(r, s->ring);
	if (!n->free_queue || !n->pages)
		return 0;
	n->fn = (uint32_t)(sync_load(&n->pages[n->number & n->mask]) >> 32);
	return 1;
}

/* ---------------------------------------------------------- open, miss */

static void ring_the_bell(const struct section *s, const struct snapshot *n)
{
	uint64_t F = sync_load(&s->ring->F), T = sync_load(&s->ring->T);
	uint32_t full = (uint32_t)(n->number + 1) - t_oldest(T);

	if (full >= sync_load(&s->ring->ring_at) || f_taken(F) == f_posted(F))
		doorbell_ring(&producer.region);
}

/* Open page n+1 in `slot`. `now` is not 0 if the clock has run on by more than
 * 48 bits carry: then the page begins there. */
static void open_page(const struct section *s, const struct snapshot *n, uint32_t slot,
		      uint32_t fn, uint64_t now)
{
	const struct region *r = &producer.region;
	struct layout_slot *old = ring_slot(r, s->ring, n->slot), *new = ring_slot(r, s->ring, slot);
	uint64_t next = n->number + 1;
	struct layout_page_words *words = &s->ring->page[next & 1];
	/* T as seen: no slot was stolen for n+1 since, which would be lost. */
	struct rseq_word cmp[4] = { { &s->ring->head, n->head },
				    { &n->words->number, n->number },
				    { &s->ring->missed, n->missed },
				    { &s->ring->T, n->T } };
	/* A stolen slot is ours whatever the consumer does to t meanwhile. */
	unsigned ncmp = t_slot(n->T) == T_NO_SLOT ? 4 : 3;
	uint64_t begin = now ? now : n->last;

	if (!old || !new)
		return;
	/* [O3] The steal of this slot is seen before anything is stored into it:
	 * who copies a page without taking it looks at T afterwards. */
	sync_fence_release();
	struct rseq_word set[] = {
		{ &old->end, n->last },
		{ (uint64_t *)(void *)&old->end_offset,
		  head_offset(n->head) | (uint64_t)head_events(n->head) << 32 },
		{ &new->number, next },
		{ &new->begin, begin },
		{ &new->events_before, sync_load(&old->events_before) + head_events(n->head) },
		{ &new->missed_before, n->missed },
		{ &new->missed_since, sync_load(&s->ring->missed_since) },
		{ &n->pages[next & n->mask], slot | (uint64_t)fn << 32 },
		{ &words->base, sync_load(&new->mem) },
		{ (uint64_t *)(void *)&words->slot, slot },
		{ &words->number, next }, /* after what it vouches for */
		{ &s->ring->last, begin },
		{ &s->ring->head, head_make(next, LAYOUT_PAGE_HEADER) },
	};
	/* `last` may have moved on in an aborted section; it never goes back,
	 * as only the gap stores it. */
	if (!now) {
		set[11] = set[12];
	}
	if (stores(s, cmp, ncmp, set, now ? 13 : 12) == RSEQ_DONE)
		ring_the_bell(s, n);
}

static void seal(const struct section *s, const struct snapshot *n)
{
	struct rseq_word cmp[2] = { { &s->ring->head, n->head },
				    { &n->words->number, n->number } };
	struct rseq_word set[2] = {
		{ &s->ring->missed_since, clock_read(producer.clock, producer.region.hdr) },
		{ &s->ring->head, n->head | HEAD_SEALED },
	};

	if (stores(s, cmp, 2, set, 2) == RSEQ_DONE)
		doorbell_ring(&producer.region);
}

/* The section sees "no room and no page" itself: F and T as in the snapshot. */
static enum switch_result miss(const struct section *s, const struct snapshot *n)
{
	struct rseq_word cmp[5] = { { &s->ring->head, n->head },
				    { &n->words->number, n->number },
				    { &s->ring->missed, n->missed },
				    { &s->ring->F, n->F },
				    { &s->ring->T, n->T } };
	struct rseq_word set = { &s->ring->missed, n->missed + 1 };

	return stores(s, cmp, 5, &set, 1) == RSEQ_DONE ? SWITCH_DONE : SWITCH_AGAIN;
}

static enum switch_result filtered(const struct section *s)
{
	uint64_t now = sync_load(&s->ring->filtered);
	struct rseq_word cmp = { &s->ring->filtered, now };
	struct rseq_word set = { &s->ring->filtered, now + 1 };

	return stores(s, &cmp, 1, &set, 1) == RSEQ_DONE ? SWITCH_DONE : SWITCH_AGAIN;
}

/* -------------------------------------------------------------- decide */

static enum switch_result next_page(const struct section *s, const struct snapshot *n,
				    uint64_t now)
{
	uint32_t tag = (uint32_t)(n->number + 1) & 0xffff;
	uint32_t oldest = t_oldest(n->T);

	if (t_slot(n->T) != T_NO_SLOT && t_tag(n->T) != tag) {
		swap(s, n, &s->ring->T, n->T, t_make(oldest, T_NO_SLOT, 0));
	} else if (t_slot(n->T) != T_NO_SLOT) {
		open_page(s, n, t_slot(n->T), n->fn, now);
	} else if (f_taken(n->F) == n->fn + 1) {
		open_page(s, n, sync_load(&n->free_queue[n->fn & n->mask]), n->fn + 1, now);
	} else if ((int32_t)(f_posted(n->F) - f_taken(n->F)) > 0) {
		swap(s, n, &s->ring->F, n->F, f_make(f_taken(n->F) + 1, f_posted(n->F)));
	} else if (sync_load(&producer.region.hdr->mode) == LAYOUT_OVERWRITE &&
		   (int32_t)((uint32_t)n->number - oldest) > 0) {
		uint32_t slot = (uint32_t)sync_load(&n->pages[oldest & n->mask]);

		swap(s, n, &s->ring->T, n->T, t_make(oldest + 1, slot, tag));
	} else if (!(n->head & HEAD_SEALED)) {
		seal(s, n);
	} else {
		return miss(s, n);
	}
	return SWITCH_AGAIN;
}

enum switch_result ring_switch(const struct section *s, const struct rseq_record *c)
{
	uint32_t limit = sync_load(&s->ring->limit), off;
	struct snapshot n;
	uint64_t now, gap;

	if (sync_load(&s->ring->denied))
		return filtered(s);
	if (!sync_load_acquire(&s->ring->ready) || limit == 0) { /* [O6] */
		ring_lost(LAYOUT_LOST_NO_RING);
		return SWITCH_DONE;
	}
	if (!look(s, &n))
		return SWITCH_AGAIN;
	now = clock_read(producer.clock, producer.region.hdr);
	gap = now - n.last;
	off = (uint32_t)n.head & ((1u << (HEAD_OFFSET_BITS + 1)) - 1);
	if (off + ring_need(c) <= limit && gap >> 48 == 0)
		return SWITCH_AGAIN; /* somebody else opened it */
	if (gap >> 48 == 0 || (int64_t)gap < 0)
		now = 0;
	INJECT("switch.look");
	return next_page(s, &n, now);
}
