/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Histograms and tables of counters of fixed or capped size. Called by the
 * other stat files. */
#include <stdlib.h>
#include <string.h>

#include "tracectl/stat.h"

#define MAX_COUNTERS (1u << 20)

static unsigned index_of(uint64_t v)
{
	unsigned high;

	if (v < 2 * HIST_STEPS)
		return (unsigned)v;
	high = 63u - (unsigned)__builtin_clzll(v);
	/* 32 steps between 2^high and 2^(high+1) */
	return (high - 5) * HIST_STEPS + (unsigned)(v >> (high - 5));
}

/* The largest value of a bucket. */
static uint64_t top_of(unsigned index)
{
	unsigned shift = index / HIST_STEPS;

	if (index < 2 * HIST_STEPS)
		return index;
	shift -= 1;
	return ((uint64_t)(index - shift * HIST_STEPS) << shift) + ((UINT64_C(1) << shift) - 1);
}

void hist_add(struct hist *h, uint64_t v)
{
	if (!h->count || v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->count++;
	h->sum += v;
	h->bucket[index_of(v)]++;
}

uint64_t hist_percentile(const struct hist *h, double percent)
{
	uint64_t want = (uint64_t)((double)h->count * percent / 100.0), seen = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen > want || seen == h->count)
			return top_of(i) < h->max ? top_of(i) : h->max;
	}
	return h->max;
}

uint64_t hist_log2(const struct hist *h, unsigned bits)
{
	uint64_t low = bits ? UINT64_C(1) << (bits - 1) : 0, sum = 0;
	unsigned from = index_of(low), to = bits ? index_of(low + (low - 1)) : 0;

	for (unsigned i = from; i <= to; i++)
		sum += h->bucket[i];
	return sum;
}

static unsigned slot_of(const struct counters *c, uint64_t key)
{
	unsigned i = (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (c->nslots - 1);

	while (c->slot[i] && c->entry[c->slot[i] - 1].key != key)
		i = (i + 1) & (c->nslots - 1);
	return i;
}

static int grow(struct counters *c)
{
	unsigned room = c->room ? c->room * 2 : 64;
	struct counter *more;
	uint32_t *slot;

	if (room > MAX_COUNTERS)
		return -1;
	more = realloc(c->entry, room * sizeof(*more));
	if (!more)
		return -1;
	c->entry = more;
	slot = calloc(2 * (size_t)room, sizeof(*slot));
	if (!slot)
		return -1;
	free(c->slot);
	c->slot = slot;
	c->nslots = 2 * room;
	c->room = room;
	for (unsigned i = 0; i < c->n; i++)
		c->slot[slot_of(c, c->entry[i].key)] = i + 1;
	return 0;
}

struct counter *counters_get(struct counters *c, uint64_t key)
{
	unsigned i;

	if (c->n && c->entry[c->last].key == key)
		return &c->entry[c->last];
	if (c->n == c->room && grow(c))
		return NULL;
	i = slot_of(c, key);
	if (!c->slot[i]) {
		c->entry[c->n] = (struct counter){ .key = key };
		c->slot[i] = ++c->n;
	}
	c->last = c->slot[i] - 1;
	return &c->entry[c->last];
}

void counters_free(struct counters *c)
{
	free(c->entry);
	free(c->slot);
}
