/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * register_events N: registers N events through the header's own door, prints
 * how long that took per event, and, while they are all there, how long the
 * last thousand took. For how cost grows with the registry.
 */
#include <stdio.h>
#include <stdlib.h>

#include <trbuf.h>

#include "bench/bench.h"

static struct trbuf_event *event;
static char (*name)[16];

static double some(unsigned first, unsigned n)
{
	static const struct trbuf_field field[] = { { "a", TRBUF_T_U64, 0, 0, 0, NULL } };
	uint64_t start;

	for (unsigned i = first; i < first + n; i++) {
		snprintf(name[i], sizeof(name[i]), "event%u", i);
		event[i].gate = &event[i].off;
		event[i].class_name = "many";
		event[i].name = name[i];
		event[i].fields = field;
		event[i].level = TRBUF_INFO;
		event[i].nfields = 1;
		event[i].abi = TRBUF_ABI;
	}
	start = bench_cycles();
	for (unsigned i = first; i < first + n; i++)
		trbuf_register(&event[i]);
	return (double)(bench_cycles() - start) / bench_cycles_per_ns() / n;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, last = n < 1000 ? n : 1000, got = 0;
	double all = 0, end;

	event = calloc(n, sizeof(*event));
	name = calloc(n, sizeof(*name));
	if (!n || !event || !name)
		return 2;
	if (n > last)
		all = some(0, n - last);
	end = some(n - last, last);
	for (unsigned i = 0; i < n; i++)
		got += event[i].id != 0;
	printf("{\"events\": %u, \"ns\": %.1f, \"last_ns\": %.1f}\n", got, all > 0 ? all : end, end);
	return 0;
}
