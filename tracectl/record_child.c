/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The command of `record`: started with TRBUF_REGION set and our own signal
 * mask as it was, waited for, signals passed on. Called by cmd_record.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracectl/record.h"

int record_signal(struct record *rec, struct signalfd_siginfo *info)
{
	while (read(rec->signal_fd, info, sizeof(*info)) == (ssize_t)sizeof(*info)) {
		if (info->ssi_signo != SIGCHLD)
			return (int)info->ssi_signo;
		if (rec->daemon && waitpid(rec->daemon, NULL, WNOHANG) == rec->daemon) {
			rec->daemon = 0;
			rec->daemon_died = 1;
		}
	}
	return 0;
}

static int runnable(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return 127;
	return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : 126;
}

/* As execvp() will look for it. */
static int search(const char *name)
{
	const char *dir = getenv("PATH"), *end;
	char path[4096];
	int best = 127;

	for (dir = dir ? dir : "/bin:/usr/bin"; dir; dir = *end ? end + 1 : NULL) {
		int n, found;

		end = strchrnul(dir, ':');
		n = snprintf(path, sizeof(path), "%.*s%s%s", (int)(end - dir), dir,
			     end > dir ? "/" : "", name);
		found = n < (int)sizeof(path) ? runnable(path) : 127;
		if (!found)
			return 0;
		best = found < best ? found : best;
	}
	return best;
}

int record_child_check(const struct record *rec)
{
	const char *name = rec->command[0];
	int status = strchr(name, '/') ? runnable(name) : *name ? search(name) : 127;

	if (!status)
		return CMD_DONE;
	return cmd_fail(rec->env, status, "%s: %s", name,
			status == 127 ? "no such command"
				      : "cannot be run: not an executable file");
}

/* In the child: does not return. */
static void exec_command(struct record *rec, int report)
{
	int err;

	setenv("TRBUF_REGION", rec->region_path, 1);
	sigprocmask(SIG_SETMASK, &rec->old_mask, NULL);
	execvp(rec->command[0], rec->command);
	err = errno;
	while (write(report, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(err == ENOENT ? 127 : 126);
}

/* 0 started; else why exec failed. */
static int start(struct record *rec, pid_t *child)
{
	int p[2], err = 0;
	ssize_t n;

	if (pipe2(p, O_CLOEXEC) != 0)
		return errno;
	*child = fork();
	if (*child == 0)
		exec_command(rec, p[1]);
	if (*child < 0)
		err = errno;
	close(p[1]);
	while (*child > 0 && (n = read(p[0], &err, sizeof(err))) < 0 && errno == EINTR)
		;
	close(p[0]);
	return err;
}

/* A key at the terminal reaches the command by itself; what was sent to us
 * alone is passed on. */
static void pass_on(pid_t child, const struct signalfd_siginfo *info)
{
	if (info->ssi_code <= 0) /* SI_USER, SI_QUEUE, ...: by a process */
		kill(child, (int)info->ssi_signo);
}

static int wait_for(struct record *rec, pid_t child)
{
	struct pollfd p = { .fd = rec->signal_fd, .events = POLLIN };
	struct signalfd_siginfo info;
	int status;
	pid_t got;

	for (;;) {
		got = waitpid(child, &status, WNOHANG);
		if (got == child)
			return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		if (got < 0 && errno != EINTR)
			return cmd_fail(rec->env, CMD_FAILED, "%s: lost sight of it: %s",
					rec->command[0], strerror(errno));
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			return cmd_fail(rec->env, CMD_FAILED, "poll: %s", strerror(errno));
		if (record_signal(rec, &info))
			pass_on(child, &info);
	}
}

int record_child_run(struct record *rec)
{
	pid_t child = 0;
	int err = start(rec, &child);

	if (!err)
		return wait_for(rec, child);
	if (child > 0)
		waitpid(child, NULL, 0);
	return cmd_fail(rec->env, err == ENOENT ? 127 : 126, "%s: cannot be run: %s",
			rec->command[0], strerror(err));
}
