/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Room for registry entries. One word says where the next entry goes; it lies
 * inside a granule of the pool or is 0. Called by registrants; lock-free.
 */
#include <errno.h>

#include "libtrbuf/registry_heap.h"
#include "libtrbuf/sync.h"

#define START 64u /* keeps the word off a granule's start, which means "full" */

uint64_t registry_heap_alloc(struct region *r, uint32_t size)
{
	uint64_t *word = &r->hdr->heap_next, at, fresh = 0;
	int err;

	size = (size + 15u) & ~15u;
	if (size > LAYOUT_GRANULE / 4)
		return 0;
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t used = (at = sync_load(word)) % LAYOUT_GRANULE;

		if (used && used + size < LAYOUT_GRANULE && region_in_pool(r, at, size)) {
			if (sync_cas64(word, at, at + size)) {
				if (fresh) /* somebody else was quicker */
					sync_fetch_add(&r->hdr->heap_leaked, LAYOUT_GRANULE);
				return at;
			}
			continue;
		}
		if (!fresh)
			fresh = region_pool_alloc(r, LAYOUT_GRANULE, LAYOUT_GRANULE, &err);
		if (!fresh)
			return 0;
		if (sync_cas64(word, at, fresh + START + size))
			return fresh + START;
	}
	return 0;
}
