/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * stream_daemon: trbuf's own events about processes, state and losses. They
 * gather in memory and become a packet at the next flush. Times are the moment
 * of writing and never go back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracerd/recording.h"

#define BUFFER_MIN 65536u
#define BUFFER_MAX (4u << 20) /* beyond this events are given up: the disk is full for long */
#define EVENT_MAX 16384u

int daemon_stream_open(struct session *s)
{
	struct daemon_stream *d = &s->ds;
	struct ctf_stream_id id = { .stream_id = CTF_STREAM_DAEMON };
	struct ctf_block first = { .misses = 0 };
	unsigned char mem[CTF_PACKET_ALIGN];
	uint64_t now = session_clock(s);
	int err;

	memcpy(id.uuid, s->meta.uuid, sizeof(id.uuid));
	d->used = CTF_HEADER_SIZE;
	d->events = 0;
	d->total = 0;
	d->last = now;
	err = ctf_stream_create(&d->file, s->dirfd, &id);
	if (err)
		return err;
	memset(mem, 0, sizeof(mem));
	first.mem = mem;
	first.packet = (struct ctf_packet){
		.page = CTF_NO_PAGE,
		.flags = CTF_PACKET_EMPTY,
		.begin = now,
		.end = now,
		.missed_before = s->r->hdr->lost_on_disk,
		.content = CTF_HEADER_SIZE,
		.size = sizeof(mem),
	};
	err = ctf_stream_append(&d->file, &first, 1);
	return err < 0 ? err : 0;
}

void daemon_stream_close(struct session *s)
{
	ctf_stream_close(&s->ds.file);
	s->ds.used = CTF_HEADER_SIZE;
	s->ds.events = 0;
}

static int make_room(struct daemon_stream *d, size_t need)
{
	size_t want = d->room ? d->room : BUFFER_MIN;
	unsigned char *p;

	if (!d->used)
		d->used = CTF_HEADER_SIZE;
	while (want < d->used + need + CTF_PACKET_ALIGN)
		want *= 2;
	if (want > BUFFER_MAX)
		return -ENOSPC;
	if (want == d->room)
		return 0;
	p = realloc(d->buf, want);
	if (!p)
		return -ENOMEM;
	d->buf = p;
	d->room = want;
	return 0;
}

static size_t text_size(const char *text)
{
	return text ? strnlen(text, 4095) : 0;
}

static unsigned char *put_field(unsigned char *p, const struct daemon_field *f)
{
	size_t n;

	switch (f->kind) {
	case 's':
		n = text_size(f->data);
		if (n)
			memcpy(p, f->data, n);
		p[n] = 0;
		return p + n + 1;
	case 'i':
		ctf_put(p, 2, f->value);
		memcpy(p + 2, f->data, (size_t)f->value);
		return p + 2 + f->value;
	default:
		n = f->kind == 'b' ? 1 : f->kind == 'w' ? 4 : 8;
		ctf_put(p, (unsigned)n, f->value);
		return p + n;
	}
}

/* The clock now, but not before what the stream has. */
static uint64_t stamp(struct session *s)
{
	uint64_t now = session_clock(s);

	if (now < s->ds.last)
		now = s->ds.last;
	s->ds.last = now;
	return now;
}

void daemon_stream_event(struct session *s, unsigned id, const struct daemon_field *f, unsigned n)
{
	struct daemon_stream *d = &s->ds;
	unsigned char *p;
	uint64_t now;

	if (!s->recording || make_room(d, EVENT_MAX))
		return;
	now = stamp(s);
	if (!d->events)
		d->begin = now;
	p = d->buf + d->used;
	ctf_record_encode(p, id, now);
	p += CTF_RECORD_HEADER;
	for (unsigned i = 0; i < n; i++)
		p = put_field(p, &f[i]);
	d->used = (size_t)(p - d->buf);
	d->events++;
}

int daemon_stream_flush(struct session *s)
{
	struct daemon_stream *d = &s->ds;
	struct ctf_block b = { .misses = 0, .mem = d->buf };
	uint32_t n = d->events;
	int err;

	if (!n || d->file.fd < 0 || (s->paused && !s->trying))
		return 0;
	b.packet = (struct ctf_packet){
		.page = CTF_NO_PAGE,
		.event_count = n,
		.begin = d->begin,
		.end = d->last,
		.events_before = d->total,
		.missed_before = s->r->hdr->lost_on_disk,
		.content = d->used,
		.size = ctf_pad(d->used),
	};
	memset(d->buf + d->used, 0, (size_t)(b.packet.size - d->used));
	err = ctf_stream_append(&d->file, &b, 1);
	if (err < 0)
		return output_failed(s, err, "stream_daemon");
	d->total += n;
	d->used = CTF_HEADER_SIZE;
	d->events = 0;
	return (int)n;
}

int daemon_stream_missed(struct session *s, uint64_t count, unsigned reason, uint64_t total)
{
	struct daemon_stream *d = &s->ds;
	unsigned char mem[CTF_PACKET_ALIGN], *p = mem + CTF_HEADER_SIZE + CTF_RECORD_HEADER;
	struct ctf_block b = { .misses = count, .mem = mem };
	uint64_t before = d->last, now;
	int err = daemon_stream_flush(s);

	if (err < 0 || d->events)
		return err < 0 ? err : -EAGAIN;
	now = stamp(s);
	memset(mem, 0, sizeof(mem));
	ctf_record_encode(mem + CTF_HEADER_SIZE, 0, now);
	ctf_put(p, 8, count);
	ctf_put(p + 8, 8, before);
	ctf_put(p + 16, 8, now);
	ctf_put(p + 24, 1, reason);
	b.packet = (struct ctf_packet){
		.page = CTF_NO_PAGE,
		.flags = CTF_PACKET_MISSED,
		.event_count = 1,
		.begin = now,
		.end = now,
		.events_before = d->total,
		.missed_before = total,
		.content = CTF_HEADER_SIZE + CTF_RECORD_HEADER + 25,
		.size = sizeof(mem),
	};
	if (output_ready(s) <= 0)
		return -EAGAIN;
	err = ctf_stream_append(&d->file, &b, 1);
	if (err < 0) {
		err = output_failed(s, err, "stream_daemon");
		return err ? err : -EAGAIN;
	}
	d->total++;
	return 0;
}
