/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * One stream of a damaged trace into one that every reader takes. Packets keep
 * their header (page, ledger, times) but for the numbers that must be without
 * gaps. What is lost is counted from the ledger and reported where it was, as
 * trbuf:missed with the reason "damaged". Called by cmd_repair.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracectl/out_run.h"
#include "tracectl/repair.h"

#define REASON_DAMAGED 4

void repair_target(const struct repair *r, const char *source, char *to, size_t size)
{
	size_t n = strlen(r->from);

	while (n > 1 && r->from[n - 1] == '/')
		n--;
	snprintf(to, size, "%s%s", r->to, strlen(source) > n ? source + n : "");
}

static void failed(struct repair *r, int error)
{
	if (r->error || !error)
		return;
	r->error = error;
	snprintf(r->where, sizeof(r->where), "%s", r->file.path ? r->file.path : r->to);
}

static void close_file(struct repair *r)
{
	if (!r->open)
		return;
	failed(r, r->file.error);
	ctf_file_close(&r->file);
	r->open = 0;
}

/* The packet without its records, for one of another kind in front of it. */
struct put_aside {
	unsigned char *mem;
	size_t at, room;
	struct ctf_packet p;
};

static void put_aside(struct ctf_file *f, struct put_aside *a, unsigned char *mem)
{
	*a = (struct put_aside){ f->mem, f->at, f->room, f->p };
	f->mem = mem;
	f->at = CTF_HEADER_SIZE;
	f->room = CTF_PACKET_ALIGN;
	f->p.event_count = 0;
}

static void put_back(struct ctf_file *f, const struct put_aside *a)
{
	uint64_t seq = f->p.seq, discarded = f->p.discarded;

	f->mem = a->mem;
	f->at = a->at;
	f->room = a->room;
	f->p = a->p;
	f->p.seq = seq;
	f->p.discarded = discarded;
}

static void first_packet(struct ctf_file *f, const struct ctf_packet *like)
{
	unsigned char mem[CTF_PACKET_ALIGN];
	struct put_aside aside;

	put_aside(f, &aside, mem);
	f->p.page = CTF_NO_PAGE;
	f->p.page_offset = 0;
	f->p.flags = (like->flags & CTF_PACKET_LOCKED) | CTF_PACKET_EMPTY;
	f->p.events_before = like->events_before;
	f->p.missed_before = like->missed_before;
	f->p.begin = f->p.end = like->begin;
	ctf_file_flush(f);
	put_back(f, &aside);
}

/* `count` events were lost between two moments. */
static void put_missed(struct repair *r, const struct stream *s, uint64_t count,
		       const struct ctf_packet *behind)
{
	const struct meta_stream *ms =
		&reader_trace(r->reader, 0)->meta->stream[stream_class(s)];
	uint32_t context = ms->context.size;
	unsigned char mem[CTF_PACKET_ALIGN], *rec = mem + CTF_HEADER_SIZE;
	struct ctf_file *f = &r->file;
	uint64_t first = f->last, last = behind->begin > first ? behind->begin : first;
	struct put_aside aside;

	r->lost += count;
	if (context > 256 || !ms->nids || !ms->by_id[0] || ms->by_id[0]->own != META_OWN_MISSED ||
	    ms->by_id[0]->fields.size != 25)
		return;
	memset(mem, 0, sizeof(mem));
	put_aside(f, &aside, mem);
	ctf_record_encode(rec, 0, last);
	rec += CTF_RECORD_HEADER + context;
	ctf_put(rec, 8, count);
	ctf_put(rec + 8, 8, first);
	ctf_put(rec + 16, 8, last);
	ctf_put(rec + 24, 1, REASON_DAMAGED);
	f->at = CTF_HEADER_SIZE + CTF_RECORD_HEADER + context + 25;
	f->p.page = CTF_NO_PAGE;
	f->p.page_offset = 0;
	f->p.flags = (behind->flags & CTF_PACKET_LOCKED) | CTF_PACKET_MISSED;
	f->p.event_count = 1;
	f->p.events_before = behind->events_before;
	f->p.missed_before = behind->missed_before;
	f->p.begin = f->p.end = last;
	f->p.discarded += count;
	ctf_file_flush(f);
	put_back(f, &aside);
}

static void open_file(struct repair *r, const struct stream *s, const struct ctf_packet *p)
{
	char path[4352];

	close_file(r);
	repair_target(r, stream_file(s), path, sizeof(path));
	r->source = stream_file(s);
	r->open = 1;
	if (ctf_file_open(&r->file, path, p, p->uuid))
		failed(r, r->file.error);
	else if (!(p->flags & CTF_PACKET_EMPTY))
		first_packet(&r->file, p);
}

void repair_packet(void *arg, const struct stream *s, const struct ctf_packet *p)
{
	struct repair *r = arg;

	if (!r->open || r->source != stream_file(s))
		open_file(r, s, p);
	r->reported = 0;
}

/* The header as it was, but for what must be right: numbers without gaps, and
 * times that enclose the records, whatever the header says. */
static void take_header(struct ctf_file *f, const struct ctf_packet *p)
{
	struct ctf_packet now = f->p;

	f->p = *p;
	f->p.seq = now.seq;
	f->p.discarded = now.discarded;
	f->p.event_count = now.event_count;
	f->p.end = f->p.begin;
	if (now.event_count) {
		f->p.begin = p->begin < now.begin ? p->begin : now.begin;
		f->p.end = now.end;
	}
}

/* A ledger that goes back, or more events lost than there was time for, is
 * itself damage: then nothing is known to be missing. */
static uint64_t believable_gap(struct repair *r, struct ctf_packet *p)
{
	uint64_t gap = ledger_gap(&r->ledger, p, r->reported);
	uint64_t time = p->end > r->file.last ? p->end - r->file.last : 0;

	if (!(gap >> 63) && gap >> 32 <= time >> 32)
		return gap;
	p->events_before = r->ledger.events;
	p->missed_before = r->ledger.missed + r->reported;
	return 0;
}

/* Records whose clock lies before what the file has already. */
static int goes_back(const struct repair *r)
{
	return r->file.p.event_count && r->file.p.begin < r->file.last;
}

static void drop_records(struct ctf_file *f)
{
	f->at = CTF_HEADER_SIZE;
	f->p.event_count = 0;
}

void repair_packet_end(void *arg, const struct stream *s, const struct ctf_packet *p, uint64_t events)
{
	struct repair *r = arg;
	struct ctf_packet header = *p, behind;
	uint64_t gap;

	if (r->error || !r->file.mem)
		return;
	gap = believable_gap(r, &header);
	/* A missed packet reports what lies before it: so does what comes before that. */
	behind = header;
	if (p->flags & CTF_PACKET_MISSED)
		behind.missed_before -= r->reported;
	if (gap)
		put_missed(r, s, gap, &behind);
	if (goes_back(r)) {
		drop_records(&r->file);
		events = 0;
		r->reported = 0;
	}
	take_header(&r->file, &header);
	if (events || (p->flags & CTF_PACKET_EMPTY)) {
		r->file.p.discarded += r->reported;
		ctf_file_flush(&r->file);
		r->packets++;
		r->events += events;
	}
	ledger_advance(&r->ledger, &header);
	if (p->event_count > events && !(p->flags & CTF_PACKET_MISSED)) {
		behind = header;
		behind.begin = r->file.last;
		behind.events_before = header.events_before + p->event_count;
		put_missed(r, s, p->event_count - events, &behind);
	}
	failed(r, r->file.error);
}

void repair_stream(struct repair *r, unsigned i)
{
	const struct trace_event *ev;

	memset(&r->ledger, 0, sizeof(r->ledger));
	while (!r->error && (ev = reader_stream_next(r->reader, i))) {
		if (ev->type->own == META_OWN_MISSED)
			r->reported += out_missed(ev);
		if (r->file.mem)
			ctf_file_record(&r->file, ev);
	}
	close_file(r);
}
