/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* What the programs that measure share: the clock, sorted samples, rows of results. */
#ifndef TRBUF_BENCH_H
#define TRBUF_BENCH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
static inline uint64_t bench_cycles(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
static inline uint64_t bench_cycles(void)
{
	uint64_t now;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now));
	return now;
}
#else
#error "bench: x86-64 or arm64"
#endif

/* Keeps a loop alive without costing anything. */
#define bench_keep() __asm__ volatile("" ::: "memory")

/* Cycles of bench_cycles() a nanosecond, measured once. */
double bench_cycles_per_ns(void);

/* Everything of this thread on one CPU: the n-th of those allowed. The CPU, or -1. */
int bench_pin(unsigned n);
unsigned bench_cpus(void);

/* Sorts, then looks up: q from 0 to 1. */
void bench_sort(double *v, size_t n);
double bench_quantile(const double *sorted, size_t n, double q);
double bench_median(double *v, size_t n);

/* A row of the table, or with bench_json a line of JSON. Values that are NaN
 * are left out. `ratio_to` names what `ratio` is relative to, or is NULL. */
struct bench_row {
	const char *bench, *name, *setting;
	double ns, cycles, ratio;
	double quiet; /* the ratio, from quiet rounds only */
	const char *ratio_to;
	double p50, p99, p999, max; /* ns */
};
extern int bench_json;
void bench_print(const struct bench_row *row);
#define BENCH_ROW() \
	{ .ns = __builtin_nan(""), .cycles = __builtin_nan(""), .ratio = __builtin_nan(""), \
	  .quiet = __builtin_nan(""), \
	  .p50 = __builtin_nan(""), .p99 = __builtin_nan(""), .p999 = __builtin_nan(""), \
	  .max = __builtin_nan(""), .setting = "" }

/* The wrapper with_region drains the rings when asked; nothing without it. */
void bench_drain(void);
/* And switches tracing on (1) or off (0). */
void bench_switch(int on);

/* Says what is wrong, ends with status 1. */
void bench_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
