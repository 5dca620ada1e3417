/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Emitting without restartable sequences: rings of their own, each owned for
 * the length of one emit by a word that names process and thread. A failed try
 * goes on to the next ring, so a stopped or dead owner blocks nobody; the
 * consumer frees the ring of an owner that is dead for certain. The stores and
 * their order are those of the sections, so a killed owner leaves the same
 * states (I2, I4).
 */
#include <string.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/inject.h"
#include "libtrbuf/ring.h"
#include "libtrbuf/ring_write.h"

/* Rounds over all rings before an event is given up: owners run for some tens
 * of nanoseconds, so a few rounds let those on other CPUs finish. */
#define ROUNDS 200
#define WRITES_MAX 100000

/* now, not before the newest record; UINT64_MAX if the page must be switched. */
static uint64_t stamp(struct layout_ring *ring)
{
	uint64_t last = sync_load(&ring->last);
	uint64_t now = clock_read(producer.clock, producer.region.hdr);

	if ((int64_t)(now - last) < 0) {
		sync_store(&ring->clock_backwards, sync_load(&ring->clock_backwards) + 1);
		return last;
	}
	return (now - last) >> 48 ? UINT64_MAX : now;
}

/* As rseq_commit(). 0 if the page has no room for it. */
static int write_record(struct layout_ring *ring, const struct rseq_record *c)
{
	uint64_t head = sync_load_acquire(&ring->head), now, word;
	struct layout_page_words *words = &ring->page[head_page(head) & 1];
	uint32_t off = (uint32_t)head & ((1u << (HEAD_OFFSET_BITS + 1)) - 1);
	unsigned char *dst;

	if (off + ring_need(c) > sync_load(&ring->limit))
		return 0;
	now = stamp(ring);
	if (now == UINT64_MAX)
		return 0;
	dst = ring_table(&producer.region, sync_load(&words->base), LAYOUT_MIN_PAGE);
	if (!dst)
		return 0;
	word = c->id | now << 16;
	memcpy(dst + off, &word, 8);
	memcpy(dst + off + 8, c->src, c->len - 8);
	INJECT("locked.copied");
	sync_store(&ring->last, now);
	INJECT("locked.last");
	sync_store_release(&ring->head, head + c->len + HEAD_EVENT); /* commit [O1] */
	INJECT("locked.committed");
	return 1;
}

static void write_owned(struct layout_ring *ring, const struct rseq_record *c)
{
	struct section s = { .area = NULL, .cpu = 0, .ring = ring };

	for (unsigned i = 0; i < WRITES_MAX; i++)
		if (write_record(ring, c) || ring_switch(&s, c) == SWITCH_DONE)
			return;
	ring_lost(LAYOUT_LOST_NO_RING); /* the ring is spoilt */
}

void ring_emit_locked(struct thread *t, struct rseq_record *c)
{
	uint64_t me = (uint64_t)producer.process << 32 | t->tid;
	uint32_t n = producer.nr_locked, usable = 0;

	for (uint32_t i = 0; i < n * ROUNDS; i++) {
		uint32_t k = (t->hint + i) % n;
		struct layout_ring *ring = producer.g.rings + producer.g.nr_cpus + k;

		if (i == n && !usable)
			break;
		if (!sync_load_acquire(&ring->ready))
			continue;
		usable++;
		if (sync_load(&ring->owner) != 0 || !sync_cas64(&ring->owner, 0, me))
			continue;
		t->hint = k;
		INJECT("locked.owned");
		write_owned(ring, c);
		sync_store_release(&ring->owner, 0);
		return;
	}
	ring_lost(usable ? LAYOUT_LOST_NESTED : LAYOUT_LOST_NO_RING);
}
