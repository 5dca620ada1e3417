/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * with_region [option]... -- COMMAND ARG...: makes a region, switches tracing
 * on and runs the command with TRBUF_REGION set. The command can ask for a
 * drain of the rings, or for tracing on or off, through two pipes
 * (bench_drain(), bench_switch()). Prints what was emitted and missed to stderr
 * with --totals. So the emit path is measured without daemon and command line.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "libtrbuf/clock.h"
#include "libtrbuf/control.h"
#include "libtrbuf/region.h"
#include "libtrbuf/ring_read.h"
#include "libtrbuf/ring_setup.h"
#include "libtrbuf/rseq_test.h"
#include "libtrbuf/sync.h"

static struct region region;
static char path[64];

static uint64_t size_of(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	return n << (*end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

static void drain(void)
{
	struct ring_reader rd;
	struct ring_page page;

	for (uint32_t i = 0; i < region.geo.nr_rings; i++) {
		if (ring_reader_init(&rd, &region, i) != 0)
			continue;
		while (ring_reader_take(&rd, &page) == 1)
			ring_reader_post(&rd, page.slot);
	}
}

static void turn(uint32_t on)
{
	struct layout_control control;

	control_get(&region, &control);
	control.on = on;
	if (control.nrules == 0)
		control_rule(&control, 0, "bench_off:*", NULL, 7);
	control_publish(&region, &control);
}

static void totals(void)
{
	uint64_t events = 0, missed = 0;
	struct ring_reader rd;
	struct ring_totals t;

	for (uint32_t i = 0; i < region.geo.nr_rings; i++) {
		if (ring_reader_init(&rd, &region, i) == 0 && ring_reader_totals(&rd, &t) == 0) {
			events += t.events;
			missed += t.missed;
		}
	}
	fprintf(stderr, "with_region: %llu events, %llu missed\n", (unsigned long long)events,
		(unsigned long long)missed);
}

static void open_region(const struct region_settings *settings)
{
	struct fault fault;
	const char *dir = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	snprintf(path, sizeof(path), "%s/trbuf-bench-%d", dir, (int)getpid());
	if (region_open(&region, path, REGION_CREATE, settings, &fault) != 0)
		bench_die("%s", fault.text);
	rseq_test(&region);
	if (region_lock(&region, REGION_LOCK_CONTROL, 1000) ||
	    region_lock(&region, REGION_LOCK_CONSUMER, 1000))
		bench_die("cannot lock %s", path);
	if (ring_setup_all(&region, &fault) < 0)
		bench_die("%s", fault.text);
}

static pid_t run(char **argv, int ask, int answer)
{
	char text[2][16];
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	snprintf(text[0], sizeof(text[0]), "%d", ask);
	snprintf(text[1], sizeof(text[1]), "%d", answer);
	setenv("TRBUF_BENCH_FD_ASK", text[0], 1);
	setenv("TRBUF_BENCH_FD_ANSWER", text[1], 1);
	setenv("TRBUF_REGION", path, 1);
	execvp(argv[0], argv);
	fprintf(stderr, "with_region: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* What the daemon does while tracing is on. */
static void *tick(void *arg)
{
	const struct timespec pause = { 0, 100000 };

	(void)arg;
	for (;;) {
		sync_store(&region.hdr->coarse_clock, clock_monotonic_ns());
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* Until the command and all that hold its pipes are gone. */
static void serve(int ask, int answer)
{
	char what;

	while (read(ask, &what, 1) == 1) {
		if (what == 'd')
			drain();
		else
			turn(what == '1');
		if (write(answer, &what, 1) != 1)
			break;
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "ring-size", required_argument, NULL, 'r' },
		{ "page-size", required_argument, NULL, 'p' },
		{ "mode", required_argument, NULL, 'm' },
		{ "context", required_argument, NULL, 'c' },
		{ "cpus", required_argument, NULL, 'n' },
		{ "clock", required_argument, NULL, 'k' },
		{ "off", no_argument, NULL, 'o' },
		{ "totals", no_argument, NULL, 't' },
		{ NULL, 0, NULL, 0 } };
	struct region_settings settings = REGION_SETTINGS_DEFAULT;
	int c, on = 1, print = 0, ask[2], answer[2], status;
	pthread_t ticker;
	pid_t pid;

	settings.mode = LAYOUT_OVERWRITE;
	while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (c == 'r')
			settings.ring_size = size_of(optarg);
		else if (c == 'p')
			settings.page_size = (uint32_t)size_of(optarg);
		else if (c == 'm')
			settings.mode = strcmp(optarg, "discard") ? LAYOUT_OVERWRITE : LAYOUT_DISCARD;
		else if (c == 'c')
			settings.context = atoi(optarg);
		else if (c == 'n')
			settings.nr_cpus = (uint32_t)size_of(optarg);
		else if (c == 'k')
			settings.clock = strcmp(optarg, "coarse") ? 0 : LAYOUT_CLOCK_COARSE;
		else if (c == 'o')
			on = 0;
		else if (c == 't')
			print = 1;
		else
			return 2;
	}
	if (optind >= argc)
		bench_die("with_region: no command");
	open_region(&settings);
	turn((uint32_t)on);
	if (settings.clock == LAYOUT_CLOCK_COARSE && pthread_create(&ticker, NULL, tick, NULL))
		bench_die("no thread");
	if (pipe(ask) || pipe(answer) || (pid = run(argv + optind, ask[1], answer[0])) < 0) {
		unlink(path);
		bench_die("cannot start %s", argv[optind]);
	}
	close(ask[1]);
	serve(ask[0], answer[1]);
	waitpid(pid, &status, 0);
	if (print)
		totals();
	unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
