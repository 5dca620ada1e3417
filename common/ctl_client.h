/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Talking to the daemon of a region. The socket stands beside the region:
 * its path and ".sock".
 */
#ifndef TRBUF_CTL_CLIENT_H
#define TRBUF_CTL_CLIENT_H

#include <sys/socket.h>
#include <sys/un.h>

#include "common/ctl_proto.h"
#include "libtrbuf/region.h"

/* Milliseconds that a verb waits for an answer: a `stop` may have to write
 * every ring of the machine to a slow disk. */
#define CTL_TIMEOUT_QUICK 5000
#define CTL_TIMEOUT_LONG 120000

/*
 * Address of the socket that stands at `path` (shorter than PATH_MAX). A path
 * too long for sun_path goes through /proc/self/fd: *dirfd then is a descriptor
 * to close after connect or bind, else -1. 0, or -errno with *f.
 */
int ctl_address(const char *path, struct sockaddr_un *a, socklen_t *len, int *dirfd,
		struct fault *f);

/* A connected, close-on-exec descriptor, or -errno with *f. -ENOENT and
 * -ECONNREFUSED mean that there is no daemon. */
int ctl_connect(const char *region_path, int timeout_ms, struct fault *f);

/* Send *req (its serial is set here), wait for its reply. 0; -EREMOTEIO when
 * the daemon answered with an error, which is *f then; or -errno with *f.
 * A descriptor that comes with the reply goes to *passed (-1 if none); if
 * `passed` is NULL it is closed. */
int ctl_call(int fd, struct ctl_msg *req, struct ctl_msg *reply, int *passed, int timeout_ms,
	     struct fault *f);

/* Connect, call, close. */
int ctl_request(const char *region_path, struct ctl_msg *req, struct ctl_msg *reply, int timeout_ms,
		struct fault *f);

#endif
