/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Rates of the rings over the last second and the last ten. */
#ifndef TRACECTL_TOP_SAMPLE_H
#define TRACECTL_TOP_SAMPLE_H

#include "tracectl/ring_state.h"

enum top_sort { TOP_SORT_EVENTS, TOP_SORT_MISSED, TOP_SORT_FILL, TOP_SORT_RING };

/* "events" ...: 0, or -EINVAL. */
int top_sort_parse(const char *word, enum top_sort *sort);
/* The same by first letter of the word; other keys change nothing. */
void top_sort_key(char key, enum top_sort *sort);

struct top_row {
	struct ring_state state;
	double events_1, events_10, missed_1, missed_10; /* a second */
	double fill;
};

struct top_history;

struct top_sample {
	struct top_row *row; /* rings in use, sorted */
	size_t nrows;
	struct top_row sum; /* rates only */
	double lost_1;
	struct top_history *history;
};

struct top_sample *top_sample_new(const struct region *r);
void top_sample_free(struct top_sample *s);
/* Look once. 0 or -ENOMEM. */
int top_sample_take(struct top_sample *s, struct region *r, enum top_sort sort);

#endif
