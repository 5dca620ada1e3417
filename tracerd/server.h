/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The control socket: who may connect, and messages in and out. */
#ifndef TRACERD_SERVER_H
#define TRACERD_SERVER_H

#include <sys/types.h>

#include "common/ctl_proto.h"
#include "libtrbuf/region.h"

struct daemon;
struct server;

struct server_peer {
	pid_t pid;
	uid_t uid;
	int owner; /* root or the daemon's own user */
};

/* Caller holds REGION_LOCK_CONSUMER: a socket file that is there is stale. */
struct server *server_new(struct daemon *d, struct fault *f);
/* Removes the socket file if it is still ours. */
void server_free(struct server *s);
unsigned server_clients(const struct server *s);

#endif
