/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A removed or replaced region file. inotify on the file itself: writing
 * through a mapping makes no event of the kinds asked for, so an idle daemon
 * stays asleep. What it means is for region_in_place() to say. Called by
 * daemon.c.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "tracerd/watch.h"

int watch_open(const struct region *r)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), err;
	char path[64];

	if (fd < 0)
		return -errno;
	/* By descriptor: the path may mean another file by now. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
	if (inotify_add_watch(fd, path, IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF) >= 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

void watch_take(int fd)
{
	char buf[4096];

	while (read(fd, buf, sizeof(buf)) > 0)
		;
}
