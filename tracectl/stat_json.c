/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The result of `stat` as one JSON object. Called by cmd_stat.c. */
#include <stdlib.h>
#include <string.h>

#include "tracectl/json.h"
#include "tracectl/out_names.h"
#include "tracectl/stat.h"

static void put_counts(struct json *j, const struct stat *s, const struct stat_row *r)
{
	double seconds = (double)(s->last - s->first) / 1e9;

	json_u64(j, "events", r->count);
	json_u64(j, "bytes", r->bytes);
	if (seconds > 0)
		json_double(j, "rate", (double)r->count / seconds);
	json_object_end(j);
}

static void put_names(struct json *j, const struct stat *s, const char *key, int by_class)
{
	unsigned n;
	struct stat_row *row = stat_event_rows(s, by_class, &n);

	json_array(j, key);
	for (unsigned i = 0; i < n; i++) {
		json_object(j, NULL);
		json_bytes(j, "name", row[i].name, row[i].name_len);
		put_counts(j, s, &row[i]);
	}
	json_array_end(j);
	free(row);
}

static void put_numbers(struct json *j, const struct stat *s, const char *key,
			const struct counters *c, const char *id)
{
	unsigned n;
	struct stat_row *row = stat_counter_rows(c, &n);

	json_array(j, key);
	for (unsigned i = 0; i < n; i++) {
		const char *comm = NULL;

		json_object(j, NULL);
		json_u64(j, id, row[i].key);
		if (strcmp(id, "pid") == 0 && s->names)
			comm = names_comm(s->names, (int32_t)row[i].key, UINT64_MAX);
		if (comm)
			json_string(j, "name", comm);
		put_counts(j, s, &row[i]);
	}
	json_array_end(j);
	free(row);
}

static void put_misses(struct json *j, const struct stat *s)
{
	json_u64(j, "missed", s->missed);
	json_u64(j, "missed_times", s->nmisses);
	json_array(j, "misses");
	for (unsigned i = 0; i < s->nmisses && i < STAT_MISSES; i++) {
		const struct stat_miss *m = &s->miss[i];

		json_object(j, NULL);
		json_u64(j, "count", m->count);
		json_string(j, "reason", m->reason);
		if (m->daemon)
			json_null(j, "cpu");
		else
			json_u64(j, "cpu", m->cpu);
		json_s64(j, "first_ns", m->first_ns);
		json_s64(j, "last_ns", m->last_ns);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_hist(struct json *j, const struct hist *h)
{
	json_u64(j, "count", h->count);
	json_u64(j, "min", h->min);
	json_u64(j, "p50", hist_percentile(h, 50));
	json_u64(j, "p90", hist_percentile(h, 90));
	json_u64(j, "p99", hist_percentile(h, 99));
	json_u64(j, "max", h->max);
	json_u64(j, "sum", h->sum > UINT64_MAX ? UINT64_MAX : (uint64_t)h->sum);
	json_array(j, "log2");
	for (unsigned b = 0; b < 64; b++) {
		uint64_t n = hist_log2(h, b);

		if (!n)
			continue;
		json_object(j, NULL);
		json_u64(j, "from", b ? UINT64_C(1) << (b - 1) : 0);
		json_u64(j, "count", n);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_spans(struct json *j, const struct stat *s)
{
	json_array(j, "spans");
	for (unsigned i = 0; i < s->nspans; i++) {
		json_object(j, NULL);
		json_bytes(j, "name", s->span[i]->name, s->span[i]->name_len);
		json_u64(j, "without_end", s->span[i]->closed);
		put_hist(j, &s->span[i]->hist);
		json_object_end(j);
	}
	json_array_end(j);
	json_u64(j, "ends_without_begin", s->spans.no_begin);
}

static void put_field(struct json *j, const struct stat_field *f)
{
	json_object(j, "field");
	json_string(j, "name", f->name);
	put_hist(j, &f->hist);
	json_u64(j, "negative", f->negative);
	if (f->negative)
		json_s64(j, "least", f->least);
	if (f->reals)
		json_double(j, "mean", f->real_sum / (double)f->reals);
	json_array(j, "values");
	for (unsigned i = 0; i < f->nvalues; i++) {
		json_object(j, NULL);
		json_string(j, "value", f->value[i].text);
		json_u64(j, "count", f->value[i].count);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void stat_print_json(const struct stat *s, const char *path)
{
	struct json j;

	json_start(&j, stdout);
	json_object(&j, NULL);
	json_string(&j, "trace", path);
	json_u64(&j, "events", s->events);
	json_u64(&j, "bytes", s->bytes);
	json_u64(&j, "streams", reader_streams(s->reader));
	json_s64(&j, "first_ns", s->first);
	json_s64(&j, "last_ns", s->last);
	json_u64(&j, "damaged", reader_damaged(s->reader));
	json_u64(&j, "skipped_bytes", reader_skipped(s->reader));
	put_names(&j, s, "by_event", 0);
	put_names(&j, s, "by_class", 1);
	put_numbers(&j, s, "by_process", &s->processes, "pid");
	put_numbers(&j, s, "by_cpu", &s->cpus, "cpu");
	put_misses(&j, s);
	put_spans(&j, s);
	if (s->field.name)
		put_field(&j, &s->field);
	json_object_end(&j);
	json_end(&j);
}
