/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Readiness, told only after region, socket and loop work. Owns nothing that
 * lasts; of the daemon it knows nothing. Called by main.c and daemon.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracerd/notify.h"

void notify_systemd(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t n = path ? strlen(path) : 0;
	int fd;

	if (n < 2 || n > sizeof(a.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(a.sun_path, path, n);
	if (path[0] == '@')
		a.sun_path[0] = '\0'; /* abstract: no NUL at the end, the length tells */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&a,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

void notify_ready_fd(int fd)
{
	char line[32];
	int n = snprintf(line, sizeof(line), "ready %d\n", (int)getpid());

	while (write(fd, line, (size_t)n) < 0 && errno == EINTR)
		;
	close(fd);
}

/* The parent's part: does not return. */
static void wait_for_child(int fd, pid_t child)
{
	int status;
	ssize_t n;
	char c;

	while ((n = read(fd, &c, 1)) < 0 && errno == EINTR)
		;
	if (n == 1)
		_exit(0);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1);
}

int notify_daemonize(struct fault *f)
{
	int p[2];
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) != 0)
		return fault_set(f, errno, "cannot go to the background: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return fault_set(f, errno, "cannot go to the background: %s", strerror(errno));
	if (pid > 0) {
		close(p[1]);
		wait_for_child(p[0], pid);
	}
	close(p[0]);
	setsid();
	return p[1];
}

void notify_parent(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	ssize_t n;

	if (chdir("/") != 0)
		return;
	for (int i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);
	if (null > 2)
		close(null);
	n = write(fd, "", 1);
	(void)n; /* the parent was killed: nobody waits */
	close(fd);
}

int notify_pid_file(const char *path, struct fault *f)
{
	char temp[4200], text[32];
	int n = snprintf(text, sizeof(text), "%d\n", (int)getpid());
	int fd, err = 0;

	snprintf(temp, sizeof(temp), "%s.%d", path, (int)getpid());
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return fault_set(f, errno, "%.300s: cannot write the pid file: %s", path,
				 strerror(errno));
	if (fchmod(fd, 0644) != 0 || write(fd, text, (size_t)n) != n)
		err = errno ? errno : EIO;
	close(fd);
	if (!err && rename(temp, path) != 0)
		err = errno;
	if (!err)
		return 0;
	unlink(temp);
	return fault_set(f, err, "%.300s: cannot write the pid file: %s", path, strerror(err));
}
