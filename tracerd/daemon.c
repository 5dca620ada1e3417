/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The loop: doorbell, flush timer, signals, the region's file, requests. Owns
 * when something is done; session.c owns what. The rule for sleeping: with
 * tracing off and everything on disk no timer runs, so that nothing wakes the
 * process but the doorbell, a signal or a client. Called by main.c.
 */
#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "libtrbuf/clock.h"
#include "libtrbuf/control.h"
#include "libtrbuf/doorbell.h"
#include "libtrbuf/ring_read.h"
#include "libtrbuf/sync.h"
#include "tracerd/bell.h"
#include "tracerd/daemon.h"
#include "tracerd/daemon_open.h"
#include "tracerd/notify.h"
#include "tracerd/server.h"
#include "tracerd/sigbus.h"
#include "tracerd/watch.h"

#define LOCK_TIMEOUT_MS 2000
#define POLL_MS 100
#define COARSE_US 1000
#define MAX_FLUSH_MS 3600000u

/* A doorbell that brings nothing is answered at once for this many times in a
 * row, then later: rings that stay full because nobody records, or a producer
 * that rings for fun, must not keep the daemon busy. */
#define EMPTY_WAKES 4
#define EMPTY_PAUSE_MS 100
#define EMPTY_PAUSE_SHORT_MS 5

static void set_timer(struct event *ev, int wanted, uint64_t us)
{
	struct timeval tv = { (time_t)(us / 1000000u), (suseconds_t)(us % 1000000u) };

	if (!wanted)
		event_del(ev);
	else if (!event_pending(ev, EV_TIMEOUT, NULL))
		event_add(ev, &tv);
}

int daemon_tracing(const struct daemon *d)
{
	const struct layout_region *h = d->region.hdr;

	return sync_load(&h->control[sync_load_acquire(&h->control_seq) & 1].on) != 0;
}

static uint32_t flush_ms(const struct daemon *d)
{
	uint32_t ms = sync_load(&d->region.hdr->flush_ms);

	return ms > MAX_FLUSH_MS ? MAX_FLUSH_MS : ms;
}

static void coarse_clock(struct daemon *d, int run)
{
	if (d->region.geo.clock != LAYOUT_CLOCK_COARSE)
		return;
	/* 0: whoever reads it takes the exact clock. */
	sync_store(&d->region.hdr->coarse_clock, run ? clock_monotonic_ns() : 0);
	set_timer(d->coarse, run, COARSE_US);
}

void daemon_timers(struct daemon *d)
{
	uint32_t ms = flush_ms(d);

	if (sigbus_seen() && !d->ending) {
		log_line(LOG_ERR, "%s: the file was cut short by somebody; ending", d->region.path);
		daemon_end(d, 1);
	}
	if (ms != d->flush_ms)
		event_del(d->flush);
	d->flush_ms = ms;
	set_timer(d->flush, ms && !session_idle(d->session), (uint64_t)ms * 1000u);
	set_timer(d->poll, sync_load(&d->region.hdr->doorbell_off) != 0, POLL_MS * 1000u);
	coarse_clock(d, daemon_tracing(d));
}

/* What session_look() has to say, once. */
static void remark(struct daemon *d, int err, const struct fault *f)
{
	if (err && strcmp(d->remark, f->text) != 0) {
		log_line(err < 0 ? LOG_ERR : LOG_WARNING, "%s", f->text);
		memcpy(d->remark, f->text, sizeof(d->remark));
	} else if (!err) {
		d->remark[0] = '\0';
	}
}

/* Pages that were written. */
static int look_and_drain(struct daemon *d)
{
	struct fault f = { "" };
	int n = session_drain(d->session);

	if (n > 0)
		return n;
	/* No pages: it was a tool that rang, and there may be something to say. */
	remark(d, session_look(d->session, &f), &f);
	return 0;
}

void daemon_work(struct daemon *d)
{
	look_and_drain(d);
	daemon_timers(d);
}

/* Arm, look once more, then let the thread sleep [O5]. */
static void arm(struct daemon *d)
{
	uint32_t armed = doorbell_arm(&d->region);

	daemon_work(d);
	bell_wait(d->bell, armed);
}

static void count_wake(struct daemon *d, int pages)
{
	uint64_t now = clock_monotonic_ns();

	if (pages || now - d->last_wake_ns > 1000000000u)
		d->empty_wakes = 0;
	else
		d->empty_wakes++;
	d->last_wake_ns = now;
}

static void on_bell(evutil_socket_t fd, short what, void *arg)
{
	struct daemon *d = arg;
	int again = bell_take(d->bell), useless;

	(void)fd;
	(void)what;
	count_wake(d, look_and_drain(d));
	daemon_timers(d);
	if (!again)
		return;
	/* Only with tracing on and nowhere to write to can rings stay full. */
	useless =
		daemon_tracing(d) && (!session_recording(d->session) || session_paused(d->session));
	if (d->empty_wakes < EMPTY_WAKES)
		arm(d);
	else
		set_timer(d->rearm, 1, (useless ? EMPTY_PAUSE_MS : EMPTY_PAUSE_SHORT_MS) * 1000u);
}

static void on_rearm(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	arm(arg);
}

/* Nobody can reach this file any more, but programs may still write into it. */
static void orphaned(struct daemon *d)
{
	struct layout_control *c = malloc(sizeof(*c));

	log_line(LOG_ERR, "%s: removed or replaced; draining what it holds and ending",
		 d->region.path);
	if (c && region_lock(&d->region, REGION_LOCK_CONTROL, LOCK_TIMEOUT_MS) == 0) {
		control_get(&d->region, c);
		c->on = 0;
		control_publish(&d->region, c);
		region_unlock(&d->region, REGION_LOCK_CONTROL);
	}
	free(c);
	daemon_end(d, 1);
}

static void check_region(struct daemon *d)
{
	if (!d->ending && region_in_place(&d->region) == 0)
		orphaned(d);
}

static void on_flush(evutil_socket_t fd, short what, void *arg)
{
	struct daemon *d = arg;

	(void)fd;
	(void)what;
	ring_free_dead_owners(&d->region);
	session_flush(d->session);
	check_region(d);
	daemon_timers(d);
}

static void on_poll(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	daemon_work(arg);
}

static void on_coarse(evutil_socket_t fd, short what, void *arg)
{
	struct daemon *d = arg;

	(void)fd;
	(void)what;
	coarse_clock(d, daemon_tracing(d));
}

static void on_watch(evutil_socket_t fd, short what, void *arg)
{
	(void)what;
	watch_take(fd);
	check_region(arg);
}

static void on_end(evutil_socket_t sig, short what, void *arg)
{
	struct daemon *d = arg;

	(void)what;
	log_line(LOG_INFO, "%s: ending", strsignal(sig));
	daemon_end(d, 0);
}

static void on_hup(evutil_socket_t sig, short what, void *arg)
{
	(void)sig;
	(void)what;
	daemon_reload(arg);
}

void daemon_end(struct daemon *d, int status)
{
	if (d->ending)
		return;
	d->ending = 1;
	d->status = status;
	notify_systemd("STOPPING=1");
	event_base_loopexit(d->base, NULL);
}

int daemon_stop_recording(struct daemon *d, struct session_totals *t, struct fault *f)
{
	int err = session_stop(d->session, t, f);

	if (err < 0)
		return err;
	log_line(LOG_INFO, "trace: %s: %llu events, %llu missed", session_path(d->session),
		 (unsigned long long)t->events, (unsigned long long)t->missed);
	return 0;
}

/* ------------------------------------------------------------------ loop */

static void on_first(evutil_socket_t fd, short what, void *arg)
{
	struct daemon *d = arg;

	(void)fd;
	(void)what;
	if (d->cfg.ready_fd >= 0)
		notify_ready_fd(d->cfg.ready_fd);
	if (d->parent_fd >= 0) {
		log_to_syslog();
		notify_parent(d->parent_fd);
	}
	notify_systemd("READY=1");
	log_line(LOG_INFO, "ready; region %s", d->region.path);
}

static int make_timers(struct daemon *d)
{
	d->rearm = event_new(d->base, -1, 0, on_rearm, d);
	d->flush = event_new(d->base, -1, 0, on_flush, d);
	d->poll = event_new(d->base, -1, 0, on_poll, d);
	d->coarse = event_new(d->base, -1, 0, on_coarse, d);
	return d->rearm && d->flush && d->poll && d->coarse ? 0 : -ENOMEM;
}

int daemon_events(struct daemon *d)
{
	static const int numbers[DAEMON_SIGNALS] = { SIGTERM, SIGINT, SIGHUP };
	static const struct timeval now = { 0, 0 };

	if (make_timers(d) != 0)
		return -ENOMEM;
	d->rung = event_new(d->base, bell_fd(d->bell), EV_READ | EV_PERSIST, on_bell, d);
	if (!d->rung || event_add(d->rung, NULL) != 0)
		return -ENOMEM;
	for (int i = 0; i < DAEMON_SIGNALS; i++) {
		d->signal[i] =
			evsignal_new(d->base, numbers[i], i == DAEMON_HUP ? on_hup : on_end, d);
		if (!d->signal[i] || event_add(d->signal[i], NULL) != 0)
			return -ENOMEM;
	}
	if (d->watch_fd >= 0) {
		d->watch = event_new(d->base, d->watch_fd, EV_READ | EV_PERSIST, on_watch, d);
		if (!d->watch || event_add(d->watch, NULL) != 0)
			return -ENOMEM;
	}
	return event_base_once(d->base, -1, EV_TIMEOUT, on_first, d, &now) != 0 ? -ENOMEM : 0;
}

int daemon_run(struct daemon *d)
{
	struct session_totals t;
	struct fault f;

	arm(d);
	if (event_base_dispatch(d->base) < 0) {
		log_line(LOG_ERR, "the event loop failed");
		d->status = 1;
	}
	coarse_clock(d, 0);
	if (session_recording(d->session) && daemon_stop_recording(d, &t, &f) != 0) {
		log_line(LOG_ERR, "%s", f.text);
		d->status = 1;
	}
	return d->status;
}
