/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Requests over the control socket. Owns what each one does and says; the
 * bytes are server.c's, the data session.c's. Nothing in a message is believed
 * before it was checked, and a peer that is let in by its group alone may not
 * name a directory that this process, perhaps as root, would make.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "common/parse.h"
#include "libtrbuf/clock.h"
#include "tracerd/bell.h"
#include "tracerd/daemon.h"
#include "tracerd/request.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.1.0"
#endif

struct request {
	struct daemon *d;
	const struct server_peer *peer;
	const struct ctl_msg *in;
	struct ctl_msg *out;
	int *pass_fd;
};

static void add_totals(struct ctl_msg *m, const struct session_totals *t)
{
	ctl_msg_add_u64(m, "events", t->events);
	ctl_msg_add_u64(m, "missed", t->missed);
	ctl_msg_add_u64(m, "lost", t->lost);
	ctl_msg_add_u64(m, "damaged", t->damaged);
	ctl_msg_add_u64(m, "packets", t->packets);
	ctl_msg_add_u64(m, "bytes", t->bytes);
	ctl_msg_add_u64(m, "streams", t->streams);
}

static void add_path(struct request *q)
{
	ctl_msg_add(q->out, "path", session_path(q->d->session));
}

static int no_recording(struct fault *f)
{
	return fault_set(f, ENOENT, "no recording runs; `tracectl start` begins one");
}

static int run_hello(struct request *q, struct fault *f)
{
	(void)f;
	ctl_msg_add_u64(q->out, "pid", (uint64_t)getpid());
	ctl_msg_add(q->out, "version", PACKAGE_VERSION);
	ctl_msg_add_u64(q->out, "protocol", CTL_VERSION);
	ctl_msg_add(q->out, "region", q->d->region.path);
	return 0;
}

static int run_status(struct request *q, struct fault *f)
{
	struct session *s = q->d->session;
	struct session_totals t;

	run_hello(q, f);
	session_totals(s, &t);
	ctl_msg_add(q->out, "output", q->d->cfg.output);
	ctl_msg_add_u64(q->out, "recording", (uint64_t)session_recording(s));
	ctl_msg_add_u64(q->out, "paused", (uint64_t)session_paused(s));
	add_path(q);
	ctl_msg_add_u64(q->out, "waiting", t.waiting);
	ctl_msg_add_u64(q->out, "quarantined", t.quarantined);
	ctl_msg_add_u64(q->out, "bad_events", t.bad_events);
	ctl_msg_add_u64(q->out, "uptime_ms", (clock_monotonic_ns() - q->d->started_ns) / 1000000u);
	ctl_msg_add_u64(q->out, "clients", server_clients(q->d->server));
	add_totals(q->out, &t);
	return 0;
}

static int check_start(struct request *q, const char *dir, const char *name, struct fault *f)
{
	struct fault inner;

	if (session_recording(q->d->session))
		return fault_set(f, EBUSY,
				 "already recording into %.300s; `tracectl stop` ends that",
				 session_path(q->d->session));
	if (name && parse_trace_name(name, &inner) != 0)
		return fault_set(f, EINVAL, "name: %.300s", inner.text);
	if (!dir)
		return 0;
	if (!q->peer->owner)
		return fault_set(f, EPERM,
				 "only root and the daemon's user may choose the directory; "
				 "leave it out, then it is made in %.300s",
				 q->d->cfg.output);
	if (dir[0] != '/' || strlen(dir) >= CONFIG_PATH - 64)
		return fault_set(f, EINVAL, "\"%.100s\" is not an absolute path of proper length",
				 dir);
	return 0;
}

static int run_start(struct request *q, struct fault *f)
{
	const char *dir = ctl_msg_get(q->in, "dir"), *name = ctl_msg_get(q->in, "name");
	struct daemon *d = q->d;
	int err = check_start(q, dir, name, f);

	if (!err)
		err = session_start(d->session, dir, name ? name : d->cfg.name, f);
	if (err < 0)
		return err;
	log_line(LOG_INFO, "recording into %s", session_path(d->session));
	/* The recording has begun in any case; the rings are tried again with `on`. */
	if (daemon_rings(d, f) != 0)
		log_line(LOG_WARNING, "%s", f->text);
	add_path(q);
	ctl_msg_add_u64(q->out, "on", (uint64_t)daemon_tracing(d));
	return 0;
}

static int run_stop(struct request *q, struct fault *f)
{
	struct session_totals t;
	int err;

	if (!session_recording(q->d->session))
		return no_recording(f);
	err = daemon_stop_recording(q->d, &t, f);
	if (err)
		return err;
	add_path(q);
	add_totals(q->out, &t);
	return 0;
}

static int run_flush(struct request *q, struct fault *f)
{
	struct session_totals t;
	int err;

	if (!session_recording(q->d->session))
		return no_recording(f);
	err = session_flush(q->d->session);
	if (err < 0)
		return fault_set(f, -err,
				 "%.300s: %s; the recording has ended, see the log of tracerd",
				 session_path(q->d->session), strerror(-err));
	session_totals(q->d->session, &t);
	add_path(q);
	ctl_msg_add_u64(q->out, "paused", (uint64_t)session_paused(q->d->session));
	add_totals(q->out, &t);
	return 0;
}

static int run_doorbell(struct request *q, struct fault *f)
{
	(void)f;
	*q->pass_fd = bell_fd(q->d->bell);
	return 0;
}

static int run_shutdown(struct request *q, struct fault *f)
{
	struct session_totals t;

	if (!q->peer->owner)
		return fault_set(f, EPERM, "only root and the daemon's user may end it");
	if (session_recording(q->d->session)) {
		int err = daemon_stop_recording(q->d, &t, f);

		if (err)
			return err;
		add_path(q);
		add_totals(q->out, &t);
	}
	daemon_end(q->d, 0);
	return 0;
}

static const struct {
	unsigned type;
	const char *note; /* stands in the trace; NULL does not */
	int (*run)(struct request *q, struct fault *f);
} requests[] = {
	{ CTL_HELLO, NULL, run_hello },       { CTL_STATUS, NULL, run_status },
	{ CTL_START, "start", run_start },    { CTL_STOP, NULL, run_stop },
	{ CTL_FLUSH, NULL, run_flush },       { CTL_DOORBELL, NULL, run_doorbell },
	{ CTL_SHUTDOWN, NULL, run_shutdown },
};

static int dispatch(struct request *q, struct fault *f)
{
	char who[64];

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		int err;

		if (requests[i].type != q->in->type)
			continue;
		err = requests[i].run(q, f);
		if (!err && requests[i].note) {
			snprintf(who, sizeof(who), "pid %d uid %u", (int)q->peer->pid,
				 (unsigned)q->peer->uid);
			session_note(q->d->session, requests[i].note, who, "");
		}
		return err;
	}
	return fault_set(f, EOPNOTSUPP, "this tracerd does not know request %u", q->in->type);
}

void request_run(struct daemon *d, const struct server_peer *peer, const struct ctl_msg *in,
		 struct ctl_msg *out, int *pass_fd)
{
	struct request q = { d, peer, in, out, pass_fd };
	struct fault f = { "" };
	int err;

	ctl_msg_init(out, in->type | CTL_REPLY, in->serial);
	err = dispatch(&q, &f);
	if (err) {
		ctl_msg_init(out, CTL_ERROR, in->serial);
		ctl_msg_add(out, "error", f.text);
		ctl_msg_add_u64(out, "errno", (uint64_t)-err);
	}
	daemon_timers(d);
}
