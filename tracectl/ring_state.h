/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* What the rings of a region are like just now, as checked private numbers. */
#ifndef TRACECTL_RING_STATE_H
#define TRACECTL_RING_STATE_H

#include "libtrbuf/ring_read.h"

struct ring_state {
	uint32_t index;
	int locked; /* one of the locked rings, which belong to no CPU */
	int ready;  /* has tables and pages */
	int denied; /* its CPU may not trace */
	int bad;    /* quarantined: why says the reason */
	uint64_t owner;
	uint64_t overwritten; /* as the consumer found so far */
	struct ring_totals totals;
	char why[sizeof(((struct fault *)0)->text)];
};

struct ring_sum {
	uint64_t events, missed, filtered, clock_backwards, switches, bytes, overwritten;
	uint32_t ready, quarantined, pages, full_pages;
	uint64_t lost[LAYOUT_LOST_KINDS]; /* events that reached no ring */
	uint64_t lost_sum;
};

/* All r->geo.nr_rings rings, malloc'ed; NULL without memory. */
struct ring_state *ring_state_load(struct region *r);
void ring_state_one(struct region *r, uint32_t index, struct ring_state *s);

void ring_state_sum(const struct region *r, const struct ring_state *s, struct ring_sum *sum);

/* Per cent of the ring's pages that are full; 100: none is free. */
double ring_state_fill(const struct ring_state *s);

/* "cpu 3" or "locked 5" */
void ring_state_name(const struct region *r, const struct ring_state *s, char *buf, size_t size);

#endif
