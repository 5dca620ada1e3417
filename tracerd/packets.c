/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The ledger: turns pages of a ring into packets, and what is missing before
 * them into packets of their own. Pure planning: nothing is written and
 * nothing of the ring changes here; drain.c carries the plan out. Invariant:
 * events on disk + misses reported = events + misses of the ring up to the
 * ledger's position, exactly, after each block.
 */
#include <errno.h>
#include <string.h>

#include "libtrbuf/sync.h"
#include "tracerd/recording.h"

void packets_begin(struct plan *plan, const struct ring_state *rs)
{
	memset(plan, 0, sizeof(*plan));
	plan->last = rs->disk;
	plan->time = rs->stream.fd >= 0 ? rs->stream.end : 0;
}

static struct ctf_block *add(struct plan *plan, const struct ring_disk *after)
{
	struct ctf_block *b = &plan->block[plan->n];

	plan->disk[plan->n] = *after;
	plan->pages[plan->n] = plan->done;
	plan->last = *after;
	plan->n++;
	return b;
}

/* The packet in front of all: readers count misses from here. */
static void first_packet(struct plan *plan, struct session *s, const struct ring_state *rs,
			 uint64_t time)
{
	struct ctf_block *b;

	if (plan->n || rs->stream.seq)
		return;
	b = add(plan, &plan->last);
	b->mem = s->missed + (HELD_MAX + 1) * CTF_PACKET_ALIGN;
	memset(b->mem, 0, CTF_PACKET_ALIGN);
	b->packet = (struct ctf_packet){
		.page = CTF_NO_PAGE,
		.flags = CTF_PACKET_EMPTY,
		.begin = time,
		.end = time,
		.events_before = rs->disk.events,
		.missed_before = rs->disk.missed,
		.content = CTF_HEADER_SIZE,
		.size = CTF_PACKET_ALIGN,
	};
	plan->time = time;
}

/* One trbuf:missed event; times are those that the stream still allows. */
static void missed_packet(struct plan *plan, struct session *s, const struct ring_disk *after,
			  uint64_t count, struct ctf_packet times, unsigned reason)
{
	uint32_t context = s->meta.context, body = CTF_RECORD_HEADER + context + 25;
	struct ctf_block *b = add(plan, after);
	unsigned char *rec;

	b->mem = s->missed + plan->nmissed++ * CTF_PACKET_ALIGN;
	b->misses = count;
	memset(b->mem, 0, CTF_PACKET_ALIGN);
	rec = b->mem + CTF_HEADER_SIZE;
	if (times.begin < plan->time)
		times.begin = plan->time;
	if (times.end < times.begin)
		times.end = times.begin;
	ctf_record_encode(rec, 0, times.begin);
	rec += CTF_RECORD_HEADER + context;
	ctf_put(rec, 8, count);
	ctf_put(rec + 8, 8, times.begin);
	ctf_put(rec + 16, 8, times.end);
	ctf_put(rec + 24, 1, reason);
	b->packet = (struct ctf_packet){
		.page = CTF_NO_PAGE,
		.flags = CTF_PACKET_MISSED,
		.event_count = 1,
		.begin = times.begin,
		.end = times.end,
		.events_before = after->events,
		.missed_before = after->missed,
		.content = CTF_HEADER_SIZE + body,
		.size = CTF_PACKET_ALIGN,
	};
	plan->time = times.end;
}

void packets_misses(struct plan *plan, struct session *s, struct ring_state *rs,
		    const struct ring_disk *upto, uint64_t first, uint64_t last)
{
	uint64_t overwritten = upto->events - plan->last.events;
	uint64_t discarded = upto->missed - plan->last.missed;
	struct ctf_packet times = { .begin = first, .end = last };
	struct ring_disk after = plan->last;

	if (overwritten + discarded == 0)
		return;
	first_packet(plan, s, rs, first < last ? first : last);
	after.events = upto->events;
	after.missed = upto->missed;
	after.lost += overwritten;
	missed_packet(plan, s, &after, overwritten + discarded, times,
		      (overwritten ? MISSED_OVERWRITTEN : 0u) |
			      (discarded ? MISSED_DISCARDED : 0u));
}

/* Clock of the first record, if it is one that the page allows. */
static uint64_t first_time(const struct ring_page *p)
{
	uint64_t low, time;
	unsigned id;

	if (p->end_offset < CTF_HEADER_SIZE + CTF_RECORD_HEADER)
		return p->begin;
	ctf_record_decode(p->mem + CTF_HEADER_SIZE, &id, &low);
	time = ctf_extend(p->begin, low);
	return time <= p->end ? time : p->begin;
}

static int rest_of_page(const struct ring_disk *d, const struct ring_page *p)
{
	return d->page == p->number && d->offset > LAYOUT_PAGE_HEADER;
}

/* Before a page: what was overwritten or discarded since the ledger's position. */
static int misses_before(struct plan *plan, struct session *s, struct ring_state *rs,
			 const struct ring_page *p, uint64_t *begin)
{
	struct ring_disk upto = plan->last;
	uint64_t first = p->begin;

	*begin = p->begin;
	upto.events = p->events_before;
	upto.missed = p->missed_before;
	if ((int64_t)(upto.events - plan->last.events) < 0 ||
	    (int64_t)(upto.missed - plan->last.missed) < 0)
		return -EBADMSG;
	if (upto.events == plan->last.events && upto.missed == plan->last.missed)
		return 0;
	*begin = first_time(p);
	if (upto.events != plan->last.events && plan->time)
		first = plan->time;
	else if (p->missed_since >= p->begin && p->missed_since <= *begin)
		first = p->missed_since;
	packets_misses(plan, s, rs, &upto, first, *begin);
	return 0;
}

/* The part of the page that no file has, at the start of private memory. */
static unsigned char *private_part(struct session *s, const struct ring_page *p, uint32_t from,
				   uint64_t size)
{
	uint32_t body = p->end_offset - from;

	memmove(s->copy + CTF_HEADER_SIZE, p->mem + from, body);
	memset(s->copy + CTF_HEADER_SIZE + body, 0, size - CTF_HEADER_SIZE - body);
	return s->copy;
}

static void damaged(struct plan *plan, struct session *s, const struct ring_page *p,
		    struct ring_disk *after, const char *why)
{
	struct ctf_packet times = { .begin = p->begin, .end = p->end };
	uint64_t count = after->events - plan->last.events;
	char text[200];

	snprintf(text, sizeof(text), "page %llu, %llu events: %s", (unsigned long long)p->number,
		 (unsigned long long)count, why);
	after->lost += count;
	plan->damaged += count;
	missed_packet(plan, s, after, count, times, MISSED_DAMAGED);
	statedump_quarantine(s, p->ring, text);
}

/* What a reader would choke on. Costs nothing for a page in order. `mem` has
 * `body` bytes of records behind the room for the header. */
static const char *page_fault(const struct plan *plan, const struct session *s,
			      const struct ring_page *p, const unsigned char *mem,
			      const struct ctf_packet *packet)
{
	uint64_t low;
	unsigned id;

	if (p->end < plan->time)
		return "it ends before the page before it";
	if (p->begin < plan->time && packet->page_offset == LAYOUT_PAGE_HEADER) {
		ctf_record_decode(mem + CTF_HEADER_SIZE, &id, &low);
		if (ctf_extend(p->begin, low) < plan->time)
			return "its clock lies before that of the page before it";
	}
	if (!s->set.check_records)
		return NULL;
	return check_records(s, mem, packet, plan->time);
}

/* Where in the page the new part begins; its misses are planned. */
static int new_part(struct plan *plan, struct session *s, struct ring_state *rs,
		    const struct ring_page *p, struct ctf_packet *packet)
{
	packet->page_offset = LAYOUT_PAGE_HEADER;
	packet->event_count = p->events;
	packet->begin = p->begin;
	if (rest_of_page(&plan->last, p)) {
		uint64_t had = plan->last.events - p->events_before;

		if (plan->last.offset > p->end_offset || had > p->events)
			return -EBADMSG;
		packet->page_offset = (uint32_t)plan->last.offset;
		packet->event_count = p->events - (uint32_t)had;
	} else if (misses_before(plan, s, rs, p, &packet->begin)) {
		return -EBADMSG;
	}
	return (packet->event_count == 0) != (packet->page_offset == p->end_offset) ? -EBADMSG : 0;
}

/* A page that lies before the ledger's position, or the ledger's own with all of
 * its events there, whatever the offset says: nothing of it is missing. */
static int already_there(const struct plan *plan, const struct ring_page *p)
{
	return (int64_t)(p->number - plan->last.page) <= 0 &&
	       (int64_t)(p->events_before + p->events - plan->last.events) <= 0;
}

static int plan_page(struct plan *plan, struct session *s, struct ring_state *rs,
		     const struct ring_page *p)
{
	struct ring_disk after = { p->number, p->end_offset, p->events_before + p->events, 0, 0 };
	struct ctf_packet packet = { .page = p->number, .end = p->end };
	unsigned char *mem = p->mem;
	struct ctf_block *b;
	const char *bad;

	if (already_there(plan, p))
		return 0;
	/* A page that stayed empty and whose misses a stop already told. */
	if (!p->events && (int64_t)(p->missed_before - plan->last.missed) < 0)
		return 0;
	if (new_part(plan, s, rs, p, &packet))
		return -EBADMSG;
	after.missed = plan->last.missed;
	after.lost = plan->last.lost;
	if (!packet.event_count) {
		plan->last = after;
		return 0;
	}
	first_packet(plan, s, rs, packet.begin);
	packet.content = CTF_HEADER_SIZE + p->end_offset - packet.page_offset;
	packet.size = s->r->geo.page_size;
	if (packet.page_offset != LAYOUT_PAGE_HEADER || mem == s->copy || s->set.check_records) {
		packet.size = ctf_pad(packet.content);
		mem = private_part(s, p, packet.page_offset, packet.size);
	}
	bad = page_fault(plan, s, p, mem, &packet);
	if (bad) {
		damaged(plan, s, p, &after, bad);
		plan->pages[plan->n - 1]++;
		return 0;
	}
	packet.events_before = after.events - packet.event_count;
	packet.missed_before = after.missed;
	packet.clock_backwards = sync_load(&rs->reader.ring->clock_backwards);
	b = add(plan, &after);
	b->mem = mem;
	b->packet = packet;
	plan->pages[plan->n - 1]++; /* with this block in the file the page is done */
	plan->time = p->end;
	return 0;
}

int packets_page(struct plan *plan, struct session *s, struct ring_state *rs,
		 const struct ring_page *p)
{
	int err = plan_page(plan, s, rs, p);

	if (!err)
		plan->done++;
	return err;
}
