/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The daemon of one `record`: finding tracerd, starting it, its recording, its
 * end. Owns the process; it is in a session of its own, so that Ctrl-C reaches
 * the command and not what records it. Called by cmd_record.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/ctl_client.h"
#include "libtrbuf/clock.h"
#include "tracectl/record.h"

#define READY_MS 15000
#define END_MS 10000

static int usable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Beside tracectl: in the build tree (there libtool puts the program itself
 * into .libs, and a script that can run it outside), or where it is installed. */
static int find_beside(char *path, size_t size)
{
	static const char *const places[] = {
		"../tracerd/tracerd", "../../tracerd/tracerd", "tracerd",
		"../sbin/tracerd",    "../libexec/tracerd",    "../libexec/trbuf/tracerd",
	};
	char self[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return 0;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int in_libs = strcmp(slash > self + 5 ? slash - 5 : "", "/.libs") == 0;

		/* ../../tracerd only means the build tree from inside .libs. */
		if (i == 1 && !in_libs)
			continue;
		if (snprintf(path, size, "%s/%s", self, places[i]) < (int)size && usable(path))
			return 1;
	}
	return 0;
}

static void find_tracerd(char *path, size_t size)
{
	static const char *const places[] = {
#ifdef TRBUF_SBINDIR
		TRBUF_SBINDIR "/tracerd",
#endif
#ifdef TRBUF_BINDIR
		TRBUF_BINDIR "/tracerd",
#endif
#ifdef TRBUF_LIBEXECDIR
		TRBUF_LIBEXECDIR "/tracerd",
#endif
		"/usr/sbin/tracerd",
	};

	if (find_beside(path, size))
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, size, "%s", places[i]);
		if (usable(path))
			return;
	}
	snprintf(path, size, "tracerd"); /* $PATH */
}

/* In the child: does not return. */
static void exec_daemon(struct record *rec, const char *tracerd, int ready, pid_t parent)
{
	char fd[16];
	const char *argv[] = { "tracerd",     "--no-config", "--region",   rec->region_path,
			       "--output",    rec->output,   "--ready-fd", fd,
			       "--log-level", "warning",     "--on",       NULL };
	int null = open("/dev/null", O_RDWR);

	snprintf(fd, sizeof(fd), "%d", ready);
	setsid();
	/* If we are killed, it ends by itself, with everything on disk. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	unsetenv("NOTIFY_SOCKET");
	sigprocmask(SIG_SETMASK, &rec->old_mask, NULL);
	execvp(tracerd, (char *const *)argv);
	_exit(errno == ENOENT ? 127 : 126);
}

static int say_why(struct record *rec, const char *tracerd)
{
	int status = 0;

	while (waitpid(rec->daemon, &status, 0) < 0 && errno == EINTR)
		;
	rec->daemon = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) >= 126)
		return cmd_fail(rec->env, CMD_FAILED,
				"%s: the daemon cannot be run; install it beside "
				"tracectl or in PATH",
				tracerd);
	if (WIFSIGNALED(status))
		return cmd_fail(rec->env, CMD_FAILED,
				"%s: the daemon was killed by signal %d at its start", tracerd,
				WTERMSIG(status));
	return cmd_fail(rec->env, CMD_FAILED, "%s: the daemon did not start; it said why above",
			tracerd);
}

/* The line "ready", or the end of the daemon, or a signal. */
static int wait_ready(struct record *rec, int fd, const char *tracerd)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN },
			       { .fd = rec->signal_fd, .events = POLLIN } };
	uint64_t end = clock_monotonic_ns() + READY_MS * UINT64_C(1000000);
	struct signalfd_siginfo info;
	char line[64];

	while (clock_monotonic_ns() < end) {
		if (poll(p, 2, 100) < 0 && errno != EINTR)
			break;
		if (p[0].revents)
			return read(fd, line, sizeof(line)) > 0 ? CMD_DONE : say_why(rec, tracerd);
		if (p[1].revents && record_signal(rec, &info))
			return cmd_fail(rec->env, 128 + (int)info.ssi_signo,
					"interrupted before the start");
	}
	return cmd_fail(rec->env, CMD_FAILED, "%s: the daemon was not ready after %d s", tracerd,
			READY_MS / 1000);
}

static int start_process(struct record *rec)
{
	char tracerd[PATH_MAX];
	pid_t self = getpid();
	int p[2], status;

	find_tracerd(tracerd, sizeof(tracerd));
	if (pipe(p) != 0)
		return cmd_fail(rec->env, CMD_FAILED, "pipe: %s", strerror(errno));
	fcntl(p[0], F_SETFD, FD_CLOEXEC);
	rec->daemon = fork();
	if (rec->daemon == 0)
		exec_daemon(rec, tracerd, p[1], self);
	close(p[1]);
	if (rec->daemon < 0) {
		rec->daemon = 0;
		status = cmd_fail(rec->env, CMD_FAILED, "fork: %s", strerror(errno));
	} else {
		status = wait_ready(rec, p[0], tracerd);
	}
	close(p[0]);
	return status;
}

static int call(struct record *rec, struct ctl_msg *m, struct ctl_msg *reply)
{
	struct fault f;

	if (ctl_request(rec->region_path, m, reply, CTL_TIMEOUT_LONG, &f) == 0)
		return CMD_DONE;
	return cmd_fail(rec->env, CMD_FAILED, "record: %s", f.text);
}

static int start_recording(struct record *rec, struct ctl_msg *m, struct ctl_msg *reply)
{
	const char *path;
	int status;

	ctl_msg_init(m, CTL_START, 0);
	if (rec->dir)
		ctl_msg_add(m, "dir", rec->trace);
	ctl_msg_add(m, "name", rec->trace_name);
	status = call(rec, m, reply);
	if (status != CMD_DONE)
		return status;
	path = ctl_msg_get(reply, "path");
	snprintf(rec->trace, sizeof(rec->trace), "%s", path ? path : "?");
	return CMD_DONE;
}

static int with_messages(struct record *rec,
			 int (*fn)(struct record *, struct ctl_msg *, struct ctl_msg *))
{
	struct ctl_msg *m = malloc(sizeof(*m)), *reply = malloc(sizeof(*reply));
	int status = m && reply ? fn(rec, m, reply) : cmd_fail(rec->env, CMD_FAILED, "no memory");

	free(m);
	free(reply);
	return status;
}

int record_daemon_start(struct record *rec)
{
	int status = start_process(rec);

	return status == CMD_DONE ? with_messages(rec, start_recording) : status;
}

static int stop_recording(struct record *rec, struct ctl_msg *m, struct ctl_msg *reply)
{
	int status;

	ctl_msg_init(m, CTL_STOP, 0);
	status = call(rec, m, reply);
	if (status != CMD_DONE)
		return status;
	rec->events = ctl_msg_get_u64(reply, "events", 0);
	rec->missed = ctl_msg_get_u64(reply, "missed", 0);
	return CMD_DONE;
}

int record_daemon_stop(struct record *rec)
{
	if (rec->daemon_died)
		return cmd_fail(rec->env, CMD_FAILED,
				"the daemon ended before the command did; what it wrote "
				"up to then is in %s",
				rec->trace);
	return with_messages(rec, stop_recording);
}

void record_daemon_end(struct record *rec)
{
	uint64_t end = clock_monotonic_ns() + END_MS * UINT64_C(1000000);

	if (!rec->daemon)
		return;
	kill(rec->daemon, SIGTERM);
	while (waitpid(rec->daemon, NULL, WNOHANG) == 0) {
		if (clock_monotonic_ns() >= end)
			kill(rec->daemon, SIGKILL);
		poll(NULL, 0, 2);
	}
	rec->daemon = 0;
}
