/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The clock of a region: which one, reading it, and its frequency. */
#ifndef TRBUF_CLOCK_H
#define TRBUF_CLOCK_H

#include <stdint.h>

struct region;
struct layout_region;

/* The best clock that the kernel of this machine trusts: enum layout_clock. */
uint32_t clock_choose(void);

/* Now, in cycles of the given clock. `hdr` is needed for the coarse clock. */
uint64_t clock_read(uint32_t clock, const struct layout_region *hdr);

/* Fills in created_* : the three clocks at one moment. */
void clock_stamp(struct layout_region *hdr);

/* Cycles a second. Measures once against CLOCK_MONOTONIC (up to 60 ms) and
 * stores the result in the region; later calls return that. */
uint64_t clock_frequency(struct region *r);

/* Linear map of region clock to ns since the epoch, one for the life of a region. */
struct clock_map {
	uint64_t frequency;
	uint64_t cycles;   /* at this value of the clock ... */
	uint64_t realtime; /* ... it was this, ns since the epoch */
};
void clock_map_get(struct region *r, struct clock_map *m);
uint64_t clock_to_ns(const struct clock_map *m, uint64_t cycles);

uint64_t clock_monotonic_ns(void);
uint64_t clock_realtime_ns(void);

#endif
