/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The asking side of the control protocol. Owns one descriptor a call; every
 * wait has a deadline, nothing that the daemon sends is believed before it was
 * checked. Called by tracectl, and by tracerd for the address of its socket.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/ctl_client.h"
#include "libtrbuf/clock.h"

struct deadline {
	uint64_t at; /* monotonic ns */
};

static struct deadline deadline_in(int timeout_ms)
{
	struct deadline d = { clock_monotonic_ns() + (uint64_t)timeout_ms * 1000000u };

	return d;
}

/* Wait until fd is ready for `events`. 0, -ETIMEDOUT or -errno. */
static int wait_for(int fd, short events, const struct deadline *d)
{
	for (;;) {
		uint64_t now = clock_monotonic_ns();
		struct pollfd p = { .fd = fd, .events = events };
		int n;

		if (now >= d->at)
			return -ETIMEDOUT;
		n = poll(&p, 1, (int)((d->at - now) / 1000000u) + 1);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
}

static int long_address(const char *path, struct sockaddr_un *a, int *dirfd, struct fault *f)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char dir[4096];
	int n;

	n = snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		     slash ? path : ".");
	if (n >= (int)sizeof(dir))
		return fault_set(f, ENAMETOOLONG, "%.100s...: path too long", path);
	*dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*dirfd < 0)
		return fault_set(f, errno, "%.300s: %s", dir, strerror(errno));
	n = snprintf(a->sun_path, sizeof(a->sun_path), "/proc/self/fd/%d/%s", *dirfd, name);
	if (n < (int)sizeof(a->sun_path))
		return 0;
	close(*dirfd);
	*dirfd = -1;
	return fault_set(f, ENAMETOOLONG,
			 "%.100s: file name too long for a socket; choose a shorter "
			 "name for the region",
			 name);
}

int ctl_address(const char *path, struct sockaddr_un *a, socklen_t *len, int *dirfd,
		struct fault *f)
{
	size_t n = strlen(path);

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	*len = sizeof(*a);
	*dirfd = -1;
	if (n >= sizeof(a->sun_path))
		return long_address(path, a, dirfd, f);
	memcpy(a->sun_path, path, n);
	return 0;
}

static int no_daemon(const char *path, int err, struct fault *f)
{
	return fault_set(f, err,
			 "%.200s: no daemon serves this region; start `tracerd`, or use "
			 "`tracectl record` which needs none",
			 path);
}

/* A local connect is done or refused at once; EAGAIN means a full backlog. */
static int connect_until(int fd, const struct sockaddr_un *a, socklen_t len,
			 const struct deadline *d)
{
	while (connect(fd, (const struct sockaddr *)a, len) != 0) {
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (clock_monotonic_ns() >= d->at)
			return -ETIMEDOUT;
		poll(NULL, 0, 5);
	}
	return 0;
}

int ctl_connect(const char *region_path, int timeout_ms, struct fault *f)
{
	struct deadline d = deadline_in(timeout_ms);
	struct sockaddr_un a;
	char path[4200];
	socklen_t len;
	int fd, dirfd, err;

	if (snprintf(path, sizeof(path), "%s.sock", region_path) >= (int)sizeof(path))
		return fault_set(f, ENAMETOOLONG, "%.100s...: path too long", region_path);
	err = ctl_address(path, &a, &len, &dirfd, f);
	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	err = fd < 0 ? -errno : connect_until(fd, &a, len, &d);
	if (dirfd >= 0)
		close(dirfd);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	if (err == -ENOENT || err == -ECONNREFUSED)
		return no_daemon(region_path, -err, f);
	if (err == -EACCES)
		return fault_set(
			f, EACCES,
			"%.300s: you may not control this daemon; ask its user, root or the "
			"region's group",
			path);
	if (err == -ETIMEDOUT)
		return fault_set(f, ETIMEDOUT,
				 "%.300s: the daemon takes no connections; is it stopped?", path);
	return fault_set(f, -err, "%.300s: %s", path, strerror(-err));
}

static int send_all(int fd, const struct ctl_msg *m, const struct deadline *d)
{
	unsigned char head[CTL_HEADER];
	size_t done = 0, total = CTL_HEADER + m->length;

	ctl_header_encode(m, head);
	while (done < total) {
		struct iovec io[2] = { { head, CTL_HEADER }, { (void *)m->payload, m->length } };
		struct msghdr mh = { .msg_iov = io, .msg_iovlen = 2 };
		ssize_t n;

		if (done < CTL_HEADER) {
			io[0].iov_base = head + done;
			io[0].iov_len -= done;
		} else {
			io[0].iov_len = 0;
			io[1].iov_base = (char *)m->payload + (done - CTL_HEADER);
			io[1].iov_len -= done - CTL_HEADER;
		}
		n = sendmsg(fd, &mh, MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			n = wait_for(fd, POLLOUT, d) == 0 ? 0 : -1;
		else if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0 && errno != EINTR)
			return -ETIMEDOUT;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* The one descriptor that a reply may carry; surplus ones are closed. */
static void take_descriptors(struct msghdr *mh, int *passed)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(mh); c; c = CMSG_NXTHDR(mh, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (*passed < 0)
				*passed = fd;
			else
				close(fd);
		}
	}
}

static int receive(int fd, void *buf, size_t size, int *passed, const struct deadline *d)
{
	size_t done = 0;

	while (done < size) {
		union {
			struct cmsghdr align;
			char space[CMSG_SPACE(sizeof(int))];
		} control;
		struct iovec io = { (char *)buf + done, size - done };
		struct msghdr mh = { .msg_iov = &io,
				     .msg_iovlen = 1,
				     .msg_control = &control,
				     .msg_controllen = sizeof(control) };
		int err = wait_for(fd, POLLIN, d);
		ssize_t n;

		if (err)
			return err;
		memset(&control, 0, sizeof(control));
		n = recvmsg(fd, &mh, MSG_CMSG_CLOEXEC);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ECONNRESET;
		take_descriptors(&mh, passed);
		done += (size_t)n;
	}
	return 0;
}

static int receive_reply(int fd, const struct ctl_msg *req, struct ctl_msg *reply, int *passed,
			 const struct deadline *d)
{
	unsigned char head[CTL_HEADER];
	struct ctl_header h;
	int err = receive(fd, head, sizeof(head), passed, d);

	if (!err)
		err = ctl_header_decode(head, &h);
	if (err)
		return err;
	reply->version = h.version;
	reply->type = h.type;
	reply->serial = h.serial;
	reply->length = h.length;
	err = receive(fd, reply->payload, h.length, passed, d);
	if (!err)
		err = ctl_payload_check(reply->payload, h.length);
	if (err)
		return err;
	if (h.type == CTL_ERROR)
		return -EREMOTEIO;
	if (h.version != CTL_VERSION)
		return -EPROTONOSUPPORT;
	return h.serial == req->serial && h.type == (req->type | CTL_REPLY) ? 0 : -EPROTO;
}

static int explain(int err, const struct ctl_msg *reply, struct fault *f)
{
	const char *said;

	switch (-err) {
	case EREMOTEIO:
		said = ctl_msg_get(reply, "error");
		return fault_set(f, EREMOTEIO, "%.500s",
				 said ? said : "the daemon refused and did not say why");
	case ETIMEDOUT:
		return fault_set(f, ETIMEDOUT,
				 "the daemon does not answer; is it stopped or its disk stuck?");
	case ECONNRESET:
	case EPIPE:
		return fault_set(f, ECONNRESET,
				 "the daemon closed the connection before it answered; "
				 "see its log");
	case EPROTONOSUPPORT:
		return fault_set(f, EPROTONOSUPPORT,
				 "the daemon speaks version %u of the control protocol, "
				 "this program version %u; install both from one release",
				 reply->version, CTL_VERSION);
	default:
		return fault_set(f, -err,
				 "the daemon's answer makes no sense (%s); is something else "
				 "listening there?",
				 strerror(-err));
	}
}

int ctl_call(int fd, struct ctl_msg *req, struct ctl_msg *reply, int *passed, int timeout_ms,
	     struct fault *f)
{
	static uint32_t serial;
	struct deadline d = deadline_in(timeout_ms);
	int got = -1, err;

	req->serial = ++serial;
	err = send_all(fd, req, &d);
	/* A daemon that refuses us sends its line and closes: that line is worth more. */
	if (!err || err == -EPIPE || err == -ECONNRESET)
		err = receive_reply(fd, req, reply, &got, &d);
	if (passed && !err)
		*passed = got;
	else if (got >= 0)
		close(got);
	return err ? explain(err, reply, f) : 0;
}

int ctl_request(const char *region_path, struct ctl_msg *req, struct ctl_msg *reply, int timeout_ms,
		struct fault *f)
{
	int fd = ctl_connect(region_path, timeout_ms, f), err;

	if (fd < 0)
		return fd;
	err = ctl_call(fd, req, reply, NULL, timeout_ms, f);
	close(fd);
	return err;
}
