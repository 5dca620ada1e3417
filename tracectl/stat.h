/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* What `stat` counts, and how it is shown. */
#ifndef TRACECTL_STAT_H
#define TRACECTL_STAT_H

#include "tracectl/filter.h"
#include "tracectl/out_span.h"

#define STAT_MISSES 64u    /* kept one by one */
#define STAT_SPANS 1024u   /* kinds of spans */
#define STAT_VALUES 65536u /* distinct values of a text field */

/* A histogram of 64-bit values: exact below 64, above in 32 steps per power of
 * two, so percentiles are at most 3.2 % too large. */
#define HIST_STEPS 32u
#define HIST_BUCKETS (HIST_STEPS * 60u)

struct hist {
	uint64_t count, min, max;
	unsigned __int128 sum;
	uint64_t bucket[HIST_BUCKETS];
};

void hist_add(struct hist *h, uint64_t v);
uint64_t hist_percentile(const struct hist *h, double percent);
/* Values with this many bits (0: zero), for the log2 histogram. */
uint64_t hist_log2(const struct hist *h, unsigned bits);

/* Counters by number, in the order in which they came. */
struct counter {
	uint64_t key, count, bytes;
};

struct counters {
	struct counter *entry;
	unsigned n, room;
	uint32_t *slot; /* index + 1 */
	unsigned nslots;
	unsigned last; /* the one used last */
	uint64_t more; /* events beyond the cap */
};

struct counter *counters_get(struct counters *c, uint64_t key); /* NULL: cap */
void counters_free(struct counters *c);

struct stat_type {
	struct stat_type *next;
	const struct meta_event *type;
	uint64_t count, bytes;
};

struct stat_miss {
	int64_t ns;
	uint64_t count;
	int64_t first_ns, last_ns;
	uint32_t cpu;
	int daemon;
	char reason[32];
};

struct stat_span {
	const char *name; /* of the begin event */
	unsigned name_len;
	uint64_t closed;
	struct hist hist;
};

struct stat_value {
	char *text;
	uint64_t count;
};

struct stat_field {
	const char *name; /* asked for; NULL none */
	struct hist hist;
	int64_t least, most; /* as signed */
	double real_sum;
	uint64_t reals, negative;
	unsigned nvalues, room;
	struct stat_value *value;
	uint32_t *slot;
	uint64_t more;
};

struct stat {
	struct reader *reader;
	struct filter filter;
	const struct names *names;
	uint64_t events, bytes;
	int64_t first, last;
	struct stat_type *types;
	struct counters processes, cpus;
	uint64_t missed;
	unsigned nmisses;
	struct stat_miss miss[STAT_MISSES];
	struct spans spans;
	unsigned nspans;
	struct stat_span *span[STAT_SPANS];
	struct stat_field field;
};

void stat_count(struct stat *s, const struct trace_event *ev);
void stat_miss(struct stat *s, const struct trace_event *ev);
int stat_spans_init(struct stat *s);
void stat_span_event(struct stat *s, const struct trace_event *ev);
void stat_field_event(struct stat_field *f, const struct trace_event *ev);
void stat_field_free(struct stat_field *f);
void stat_free(struct stat *s);

/* Rows of a table, biggest first. Entries of events and classes point to names
 * in metadata. Malloced. */
struct stat_row {
	const char *name;
	unsigned name_len;
	uint64_t key, count, bytes;
};
struct stat_row *stat_event_rows(const struct stat *s, int by_class, unsigned *n);
struct stat_row *stat_counter_rows(const struct counters *c, unsigned *n);

void stat_print(const struct stat *s, const char *path, int histograms);
void stat_print_json(const struct stat *s, const char *path);

#endif
