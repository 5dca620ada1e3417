/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What the programs that measure share. Owns the output format: one row a
 * line, as text for people or as JSON for bench/run. Uses libc only.
 */
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"

int bench_json;

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double bench_cycles_per_ns(void)
{
	static double found;
	uint64_t ns, cycles;

	if (found > 0)
		return found;
	ns = monotonic_ns();
	cycles = bench_cycles();
	while (monotonic_ns() - ns < 50000000)
		;
	cycles = bench_cycles() - cycles;
	found = (double)cycles / (double)(monotonic_ns() - ns);
	return found;
}

/* The CPUs that this process may use, as it was started. */
static const cpu_set_t *allowed(void)
{
	static cpu_set_t set;
	static int known;

	if (!known && sched_getaffinity(0, sizeof(set), &set) != 0)
		CPU_ZERO(&set);
	known = 1;
	return &set;
}

unsigned bench_cpus(void)
{
	return (unsigned)CPU_COUNT(allowed());
}

int bench_pin(unsigned n)
{
	cpu_set_t one;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, allowed()) || n--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		return sched_setaffinity(0, sizeof(one), &one) == 0 ? cpu : -1;
	}
	return -1;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void bench_sort(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare);
}

double bench_quantile(const double *sorted, size_t n, double q)
{
	size_t i = (size_t)(q * (double)(n - 1) + 0.5);

	return n ? sorted[i < n ? i : n - 1] : NAN;
}

double bench_median(double *v, size_t n)
{
	bench_sort(v, n);
	return bench_quantile(v, n, 0.5);
}

static void print_json(const struct bench_row *r)
{
	const struct {
		const char *name;
		double value;
	} numbers[] = { { "ns", r->ns },   { "cycles", r->cycles }, { "p50", r->p50 },
			{ "p99", r->p99 }, { "p999", r->p999 },     { "max", r->max },
			{ "ratio", r->ratio }, { "quiet", r->quiet } };

	printf("{\"bench\": \"%s\", \"name\": \"%s\", \"setting\": \"%s\"", r->bench, r->name,
	       r->setting);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!isnan(numbers[i].value))
			printf(", \"%s\": %.4f", numbers[i].name, numbers[i].value);
	if (r->ratio_to)
		printf(", \"ratio_to\": \"%s\"", r->ratio_to);
	printf("}\n");
}

void bench_print(const struct bench_row *r)
{
	if (bench_json) {
		print_json(r);
		fflush(stdout);
		return;
	}
	printf("%-10s %-28s %-22s", r->bench, r->name, r->setting);
	if (!isnan(r->ns))
		printf(" %9.2f ns %9.1f cycles", r->ns, r->cycles);
	if (!isnan(r->ratio))
		printf("  %7.3f x %s", r->ratio, r->ratio_to ? r->ratio_to : "");
	if (!isnan(r->quiet))
		printf(" (quiet %.3f)", r->quiet);
	if (!isnan(r->p50))
		printf("  p50 %.0f p99 %.0f p99.9 %.0f max %.0f ns", r->p50, r->p99, r->p999, r->max);
	putchar('\n');
	fflush(stdout);
}

/* One letter to with_region, which answers with one. */
static void ask(char what)
{
	const char *in = getenv("TRBUF_BENCH_FD_ASK"), *out = getenv("TRBUF_BENCH_FD_ANSWER");
	char answer;

	if (!in || !out)
		return;
	if (write(atoi(in), &what, 1) != 1 || read(atoi(out), &answer, 1) != 1)
		bench_die("with_region does not answer");
}

void bench_drain(void)
{
	ask('d');
}

void bench_switch(int on)
{
	ask(on ? '1' : '0');
}

void bench_die(const char *fmt, ...)
{
	va_list args;

	fputs("bench: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}
