/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Slots of a ring and their memory, for ring_setup.c and ring_read.c. */
#ifndef TRBUF_RING_POOL_H
#define TRBUF_RING_POOL_H

#include "libtrbuf/region.h"

/* Give a slot to the producers: the queue entry first, then F [O2]. */
void ring_pool_post(struct region *r, struct layout_ring *ring, uint32_t slot);
/* Take a slot that nobody holds but us out of circulation; its memory goes back. */
void ring_pool_retire(struct region *r, struct layout_ring *ring, uint32_t slot);
/* `pages` more pages, posted. 0 or -errno; what was had by then stays. */
int ring_pool_grow(struct region *r, struct layout_ring *ring, uint32_t pages);
/* Take back up to `pages` posted pages that nobody has taken. How many. */
uint32_t ring_pool_shrink(struct region *r, struct layout_ring *ring, uint32_t pages);

/* Pages that ring `index` should have. */
uint32_t ring_pool_target(const struct region *r, uint32_t index);
uint32_t ring_pool_slots(const struct region *r, const struct layout_ring *ring);

/* Bytes that rings may still take: a quarter of what the file system and the
 * memory cgroup have left. */
uint64_t ring_pool_room(const struct region *r);

#endif
