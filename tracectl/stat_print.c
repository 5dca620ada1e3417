/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The result of `stat` as tables for people. Names from the trace are printed
 * without control characters. Called by cmd_stat.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracectl/out_names.h"
#include "tracectl/out_time.h"
#include "tracectl/stat.h"

#define BAR 40u
#define TOP 20u

static void clean(char *to, size_t size, const char *from, unsigned len)
{
	size_t n = len < size - 1 ? len : size - 1;

	for (size_t i = 0; i < n; i++)
		to[i] = (unsigned char)from[i] < 0x20 || from[i] == 0x7f ? '?' : from[i];
	to[n] = '\0';
}

/* 1.5 us: four digits and a unit. */
static void duration(char *to, size_t size, double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned u = 0;

	while (u < 3 && ns >= 1000) {
		ns /= 1000;
		u++;
	}
	snprintf(to, size, u ? "%.3g %s" : "%.0f %s", ns, units[u]);
	if (u == 3 || ns >= 999.5)
		snprintf(to, size, "%.1f %s", ns, units[u]);
}

static void table(const struct stat *s, const char *title, const struct stat_row *row, unsigned n,
		  void (*name)(const struct stat *s, const struct stat_row *r, char *to, size_t size))
{
	double seconds = (double)(s->last - s->first) / 1e9;
	char text[96], rate[24];

	if (!n)
		return;
	printf("\n%-40s %14s %16s %12s\n", title, "events", "bytes", "events/s");
	for (unsigned i = 0; i < n; i++) {
		name(s, &row[i], text, sizeof(text));
		if (seconds > 0)
			snprintf(rate, sizeof(rate), "%.1f", (double)row[i].count / seconds);
		else
			snprintf(rate, sizeof(rate), "-");
		printf("%-40s %14llu %16llu %12s\n", text, (unsigned long long)row[i].count,
		       (unsigned long long)row[i].bytes, rate);
	}
}

static void plain_name(const struct stat *s, const struct stat_row *r, char *to, size_t size)
{
	(void)s;
	clean(to, size, r->name, r->name_len);
}

static void process_name(const struct stat *s, const struct stat_row *r, char *to, size_t size)
{
	const char *comm = s->names ? names_comm(s->names, (int32_t)r->key, UINT64_MAX) : NULL;
	char text[40];

	clean(text, sizeof(text), comm ? comm : "", comm ? (unsigned)strlen(comm) : 0);
	snprintf(to, size, "%llu %s", (unsigned long long)r->key, text);
}

static void cpu_name(const struct stat *s, const struct stat_row *r, char *to, size_t size)
{
	(void)s;
	snprintf(to, size, "%llu", (unsigned long long)r->key);
}

static void print_misses(const struct stat *s)
{
	char from[64], to[64];

	printf("\nmissed events: %llu\n", (unsigned long long)s->missed);
	for (unsigned i = 0; i < s->nmisses && i < TOP; i++) {
		const struct stat_miss *m = &s->miss[i];

		out_iso_time(m->first_ns, from, sizeof(from));
		out_iso_time(m->last_ns, to, sizeof(to));
		printf("  %10llu  %-12s  ", (unsigned long long)m->count, m->reason);
		if (m->daemon)
			printf("no ring  ");
		else
			printf("CPU %-4u ", m->cpu);
		printf("%s to %s\n", from, to);
	}
	if (s->nmisses > TOP)
		printf("  ... and %u more times\n", s->nmisses - TOP);
}

static void print_log2(const struct hist *h, int time)
{
	uint64_t most = 1;
	char low[32];

	for (unsigned b = 0; b < 64; b++) {
		if (hist_log2(h, b) > most)
			most = hist_log2(h, b);
	}
	for (unsigned b = 0; b < 64; b++) {
		uint64_t n = hist_log2(h, b), from = b ? UINT64_C(1) << (b - 1) : 0;

		if (!n)
			continue;
		if (time)
			duration(low, sizeof(low), (double)from);
		else
			snprintf(low, sizeof(low), "%llu", (unsigned long long)from);
		printf("  >= %20s %12llu |", low, (unsigned long long)n);
		for (uint64_t k = 0; k < (n * BAR + most - 1) / most; k++)
			putchar('#');
		putchar('\n');
	}
}

static void print_spans(const struct stat *s, int histograms)
{
	static const double percents[] = { 50, 90, 99 };
	char text[96], value[32];

	if (!s->nspans)
		return;
	printf("\n%-32s %10s %10s %10s %10s %10s %10s %10s\n", "spans", "count", "min", "p50", "p90",
	       "p99", "max", "sum");
	for (unsigned i = 0; i < s->nspans; i++) {
		const struct stat_span *k = s->span[i];

		clean(text, sizeof(text), k->name, k->name_len);
		duration(value, sizeof(value), (double)k->hist.min);
		printf("%-32s %10llu %10s", text, (unsigned long long)k->hist.count, value);
		for (unsigned p = 0; p < 3; p++) {
			duration(value, sizeof(value), (double)hist_percentile(&k->hist, percents[p]));
			printf(" %10s", value);
		}
		duration(value, sizeof(value), (double)k->hist.max);
		printf(" %10s", value);
		duration(value, sizeof(value), (double)k->hist.sum);
		printf(" %10s\n", value);
		if (k->closed)
			printf("  %llu of them had no end and are not counted above\n",
			       (unsigned long long)k->closed);
		if (histograms)
			print_log2(&k->hist, 1);
	}
	if (s->spans.no_begin)
		printf("  %llu ends had no begin\n", (unsigned long long)s->spans.no_begin);
}

static int by_value_count(const void *a, const void *b)
{
	const struct stat_value *l = a, *m = b;

	return l->count > m->count ? -1 : l->count < m->count;
}

static void print_field(const struct stat_field *f)
{
	char text[80];

	printf("\nfield %s\n", f->name);
	if (f->hist.count)
		printf("  %llu values, min %llu, p50 %llu, p90 %llu, p99 %llu, max %llu\n",
		       (unsigned long long)f->hist.count, (unsigned long long)f->hist.min,
		       (unsigned long long)hist_percentile(&f->hist, 50),
		       (unsigned long long)hist_percentile(&f->hist, 90),
		       (unsigned long long)hist_percentile(&f->hist, 99),
		       (unsigned long long)f->hist.max);
	if (f->hist.count)
		print_log2(&f->hist, 0);
	if (f->negative)
		printf("  %llu negative values, down to %lld\n", (unsigned long long)f->negative,
		       (long long)f->least);
	if (f->reals)
		printf("  %llu values, mean %g\n", (unsigned long long)f->reals,
		       f->real_sum / (double)f->reals);
	if (f->nvalues)
		qsort(f->value, f->nvalues, sizeof(*f->value), by_value_count);
	for (unsigned i = 0; i < f->nvalues && i < TOP; i++) {
		clean(text, sizeof(text), f->value[i].text, (unsigned)strlen(f->value[i].text));
		printf("  %12llu  %s\n", (unsigned long long)f->value[i].count, text);
	}
	if (f->nvalues > TOP || f->more)
		printf("  ... and others\n");
	if (!f->hist.count && !f->negative && !f->reals && !f->nvalues)
		printf("  no event has it\n");
}

void stat_print(const struct stat *s, const char *path, int histograms)
{
	char from[64], to[64];
	struct stat_row *row;
	unsigned n;

	out_iso_time(s->first, from, sizeof(from));
	out_iso_time(s->last, to, sizeof(to));
	printf("%s: %llu events, %llu bytes of records, %u streams\n", path,
	       (unsigned long long)s->events, (unsigned long long)s->bytes,
	       reader_streams(s->reader));
	if (s->events)
		printf("from %s to %s (%.6f s)\n", from, to, (double)(s->last - s->first) / 1e9);
	row = stat_event_rows(s, 0, &n);
	table(s, "event", row, n, plain_name);
	free(row);
	row = stat_event_rows(s, 1, &n);
	table(s, "class", row, n, plain_name);
	free(row);
	row = stat_counter_rows(&s->processes, &n);
	table(s, "process", row, n, process_name);
	free(row);
	row = stat_counter_rows(&s->cpus, &n);
	table(s, "CPU", row, n, cpu_name);
	free(row);
	print_misses(s);
	print_spans(s, histograms);
	if (s->field.name)
		print_field(&s->field);
}
