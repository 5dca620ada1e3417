/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Records of a stream, one after another. The hot loop of every reading verb:
 * look up the id, find the end by the event's steps, extend the 48 bits of
 * time. A record that cannot be is the end of its packet: without its length
 * nothing behind it can be found. Called by reader.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracectl/reader/stream.h"

enum size_result { SIZE_SHORT = -1 };

/* Bytes of the fields at p, or SIZE_SHORT if they do not end before lim. */
static inline int64_t fields_size(const struct meta_event *type, const unsigned char *p,
				  const unsigned char *lim)
{
	const unsigned char *from = p;

	for (const struct meta_step *s = type->steps;; s++) {
		const unsigned char *nul;
		uint64_t bytes;

		if ((uint64_t)(lim - p) < s->skip)
			return SIZE_SHORT;
		p += s->skip;
		if (s->kind == META_UINT)
			return p - from;
		if (s->kind == META_STRING) {
			nul = memchr(p, 0, (size_t)(lim - p));
			if (!nul)
				return SIZE_SHORT;
			p = nul + 1;
			continue;
		}
		bytes = meta_load(p - s->length, s->length, META_UINT) * s->size;
		if ((uint64_t)(lim - p) < bytes)
			return SIZE_SHORT;
		p += bytes;
	}
}

/* The record at s->p into s->ev. 1, 0 if more bytes are needed, -1 if it is
 * none. */
static inline int decode(struct stream *s)
{
	const unsigned char *p = s->p, *body;
	struct meta_event *type;
	uint64_t head, clock;
	int64_t size;

	if (s->lim - p < (ptrdiff_t)(CTF_RECORD_HEADER + s->context_size))
		return 0;
	memcpy(&head, p, 8);
	type = (head & 0xffff) < s->nids ? s->by_id[head & 0xffff] : NULL;
	if (!type)
		return -1;
	body = p + CTF_RECORD_HEADER + s->context_size;
	size = fields_size(type, body, s->lim);
	if (size < 0)
		return 0;
	clock = ctf_extend(s->clock, head >> 16);
	if (clock > s->packet.end)
		return -1;
	s->clock = clock;
	s->ev.type = type;
	s->ev.clock = clock;
	s->ev.ns = meta_ns(&s->time, clock);
	s->ev.cpu = s->packet.cpu;
	s->ev.context = p + CTF_RECORD_HEADER;
	s->ev.payload = body;
	s->ev.end = body + size;
	s->p = s->ev.end;
	return 1;
}

static const char *record_problem(const struct stream *s)
{
	unsigned id;
	uint64_t low;

	if (s->lim - s->p < (ptrdiff_t)(CTF_RECORD_HEADER + s->context_size))
		return "incomplete record at the end of the packet";
	ctf_record_decode(s->p, &id, &low);
	if (id >= s->nids || !s->by_id[id])
		return "event id that the metadata does not have";
	if (fields_size(s->by_id[id], s->p + CTF_RECORD_HEADER + s->context_size, s->lim) < 0)
		return "record longer than its packet";
	return "time outside the packet";
}

/* Give up the rest of the packet. */
static void bad_record(struct stream *s)
{
	char why[160];
	uint64_t at = s->window_at + (uint64_t)(s->p - s->window), left = s->limit - at;

	if (s->packet.event_count > s->events)
		snprintf(why, sizeof(why), "%s (%llu of %u events of the packet are lost)",
			 record_problem(s),
			 (unsigned long long)(s->packet.event_count - s->events),
			 s->packet.event_count);
	else
		snprintf(why, sizeof(why), "%s", record_problem(s));
	stream_damage(s, at, left, why);
	stream_close_packet(s);
}

/* Offset in the file of the next record. */
static uint64_t position(const struct stream *s)
{
	return s->p ? s->window_at + (uint64_t)(s->p - s->window) : s->at;
}

/* What the window holds at `at` already, else new bytes from there on. */
static int look_at(struct stream *s, uint64_t at)
{
	uint64_t left = s->limit - at, have = 0;
	const unsigned char *bytes;

	if (!s->p && at >= s->window_at && at < s->window_at + s->window_len)
		have = s->window_at + s->window_len - at;
	if (!have)
		have = s->window_size;
	if (have > left)
		have = left;
	bytes = stream_bytes(s, at, (size_t)have);
	if (!bytes)
		return -1;
	s->p = bytes;
	s->lim = bytes + have;
	return 0;
}

/* More of the packet into the window. 1, 0 at its end, -1 if a record does not
 * fit into window or packet. */
static int more(struct stream *s)
{
	uint64_t at = position(s);

	if (at >= s->limit)
		return 0;
	if (s->p && (s->window_at + (uint64_t)(s->lim - s->window) >= s->limit ||
		     (s->p == s->window && s->lim == s->window + s->window_size)))
		return -1;
	if (look_at(s, at) == 0)
		return 1;
	stream_measure(s);
	stream_damage(s, at, s->limit - at, "the file became shorter while it was read");
	return 0;
}

static int next_slow(struct stream *s)
{
	for (;;) {
		int got;

		if (!s->open && !stream_open_packet(s))
			return 0;
		got = s->p ? decode(s) : 0;
		if (got > 0) {
			s->events++;
			return 1;
		}
		if (got == 0)
			got = more(s);
		if (got == 0)
			stream_close_packet(s);
		else if (got < 0)
			bad_record(s);
	}
}

int stream_next(struct stream *s)
{
	if (__builtin_expect(s->open && s->p && decode(s) > 0, 1)) {
		s->events++;
		return 1;
	}
	return next_slow(s);
}

void stream_set_meta(struct stream *s)
{
	const struct meta_stream *ms = &s->trace->meta->stream[s->class_id];

	s->by_id = ms->by_id;
	s->nids = ms->nids;
	s->context_size = ms->context.size;
	s->time = s->trace->meta->clock;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	for (unsigned i = 0; i < s->nfiles; i++)
		free(s->file[i].path);
	free(s->file);
	free(s->window);
	free(s);
}

uint32_t stream_class(const struct stream *s)
{
	return s->class_id;
}

uint64_t stream_instance(const struct stream *s)
{
	return s->instance;
}

const char *stream_file(const struct stream *s)
{
	return s->file[s->current].path;
}

uint64_t stream_packet_offset(const struct stream *s)
{
	return s->packet_at;
}

const struct ctf_packet *stream_packet(const struct stream *s)
{
	return &s->packet;
}

unsigned stream_rank(const struct stream *s)
{
	return s->rank;
}
