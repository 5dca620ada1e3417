/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* What each control message does. */
#ifndef TRACERD_REQUEST_H
#define TRACERD_REQUEST_H

#include "common/ctl_proto.h"
#include "tracerd/server.h"

/* Carry out *in for that peer; *out is the reply. A descriptor that is to go
 * with it is put into *pass_fd; it stays the daemon's. */
void request_run(struct daemon *d, const struct server_peer *peer, const struct ctl_msg *in,
		 struct ctl_msg *out, int *pass_fd);

#endif
