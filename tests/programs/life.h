/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What the programs life_*.c share: one event, and a count of what was emitted
 * that survives fork and kill. The count is an argument of the trace
 * point, so it grows if and only if the event is on.
 */
#ifndef TRBUF_TESTS_LIFE_H
#define TRBUF_TESTS_LIFE_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trbuf.h>

TRBUF_EVENT(life, tick, TRBUF_INFO, (u64, number), (str, text));

static struct life {
	atomic_ullong emitted;
	atomic_uint flag[8];
} *life;

static inline uint64_t life_count(void)
{
	return atomic_fetch_add(&life->emitted, 1);
}

static inline void life_tick(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		trbuf_trace(life, tick, life_count(), "abcdefghijklmnopqrstuvwxyz" + i % 26);
}

static inline void life_fail(const char *what)
{
	fprintf(stderr, "life: %s\n", what);
	_exit(1);
}

static inline void life_begin(void)
{
	life = (struct life *)mmap(NULL, sizeof(*life), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (life == MAP_FAILED)
		life_fail("no memory for counters");
}

static inline int life_end(void)
{
	printf("emitted %llu\n", (unsigned long long)atomic_load(&life->emitted));
	return 0;
}

/* 0 if every child ended well. */
static inline int life_wait_all(void)
{
	int status, bad = 0;

	while (wait(&status) > 0)
		bad |= status != 0;
	return bad;
}

#endif
