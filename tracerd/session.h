/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The data side of the daemon: the consumer's half of every ring, the
 * recording on disk, and the ledger between them. No libevent, no threads:
 * the main loop calls in, everything returns. Nothing here trusts the region.
 *
 * Callers ignore SIGPIPE and SIGXFSZ.
 */
#ifndef TRBUF_SESSION_H
#define TRBUF_SESSION_H

#include <stdint.h>

#include "libtrbuf/region.h"

struct session;

struct session_settings {
	const char *output; /* directory that recordings are made in; copied */
	uint64_t reserve;   /* bytes of the file system to leave free */
	int check_records;  /* walk the records of each page before it is written */
	/* Lines for people; priority as in syslog (LOG_ERR, ...). May be NULL. */
	void (*log)(void *arg, int priority, const char *line);
	void *log_arg;
};

struct session_totals {
	/* the recording that runs, or the one that ended last */
	uint64_t events;  /* of the rings, on disk */
	uint64_t missed;  /* reported in its streams, lost included */
	uint64_t lost;    /* of those, events that found no ring */
	uint64_t damaged; /* of those, events in pages that did not parse */
	uint64_t packets;
	uint64_t bytes;
	unsigned streams; /* files, the daemon's included */
	/* now */
	uint64_t waiting;     /* full pages not yet written */
	unsigned quarantined; /* rings given up */
	uint64_t bad_events;  /* registry entries that were malformed */
};

/* Takes REGION_LOCK_CONSUMER and goes on with a recording that a daemon before
 * left (its pages that were under way are recovered, each event once). NULL
 * with *f filled in. */
struct session *session_new(struct region *r, const struct session_settings *set, struct fault *f);

/* Leaves a running recording as it is, for the next daemon: call session_stop
 * before to end it. */
void session_free(struct session *s);

/* Look at the control words: give rings their memory when tracing is on,
 * follow wanted sizes, write state changes down. Drain and flush begin with it.
 * 0, 1 with a remark in *f (smaller rings than wanted), -errno with *f. */
int session_look(struct session *s, struct fault *f);

/* Begin a recording. dir NULL: <output>/<name>-<ISO time>[.n]; else exactly
 * that directory, which is made (it may exist if it is empty). name NULL: "trace".
 * With a recording under way this is a rotation: the new directory is made
 * first, then the old recording is
 * ended and the new one begins; if that cannot be, the old one goes on. */
int session_start(struct session *s, const char *dir, const char *name, struct fault *f);

/* Doorbell: all full pages of all rings. Pages written or -errno (then the
 * recording has ended and the line was logged). 0 if none runs or it is paused. */
int session_drain(struct session *s);

/* Timer or command: as drain, then what open pages have that is new, the
 * process table and the lost counters; frees entries of dead processes. */
int session_flush(struct session *s);

/* End the recording: everything that is in the rings, the last misses. */
int session_stop(struct session *s, struct session_totals *out, struct fault *f);

void session_totals(struct session *s, struct session_totals *out);

/* A line in the trace: what ("enable"), who ("pid 7 uid 0"), detail ("net:*"). */
void session_note(struct session *s, const char *what, const char *who, const char *detail);

int session_recording(const struct session *s);    /* 1 while one runs */
const char *session_path(const struct session *s); /* of the last one; "" none yet */
int session_paused(const struct session *s);       /* 1: disk reserve reached */
/* 1: tracing is off or no recording runs, and the last flush found nothing new:
 * the timer need not run until the doorbell rings or a command comes. */
int session_idle(const struct session *s);

#endif
