/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* What one process and one thread of it keep for themselves on the producer's side. */
#ifndef TRBUF_PRODUCER_H
#define TRBUF_PRODUCER_H

#include <stddef.h>
#include <stdint.h>

#include "libtrbuf/region.h"
#include "libtrbuf/rseq.h"

/* One per process; constant after attach but for `process`. */
struct producer {
	struct rseq_rings g; /* rings, base, nr_cpus */
	uint32_t *pid_word; /* a page that the kernel wipes in a forked child */
	uint32_t nr_locked;
	uint32_t clock;      /* enum layout_clock */
	uint32_t context;    /* bytes */
	uint32_t record_max; /* bytes, header and context included */
	uint32_t process;    /* index + 1 in the process table, 0 not in it */
	int use_rseq;
	int attached;
	struct region region;
};
extern struct producer producer;

/* One per thread, initial-exec TLS: no allocation at first use. */
struct thread {
	uint32_t not_pid; /* ~pid of the process this was filled in for */
	uint32_t fast;    /* the same if ring_emit_fast() may be tried, else 0 */
	uint32_t coarse;  /* the same for ring_emit_coarse() */
	uint32_t hint;    /* locked ring tried first */
	uint32_t pid, tid; /* the context of a record, in this order */
	struct rseq_area *area; /* NULL: locked rings */
};
_Static_assert(__builtin_offsetof(struct thread, tid) == __builtin_offsetof(struct thread, pid) + 4,
	       "context");

extern __thread struct thread thread_own __attribute__((tls_model("initial-exec")));

/* Fills in thread_own. NULL if the process is not attached. Keeps errno. */
struct thread *thread_enter(void);

/* This thread, ready to emit; NULL if the process is not attached. Keeps errno. */
static inline struct thread *thread_self(void)
{
	if (__builtin_expect((thread_own.not_pid ^ *producer.pid_word) == UINT32_MAX, 1))
		return &thread_own;
	return thread_enter();
}

/* Is this thread ready, and its clock one that a section reads? No pid is ~0. */
static inline int thread_is_fast(void)
{
	return (thread_own.fast ^ *producer.pid_word) == UINT32_MAX;
}
static inline int thread_is_coarse(void)
{
	return (thread_own.coarse ^ *producer.pid_word) == UINT32_MAX;
}

/* The child of a fork comes here with its first event. */
void producer_after_fork(uint32_t pid);

#endif
