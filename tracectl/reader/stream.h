/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* One stream of a trace, for the reader alone: its files, one after another,
 * and a window on the one being read. */
#ifndef TRACECTL_STREAM_H
#define TRACECTL_STREAM_H

#include "tracectl/reader/reader.h"

#define STREAM_MIN_WINDOW 32768u /* a record is 16 KiB at most */
#define STREAM_MAX_WINDOW 262144u

struct stream_file {
	char *path;
	uint64_t size;  /* when looked at */
	uint64_t begin; /* clock of the first packet */
};

struct stream {
	struct reader *reader;
	struct trace *trace;
	uint32_t class_id;
	uint64_t instance;
	unsigned rank;

	struct stream_file *file;
	unsigned nfiles, current;
	int fd;      /* -1 not open now */
	int keep_fd; /* may stay open between reads */
	uint64_t next_packet; /* offset in the file */

	unsigned char *window;
	size_t window_size;
	uint64_t window_at; /* offset in the file of window[0] */
	size_t window_len;

	/* the packet being read */
	int open;
	struct ctf_packet packet;
	uint64_t packet_at;
	uint64_t limit; /* offset behind its last byte of content that is there */
	uint64_t at;    /* offset of p */
	const unsigned char *p, *lim; /* the part of it in the window */
	uint64_t clock;
	uint64_t events;

	/* look-up, copied from the metadata */
	struct meta_event **by_id;
	unsigned nids;
	uint32_t context_size;
	struct meta_clock time;

	/* the last page seen, to read overlapping chunks once */
	int have_last;
	struct ctf_packet last;

	int ended; /* no event pending */
	struct trace_event ev;
};

/* The next event into s->ev. 1, or 0 if there is no more (now). */
int stream_next(struct stream *s);
void stream_set_meta(struct stream *s);
void stream_free(struct stream *s);

/* Packet level (stream_packet.c). */
int stream_open_packet(struct stream *s);
void stream_close_packet(struct stream *s);
void stream_damage(struct stream *s, uint64_t at, uint64_t bytes, const char *why);
/* `size` bytes at offset `at` of the current file, NULL if they are not there. */
const unsigned char *stream_bytes(struct stream *s, uint64_t at, size_t size);
/* Look at the current file's size again. 1 if it has changed. */
int stream_measure(struct stream *s);

/* Live (reader.c). */
void reader_report(struct reader *r, const struct reader_damage *d);
const struct reader_options *reader_opts(const struct reader *r);

#endif
