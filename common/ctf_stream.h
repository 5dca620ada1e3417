/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * One stream file. Its end is always the end of a whole packet, whatever
 * fails; sequence numbers have no gaps, events_discarded and times never go
 * back.
 */
#ifndef TRBUF_CTF_STREAM_H
#define TRBUF_CTF_STREAM_H

#include <stdint.h>

#include "common/ctf_packet.h"

#define CTF_STREAM_BATCH 16u
#define CTF_STREAM_NAME 24u

/* What all packets of a stream have in common. */
struct ctf_stream_id {
	unsigned char uuid[16];
	uint32_t stream_id; /* enum ctf_stream_class */
	uint64_t instance;
	uint32_t cpu;
	uint32_t flags; /* CTF_PACKET_LOCKED or 0 */
};

struct ctf_stream {
	struct ctf_stream_id id;
	int fd;             /* -1 closed */
	int torn;           /* bytes behind `size` could not be cut off yet */
	int ahead_off;      /* the file system does not allocate ahead */
	uint64_t size;      /* end of the last whole packet */
	uint64_t ahead;     /* allocated up to here */
	uint64_t seq;       /* of the next packet */
	uint64_t events;    /* in packets that hold a page */
	uint64_t discarded; /* cumulative, so far */
	uint64_t end;       /* clock at the end of the last packet */
};

/* A packet to write: header numbers and its memory, packet.size bytes, whose
 * first CTF_HEADER_SIZE the stream fills in. The stream sets uuid, ids, seq,
 * cpu, `discarded` and keeps the times in order. */
struct ctf_block {
	struct ctf_packet packet;
	unsigned char *mem;
	uint64_t misses; /* this packet reports so many */
};

/* stream_%05u, or stream_daemon. */
void ctf_stream_name(const struct ctf_stream_id *id, char name[CTF_STREAM_NAME]);

/* A new file, empty. 0 or -errno. */
int ctf_stream_create(struct ctf_stream *s, int dirfd, const struct ctf_stream_id *id);

/* Append up to CTF_STREAM_BATCH packets in one write. Number of packets now
 * wholly in the file, or -errno if not even one is. */
int ctf_stream_append(struct ctf_stream *s, struct ctf_block *b, unsigned n);

/* An existing file: find the end of the last whole packet of this stream, cut
 * off the rest, go on from there. *last is the last packet, *page the last that
 * holds (part of) a page, with page == CTF_NO_PAGE if there is none. Number of
 * packets or -errno. */
int64_t ctf_stream_resume(struct ctf_stream *s, int dirfd, const struct ctf_stream_id *id,
			  struct ctf_packet *last, struct ctf_packet *page);

/* Gives back what was allocated ahead. 0 or -errno (of a late write error). */
int ctf_stream_close(struct ctf_stream *s);

#endif
