/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * produce [--twin PLUG-IN] [--kind N] [--rate N] [--events N] [--threads N]
 *         [--idle SECONDS]: emits --events events in each of --threads threads,
 * at --rate a second over all (0: as fast as it can), a millisecond's worth at
 * a time. Prints events, seconds and the events behind schedule at the worst.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/twin.h"

static struct {
	unsigned kind, threads, idle;
	uint64_t rate, events;
} opt = { TWIN_FOUR, 1, 0, 0, 100000 };
static const struct twin *twin = &twin_trbuf;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *thread_main(void *arg)
{
	uint64_t start = now_ns(), done = 0, share = opt.rate / opt.threads;

	bench_pin((unsigned)(uintptr_t)arg % bench_cpus());
	while (done < opt.events) {
		uint64_t due = opt.events;

		if (share) {
			const struct timespec pause = { 0, 500000 };

			due = (uint64_t)((double)(now_ns() - start) / 1e9 * (double)share);
			if (due <= done) {
				nanosleep(&pause, NULL);
				continue;
			}
			if (due > opt.events)
				due = opt.events;
			/* After a pause of this thread: catch up no faster than 5 ms at once. */
			if (due - done > share / 200 + 1)
				due = done + share / 200 + 1;
		} else if (due - done > 10000) {
			due = done + 10000;
		}
		twin->burst((enum twin_kind)opt.kind, due - done);
		done = due;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct option all[] = {
		{ "twin", required_argument, NULL, 'w' },   { "kind", required_argument, NULL, 'k' },
		{ "rate", required_argument, NULL, 'r' },   { "events", required_argument, NULL, 'e' },
		{ "threads", required_argument, NULL, 't' }, { "idle", required_argument, NULL, 'i' },
		{ NULL, 0, NULL, 0 } };
	pthread_t thread[64];
	uint64_t start;
	int c;

	while ((c = getopt_long(argc, argv, "", all, NULL)) != -1) {
		switch (c) {
		case 'w': twin = twin_load(optarg); break;
		case 'k': opt.kind = (unsigned)atoi(optarg); break;
		case 'r': opt.rate = strtoull(optarg, NULL, 0); break;
		case 'e': opt.events = strtoull(optarg, NULL, 0); break;
		case 't': opt.threads = (unsigned)atoi(optarg); break;
		case 'i': opt.idle = (unsigned)atoi(optarg); break;
		default: return 2;
		}
	}
	if (!twin || opt.kind >= TWIN_KINDS || !opt.threads || opt.threads > 64)
		return 2;
	bench_cpus();
	start = now_ns();
	for (unsigned i = 0; i < opt.threads; i++)
		if (pthread_create(&thread[i], NULL, thread_main, (void *)(uintptr_t)i))
			bench_die("no thread");
	for (unsigned i = 0; i < opt.threads; i++)
		pthread_join(thread[i], NULL);
	printf("{\"events\": %llu, \"seconds\": %.4f}\n",
	       (unsigned long long)(opt.events * opt.threads), (double)(now_ns() - start) / 1e9);
	fflush(stdout);
	if (opt.idle)
		sleep(opt.idle);
	return 0;
}
