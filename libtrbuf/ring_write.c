/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Writing one record. The fast path is one restartable section (rseq.h); what
 * is here only decides what comes after it. Invariants, see doc/ring.md:
 *
 *   I1  A record is in the trace or counted: whoever returns from ring_emit()
 *       has committed, missed, filtered or lost exactly one event.
 *   I2  Nothing is reserved: killed anywhere, the ring is as if the event had
 *       never been, or holds it whole.
 *   I3  Clock values never go back within a ring (`last`).
 *
 * May not allocate, lock, or call out of the library. The only system call on
 * this side is the doorbell, in the page switch.
 */
#include "libtrbuf/clock.h"
#include "libtrbuf/inject.h"
#include "libtrbuf/ring.h"
#include "libtrbuf/ring_write.h"

/* A debugger that steps through sections, or signals faster than one: give up
 * on sections for this event. */
#define ABORTS_IN_A_ROW 64
/* Rounds of the slow path; each is one page switch by somebody, or a spoilt ring. */
#define ROUNDS_MAX 100000

void ring_lost(enum layout_lost why)
{
	sync_fetch_add(&producer.region.hdr->lost[why], 1);
}

static enum rseq_result commit(struct rseq_area *a, struct rseq_record *c)
{
	if (producer.clock == RSEQ_READS_CLOCK)
		return rseq_commit_clock(a, &producer.g, c);
	if (producer.clock == LAYOUT_CLOCK_COARSE) {
		enum rseq_result res = rseq_commit_coarse(a, &producer.g, c);

		if (res != RSEQ_CLOCK)
			return res;
	}
	c->now = clock_read(producer.clock, producer.region.hdr);
	return rseq_commit_given(a, &producer.g, c);
}

/* The clock went back: the event gets the time of the newest record. Counted. */
static enum rseq_result commit_clamped(struct section *s, struct rseq_record *c)
{
	uint64_t back = sync_load(&s->ring->clock_backwards);
	struct rseq_word cmp = { &s->ring->clock_backwards, back };
	struct rseq_word set = { &s->ring->clock_backwards, back + 1 };
	enum rseq_result res;

	c->now = sync_load(&s->ring->last);
	res = rseq_commit_given(s->area, &producer.g, c);
	if (res == RSEQ_DONE)
		rseq_stores(s->area, s->cpu, &cmp, 1, &set, 1);
	return res;
}

static int clock_is_behind(const struct section *s)
{
	return (int64_t)(clock_read(producer.clock, producer.region.hdr) -
			 sync_load(&s->ring->last)) < 0;
}

/* 1: accounted for. 0: this CPU's sections do not work, use a locked ring. */
static int emit_in_sections(struct thread *t, struct rseq_record *c)
{
	struct section s = { .area = t->area };
	unsigned aborts = 0, backwards = 0;

	for (unsigned round = 0; round < ROUNDS_MAX && aborts < ABORTS_IN_A_ROW; round++) {
		enum rseq_result res;

		s.cpu = sync_load(&s.area->cpu_id);
		if ((int32_t)s.cpu < 0)
			return 0;
		if (s.cpu >= producer.g.nr_cpus) {
			ring_lost(LAYOUT_LOST_NO_RING);
			return 1;
		}
		s.ring = producer.g.rings + s.cpu;
		if (backwards > 3 && clock_is_behind(&s))
			res = commit_clamped(&s, c);
		else
			res = commit(s.area, c);
		if (res == RSEQ_DONE)
			return 1;
		aborts = res == RSEQ_ABORT ? aborts + 1 : 0;
		if (res == RSEQ_CLOCK && clock_is_behind(&s)) {
			backwards++;
			continue;
		}
		if (res == RSEQ_NO_ROOM || res == RSEQ_CLOCK)
			if (ring_switch(&s, c) == SWITCH_DONE)
				return 1;
	}
	return 0;
}

void ring_emit(struct thread *t, uint32_t id, const unsigned char *src, size_t len)
{
	struct rseq_record c = { .src = src, .id = id, .len = len };

	if (t->area && emit_in_sections(t, &c))
		return;
	ring_emit_locked(t, &c);
}
