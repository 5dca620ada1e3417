/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Restartable sequences: the contract. rseq_<arch>.h implements it and repeats
 * nothing; rseq_none.h is for everybody else.
 *
 * A section runs on one CPU without interruption, or has no effect: whenever
 * the thread is preempted, migrated or gets a signal before the last store,
 * the kernel sends it to the abort label. All stores before the last one are
 * to memory that nobody looks at until the last one is done.
 *
 *   rseq_commit(g, c):                          write one record
 *       cpu  = area->cpu_id                  if cpu >= nr_cpus: RSEQ_CPU
 *       ring = rings + cpu
 *       off  = ring->head & (offset | sealed)
 *       words = len - 8, rounded up to 8
 *       if off + 8 + words > ring->limit: RSEQ_NO_ROOM
 *       dst  = base + ring->page[parity of head].base + off
 *       now  = clock (read here, the coarse word, or given)
 *       if (now - ring->last) >> 48: RSEQ_CLOCK
 *       ring->last = now
 *       dst[0..8) = id | now << 16;  dst[8..) = src[0..words)
 *       ring->head += len, + one event       <- commit; RSEQ_DONE
 *
 *   rseq_stores(cpu, cmp, n, set, m):        a page switch, a seal, a miss
 *       if area->cpu_id != cpu: RSEQ_CPU
 *       for each cmp: if *addr != value: RSEQ_CHANGED
 *       for each set: *addr = value          <- the last one commits; RSEQ_DONE
 *
 *   rseq_swap(cpu, cmp, n, addr, old, new):  take, steal, clear
 *       as above, then compare-and-swap      <- commits, or not: RSEQ_DONE
 *       (whether it took effect is read from the word itself afterwards)
 *
 * Any of them may return RSEQ_ABORT: no effect, try again.
 */
#ifndef TRBUF_RSEQ_H
#define TRBUF_RSEQ_H

#include <stddef.h>
#include <stdint.h>

#include "libtrbuf/layout.h"

enum rseq_result { RSEQ_DONE = 0, RSEQ_NO_ROOM, RSEQ_CLOCK, RSEQ_CPU, RSEQ_CHANGED, RSEQ_ABORT };

/* The kernel's per-thread area; only what is used here. */
struct rseq_area {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs;
};

/* What rseq_commit() needs of the process. */
struct rseq_rings {
	struct layout_ring *rings;
	unsigned char *base; /* the region */
	uint32_t nr_cpus;
};

/* And of the record. */
struct rseq_record {
	const unsigned char *src; /* what follows the 8-byte header */
	uint64_t id;              /* event id */
	uint64_t len;             /* bytes of the record, header included */
	uint64_t now;             /* for clocks that are not read in a section */
};

/* One word to compare or to store. */
struct rseq_word {
	uint64_t *addr;
	uint64_t value;
};

#if defined(TRBUF_NO_RSEQ) || defined(__SANITIZE_THREAD__)
#include "libtrbuf/rseq_none.h"
#elif defined(__x86_64__) && !defined(__ILP32__)
#include "libtrbuf/rseq_x86_64.h"
#elif defined(__aarch64__)
#include "libtrbuf/rseq_aarch64.h"
#else
#include "libtrbuf/rseq_none.h"
#endif

#if RSEQ_HAVE
/* glibc 2.35 and later; weak, so that older ones and other libcs just say no. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* NULL if this process has no area that reaches past rseq_cs. */
static inline struct rseq_area *rseq_self(void)
{
	if (!&__rseq_size || !&__rseq_offset || __rseq_size < 16)
		return (struct rseq_area *)0;
	return (struct rseq_area *)((char *)__builtin_thread_pointer() + __rseq_offset);
}
#else
static inline struct rseq_area *rseq_self(void)
{
	return (struct rseq_area *)0;
}
#endif

#endif
