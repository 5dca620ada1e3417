/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * disabled [--rounds N] [--json] [PLUG-IN]...: what does an event cost that is
 * off? A loop of nothing else, against an empty one, and a loop that works with
 * 0, 1 and 100 events in each pass. Run under with_region, or with no region.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <trbuf.h>

#include "bench/bench.h"
#include "bench/twin.h"

#define EVENTS 20000
#define PASSES 500
#define MAX 16

TRBUF_EVENT(bench_off, work, TRBUF_INFO, (u64, a));

static volatile uint64_t sink;

static void empty(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		bench_keep();
}

/* About 200 cycles of work a pass. */
static inline uint64_t work(uint64_t x)
{
	for (int i = 0; i < 16; i++) {
		x ^= x >> 12;
		x ^= x << 25;
		x *= 0x2545f4914f6cdd1d;
	}
	return x;
}

#define POINT trbuf_trace(bench_off, work, x);
#define POINTS10 POINT POINT POINT POINT POINT POINT POINT POINT POINT POINT

static void no_point(uint64_t n)
{
	uint64_t x = n;

	for (uint64_t i = 0; i < n; i++)
		x = work(x);
	sink = x;
}

static void one_point(uint64_t n)
{
	uint64_t x = n;

	for (uint64_t i = 0; i < n; i++) {
		x = work(x);
		POINT
	}
	sink = x;
}

static void hundred_points(uint64_t n)
{
	uint64_t x = n;

	for (uint64_t i = 0; i < n; i++) {
		x = work(x);
		POINTS10 POINTS10 POINTS10 POINTS10 POINTS10
		POINTS10 POINTS10 POINTS10 POINTS10 POINTS10
	}
	sink = x;
}

struct contestant {
	char name[48];
	void (*run)(uint64_t n);
	const struct twin *twin;
	unsigned passes;
	int base; /* index of what it is compared with */
	double *cycles;
};
static struct contestant contestant[MAX];
static int contestants;
static unsigned rounds = 400;

static void add(const char *name, void (*run)(uint64_t), const struct twin *twin, int base)
{
	struct contestant *c = &contestant[contestants++];

	snprintf(c->name, sizeof(c->name), "%s", name);
	c->run = run;
	c->twin = twin;
	c->base = base;
	c->passes = base ? PASSES : EVENTS;
	c->cycles = calloc(rounds, sizeof(double));
	if (!c->cycles)
		bench_die("no memory");
}

static double once(const struct contestant *c)
{
	uint64_t start = bench_cycles();

	if (c->twin)
		c->twin->burst(TWIN_OFF, c->passes);
	else
		c->run(c->passes);
	return (double)(bench_cycles() - start) / c->passes;
}

/* The difference to the base is what an event costs; median within rounds. */
static void print(const struct contestant *c)
{
	const struct contestant *base = &contestant[c->base];
	double *diff = malloc(rounds * sizeof(double)), *ratio = malloc(rounds * sizeof(double));
	double per_ns = bench_cycles_per_ns(), more;
	struct bench_row row = BENCH_ROW();
	char setting[64];

	if (!diff || !ratio)
		bench_die("no memory");
	for (unsigned i = 0; i < rounds; i++) {
		diff[i] = c->cycles[i] - base->cycles[i];
		ratio[i] = c->cycles[i] / base->cycles[i];
	}
	more = bench_median(diff, rounds) / per_ns;
	snprintf(setting, sizeof(setting), "%+.3f ns", more);
	row.bench = "disabled";
	row.name = c->name;
	row.setting = setting;
	row.cycles = bench_median(c->cycles, rounds);
	row.ns = row.cycles / per_ns;
	row.ratio = bench_median(ratio, rounds);
	row.ratio_to = base->name;
	bench_print(&row);
	free(diff);
	free(ratio);
}

int main(int argc, char **argv)
{
	const struct timespec pause = { 0, 500000 };

	bench_pin(0);
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--json"))
			bench_json = 1;
		else if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
			rounds = (unsigned)atoi(argv[++i]);
	if (rounds == 0 || trbuf_enabled(bench_off, work))
		bench_die("the events of bench_off must be off, and --rounds not 0");
	add("empty loop", empty, NULL, 0);
	add("trbuf off", NULL, &twin_trbuf, 0);
	for (int i = 1; i < argc; i++) {
		const struct twin *twin = strstr(argv[i], ".so") ? twin_load(argv[i]) : NULL;
		char name[40];

		if (twin && contestants < MAX - 4) {
			snprintf(name, sizeof(name), "%s off", twin->name);
			add(name, NULL, twin, 0);
		}
	}
	add("work", no_point, NULL, contestants);
	add("work, 1 point off", one_point, NULL, contestants - 1);
	add("work, 100 points off", hundred_points, NULL, contestants - 2);
	for (unsigned r = 0; r < rounds; r++) {
		nanosleep(&pause, NULL);
		for (int i = 0; i < contestants; i++) {
			int k = r % 2 ? contestants - 1 - i : i;

			contestant[k].cycles[r] = once(&contestant[k]);
		}
	}
	for (int i = contestants - 1; i >= 0; i--) /* sorts its cycles: bases last */
		print(&contestant[i]);
	return 0;
}
