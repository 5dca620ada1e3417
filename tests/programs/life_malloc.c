/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A shared object for LD_PRELOAD that traces every allocation of a program, and
 * (with LIFE_MAIN) a program that allocates. Allocations from before the
 * library is attached, and from inside it, come here too.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef LIFE_MAIN
#include <trbuf.h>

TRBUF_EVENT(heap, get, TRBUF_INFO, (u64, number), (ptr, p), (u64, size));
TRBUF_EVENT(heap, put, TRBUF_INFO, (u64, number), (ptr, p));

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void __libc_free(void *p);

static atomic_ullong emitted;
static atomic_uint stopped;

void *malloc(size_t size)
{
	void *p = __libc_malloc(size);

	if (!atomic_load(&stopped))
		trbuf_trace(heap, get, atomic_fetch_add(&emitted, 1), p, size);
	return p;
}

void *calloc(size_t n, size_t size)
{
	void *p = __libc_calloc(n, size);

	if (!atomic_load(&stopped))
		trbuf_trace(heap, get, atomic_fetch_add(&emitted, 1), p, n * size);
	return p;
}

void *realloc(void *old, size_t size)
{
	void *p = __libc_realloc(old, size);

	if (!atomic_load(&stopped))
		trbuf_trace(heap, get, atomic_fetch_add(&emitted, 1), p, size);
	return p;
}

void free(void *p)
{
	if (!atomic_load(&stopped))
		trbuf_trace(heap, put, atomic_fetch_add(&emitted, 1), p);
	__libc_free(p);
}

unsigned long long heap_stop(void);
unsigned long long heap_stop(void)
{
	atomic_store(&stopped, 1);
	return atomic_load(&emitted);
}
#else
extern unsigned long long heap_stop(void) __attribute__((weak));

int main(void)
{
	char *volatile p[64] = { 0 };

	for (unsigned i = 0; i < 20000; i++) {
		free(p[i % 64]);
		p[i % 64] = i % 2 ? (char *)malloc(i % 500) : (char *)calloc(1, i % 500 + 1);
		if (i % 7 == 0)
			p[i % 64] = (char *)realloc(p[i % 64], 1000);
	}
	if (!heap_stop)
		return 1;
	printf("emitted %llu\n", heap_stop());
	return 0;
}
#endif
