/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Telling those who wait for us: systemd, a parent with --ready-fd, a pid file. */
#ifndef TRACERD_NOTIFY_H
#define TRACERD_NOTIFY_H

#include "libtrbuf/region.h"

/* A message of sd_notify(3) to $NOTIFY_SOCKET; nothing if that is not set. */
void notify_systemd(const char *text);

/* "ready PID\n" to the descriptor, which is closed. */
void notify_ready_fd(int fd);

/* Fork; the parent waits until the child called notify_parent() and ends with
 * 0, or with the child's status if that ended before. Returns in the child
 * only: the descriptor for notify_parent(), or -errno with *f. */
int notify_daemonize(struct fault *f);
/* Everything works: lets the parent go and leaves the terminal. */
void notify_parent(int fd);

int notify_pid_file(const char *path, struct fault *f);

#endif
