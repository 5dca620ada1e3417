/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The socket file of the daemon. It is made under a temporary name, given its
 * exact mode whatever the umask, and renamed over a stale one: there is always
 * either no socket or one that answers. Owns the file; called by server.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/ctl_client.h"
#include "tracerd/server_socket.h"

#define BACKLOG 64
#define MAX_GROUPS 65536

/* As the region file: for its user alone, or for its group too. */
static int look_at_region(struct server_socket *s, const struct region *r)
{
	struct stat st;

	if (fstat(r->fd, &st) != 0)
		return -errno;
	s->shared = (st.st_mode & 0060) == 0060;
	s->gid = st.st_gid;
	return 0;
}

static int bind_temporary(struct server_socket *s, const char *temp, struct fault *f)
{
	struct sockaddr_un a;
	socklen_t len;
	int dirfd, err = ctl_address(temp, &a, &len, &dirfd, f);

	if (err)
		return err;
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&a, len) != 0)
		err = fault_set(f, errno, "%.300s: cannot make the control socket: %s", s->path,
				strerror(errno));
	if (dirfd >= 0)
		close(dirfd);
	return err;
}

static int publish(struct server_socket *s, const char *temp, struct fault *f)
{
	struct stat st;

	if ((s->shared && lchown(temp, (uid_t)-1, s->gid) != 0) ||
	    chmod(temp, s->shared ? 0660 : 0600) != 0 || listen(s->fd, BACKLOG) != 0 ||
	    lstat(temp, &st) != 0 || rename(temp, s->path) != 0)
		return fault_set(f, errno, "%.300s: cannot make the control socket: %s", s->path,
				 strerror(errno));
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	return 0;
}

int server_socket_open(struct server_socket *s, const struct region *r, struct fault *f)
{
	char temp[4200];
	int err = look_at_region(s, r);

	s->fd = -1;
	if (err)
		return fault_set(f, -err, "%.300s: %s", r->path, strerror(-err));
	snprintf(s->path, sizeof(s->path), "%s.sock", r->path);
	snprintf(temp, sizeof(temp), "%s.%d", s->path, (int)getpid());
	unlink(temp); /* of a process of the same number that was killed here */
	err = bind_temporary(s, temp, f);
	if (!err)
		err = publish(s, temp, f);
	if (!err)
		return 0;
	if (s->fd >= 0) {
		close(s->fd);
		unlink(temp);
	}
	s->fd = -1;
	return err;
}

void server_socket_close(struct server_socket *s)
{
	struct stat st;

	if (s->fd < 0)
		return;
	/* The region may have been replaced, and another daemon's socket stand there. */
	if (lstat(s->path, &st) == 0 && st.st_dev == s->dev && st.st_ino == s->ino)
		unlink(s->path);
	close(s->fd);
	s->fd = -1;
}

/* Is the group among the peer's supplementary ones? */
static int in_groups(int fd, gid_t gid)
{
	gid_t *groups = malloc(MAX_GROUPS * sizeof(*groups));
	socklen_t len = MAX_GROUPS * sizeof(*groups);
	int found = 0;

	if (groups && getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len) == 0)
		for (socklen_t i = 0; i < len / sizeof(*groups); i++)
			found |= groups[i] == gid;
	free(groups);
	return found;
}

int server_socket_allowed(const struct server_socket *s, int fd, struct server_peer *peer)
{
	struct ucred cred = { .uid = (uid_t)-1 };
	socklen_t len = sizeof(cred);

	memset(peer, 0, sizeof(*peer));
	peer->uid = (uid_t)-1;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
		return 0;
	peer->pid = cred.pid;
	peer->uid = cred.uid;
	peer->owner = cred.uid == 0 || cred.uid == geteuid();
	return peer->owner || (s->shared && (cred.gid == s->gid || in_groups(fd, s->gid)));
}
