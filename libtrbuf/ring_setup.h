/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Giving rings their tables and pages: consumer side, under REGION_LOCK_CONSUMER. */
#ifndef TRBUF_RING_SETUP_H
#define TRBUF_RING_SETUP_H

#include <stdint.h>

#include "libtrbuf/region.h"

/* Allocate what `on` needs: rings for the online CPUs (and those in `cpus`, a
 * bitmap or NULL) and the locked rings. Repeatable. 0, or -errno with *f; with
 * less memory than wanted rings become smaller and *f says so (returns 1). */
int ring_setup_all(struct region *r, struct fault *f);

/* Make ring `ring` what its wanted size says, as far as it can be done now.
 * Shrinking gives back free pages at once and the others when they come back
 * to the consumer: call again after posting. 0 done, 1 more to come, -errno. */
int ring_setup_apply(struct region *r, uint32_t ring, struct fault *f);

/* Bytes that a ring will have if `size` is asked for: at least 4 pages, at most max_slots. */
uint64_t ring_setup_round(const struct region *r, uint64_t size);

/* Set the wanted size of one ring, or of all and of those to come (ring < 0). */
void ring_setup_want(struct region *r, int ring, uint64_t size);

/* Switch tracing on one CPU on or off (limit word). */
void ring_setup_allow(struct region *r, uint32_t ring, int allowed);

/* Test hook: page, free-queue and cumulative numbers start here instead of 0. */
struct ring_seed {
	uint64_t page, events, missed;
	uint32_t fa;
};
void ring_setup_seed(const struct ring_seed *seed);

#endif
