/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The events of bench/twin.h with DPDK's trace library, as a plug-in. DPDK
 * records 31 bytes of a string, so there is no 100-byte one; it has no process
 * or thread id in its records. Overwrite mode, its default.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_eal.h>
#include <rte_trace.h>

#include "bench/twin.h"
#include "bench/twins/dpdk_events.h"

/* The environment layer binds the calling thread to a CPU of its choice and
 * prints: undo the one, quieten the other. */
static int start(void)
{
	static char size[64];
	char *args[] = { "bench", "--no-huge", "--no-shconf", "-m", "64", "--no-pci",
			 "--no-telemetry", "--log-level=1", "--trace=bench.none",
			 "--trace-bufsz", "4M", size, NULL };
	const char *dir = getenv("TMPDIR");
	cpu_set_t before;
	int n;

	snprintf(size, sizeof(size), "--trace-dir=%s", dir && *dir ? dir : "/tmp");
	pthread_getaffinity_np(pthread_self(), sizeof(before), &before);
	n = rte_eal_init(12, args);
	pthread_setaffinity_np(pthread_self(), sizeof(before), &before);
	if (n < 0)
		return -1;
	return rte_trace_point_enable(&__bench_one) || rte_trace_point_enable(&__bench_four) ||
	       rte_trace_point_enable(&__bench_text);
}

static int has(enum twin_kind kind)
{
	return kind != TWIN_STR100 && kind != TWIN_SIXTEEN;
}

static int on(enum twin_kind kind)
{
	return kind == TWIN_OFF ? rte_trace_point_is_enabled(&__bench_off) :
				  rte_trace_point_is_enabled(&__bench_one);
}

static void burst(enum twin_kind kind, uint64_t n)
{
	switch (kind) {
	case TWIN_NONE:
		for (uint64_t i = 0; i < n; i++)
			bench_none();
		break;
	case TWIN_U64:
		for (uint64_t i = 0; i < n; i++)
			bench_one(i);
		break;
	case TWIN_FOUR:
		for (uint64_t i = 0; i < n; i++)
			bench_four(i, i + 1, i + 2, i + 3);
		break;
	case TWIN_STR11:
		for (uint64_t i = 0; i < n; i++)
			bench_text(TWIN_TEXT11);
		break;
	default:
		for (uint64_t i = 0; i < n; i++)
			bench_off(i);
	}
}

static const struct twin self = { "DPDK", start, has, on, burst };

const struct twin *twin_get(void);
const struct twin *twin_get(void)
{
	return &self;
}
