/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Setting up and taking down: region, consumer lock, memory of the rings,
 * doorbell, socket, in this order, and back. Also SIGHUP. Called by main.c and
 * daemon.c.
 */
#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"
#include "libtrbuf/clock.h"
#include "libtrbuf/control.h"
#include "libtrbuf/ring_setup.h"
#include "libtrbuf/sync.h"
#include "tracerd/bell.h"
#include "tracerd/daemon_open.h"
#include "tracerd/notify.h"
#include "tracerd/server.h"
#include "tracerd/sigbus.h"
#include "tracerd/watch.h"
#if defined(__has_include)
#if __has_include("libtrbuf/rseq_test.h")
#include "libtrbuf/rseq_test.h"
#define HAVE_RSEQ_TEST 1
#endif
#endif

#define LOCK_TIMEOUT_MS 2000
#define CONSUMER_TIMEOUT_MS 1000

static void session_line(void *arg, int priority, const char *line)
{
	(void)arg;
	log_line(priority, "%s", line);
}

static int check_records(const struct daemon *d)
{
	struct stat st;

	if (d->cfg.check_records >= 0)
		return d->cfg.check_records;
	return fstat(d->region.fd, &st) == 0 && (st.st_mode & 0020);
}

static int open_region(struct daemon *d, struct fault *f)
{
	int err = region_open(&d->region, d->cfg.region, REGION_CREATE, &d->cfg.settings.region, f);

	if (err)
		return err;
	sigbus_guard(&d->region);
	/* A region that was there before keeps what can no longer change. */
	err = settings_apply(&d->region, &d->cfg.settings, f);
	if (err == -EBUSY) {
		log_line(LOG_WARNING, "%s", f->text);
		err = 0;
	}
#ifdef HAVE_RSEQ_TEST
	if (!err)
		rseq_test(&d->region);
#endif
	return err;
}

/* The lock is what counts; the number is only for people. */
static int other_daemon(struct daemon *d, struct fault *f)
{
	uint32_t pid = sync_load(&d->region.hdr->consumer_pid);
	char who[32] = "another process";

	if (pid)
		snprintf(who, sizeof(who), "process %u", pid);
	return fault_set(f, EBUSY, "%.300s: %s already serves this region; one daemon is enough",
			 d->region.path, who);
}

static int open_session(struct daemon *d, struct fault *f)
{
	struct session_settings set = {
		.output = d->cfg.output,
		.reserve = d->cfg.reserve,
		.check_records = check_records(d),
		.log = session_line,
	};

	/* Tried here first: a tool may hold it for a moment, or a daemon that is
	 * just ending. session_new() takes it for good. */
	if (region_lock(&d->region, REGION_LOCK_CONSUMER, CONSUMER_TIMEOUT_MS) != 0)
		return other_daemon(d, f);
	region_unlock(&d->region, REGION_LOCK_CONSUMER);
	d->session = session_new(&d->region, &set, f);
	return d->session ? 0 : -EIO;
}

int daemon_rings(struct daemon *d, struct fault *f)
{
	int err = ring_setup_all(&d->region, f);

	if (err > 0)
		log_line(LOG_WARNING, "%s", f->text);
	return err < 0 ? err : 0;
}

/* Memory first, then the gates. */
static int switch_on(struct daemon *d, struct fault *f)
{
	struct layout_control *c;
	int err = daemon_rings(d, f);

	if (err)
		return err;
	c = malloc(sizeof(*c));
	err = c ? region_lock(&d->region, REGION_LOCK_CONTROL, LOCK_TIMEOUT_MS) : -ENOMEM;
	if (!err) {
		control_get(&d->region, c);
		c->on = 1;
		control_publish(&d->region, c);
		region_unlock(&d->region, REGION_LOCK_CONTROL);
	}
	free(c);
	return err ? fault_set(f, -err, "%.300s: cannot switch tracing on: %s", d->region.path,
			       strerror(-err))
		   : 0;
}

static int begin(struct daemon *d, struct fault *f)
{
	int err = session_look(d->session, f);

	if (err > 0)
		log_line(LOG_WARNING, "%s", f->text);
	err = err < 0 ? err : 0;
	if (!err && d->cfg.record && !session_recording(d->session)) {
		err = session_start(d->session, NULL, d->cfg.name, f);
		if (err > 0)
			err = 0;
		if (!err)
			log_line(LOG_INFO, "recording into %s", session_path(d->session));
		if (!err)
			err = daemon_rings(d, f);
	}
	return !err && d->cfg.on ? switch_on(d, f) : err;
}

static int open_loop(struct daemon *d, struct fault *f)
{
	struct event_config *ec = event_config_new();

	/* One thread uses the base. */
	if (ec) {
		event_config_set_flag(ec, EVENT_BASE_FLAG_NOLOCK);
		d->base = event_base_new_with_config(ec);
		event_config_free(ec);
	}
	if (!d->base)
		return fault_set(f, ENOMEM, "no event loop: %s", strerror(errno));
	d->bell = bell_new(&d->region, f);
	if (!d->bell)
		return -ENOMEM;
	d->server = server_new(d, f);
	if (!d->server)
		return -EIO;
	d->watch_fd = watch_open(&d->region);
	if (d->watch_fd < 0)
		log_line(LOG_NOTICE,
			 "%s: not watched (%s); a removal is noticed at the flush timer",
			 d->region.path, strerror(-d->watch_fd));
	return daemon_events(d) != 0 ? fault_set(f, ENOMEM, "no memory for the event loop") : 0;
}

int daemon_open(struct daemon *d, struct fault *f)
{
	int err;

	d->watch_fd = -1;
	d->started_ns = clock_monotonic_ns();
	err = open_region(d, f);
	if (!err)
		err = open_session(d, f);
	if (!err)
		err = open_loop(d, f);
	if (!err)
		err = begin(d, f);
	if (!err && d->cfg.pid_file[0])
		err = notify_pid_file(d->cfg.pid_file, f);
	return err ? 1 : 0;
}

static void free_event(struct event *ev)
{
	if (ev)
		event_free(ev);
}

void daemon_close(struct daemon *d)
{
	sigset_t ends;

	/* A second SIGTERM must not cut the closing short. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	server_free(d->server);
	for (int i = 0; i < DAEMON_SIGNALS; i++)
		free_event(d->signal[i]);
	free_event(d->rung);
	free_event(d->watch);
	free_event(d->rearm);
	free_event(d->flush);
	free_event(d->poll);
	free_event(d->coarse);
	bell_free(d->bell);
	if (d->base)
		event_base_free(d->base);
	if (d->watch_fd >= 0)
		close(d->watch_fd);
	if (d->session) {
		session_free(d->session);
		if (d->cfg.pid_file[0])
			unlink(d->cfg.pid_file);
	}
	region_close(&d->region);
}

/* What a restart is needed for. */
static void say_fixed(const struct config *old, const struct config *new)
{
	if (strcmp(old->region, new->region) != 0 || strcmp(old->output, new->output) != 0 ||
	    strcmp(old->pid_file, new->pid_file) != 0 || old->reserve != new->reserve ||
	    old->check_records != new->check_records)
		log_line(LOG_WARNING,
			 "region, output, reserve, check-records and pid-file only change "
			 "with a restart");
}

void daemon_reload(struct daemon *d)
{
	struct config *c = malloc(sizeof(*c));
	struct fault f;

	if (!c)
		return;
	if (config_load(c, d->argc, d->argv, &f) != 0) {
		log_line(LOG_ERR, "settings not read again: %s", f.text);
		free(c);
		return;
	}
	say_fixed(&d->cfg, c);
	d->cfg.settings = c->settings;
	d->cfg.log_level = c->log_level;
	strcpy(d->cfg.name, c->name);
	free(c);
	log_set_level((int)d->cfg.log_level);
	if (settings_apply(&d->region, &d->cfg.settings, &f) != 0)
		log_line(LOG_WARNING, "%s", f.text);
	log_line(LOG_INFO, "settings read again");
	daemon_work(d);
}
