/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
#ifndef TRBUF_REGISTRY_HEAP_H
#define TRBUF_REGISTRY_HEAP_H

#include <stdint.h>

#include "libtrbuf/region.h"

/* `size` bytes, zero, 16-byte aligned; at most a quarter granule. 0: no memory. */
uint64_t registry_heap_alloc(struct region *r, uint32_t size);

/* FNV-1a, the hash of the registry. */
static inline uint64_t registry_hash(uint64_t h, const void *data, uint64_t size)
{
	const unsigned char *p = (const unsigned char *)data;

	for (uint64_t i = 0; i < size; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}
#define REGISTRY_HASH_START UINT64_C(0xcbf29ce484222325)

#endif
