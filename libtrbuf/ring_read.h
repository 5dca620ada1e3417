/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The consumer's half of a ring. One consumer at a time, under
 * REGION_LOCK_CONSUMER. Nothing read from the region is trusted: a word that
 * cannot be true quarantines the ring (see ring_reader.fault), the others go on.
 */
#ifndef TRBUF_RING_READ_H
#define TRBUF_RING_READ_H

#include <stdint.h>

#include "libtrbuf/region.h"

/* A page, or the part of one up to head, as checked private numbers. */
struct ring_page {
	uint32_t ring;
	uint32_t slot;
	uint64_t number;        /* page number, 64 bits */
	uint64_t begin, end;    /* region clock; begin <= each event <= end */
	uint64_t events_before; /* cumulative in the ring, up to this page */
	uint64_t missed_before; /* cumulative misses up to this page */
	uint64_t missed_since;  /* clock of the first of the newest of them */
	uint32_t events;        /* in this page, all of it */
	uint32_t end_offset;    /* records are in [LAYOUT_PAGE_HEADER, end_offset) */
	unsigned char *mem;     /* page_size bytes; first LAYOUT_PAGE_HEADER are the consumer's */
};

/* Where the ledger of a ring stands; kept in the region by the consumer. */
struct ring_disk {
	uint64_t page;   /* newest page of which something was handed over */
	uint64_t offset; /* handed over up to this offset; 0 nothing yet */
	uint64_t events; /* cumulative: events written, or given up as overwritten */
	uint64_t missed; /* cumulative: misses reported */
	uint64_t lost;   /* of `events`, those overwritten */
};

struct ring_reader {
	struct region *r;
	struct layout_ring *ring;
	uint32_t index;
	uint32_t held; /* pages taken and not yet posted */
	struct fault fault; /* why it is quarantined */
};

/* 0, -EAGAIN if the ring has no tables yet, or -EBADMSG with reader->fault. */
int ring_reader_init(struct ring_reader *rd, struct region *r, uint32_t index);

/* Take the oldest full page: 1 taken (*p), 0 none (or, in overwrite mode, half
 * the ring is held already), -EBADMSG quarantined. */
int ring_reader_take(struct ring_reader *rd, struct ring_page *p);

/* How many full pages wait, without taking any. */
uint32_t ring_reader_waiting(const struct ring_reader *rd);

/* Give a taken page back to the producers (or keep it, if the ring shrinks). */
void ring_reader_post(struct ring_reader *rd, uint32_t slot);

/* The page that head is in, copied to `copy` (page_size bytes): p->mem = copy,
 * p->end_offset and p->events as far as committed. 1 copied, 0 nothing there
 * newer than `disk`, -EAGAIN take first (full pages wait before it) and try
 * again, -EBADMSG. Takes nothing. */
int ring_reader_partial(struct ring_reader *rd, const struct ring_disk *disk, unsigned char *copy,
			struct ring_page *p);

/* Copy full page number `number` without taking it (snapshot): as partial. */
int ring_reader_peek(struct ring_reader *rd, uint64_t number, unsigned char *copy,
		     struct ring_page *p);
/* Oldest page still in the ring and the page head is in. */
int ring_reader_bounds(struct ring_reader *rd, uint64_t *oldest, uint64_t *head);

/* After a consumer died: pages it had taken and not posted, oldest first, each
 * handed to fn (which writes it if the files do not have it), then posted.
 * fn returns 0, or <0 to stop. Number of pages recovered or -errno. */
int ring_reader_recover(struct ring_reader *rd, int (*fn)(const struct ring_page *p, void *arg),
			void *arg);

/* Misses so far, cumulative, and the clock of the newest record. */
struct ring_totals {
	uint64_t events, missed, filtered, clock_backwards, switches, last;
	uint32_t pages;      /* in circulation */
	uint32_t full_pages; /* not yet taken */
	uint64_t bytes;      /* memory of its pages */
	uint64_t wanted;
};
int ring_reader_totals(const struct ring_reader *rd, struct ring_totals *t);

void ring_disk_get(const struct ring_reader *rd, struct ring_disk *d);
/* Call after the data are in the file. */
void ring_disk_set(struct ring_reader *rd, const struct ring_disk *d);

/* Free locked rings whose owner is dead for certain. Number freed. */
int ring_free_dead_owners(struct region *r);

#endif
