/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Packets of a stream: finds the next good one, whatever lies before it. Owns
 * the window on the file and the descriptor. Every size is checked against the
 * file as it is now; after a bad header the search goes on at the next
 * multiple of 4096 bytes, where packets begin. Called by stream.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracectl/reader/stream.h"

void stream_damage(struct stream *s, uint64_t at, uint64_t bytes, const char *why)
{
	struct reader_damage d = { stream_file(s), at, bytes, why };

	reader_report(s->reader, &d);
}

static int open_fd(struct stream *s)
{
	if (s->fd < 0)
		s->fd = open(s->file[s->current].path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return s->fd;
}

static void drop_fd(struct stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

int stream_measure(struct stream *s)
{
	struct stat st;
	struct stream_file *f = &s->file[s->current];

	if (stat(f->path, &st) || (uint64_t)st.st_size == f->size)
		return 0;
	f->size = (uint64_t)st.st_size;
	return 1;
}

/* Fill the window from offset `at`; *got bytes are there then. */
static int fill(struct stream *s, uint64_t at)
{
	uint64_t left = s->file[s->current].size - at;
	size_t want = left < s->window_size ? (size_t)left : s->window_size;

	s->window_at = at;
	s->window_len = 0;
	if (open_fd(s) < 0)
		return -1;
	while (s->window_len < want) {
		ssize_t n = pread(s->fd, s->window + s->window_len, want - s->window_len,
				  (off_t)(at + s->window_len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		s->window_len += (size_t)n;
	}
	if (!s->keep_fd)
		drop_fd(s);
	return 0;
}

const unsigned char *stream_bytes(struct stream *s, uint64_t at, size_t size)
{
	if (at >= s->window_at && at + size <= s->window_at + s->window_len)
		return s->window + (at - s->window_at);
	if (size > s->window_size || at + size < at || at + size > s->file[s->current].size)
		return NULL;
	if (fill(s, at) || s->window_len < size)
		return NULL;
	return s->window;
}

static int read_header(struct stream *s, uint64_t at, struct ctf_packet *p)
{
	const unsigned char *h = stream_bytes(s, at, CTF_HEADER_SIZE);

	if (!h || ctf_packet_decode(h, p) || p->size % CTF_PACKET_ALIGN || !p->size)
		return -1;
	if (memcmp(p->uuid, s->trace->meta->uuid, 16) || p->stream_id != s->class_id ||
	    p->instance != s->instance)
		return -1;
	return 0;
}

static const char *header_problem(struct stream *s, uint64_t at)
{
	const unsigned char *h = stream_bytes(s, at, CTF_HEADER_SIZE);
	struct ctf_packet p;

	if (!h)
		return "cannot be read";
	if (ctf_get(h, 4) != CTF_MAGIC)
		return "no packet begins here (wrong magic)";
	if (ctf_packet_decode(h, &p) || p.size % CTF_PACKET_ALIGN || !p.size)
		return "packet header with impossible sizes or times";
	return "packet of another trace or stream";
}

/* From a bad place to the next good header, or the end of the file. */
static void resync(struct stream *s, uint64_t at)
{
	uint64_t size = s->file[s->current].size;
	const char *why = header_problem(s, at);
	uint64_t next = at - at % CTF_PACKET_ALIGN + CTF_PACKET_ALIGN;
	struct ctf_packet p;

	while (next + CTF_HEADER_SIZE <= size && read_header(s, next, &p))
		next += CTF_PACKET_ALIGN;
	if (next + CTF_HEADER_SIZE > size)
		next = size;
	stream_damage(s, at, next - at, why);
	s->next_packet = next;
}

/* Packets that an overlapping chunk or snapshot has brought already. */
static int is_repeated(const struct stream *s, const struct ctf_packet *p)
{
	const struct ctf_packet *l = &s->last;

	if (!s->have_last || s->current == 0)
		return 0;
	if (p->page != CTF_NO_PAGE && l->page != CTF_NO_PAGE)
		return p->page < l->page || (p->page == l->page && p->page_offset <= l->page_offset);
	return p->seq <= l->seq && p->end <= l->end && p->begin < l->end;
}

/* Is the packet of no interest to whoever asked for a beginning? */
static int is_early(const struct stream *s, const struct ctf_packet *p)
{
	int64_t begin = reader_opts(s->reader)->begin_ns;

	return begin != INT64_MIN && meta_ns(&s->time, p->end) < begin;
}

static int enter(struct stream *s, uint64_t at, const struct ctf_packet *p)
{
	const struct reader_options *o = reader_opts(s->reader);
	uint64_t size = s->file[s->current].size;

	s->next_packet = at + p->size;
	if (is_repeated(s, p) || is_early(s, p))
		return 0;
	s->open = 1;
	s->packet = *p;
	s->packet_at = at;
	s->limit = at + p->content < size ? at + p->content : size;
	s->at = at + CTF_HEADER_SIZE;
	s->p = s->lim = NULL;
	s->clock = p->begin;
	s->events = 0;
	if (p->page != CTF_NO_PAGE || !s->have_last) {
		s->last = *p;
		s->have_last = 1;
	}
	if (o->packet)
		o->packet(o->arg, s, p);
	return 1;
}

static int next_file(struct stream *s)
{
	if (s->current + 1 >= s->nfiles)
		return 0;
	drop_fd(s);
	s->current++;
	s->next_packet = 0;
	s->window_len = 0;
	return 1;
}

/* The rest of a file is too short for what should be there. 1: go on. */
static int short_end(struct stream *s, uint64_t at)
{
	uint64_t size = s->file[s->current].size;

	if (at >= size)
		return next_file(s);
	if (reader_opts(s->reader)->live && s->current + 1 == s->nfiles)
		return 0;
	stream_damage(s, at, size - at, "incomplete packet header at the end of the file");
	s->next_packet = size;
	return next_file(s);
}

/* A packet longer than its file. 1: wait for the rest. */
static int too_long(struct stream *s, uint64_t at, const struct ctf_packet *p)
{
	uint64_t size;

	stream_measure(s);
	size = s->file[s->current].size;
	if (at + p->size <= size)
		return 0;
	if (reader_opts(s->reader)->live && s->current + 1 == s->nfiles)
		return 1;
	stream_damage(s, at, 0, "the file ends within this packet");
	return 0;
}

int stream_open_packet(struct stream *s)
{
	struct ctf_packet p;

	for (;;) {
		uint64_t at = s->next_packet;

		if (at > s->file[s->current].size || s->file[s->current].size - at < CTF_HEADER_SIZE) {
			if (!short_end(s, at))
				return 0;
			continue;
		}
		if (read_header(s, at, &p)) {
			resync(s, at);
			continue;
		}
		if (at + p.size > s->file[s->current].size && too_long(s, at, &p))
			return 0;
		if (enter(s, at, &p))
			return 1;
	}
}

void stream_close_packet(struct stream *s)
{
	const struct reader_options *o = reader_opts(s->reader);

	if (o->packet_end)
		o->packet_end(o->arg, s, &s->packet, s->events);
	s->open = 0;
}
