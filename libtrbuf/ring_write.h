/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The producer's half of a ring. */
#ifndef TRBUF_RING_WRITE_H
#define TRBUF_RING_WRITE_H

#include <stdint.h>

#include "libtrbuf/producer.h"

/* Write the record that *c describes, or count it as missed. Never blocks,
 * keeps errno. Signal safe. */
void ring_emit(struct thread *t, struct rseq_record *c);
void ring_emit_locked(struct thread *t, struct rseq_record *c);

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
