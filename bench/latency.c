/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * latency [--events N] [--threads N] [--setting TEXT] [--json]: how long can one
 * event take? Each emit between two readings of the clock: of all emits, of those
 * that switch the page, and of the first one of a thread. The same with nothing
 * between the readings shows what the machine adds. Under with_region; in
 * discard mode without a drain it is the cost of a full ring.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trbuf.h>

#include "bench/bench.h"

TRBUF_EVENT(bench, one, TRBUF_INFO, (u64, a));

static const char *setting = "";
static unsigned events = 500000, threads = 300;

static void print(const char *name, double *cycles, size_t n)
{
	double per_ns = bench_cycles_per_ns();
	struct bench_row row = BENCH_ROW();

	if (n == 0)
		return;
	bench_sort(cycles, n);
	row.bench = "latency";
	row.name = name;
	row.setting = setting;
	row.cycles = bench_quantile(cycles, n, 0.5);
	row.ns = row.cycles / per_ns;
	row.p50 = row.ns;
	row.p99 = bench_quantile(cycles, n, 0.99) / per_ns;
	row.p999 = bench_quantile(cycles, n, 0.999) / per_ns;
	row.max = cycles[n - 1] / per_ns;
	bench_print(&row);
}

/* The page switches recur with the number of records in a page: find the
 * phase of that period with the largest median. */
static size_t switches(const double *all, double *out, unsigned period)
{
	unsigned passes = events / period, best = 0;
	double *column = malloc(passes * sizeof(double)), most = 0;
	size_t n = 0;

	if (!column || passes < 8) {
		free(column);
		return 0;
	}
	for (unsigned phase = 0; phase < period; phase++) {
		double median;

		for (unsigned i = 0; i < passes; i++)
			column[i] = all[i * period + phase];
		median = bench_median(column, passes);
		if (median > most) {
			most = median;
			best = phase;
		}
	}
	for (unsigned i = 0; i < passes; i++)
		out[n++] = all[i * period + best];
	free(column);
	return n;
}

static void emits(unsigned page)
{
	double *all = malloc(events * sizeof(double)), *some = malloc(events * sizeof(double));

	if (!all || !some)
		bench_die("no memory");
	for (unsigned i = 0; i < events; i++) {
		uint64_t start = bench_cycles();

		bench_keep();
		some[i] = (double)(bench_cycles() - start);
	}
	print("nothing", some, events);
	for (unsigned i = 0; i < events; i++) {
		uint64_t start = bench_cycles();

		trbuf_trace(bench, one, i);
		all[i] = (double)(bench_cycles() - start);
	}
	/* 24 bytes a record: header, pid and tid, one u64. */
	print("page switch", some, switches(all, some, (page - 128) / 24));
	print("u64", all, events);
	free(all);
	free(some);
}

static void *first(void *arg)
{
	double *cycles = arg;
	uint64_t start = bench_cycles();

	trbuf_trace(bench, one, 1);
	cycles[0] = (double)(bench_cycles() - start);
	start = bench_cycles();
	trbuf_trace(bench, one, 2);
	cycles[1] = (double)(bench_cycles() - start);
	return NULL;
}

static void first_of_thread(void)
{
	double *one = malloc(threads * sizeof(double)), *two = malloc(threads * sizeof(double));

	if (!one || !two)
		bench_die("no memory");
	for (unsigned i = 0; i < threads; i++) {
		double pair[2];
		pthread_t thread;

		if (pthread_create(&thread, NULL, first, pair))
			bench_die("no thread");
		pthread_join(thread, NULL);
		one[i] = pair[0];
		two[i] = pair[1];
	}
	print("first of a thread", one, threads);
	print("second of a thread", two, threads);
	free(one);
	free(two);
}

int main(int argc, char **argv)
{
	unsigned page = 65536;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			bench_json = 1;
		else if (i + 1 >= argc)
			return 2;
		else if (!strcmp(argv[i], "--setting"))
			setting = argv[++i];
		else if (!strcmp(argv[i], "--events"))
			events = (unsigned)atoi(argv[++i]);
		else if (!strcmp(argv[i], "--threads"))
			threads = (unsigned)atoi(argv[++i]);
		else if (!strcmp(argv[i], "--page"))
			page = (unsigned)atoi(argv[++i]);
		else
			return 2;
	}
	if (!trbuf_enabled(bench, one) || page < 4096 || !events)
		bench_die("trbuf's events are not on: run it under with_region");
	bench_pin(0);
	first_of_thread();
	emits(page);
	return 0;
}
