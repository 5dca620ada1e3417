/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * rseq is believed after a test: kernels were reported that do not abort a
 * section on preemption within one CPU. Two threads on one CPU add to one word
 * in sections; every addition that is lost shows in the sum.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/rseq.h"
#include "libtrbuf/rseq_test.h"
#include "libtrbuf/sync.h"

#define TEST_NS UINT64_C(100000000)

struct trial {
	uint64_t word;
	uint64_t end; /* CLOCK_MONOTONIC */
	uint32_t cpu;
};

struct adder {
	struct trial *trial;
	uint64_t added;
};

/* Other pages of the word's neighbourhood are touched in between, so that the
 * section is long enough to be preempted now and then. */
static void *add(void *arg)
{
	struct adder *a = arg;
	struct rseq_area *area = rseq_self();
	uint64_t scratch[64];

	for (uint64_t i = 0; area; i++) {
		uint64_t v = sync_load(&a->trial->word);
		struct rseq_word cmp = { &a->trial->word, v }, set[65];

		for (unsigned k = 0; k < 64; k++)
			set[k] = (struct rseq_word){ &scratch[k], i };
		set[64] = (struct rseq_word){ &a->trial->word, v + 1 };
		if (rseq_stores(area, a->trial->cpu, &cmp, 1, set, 65) == RSEQ_DONE)
			a->added++;
		if (i % 64 == 0 && clock_monotonic_ns() >= a->trial->end)
			break;
	}
	return NULL;
}

static int pin(pthread_attr_t *attr, uint32_t *cpu)
{
	cpu_set_t set;
	int now = sched_getcpu();

	if (now < 0 || now >= CPU_SETSIZE)
		return -1;
	*cpu = (uint32_t)now;
	CPU_ZERO(&set);
	CPU_SET(now, &set);
	return pthread_attr_init(attr) || pthread_attr_setaffinity_np(attr, sizeof(set), &set) ? -1 : 0;
}

static uint32_t try(void)
{
	struct trial trial = { 0, clock_monotonic_ns() + TEST_NS, 0 };
	struct adder a[2] = { { &trial, 0 }, { &trial, 0 } };
	pthread_attr_t attr;
	pthread_t thread[2];
	int n = 0;

	if (!rseq_self() || pin(&attr, &trial.cpu))
		return LAYOUT_RSEQ_UNTESTED;
	while (n < 2 && pthread_create(&thread[n], &attr, add, &a[n]) == 0)
		n++;
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	pthread_attr_destroy(&attr);
	if (n < 2 || !a[0].added || !a[1].added)
		return LAYOUT_RSEQ_UNTESTED;
	return a[0].added + a[1].added == sync_load(&trial.word) ? LAYOUT_RSEQ_GOOD : LAYOUT_RSEQ_BAD;
}

uint32_t rseq_test(struct region *r)
{
	uint32_t have = sync_load(&r->hdr->rseq_verdict), found;

	if (have == LAYOUT_RSEQ_GOOD || have == LAYOUT_RSEQ_BAD)
		return have;
	found = try();
	if (found != LAYOUT_RSEQ_UNTESTED)
		sync_store(&r->hdr->rseq_verdict, found);
	return found;
}
