/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The running daemon: what main.c wires and the requests act on. */
#ifndef TRACERD_DAEMON_H
#define TRACERD_DAEMON_H

#include "tracerd/config.h"
#include "tracerd/session.h"

struct event;
struct event_base;
struct bell;
struct server;

enum daemon_signal { DAEMON_TERM, DAEMON_INT, DAEMON_HUP, DAEMON_SIGNALS };

struct daemon {
	struct config cfg;
	int argc; /* for SIGHUP */
	char **argv;
	struct region region;
	struct session *session;
	struct bell *bell;
	struct server *server;
	int watch_fd;
	int parent_fd; /* of --daemonize, -1 none */
	int status;    /* exit status */
	int ending;
	uint64_t started_ns;
	struct event_base *base;
	struct event *rung, *watch, *rearm, *flush, *poll, *coarse;
	struct event *signal[DAEMON_SIGNALS];
	uint32_t flush_ms;    /* what the flush timer was set to */
	unsigned empty_wakes; /* doorbells in a row that brought nothing */
	uint64_t last_wake_ns;
	char remark[512]; /* the last one logged, so that it is not repeated */
};

/* Everything but the loop. 0, or 1 (exit status) with *f. */
int daemon_open(struct daemon *d, struct fault *f);
/* Run until a signal or the end of the region. Returns the exit status. */
int daemon_run(struct daemon *d);
void daemon_close(struct daemon *d);

/* For the requests. */
int daemon_tracing(const struct daemon *d); /* is tracing on */
void daemon_work(struct daemon *d);         /* look, drain, set the timers */
void daemon_timers(struct daemon *d);
/* End the recording if one runs; its totals. 0 or -errno with *f. */
int daemon_stop_recording(struct daemon *d, struct session_totals *t, struct fault *f);
/* Memory for the rings, before the first event wants it: whoever begins a
 * recording is about to switch tracing on. 0 or -errno with *f. */
int daemon_rings(struct daemon *d, struct fault *f);
void daemon_end(struct daemon *d, int status);

#endif
