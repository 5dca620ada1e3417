/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * convert -t ctf: a new trace of the events that passed the filters. It has a
 * UUID of its own, as it is not a chunk of the old one. Misses stay what they
 * were: each trbuf:missed event in a packet of its own, counted in
 * events_discarded from there on. Called by cmd_convert.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "tracectl/out_ctf.h"
#include "tracectl/out_run.h"

struct copy_stream {
	int open;
	struct ctf_file file;
	uint64_t events;
};

struct ctf_copy {
	char *dir;
	unsigned char uuid[16];
	const struct trace *trace;
	unsigned n;
	struct copy_stream **stream; /* by rank */
	int error;
};

struct ctf_copy *ctf_copy_new(const char *dir, const struct trace *t, char error[META_ERROR])
{
	struct ctf_copy *c = calloc(1, sizeof(*c));

	if (!c || getrandom(c->uuid, 16, 0) != 16) {
		snprintf(error, META_ERROR, "no memory or no random numbers");
		free(c);
		return NULL;
	}
	c->uuid[6] = (unsigned char)((c->uuid[6] & 0x0f) | 0x40);
	c->uuid[8] = (unsigned char)((c->uuid[8] & 0x3f) | 0x80);
	c->trace = t;
	c->dir = strdup(dir);
	if (c->dir && ctf_copy_dir(dir, t->meta, c->uuid, error) == 0)
		return c;
	free(c->dir);
	free(c);
	return NULL;
}

static struct copy_stream *make_room(struct ctf_copy *c, unsigned rank)
{
	if (rank >= c->n) {
		struct copy_stream **more = realloc(c->stream, (rank + 1) * sizeof(void *));

		if (!more)
			return NULL;
		memset(more + c->n, 0, (rank + 1 - c->n) * sizeof(void *));
		c->stream = more;
		c->n = rank + 1;
	}
	if (!c->stream[rank])
		c->stream[rank] = calloc(1, sizeof(struct copy_stream));
	return c->stream[rank];
}

/* The empty packet, from which readers count misses. */
static void first_packet(struct copy_stream *cs, uint64_t clock)
{
	struct ctf_packet *p = &cs->file.p;

	p->page = CTF_NO_PAGE;
	p->page_offset = 0;
	p->events_before = p->missed_before = 0;
	p->flags = (p->flags & CTF_PACKET_LOCKED) | CTF_PACKET_EMPTY;
	p->begin = p->end = clock;
	ctf_file_flush(&cs->file);
	p->flags &= CTF_PACKET_LOCKED;
}

static struct copy_stream *stream_of(struct ctf_copy *c, const struct trace_event *ev)
{
	struct copy_stream *cs = make_room(c, stream_rank(ev->stream));
	char path[4352];

	if (!cs || cs->open)
		return cs;
	if (stream_class(ev->stream) == CTF_STREAM_DAEMON)
		snprintf(path, sizeof(path), "%s/stream_daemon", c->dir);
	else
		snprintf(path, sizeof(path), "%s/stream_%05llu", c->dir,
			 (unsigned long long)stream_instance(ev->stream));
	cs->open = 1;
	if (ctf_file_open(&cs->file, path, stream_packet(ev->stream), c->uuid) == 0)
		first_packet(cs, ev->clock);
	return cs;
}

static void flush(struct copy_stream *cs)
{
	struct ctf_packet *p = &cs->file.p;
	uint32_t count = p->event_count;

	p->events_before = cs->events;
	ctf_file_flush(&cs->file);
	if (!(p->flags & CTF_PACKET_MISSED))
		cs->events += count;
}

static void put_missed(struct copy_stream *cs, const struct trace_event *ev)
{
	struct ctf_packet *p = &cs->file.p;

	if (p->event_count)
		flush(cs);
	p->flags |= CTF_PACKET_MISSED;
	p->discarded += out_missed(ev);
	p->missed_before = p->discarded;
	ctf_file_record(&cs->file, ev);
	flush(cs);
	p->flags &= ~(uint32_t)CTF_PACKET_MISSED;
}

int ctf_copy_event(struct ctf_copy *c, const struct trace_event *ev)
{
	struct copy_stream *cs;
	size_t size = (size_t)(ev->end - ev->context) + CTF_RECORD_HEADER;

	if (ev->trace != c->trace)
		return EXDEV;
	cs = stream_of(c, ev);
	if (!cs)
		return ENOMEM;
	if (ev->type->own == META_OWN_MISSED) {
		put_missed(cs, ev);
		return cs->file.error;
	}
	if (cs->file.p.event_count && cs->file.at + size > OUT_CTF_PACKET)
		flush(cs);
	ctf_file_record(&cs->file, ev);
	return cs->file.error;
}

int ctf_copy_end(struct ctf_copy *c)
{
	int error = 0;

	for (unsigned i = 0; i < c->n; i++) {
		struct copy_stream *cs = c->stream[i];

		if (!cs)
			continue;
		if (cs->open && cs->file.p.event_count)
			flush(cs);
		if (cs->open && ctf_file_close(&cs->file) && !error)
			error = cs->file.error;
		free(cs);
	}
	free(c->stream);
	free(c->dir);
	free(c);
	return error;
}

/* ------------------------------------------- as a format of convert */

static int ctf_begin(struct out *out)
{
	if (reader_traces(out->reader) != 1) {
		snprintf(out->problem, sizeof(out->problem),
			 "there are %u different traces here; convert them one by one",
			 reader_traces(out->reader));
		return -1;
	}
	out->state = ctf_copy_new(out->o.directory, reader_trace(out->reader, 0), out->problem);
	return out->state ? 0 : -1;
}

static void ctf_event(struct out *out, const struct trace_event *ev)
{
	int error = ctf_copy_event(out->state, ev);

	if (error && !out->problem[0])
		snprintf(out->problem, sizeof(out->problem), "cannot write the new trace: %s",
			 strerror(error));
}

static void ctf_end(struct out *out)
{
	int error = ctf_copy_end(out->state);

	if (error && !out->problem[0])
		snprintf(out->problem, sizeof(out->problem), "cannot write the new trace: %s",
			 strerror(error));
}

const struct out_format out_format_ctf = { "ctf", ctf_begin, ctf_event, ctf_end };
