/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Between daemon.c, which runs, and daemon_open.c, which sets up and takes down. */
#ifndef TRACERD_DAEMON_OPEN_H
#define TRACERD_DAEMON_OPEN_H

#include "tracerd/daemon.h"

/* The events of the loop. 0 or -ENOMEM. */
int daemon_events(struct daemon *d);
/* SIGHUP: read the settings again and take on what can change. */
void daemon_reload(struct daemon *d);

#endif
