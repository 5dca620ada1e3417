/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Following a recording while it is written. An event is held back until it is
 * older than the window: within that time the other rings have been flushed
 * too, so that the order over all rings is right. Waits for changes of the
 * directory (inotify), or looks several times a second where there is none.
 * Called by out_run.c.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "tracectl/out_run.h"

#define LOOK_MS 100    /* without inotify */
#define RESCAN_MS 1000 /* with it, all the same: network file systems */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

static void catch_signals(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal; /* no SA_RESTART: poll must return */
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int watch_dirs(const struct reader *r, const char *path)
{
	const uint32_t mask = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE;
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd < 0)
		return -1;
	inotify_add_watch(fd, path, mask);
	for (unsigned i = 0; i < reader_traces(r); i++) {
		const struct trace *t = reader_trace(r, i);

		for (unsigned k = 0; k < t->ndirs; k++)
			inotify_add_watch(fd, t->dir[k], mask);
	}
	return fd;
}

static void wait_change(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char events[4096];

	if (fd < 0 && timeout_ms > LOOK_MS)
		timeout_ms = LOOK_MS;
	if (poll(&p, fd >= 0, timeout_ms) > 0) {
		while (read(fd, events, sizeof(events)) > 0)
			;
	}
}

/* Does the event say that the recording is over? */
static int is_stop(const struct trace_event *ev)
{
	return ev->type->stream == CTF_STREAM_DAEMON && strcmp(ev->type->name, "trbuf:state") == 0 &&
	       strcmp(event_string(ev, "what"), "end") == 0;
}

/* All events that are old enough. Milliseconds until the next one is, or
 * RESCAN_MS; -1: no more are wanted. */
static int drain(struct out_loop *l)
{
	const struct trace_event *ev;
	int64_t now = clock_ns(CLOCK_REALTIME);

	while ((ev = reader_next(l->reader))) {
		int64_t left = ev->ns - (now - l->job->window_ns);

		if (left > 0 && !l->ended && left <= l->job->window_ns) {
			reader_unget(l->reader);
			return (int)(left / 1000000) + 1;
		}
		l->ended |= is_stop(ev);
		if (out_loop_event(l, ev))
			return -1;
	}
	return RESCAN_MS;
}

void view_follow(struct out_loop *l)
{
	int fd, wait;

	interrupted = 0;
	catch_signals();
	fd = watch_dirs(l->reader, l->job->path);
	while (!interrupted) {
		wait = drain(l);
		if (out_buf_flush(l->out->buf) || wait < 0)
			break;
		if (l->ended && !reader_refresh(l->reader))
			break;
		if (l->ended)
			continue;
		wait_change(fd, wait < RESCAN_MS ? wait : RESCAN_MS);
		reader_refresh(l->reader);
	}
	l->job->interrupted = interrupted;
	if (fd >= 0)
		close(fd);
}
