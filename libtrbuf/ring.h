/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The words of a ring taken apart, and its tables as addresses. Both halves use it. */
#ifndef TRBUF_RING_H
#define TRBUF_RING_H

#include <stddef.h>

#include "libtrbuf/region.h"
#include "libtrbuf/sync.h"

static inline uint32_t head_offset(uint64_t head)
{
	return (uint32_t)head & ((1u << HEAD_OFFSET_BITS) - 1);
}
static inline uint32_t head_events(uint64_t head)
{
	return (uint32_t)(head >> 22) & 0x3ffff;
}
static inline uint64_t head_page(uint64_t head)
{
	return head >> HEAD_PAGE_SHIFT;
}
static inline uint64_t head_make(uint64_t page, uint32_t offset)
{
	return (page & HEAD_PAGE_MASK) << HEAD_PAGE_SHIFT | offset;
}

static inline uint32_t f_taken(uint64_t F)
{
	return (uint32_t)(F >> 32);
}
static inline uint32_t f_posted(uint64_t F)
{
	return (uint32_t)F;
}
static inline uint64_t f_make(uint32_t taken, uint32_t posted)
{
	return (uint64_t)taken << 32 | posted;
}

static inline uint32_t t_oldest(uint64_t T)
{
	return (uint32_t)(T >> 32);
}
static inline uint32_t t_slot(uint64_t T)
{
	return (uint32_t)(T >> 16) & 0xffff;
}
static inline uint32_t t_tag(uint64_t T)
{
	return (uint32_t)T & 0xffff;
}
static inline uint64_t t_make(uint32_t oldest, uint32_t slot, uint32_t tag)
{
	return (uint64_t)oldest << 32 | (uint64_t)(slot & 0xffff) << 16 | (tag & 0xffff);
}

/* An address in the region for an offset read from it, or NULL if it cannot be. */
static inline void *ring_table(const struct region *r, uint64_t off, uint64_t size)
{
	if (off < r->geo.off_pool || off % 8 || size > r->geo.map_size ||
	    off > r->geo.map_size - size)
		return NULL;
	return r->base + off;
}

static inline uint32_t *ring_free(const struct region *r, const struct layout_ring *ring)
{
	return (uint32_t *)ring_table(r, sync_load(&ring->off_free),
				      (uint64_t)r->geo.table_cap * sizeof(uint32_t));
}

static inline uint64_t *ring_pages(const struct region *r, const struct layout_ring *ring)
{
	return (uint64_t *)ring_table(r, sync_load(&ring->off_pages),
				      (uint64_t)r->geo.table_cap * sizeof(uint64_t));
}

static inline struct layout_slot *ring_slot(const struct region *r, const struct layout_ring *ring,
					    uint32_t slot)
{
	uint64_t *dir = (uint64_t *)ring_table(r, sync_load(&ring->off_slots), 8 * 64);
	struct layout_slot *block;

	if (!dir || slot >= r->geo.max_slots)
		return NULL;
	block = (struct layout_slot *)ring_table(r, sync_load(&dir[slot / LAYOUT_SLOT_BLOCK]),
						 LAYOUT_SLOT_BLOCK * sizeof(*block));
	return block ? block + slot % LAYOUT_SLOT_BLOCK : NULL;
}

#endif
