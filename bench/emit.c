/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * emit [--rounds N] [--events N] [--threads N] [--setting TEXT] [--drain N]
 *      [--kinds LIST] [--json] [PLUG-IN]...
 *
 * What does an event cost? Short bursts of each kind of event with each tracer
 * take turns with bursts of the bare clock, all in one process on one CPU, so
 * that what disturbs one disturbs the others; each row is the median over all rounds, and
 * each ratio the median of the ratios within a round. With --threads the other
 * CPUs write the same event at the same time.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "bench/twin.h"

#define TWINS_MAX 4
#define CONTESTANTS_MAX 40
#define WARM_UP 64

static struct {
	unsigned rounds, events, threads, drain;
	const char *setting;
	unsigned kinds; /* one bit a kind */
} opt = { 300, 4096, 1, 0, "", 0x3f };

struct contestant {
	char name[48];
	const struct twin *twin; /* NULL: a baseline */
	enum twin_kind kind;
	void (*baseline)(uint64_t n);
	double *cycles; /* per event, one a round */
};

static struct contestant contestant[CONTESTANTS_MAX];
static unsigned contestants;
static const struct twin *twins[TWINS_MAX];
static unsigned ntwins;
static const char *const kind_name[] = TWIN_NAMES;

static void read_clock(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		bench_cycles();
}

/* Keeps all the units of a core busy, so it shows when somebody else uses them. */
static void add_much(uint64_t n)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (uint64_t i = 0; i < n; i++) {
		for (int k = 0; k < 4; k++) {
			a += i, b ^= i, c += i, d ^= i;
			__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
		}
	}
}

static void read_vdso(uint64_t n)
{
	struct timespec t;

	for (uint64_t i = 0; i < n; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
}

/* -------------------------------------------------- the other writers */

static const struct contestant *volatile current;
static volatile int stop;

static void run(const struct contestant *c, uint64_t n)
{
	if (c->twin)
		c->twin->burst(c->kind, n);
	else
		c->baseline(n);
}

static void *writer(void *arg)
{
	bench_pin((unsigned)(uintptr_t)arg);
	while (!stop)
		if (current)
			run(current, 256);
	return NULL;
}

/* ------------------------------------------------------------- measure */

static void add(const struct twin *twin, enum twin_kind kind, void (*baseline)(uint64_t),
		const char *name)
{
	struct contestant *c = &contestant[contestants];

	if (contestants == CONTESTANTS_MAX)
		return;
	c->twin = twin;
	c->kind = kind;
	c->baseline = baseline;
	c->cycles = calloc(opt.rounds, sizeof(double));
	if (!c->cycles)
		bench_die("no memory");
	snprintf(c->name, sizeof(c->name), "%s%s%s", twin ? twin->name : name, twin ? " " : "",
		 twin ? kind_name[kind] : "");
	contestants++;
}

/*
 * Other users of the machine, or of the same core, slow down everything but by
 * different factors. A round is quiet if the clock and the additions took what
 * they take at best, give or take 5 %. All other contestants may be as slow as
 * they like in it.
 */
static unsigned char *quiet;

static double at_best(const struct contestant *c)
{
	double *copy = malloc(opt.rounds * sizeof(double)), best;

	if (!copy)
		bench_die("no memory");
	memcpy(copy, c->cycles, opt.rounds * sizeof(double));
	bench_sort(copy, opt.rounds);
	best = bench_quantile(copy, opt.rounds, 0.05);
	free(copy);
	return best;
}

static void find_quiet(void)
{
	double clock = at_best(&contestant[0]), sums = at_best(&contestant[1]);
	unsigned n = 0;

	quiet = calloc(opt.rounds, 1);
	if (!quiet)
		bench_die("no memory");
	for (unsigned i = 0; i < opt.rounds; i++) {
		quiet[i] = contestant[0].cycles[i] <= clock * 1.05 &&
			   contestant[1].cycles[i] <= sums * 1.05;
		n += quiet[i];
	}
	fprintf(stderr, "bench: %u of %u rounds were quiet\n", n, opt.rounds);
}

static double once(const struct contestant *c)
{
	uint64_t start;

	current = c;
	run(c, WARM_UP);
	start = bench_cycles();
	run(c, opt.events);
	start = bench_cycles() - start;
	return (double)start / opt.events;
}

static void measure(void)
{
	const struct timespec pause = { 0, 1000000 };

	for (unsigned round = 0; round < opt.rounds; round++) {
		/* A pause spreads the rounds, and gives each one a whole time slice.
		 * Alternately forwards and backwards: nobody is always behind the same one. */
		nanosleep(&pause, NULL);
		for (unsigned i = 0; i < contestants; i++) {
			struct contestant *c = &contestant[round % 2 ? contestants - 1 - i : i];

			c->cycles[round] = once(c);
			if (opt.drain && i % opt.drain == 0)
				bench_drain();
		}
	}
}

static double ratio(const struct contestant *a, const struct contestant *b, int only_quiet)
{
	double *r = calloc(opt.rounds, sizeof(double)), median;
	size_t n = 0;

	if (!r)
		bench_die("no memory");
	for (unsigned i = 0; i < opt.rounds; i++)
		if (!only_quiet || quiet[i])
			r[n++] = a->cycles[i] / b->cycles[i];
	median = bench_median(r, n);
	free(r);
	return median;
}

static const struct contestant *find(const char *twin, enum twin_kind kind)
{
	for (unsigned i = 0; i < contestants; i++)
		if (contestant[i].twin && contestant[i].kind == kind &&
		    !strcmp(contestant[i].twin->name, twin))
			return &contestant[i];
	return NULL;
}

static void print_ratio(const struct contestant *a, const struct contestant *b, const char *to)
{
	struct bench_row row = BENCH_ROW();

	if (!a || !b)
		return;
	row.bench = "emit";
	row.name = a->name;
	row.setting = opt.setting;
	row.ratio = ratio(a, b, 0);
	row.quiet = ratio(a, b, 1);
	row.ratio_to = to;
	bench_print(&row);
}

static void print_costs(void)
{
	double per_ns = bench_cycles_per_ns();

	for (unsigned i = 0; i < contestants; i++) {
		struct contestant *c = &contestant[i];
		struct bench_row row = BENCH_ROW();
		double *copy = malloc(opt.rounds * sizeof(double));

		if (!copy)
			bench_die("no memory");
		row.bench = "emit";
		row.name = c->name;
		row.setting = opt.setting;
		row.ratio = ratio(c, &contestant[0], 0);
		row.quiet = ratio(c, &contestant[0], 1);
		row.ratio_to = "clock";
		memcpy(copy, c->cycles, opt.rounds * sizeof(double));
		row.cycles = bench_median(copy, opt.rounds);
		row.ns = row.cycles / per_ns;
		bench_print(&row);
		free(copy);
	}
}

static void print_ratios(void)
{
	for (enum twin_kind kind = 0; kind < TWIN_OFF; kind++) {
		const struct contestant *mine = find("trbuf", kind);

		for (unsigned i = 0; i < ntwins; i++)
			if (twins[i] != &twin_trbuf && !strcmp(twins[i]->name, "DPDK"))
				print_ratio(mine, find("DPDK", kind), "DPDK");
			else if (twins[i] != &twin_trbuf)
				print_ratio(find(twins[i]->name, kind), mine, "trbuf");
		if (kind != TWIN_NONE)
			print_ratio(mine, find("trbuf", TWIN_NONE), "trbuf no field");
	}
}

static void options(int argc, char **argv)
{
	static const struct option all[] = {
		{ "rounds", required_argument, NULL, 'r' },  { "events", required_argument, NULL, 'e' },
		{ "threads", required_argument, NULL, 't' }, { "setting", required_argument, NULL, 's' },
		{ "drain", required_argument, NULL, 'd' },   { "json", no_argument, NULL, 'j' },
		{ "kinds", required_argument, NULL, 'k' },   { NULL, 0, NULL, 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "", all, NULL)) != -1) {
		switch (c) {
		case 'r': opt.rounds = (unsigned)atoi(optarg); break;
		case 'e': opt.events = (unsigned)atoi(optarg); break;
		case 't': opt.threads = (unsigned)atoi(optarg); break;
		case 'd': opt.drain = (unsigned)atoi(optarg); break;
		case 'k': opt.kinds = (unsigned)strtoul(optarg, NULL, 0); break;
		case 's': opt.setting = optarg; break;
		case 'j': bench_json = 1; break;
		default: exit(2);
		}
	}
	if (!opt.rounds || !opt.events || !opt.threads)
		exit(2);
}

static void load(int argc, char **argv)
{
	twins[ntwins++] = &twin_trbuf;
	for (int i = optind; i < argc && ntwins < TWINS_MAX; i++) {
		const struct twin *twin = twin_load(argv[i]);

		if (twin && !twin->on(TWIN_U64))
			fprintf(stderr, "bench: LEFT OUT %s: its events are not on\n", twin->name);
		else if (twin)
			twins[ntwins++] = twin;
	}
	if (!twin_trbuf.on(TWIN_U64))
		bench_die("trbuf's events are not on: run it under with_region");
}

int main(int argc, char **argv)
{
	pthread_t thread[1024];

	options(argc, argv);
	bench_cpus(); /* before a peer changes the affinity */
	load(argc, argv);
	add(NULL, TWIN_OFF, read_clock, "bare clock");
	add(NULL, TWIN_OFF, add_much, "sixteen additions");
	add(NULL, TWIN_OFF, read_vdso, "clock_gettime");
	for (enum twin_kind kind = 0; kind < TWIN_OFF; kind++)
		for (unsigned i = 0; i < ntwins; i++)
			if (opt.kinds >> kind & 1 && twins[i]->has(kind))
				add(twins[i], kind, NULL, NULL);
	if (opt.threads > 1024)
		opt.threads = 1024;
	for (unsigned i = 1; i < opt.threads; i++)
		if (pthread_create(&thread[i], NULL, writer, (void *)(uintptr_t)(i % bench_cpus())))
			bench_die("no thread");
	bench_pin(0);
	measure();
	stop = 1;
	for (unsigned i = 1; i < opt.threads; i++)
		pthread_join(thread[i], NULL);
	find_quiet();
	print_costs();
	print_ratios();
	return 0;
}
