/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The socket file: its name, its mode and who is let in. */
#ifndef TRACERD_SERVER_SOCKET_H
#define TRACERD_SERVER_SOCKET_H

#include <sys/types.h>

#include "tracerd/server.h"

struct server_socket {
	int fd;
	char path[4104];
	dev_t dev;
	ino_t ino;
	int shared; /* a group may use the region, and so the socket */
	gid_t gid;
};

int server_socket_open(struct server_socket *s, const struct region *r, struct fault *f);
void server_socket_close(struct server_socket *s);
/* Fills in *peer from the kernel's knowledge. 1 if it may control us. */
int server_socket_allowed(const struct server_socket *s, int fd, struct server_peer *peer);

#endif
