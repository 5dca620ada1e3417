/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Opening and locking the region for the verbs of tracectl. Owns the messages
 * for what can go wrong there. Changes no word of the region itself, but
 * through control_repair(). Called by the cmd_*.c files.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/control.h"
#include "libtrbuf/doorbell.h"
#include "libtrbuf/rseq_test.h"
#include "libtrbuf/sync.h"
#include "tracectl/region_tool.h"

/* Somebody cut the file short under us. Nothing can be mended from here, but
 * the reason can be said, where a plain SIGBUS would look like our own fault. */
static void on_sigbus(int sig)
{
	static const char text[] = "tracectl: the region file was cut short by somebody; remove it "
				   "and start the traced programs again\n";

	(void)sig;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(CMD_FAILED);
	_exit(CMD_FAILED);
}

static void guard_sigbus(void)
{
	struct sigaction sa = { .sa_handler = on_sigbus };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, NULL);
}

static int open_flags(const struct cmd_env *env, struct region *r, char *path, unsigned flags,
		      struct fault *f)
{
	int err = region_path(env->region_path, path, PATH_MAX);

	if (err)
		return fault_set(f, -err, "path of the region: %s", strerror(-err));
	guard_sigbus();
	return region_open(r, path, flags, NULL, f);
}

int region_tool_try(const struct cmd_env *env, struct region *r, char *path, struct fault *f)
{
	path[0] = '\0';
	return open_flags(env, r, path, 0, f);
}

int region_tool_open(const struct cmd_env *env, struct region *r, unsigned flags)
{
	char path[PATH_MAX];
	struct fault f = { "" };
	int err = open_flags(env, r, path, flags, &f);

	if (err)
		return cmd_fail(env, CMD_FAILED, "%s", f.text);
	/* Whoever may make a region looks whether rseq can be believed, once:
	 * programs that come later go by the verdict. */
	if (flags & REGION_CREATE)
		rseq_test(r);
	return CMD_DONE;
}

int region_tool_control(const struct cmd_env *env, struct region *r)
{
	int err = region_lock(r, REGION_LOCK_CONTROL, REGION_TOOL_LOCK_MS);

	if (err == -ETIMEDOUT)
		return cmd_fail(env, CMD_FAILED,
				"%s: another tool has held the control lock for %d s; "
				"look for a stopped tracectl (fuser %s)",
				r->path, REGION_TOOL_LOCK_MS / 1000, r->path);
	if (err)
		return cmd_fail(env, CMD_FAILED, "%s: cannot lock: %s", r->path, strerror(-err));
	control_repair(r, 0);
	return CMD_DONE;
}

int region_tool_consumer(struct region *r)
{
	return region_lock(r, REGION_LOCK_CONSUMER, 0) == 0;
}

int region_tool_daemon(const struct region *r)
{
	uint32_t pid = sync_load(&r->hdr->consumer_pid);

	if (region_lock_held(r, REGION_LOCK_CONSUMER) != 1)
		return 0;
	return pid && pid <= INT_MAX ? (int)pid : -1;
}

void region_tool_holder(const struct region *r, char *buf, size_t size)
{
	int pid = region_tool_daemon(r);

	if (pid > 0)
		snprintf(buf, size, "tracerd (pid %d)", pid);
	else
		snprintf(buf, size, "%s", pid ? "the reader" : "nobody");
}

int region_tool_wait(struct region *r, int (*done)(struct region *r, void *arg), void *arg,
		     int timeout_ms)
{
	uint64_t end = clock_monotonic_ns() + (uint64_t)timeout_ms * 1000000u;
	struct timespec pause = { 0, 1000000 };

	doorbell_ring(r);
	for (;;) {
		if (done(r, arg))
			return 1;
		if (region_lock_held(r, REGION_LOCK_CONSUMER) == 0)
			return done(r, arg) ? 1 : -1;
		if (clock_monotonic_ns() >= end)
			return 0;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		if (pause.tv_nsec < 20000000)
			pause.tv_nsec *= 2;
	}
}
