/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The numbers behind `tracectl top`: counters are kept for ten seconds, a rate
 * is the difference between two looks by the time that really passed between
 * them. Reads the region through ring_state.h. Called by cmd_top.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/clock.h"
#include "tracectl/top_sample.h"

#define LOOKS 256u /* ten seconds of looks at the shortest interval */

struct counts {
	uint64_t events, missed;
};

/* A circle of looks; look n lies at n % LOOKS. */
struct top_history {
	uint64_t taken; /* looks so far */
	uint64_t time[LOOKS];
	uint64_t lost[LOOKS];
	uint32_t nr_rings;
	struct counts count[]; /* [LOOKS][nr_rings] */
};

int top_sort_parse(const char *word, enum top_sort *sort)
{
	static const char *const names[] = { "events", "missed", "fill", "ring" };

	for (unsigned i = 0; i < 4; i++) {
		if (strcmp(word, names[i]) == 0)
			return *sort = (enum top_sort)i, 0;
	}
	return -EINVAL;
}

void top_sort_key(char key, enum top_sort *sort)
{
	static const char keys[] = "emfr";
	const char *p = key ? strchr(keys, key) : NULL;

	if (p)
		*sort = (enum top_sort)(p - keys);
}

struct top_sample *top_sample_new(const struct region *r)
{
	struct top_sample *s = calloc(1, sizeof(*s));
	size_t counts = (size_t)LOOKS * r->geo.nr_rings;

	if (!s)
		return NULL;
	s->history = calloc(1, sizeof(*s->history) + counts * sizeof(struct counts));
	s->row = calloc(r->geo.nr_rings, sizeof(*s->row));
	if (!s->history || !s->row) {
		top_sample_free(s);
		return NULL;
	}
	s->history->nr_rings = r->geo.nr_rings;
	return s;
}

void top_sample_free(struct top_sample *s)
{
	if (s) {
		free(s->history);
		free(s->row);
	}
	free(s);
}

static struct counts *counts_of(struct top_history *h, uint64_t look)
{
	return h->count + (look % LOOKS) * h->nr_rings;
}

/* The look that began the window of `ns`: the oldest inside it, at least one back. */
static uint64_t window(const struct top_history *h, uint64_t ns)
{
	uint64_t newest = h->taken - 1, look = newest;

	while (look > 0 && newest - look < LOOKS - 1 &&
	       (look == newest ||
		h->time[newest % LOOKS] - h->time[(look - 1) % LOOKS] <= ns + ns / 20))
		look--;
	return look;
}

static double rate(uint64_t now, uint64_t before, uint64_t ns)
{
	/* Counters only grow; one that did not was spoilt. */
	return ns && now >= before ? (double)(now - before) * 1e9 / (double)ns : 0;
}

struct windows {
	uint64_t look_1, ns_1, look_10, ns_10;
};

static void fill_row(struct top_history *h, struct top_row *row, const struct windows *w)
{
	const struct counts *now = counts_of(h, h->taken - 1) + row->state.index;
	const struct counts *one = counts_of(h, w->look_1) + row->state.index;
	const struct counts *ten = counts_of(h, w->look_10) + row->state.index;

	row->events_1 = rate(now->events, one->events, w->ns_1);
	row->missed_1 = rate(now->missed, one->missed, w->ns_1);
	row->events_10 = rate(now->events, ten->events, w->ns_10);
	row->missed_10 = rate(now->missed, ten->missed, w->ns_10);
	row->fill = ring_state_fill(&row->state);
}

static void note_counts(struct top_history *h, const struct ring_state *states, uint64_t lost)
{
	struct counts *c = counts_of(h, h->taken);

	h->time[h->taken % LOOKS] = clock_monotonic_ns();
	h->lost[h->taken % LOOKS] = lost;
	for (uint32_t i = 0; i < h->nr_rings; i++) {
		c[i].events = states[i].totals.events;
		c[i].missed = states[i].totals.missed;
	}
	h->taken++;
}

static enum top_sort sort_by;

static int compare(const void *pa, const void *pb)
{
	const struct top_row *a = pa, *b = pb;
	double x = 0, y = 0;

	if (sort_by == TOP_SORT_EVENTS)
		x = a->events_1, y = b->events_1;
	else if (sort_by == TOP_SORT_MISSED)
		x = a->missed_1, y = b->missed_1;
	else if (sort_by == TOP_SORT_FILL)
		x = a->fill, y = b->fill;
	if (x != y)
		return x < y ? 1 : -1;
	return (a->state.index > b->state.index) - (a->state.index < b->state.index);
}

static void add_rates(struct top_row *sum, const struct top_row *row)
{
	sum->events_1 += row->events_1;
	sum->events_10 += row->events_10;
	sum->missed_1 += row->missed_1;
	sum->missed_10 += row->missed_10;
}

int top_sample_take(struct top_sample *s, struct region *r, enum top_sort sort)
{
	struct top_history *h = s->history;
	struct ring_state *states = ring_state_load(r);
	struct ring_sum sum;
	struct windows w;

	if (!states)
		return -ENOMEM;
	ring_state_sum(r, states, &sum);
	note_counts(h, states, sum.lost_sum);
	w.look_1 = window(h, 1000000000u);
	w.look_10 = window(h, UINT64_C(10000000000));
	w.ns_1 = h->time[(h->taken - 1) % LOOKS] - h->time[w.look_1 % LOOKS];
	w.ns_10 = h->time[(h->taken - 1) % LOOKS] - h->time[w.look_10 % LOOKS];
	s->lost_1 = rate(sum.lost_sum, h->lost[w.look_1 % LOOKS], w.ns_1);
	memset(&s->sum, 0, sizeof(s->sum));
	s->nrows = 0;
	for (uint32_t i = 0; i < r->geo.nr_rings; i++) {
		struct top_row *row = &s->row[s->nrows];

		/* Locked rings are many and mostly untouched. */
		if (!states[i].ready || (states[i].locked && !states[i].totals.events))
			continue;
		row->state = states[i];
		fill_row(h, row, &w);
		add_rates(&s->sum, row);
		s->nrows++;
	}
	sort_by = sort;
	qsort(s->row, s->nrows, sizeof(*s->row), compare);
	free(states);
	return 0;
}
