/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What the files of the data side share: the session with its rings, the
 * recording and the daemon's own stream. Only session.c, recording.c,
 * output.c, drain.c, packets.c, check.c, daemon_stream.c, statedump.c and
 * recover.c include this.
 */
#ifndef TRBUF_RECORDING_H
#define TRBUF_RECORDING_H

#include <stdarg.h>
#include <stdio.h>

#include "common/ctf_meta.h"
#include "common/ctf_stream.h"
#include "libtrbuf/process.h"
#include "libtrbuf/registry.h"
#include "libtrbuf/ring_read.h"
#include "tracerd/session.h"

#define HELD_MAX 7u /* each may need a missed packet before it, and one empty first packet */
#define MISSED_RECORD_MAX (CTF_RECORD_HEADER + 8u + 25u)

enum missed_reason {
	MISSED_OVERWRITTEN = 1,
	MISSED_DISCARDED = 2,
	MISSED_DAMAGED = 4,
	MISSED_LOST = 16, /* + enum layout_lost, in the daemon's stream */
};

enum ring_condition { RING_NEW, RING_GOOD, RING_QUARANTINED };

struct ring_state {
	struct ring_reader reader;
	enum ring_condition condition;
	int recover;                     /* pages that a dead daemon held may be left */
	struct ring_disk disk;           /* the ledger; the region has a copy */
	struct ctf_stream stream;        /* fd -1: no page in this recording yet */
	struct ring_page held[HELD_MAX]; /* taken, not yet written, oldest first */
	unsigned nheld;
	uint64_t sizes_key; /* wanted sizes as of the last look */
};

struct daemon_stream {
	struct ctf_stream file;
	unsigned char *buf; /* a packet in the making, header room in front */
	size_t used, room;
	uint32_t events;
	uint64_t begin, last; /* clock */
	uint64_t total;       /* events so far */
};

/* What of one process table entry is in the trace. */
struct dumped {
	uint32_t use;
	uint32_t described, exited;
	uint64_t mark;
	unsigned nmodules;
	struct process_module module[LAYOUT_PROCESS_MODULES];
};

struct session {
	struct region *r;
	struct session_settings set;
	char *output;

	struct ring_state *ring;
	unsigned nrings;
	unsigned char *copy;   /* a page and CTF_PACKET_ALIGN more */
	unsigned char *missed; /* HELD_MAX + 2 small packets */
	uint32_t copy_size;

	/* events known so far: for the metadata, and to walk records */
	struct registry_scan *scan;
	struct registry_event **event; /* by id */
	char *events_text;
	size_t events_size;
	FILE *events_out;

	/* the recording */
	int recording, paused;
	int trying;     /* paused, but this pass looks whether there is room again */
	uint64_t tried; /* when a pass last did: CLOCK_MONOTONIC ns */
	int dirfd;
	char path[4096];
	struct ctf_meta meta;
	int meta_stale;
	struct daemon_stream ds;
	uint64_t damaged;
	uint64_t lost[LAYOUT_LOST_KINDS]; /* reported, by cause */
	uint64_t lost_reported;           /* in this recording */
	struct session_totals last;       /* of the recording that ended last */

	struct dumped **dumped; /* by index in the process table */
	uint64_t dead_checked;  /* CLOCK_MONOTONIC ns */

	/* control words as of the last look */
	uint32_t control_seq, mode;
	uint64_t no_ring_seen; /* events lost without a ring at the last look */
	int looked, on;
	uint64_t mask, wanted_size;
	uint32_t nrules;
	int quiet; /* the last flush found nothing new */
};

/* session.c */
void session_log(const struct session *s, int priority, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
uint64_t session_clock(const struct session *s);

/* recording.c: ends the recording because of an error; one line. Returns err. */
int recording_fail(struct session *s, int err, const char *what);
void recording_close(struct session *s);
/* The recording is this directory from now on; also for the next daemon. */
void recording_publish(struct session *s);

/* output.c */
int output_make_dir(struct session *s, const char *dir, const char *name, char path[4096],
		    struct fault *f);
/* New events into the metadata, before pages that use them. 0 or -errno. */
int output_metadata(struct session *s);
/* Is there room, and is the directory still there? 1 go on, 0 paused, -errno. */
int output_ready(struct session *s);
/* Sorts a failed write: 0 it was want of room and the recording is paused now,
 * else the recording has ended and the error is returned. */
int output_failed(struct session *s, int err, const char *what);
/* Around a pass over all rings. A paused recording is tried once a second, or
 * now; it goes on after a pass in which every write succeeded. */
void output_begin(struct session *s, int now);
void output_end(struct session *s);

/* drain.c */
void drain_init_rings(struct session *s);
/* Pages written, or -errno if the recording ended. Stops at a pause. */
int drain_ring(struct session *s, struct ring_state *rs);
/* The open page. 1 something was written, 0 nothing new, -errno. */
int drain_partial(struct session *s, struct ring_state *rs);
/* Misses after the last page, when a recording ends. 0 or -errno. */
int drain_last_misses(struct session *s, struct ring_state *rs);
/* A page of a dead daemon: write what the files do not have. 0, or <0 not now. */
int drain_recovered(struct session *s, struct ring_state *rs, const struct ring_page *p);
void drain_quarantine(struct session *s, struct ring_state *rs, const char *why);

/* packets.c: ledger and pages made into packets */
struct plan {
	struct ctf_block block[CTF_STREAM_BATCH];
	struct ring_disk disk[CTF_STREAM_BATCH]; /* the ledger once this block is in the file */
	unsigned pages[CTF_STREAM_BATCH];        /* pages done with this block */
	unsigned n;
	unsigned done;         /* pages planned, with or without a block */
	struct ring_disk last; /* the ledger after all of it */
	uint64_t time;         /* the stream ends here so far */
	uint64_t damaged;
	unsigned nmissed; /* missed packets in use */
};
void packets_begin(struct plan *plan, const struct ring_state *rs);
/* 0, or -EBADMSG: its counters contradict the ledger. */
int packets_page(struct plan *plan, struct session *s, struct ring_state *rs,
		 const struct ring_page *p);
void packets_misses(struct plan *plan, struct session *s, struct ring_state *rs,
		    const struct ring_disk *upto, uint64_t first, uint64_t last);

/* check.c: NULL if the records behind the header room in `mem` parse, are as
 * many as p->event_count and lie in [p->begin or after, p->end]; else why not. */
const char *check_records(const struct session *s, const unsigned char *mem,
			  const struct ctf_packet *p, uint64_t after);

/* daemon_stream.c */
struct daemon_field {
	char kind; /* b w q: 8, 32, 64 bits; s text; i bytes with a 16-bit count */
	uint64_t value;
	const void *data;
};
int daemon_stream_open(struct session *s);
void daemon_stream_event(struct session *s, unsigned id, const struct daemon_field *f, unsigned n);
/* What has gathered becomes a packet. Events written, or -errno. */
int daemon_stream_flush(struct session *s);
/* A packet with one trbuf:missed event. 0 or -errno. */
int daemon_stream_missed(struct session *s, uint64_t count, unsigned reason, uint64_t total);
void daemon_stream_close(struct session *s);

/* statedump.c */
int statedump_processes(struct session *s);
/* Entries of processes that are dead for certain; call statedump_free with it
 * after everything they emitted is in the files. NULL: none or no memory. */
struct process_info *statedump_dead(struct session *s, unsigned *n, int now);
void statedump_free(struct session *s, struct process_info *dead, unsigned n);
int statedump_lost(struct session *s);
void statedump_forget(struct session *s);
void statedump_note(struct session *s, const char *what, const char *who, const char *detail);
void statedump_quarantine(struct session *s, uint32_t ring, const char *why);

/* recover.c: goes on with the recording that the region names. 1 resumed, 0
 * there is none (any more). */
int recover_recording(struct session *s);
void recover_pages(struct session *s, struct ring_state *rs);

#endif
