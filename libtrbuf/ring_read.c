/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The consumer's half. It takes full pages at `t`, hands them out as checked
 * numbers and posts the slots again. What it reads may be anything: each word
 * is loaded once, loops are bounded, and what cannot be true quarantines the
 * ring. The other side: ring_switch.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libtrbuf/process.h"
#include "libtrbuf/ring.h"
#include "libtrbuf/ring_pool.h"
#include "libtrbuf/ring_read.h"

#define TRIES 100000

static int quarantine(struct ring_reader *rd, const char *why)
{
	fault_set(&rd->fault, EBADMSG, "ring %u: %s", rd->index, why);
	sync_store(&rd->ring->quarantined, 1);
	return -EBADMSG;
}

int ring_reader_init(struct ring_reader *rd, struct region *r, uint32_t index)
{
	memset(rd, 0, sizeof(*rd));
	if (index >= r->geo.nr_rings)
		return -EAGAIN;
	rd->r = r;
	rd->index = index;
	rd->ring = region_ring(r, index);
	if (!sync_load_acquire(&rd->ring->ready)) /* [O6] */
		return -EAGAIN;
	if (sync_load(&rd->ring->quarantined)) {
		fault_set(&rd->fault, EBADMSG, "ring %u: quarantined before", index);
		return -EBADMSG;
	}
	if (!ring_free(r, rd->ring) || !ring_pages(r, rd->ring))
		return quarantine(rd, "its tables lie outside the region");
	return 0;
}

/* head and the whole number of its page, at one moment. */
static int read_head(struct ring_reader *rd, uint64_t *head, struct layout_page_words *words)
{
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t h = sync_load_acquire(&rd->ring->head); /* [O1] */
		struct layout_page_words *w = &rd->ring->page[head_page(h) & 1];

		words->number = sync_load_acquire(&w->number);
		words->slot = sync_load(&w->slot);
		sync_fence_acquire();
		if ((words->number & HEAD_PAGE_MASK) == head_page(h) &&
		    head_page(sync_load(&rd->ring->head)) == head_page(h)) {
			*head = h;
			return 0;
		}
	}
	return quarantine(rd, "head and page words do not belong together");
}

/* head, and a clock that is not before its newest record nor after any later
 * one: `last` belongs to this head if head did not move around it. */
static int read_head_and_last(struct ring_reader *rd, uint64_t *head, uint64_t *last,
			      struct layout_page_words *words)
{
	for (unsigned i = 0; i < TRIES; i++) {
		int err = read_head(rd, head, words);

		if (err)
			return err;
		*last = sync_load(&rd->ring->last);
		sync_fence_acquire();
		if (sync_load(&rd->ring->head) == *head)
			return 0;
	}
	return -EAGAIN;
}

/* Whole number of the page whose low half is `low`, not after `head`. */
static uint64_t whole_number(uint64_t head, uint32_t low)
{
	return head - (uint32_t)((uint32_t)head - low);
}

/* Full pages not yet taken, and the oldest of them. */
static int look(struct ring_reader *rd, uint64_t *T, uint64_t *number, uint32_t *full)
{
	struct layout_page_words words;
	uint64_t head;
	int err;

	*T = sync_load_acquire(&rd->ring->T); /* T first: head is never behind it */
	err = read_head(rd, &head, &words);
	if (err)
		return err;
	*number = whole_number(words.number, t_oldest(*T));
	*full = (uint32_t)(words.number - *number);
	if (*full > rd->r->geo.max_slots) {
		/* Producers may have stolen on since T was read. */
		*T = sync_load_acquire(&rd->ring->T);
		*number = whole_number(words.number, t_oldest(*T));
		*full = (uint32_t)(words.number - *number);
		if (*full > rd->r->geo.max_slots && (int32_t)*full >= 0)
			return quarantine(rd, "more full pages than it has slots");
		if (*full > rd->r->geo.max_slots) {
			*full = 0;
			*number = words.number;
		}
	}
	return 0;
}

static const char *check_page(const struct region *r, const struct ring_page *p, uint64_t want,
			      uint64_t mem)
{
	uint32_t body = p->end_offset - LAYOUT_PAGE_HEADER;

	if (p->number != want)
		return "slot entry names another page";
	if (p->end_offset < LAYOUT_PAGE_HEADER || p->end_offset > r->geo.page_size)
		return "end of a page lies outside it";
	if (p->events > body / 8 || (p->events == 0) != (body == 0))
		return "number of events of a page cannot be";
	if (p->begin > p->end)
		return "page ends before it begins";
	if (mem % 4096 || !region_in_pool(r, mem, r->geo.page_size))
		return "memory of a page lies outside the region";
	return NULL;
}

/* The entry of a closed page as checked numbers. */
static const char *load_page(const struct ring_reader *rd, uint32_t slot, uint64_t want,
			     struct ring_page *p)
{
	const struct region *r = rd->r;
	const struct layout_slot *s = ring_slot(r, rd->ring, slot);
	uint64_t mem;
	const char *why;

	if (!s)
		return "page table names a slot that is not there";
	p->ring = rd->index;
	p->slot = slot;
	p->number = sync_load(&s->number);
	p->begin = sync_load(&s->begin);
	p->end = sync_load(&s->end);
	p->events_before = sync_load(&s->events_before);
	p->missed_before = sync_load(&s->missed_before);
	p->missed_since = sync_load(&s->missed_since);
	p->events = sync_load(&s->events);
	p->end_offset = sync_load(&s->end_offset);
	mem = sync_load(&s->mem);
	why = check_page(r, p, want, mem);
	p->mem = why ? NULL : r->base + mem;
	return why;
}

/* ---------------------------------------------------------- take, post */

static int may_take(const struct ring_reader *rd)
{
	if (sync_load(&rd->r->hdr->mode) != LAYOUT_OVERWRITE)
		return 1;
	return rd->held < sync_load(&rd->ring->npages) / 2;
}

int ring_reader_take(struct ring_reader *rd, struct ring_page *p)
{
	uint64_t *pages = ring_pages(rd->r, rd->ring);

	if (!pages)
		return quarantine(rd, "its tables lie outside the region");
	for (unsigned i = 0; i < TRIES && may_take(rd); i++) {
		uint64_t T, number;
		uint32_t full, slot;
		const char *why;
		int err = look(rd, &T, &number, &full);

		if (err || !full)
			return err;
		slot = (uint32_t)sync_load(&pages[number & (rd->r->geo.table_cap - 1)]);
		if (!sync_cas64(&rd->ring->T, T, t_make(t_oldest(T) + 1, t_slot(T), t_tag(T))))
			continue; /* [O3] a producer stole it */
		rd->held++;
		why = load_page(rd, slot, number, p);
		return why ? quarantine(rd, why) : 1;
	}
	return 0;
}

uint32_t ring_reader_waiting(const struct ring_reader *rd)
{
	struct ring_reader copy = *rd;
	uint64_t T, number;
	uint32_t full;

	return look(&copy, &T, &number, &full) ? 0 : full;
}

void ring_reader_post(struct ring_reader *rd, uint32_t slot)
{
	if (rd->held)
		rd->held--;
	if (sync_load(&rd->ring->npages) > ring_pool_target(rd->r, rd->index))
		ring_pool_retire(rd->r, rd->ring, slot);
	else
		ring_pool_post(rd->r, rd->ring, slot);
}

/* -------------------------------------------------- looking without taking */

/* Not stolen or taken while it was copied? Then the copy is whole. */
static int still_there(const struct ring_reader *rd, uint64_t number)
{
	sync_fence_acquire();
	return (int32_t)((uint32_t)number - t_oldest(sync_load(&rd->ring->T))) >= 0;
}

int ring_reader_partial(struct ring_reader *rd, const struct ring_disk *disk, unsigned char *copy,
			struct ring_page *p)
{
	struct layout_page_words words;
	uint64_t head, mem, last;
	const struct layout_slot *s;
	const char *why;
	int err = read_head_and_last(rd, &head, &last, &words);

	if (err)
		return err;
	/* A full page that was not yet taken comes first, or it would be given up. */
	if (t_oldest(sync_load_acquire(&rd->ring->T)) != (uint32_t)words.number)
		return -EAGAIN;
	if (head_offset(head) <= LAYOUT_PAGE_HEADER)
		return 0;
	if (disk->page == words.number && disk->offset >= head_offset(head))
		return 0;
	s = ring_slot(rd->r, rd->ring, words.slot);
	if (!s)
		return quarantine(rd, "page words name a slot that is not there");
	memset(p, 0, sizeof(*p));
	p->ring = rd->index;
	p->slot = words.slot;
	p->number = sync_load(&s->number);
	p->begin = sync_load(&s->begin);
	p->end = last;
	p->events_before = sync_load(&s->events_before);
	p->missed_before = sync_load(&s->missed_before);
	p->missed_since = sync_load(&s->missed_since);
	p->events = head_events(head);
	p->end_offset = head_offset(head);
	mem = sync_load(&s->mem);
	why = check_page(rd->r, p, words.number, mem);
	if (!why)
		memcpy(copy, rd->r->base + mem, p->end_offset);
	if (!still_there(rd, words.number))
		return -EAGAIN;
	if (why)
		return quarantine(rd, why);
	p->mem = copy;
	return 1;
}

int ring_reader_bounds(struct ring_reader *rd, uint64_t *oldest, uint64_t *head)
{
	uint64_t T;
	uint32_t full;
	int err = look(rd, &T, oldest, &full);

	*head = *oldest + full;
	return err;
}

int ring_reader_peek(struct ring_reader *rd, uint64_t number, unsigned char *copy,
		     struct ring_page *p)
{
	uint64_t *pages = ring_pages(rd->r, rd->ring);
	const char *why;

	if (!pages)
		return quarantine(rd, "its tables lie outside the region");
	if (!still_there(rd, number))
		return 0;
	why = load_page(rd, (uint32_t)sync_load(&pages[number & (rd->r->geo.table_cap - 1)]), number,
			p);
	if (!why)
		memcpy(copy, p->mem, p->end_offset);
	if (!still_there(rd, number))
		return 0;
	if (why)
		return quarantine(rd, why);
	p->mem = copy;
	return 1;
}

/* ------------------------------------------------------ ledger, totals */

void ring_disk_get(const struct ring_reader *rd, struct ring_disk *d)
{
	d->page = sync_load(&rd->ring->disk_page);
	d->offset = sync_load(&rd->ring->disk_offset);
	d->events = sync_load(&rd->ring->disk_events);
	d->missed = sync_load(&rd->ring->disk_missed);
	d->lost = sync_load(&rd->ring->disk_lost);
}

void ring_disk_set(struct ring_reader *rd, const struct ring_disk *d)
{
	/* Killed in between, no new page must stand beside an old offset. */
	if (sync_load(&rd->ring->disk_page) != d->page)
		sync_store_release(&rd->ring->disk_offset, 0);
	sync_store_release(&rd->ring->disk_page, d->page);
	sync_store(&rd->ring->disk_events, d->events);
	sync_store(&rd->ring->disk_missed, d->missed);
	sync_store(&rd->ring->disk_lost, d->lost);
	sync_store_release(&rd->ring->disk_offset, d->offset);
}

int ring_reader_totals(const struct ring_reader *rd, struct ring_totals *t)
{
	struct ring_reader copy = *rd;
	struct layout_page_words words;
	uint64_t head, T, number;
	uint32_t full;
	const struct layout_slot *s;
	int err = 0;

	memset(t, 0, sizeof(*t));
	for (unsigned i = 0; i < TRIES; i++) {
		err = read_head(&copy, &head, &words);
		s = err ? NULL : ring_slot(rd->r, rd->ring, words.slot);
		if (!s)
			return -EBADMSG;
		t->missed = sync_load(&rd->ring->missed);
		t->events = sync_load(&s->events_before) + head_events(head);
		t->last = sync_load(&rd->ring->last);
		sync_fence_acquire();
		/* The whole head: misses after events that are not counted here
		 * would stand at the wrong place. */
		if (sync_load(&s->number) == words.number && sync_load(&rd->ring->head) == head)
			break;
	}
	err = look(&copy, &T, &number, &full);
	t->filtered = sync_load(&rd->ring->filtered);
	t->clock_backwards = sync_load(&rd->ring->clock_backwards);
	t->switches = words.number;
	t->pages = sync_load(&rd->ring->npages);
	t->full_pages = err ? 0 : full;
	t->bytes = (uint64_t)t->pages * rd->r->geo.page_size;
	t->wanted = (uint64_t)ring_pool_target(rd->r, rd->index) * rd->r->geo.page_size;
	return err;
}

int ring_free_dead_owners(struct region *r)
{
	int freed = 0;

	for (uint32_t i = r->geo.nr_cpus; i < r->geo.nr_rings; i++) {
		struct layout_ring *ring = region_ring(r, i);
		uint64_t owner = sync_load_acquire(&ring->owner);

		if (owner && process_thread_dead(r, (uint32_t)(owner >> 32), (uint32_t)owner))
			freed += sync_cas64(&ring->owner, owner, 0);
	}
	return freed;
}
