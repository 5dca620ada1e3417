/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The producer's half of a ring. */
#ifndef TRBUF_RING_WRITE_H
#define TRBUF_RING_WRITE_H

#include <stdint.h>

#include "libtrbuf/inject.h"
#include "libtrbuf/producer.h"

/* Write the record {id, clock, src[0..len - 8)}, or count it as missed. Never
 * blocks, keeps errno. Signal safe. ring_emit_fast() is the first try of a
 * thread that may use sections: 1 if the record is written. In line, so that the
 * way to the commit saves no register, and stores nothing that it loads again. */
void ring_emit(struct thread *t, uint32_t id, const unsigned char *src, size_t len);
void ring_emit_locked(struct thread *t, struct rseq_record *c);

static inline __attribute__((always_inline)) int ring_emit_fast(uint32_t id,
								const unsigned char *src, size_t len)
{
	const struct rseq_record c = { .src = src, .id = id, .len = len };

	INJECT("emit.begin");
	return rseq_commit_clock(thread_own.area, &producer.g, &c) == RSEQ_DONE;
}

/* The same with the word that the daemon refreshes. */
static inline __attribute__((always_inline)) int ring_emit_coarse(uint32_t id,
								  const unsigned char *src, size_t len)
{
	const struct rseq_record c = { .src = src, .id = id, .len = len };

	INJECT("emit.begin");
	return rseq_commit_coarse(thread_own.area, &producer.g, &c) == RSEQ_DONE;
}

/* Bytes behind off that a record needs: its copy is a multiple of 8. */
static inline uint32_t ring_need(const struct rseq_record *c)
{
	return ((uint32_t)c->len + 7) & ~7u;
}

/* Count an event that reaches no ring. */
void ring_lost(enum layout_lost why);

/* How the slow path stores: in a restartable section, or as the owner of a
 * locked ring (area NULL). */
struct section {
	struct rseq_area *area;
	uint32_t cpu;
	struct layout_ring *ring;
};

enum switch_result {
	SWITCH_AGAIN, /* try the commit again */
	SWITCH_DONE,  /* the event is accounted for: missed, filtered or lost */
};

/* The page of `ring` has no room for *c, or the clock says that it must not
 * take it: open the next page or count a miss. */
enum switch_result ring_switch(const struct section *s, const struct rseq_record *c);

#endif
