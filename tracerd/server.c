/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The control socket. Owns the socket file, the clients and their buffers;
 * what a request does is in request.c. A client has one request under way at a
 * time, a deadline for each, and one message of memory: slow clients and
 * garbage cost nobody else anything. Called by daemon.c.
 */
#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/log.h"
#include "libtrbuf/clock.h"
#include "tracerd/daemon.h"
#include "tracerd/request.h"
#include "tracerd/server.h"
#include "tracerd/server_socket.h"

#define MAX_CLIENTS 32
#define DEADLINE_NS UINT64_C(10000000000)

struct client {
	struct client *next, **prev;
	struct server *s;
	struct event *ev;
	int fd;
	struct server_peer peer;
	uint64_t deadline;
	size_t done; /* bytes of the message received or sent */
	int sending;
	int last;    /* close when the reply is out */
	int pass_fd; /* goes with the first byte of the reply, -1 none; not ours */
	unsigned char head[CTL_HEADER];
	struct ctl_header in;
	struct ctl_msg msg;
};

struct server {
	struct daemon *d;
	struct server_socket socket;
	struct event *accept;
	struct client *clients;
	unsigned nclients;
	struct ctl_msg reply; /* under construction */
};

static void client_free(struct client *c)
{
	*c->prev = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->s->nclients--;
	event_free(c->ev);
	close(c->fd);
	free(c);
}

/* Wait for the next thing this client needs, no longer than its deadline. */
static int client_wait(struct client *c)
{
	uint64_t now = clock_monotonic_ns(), left = c->deadline > now ? c->deadline - now : 1;
	struct timeval tv = { (time_t)(left / 1000000000u), (suseconds_t)(left / 1000 % 1000000u) };

	event_del(c->ev);
	event_assign(c->ev, c->s->d->base, c->fd, c->sending ? EV_WRITE : EV_READ,
		     event_get_callback(c->ev), c);
	return event_add(c->ev, &tv);
}

static void client_expect(struct client *c)
{
	c->sending = 0;
	c->done = 0;
	c->deadline = clock_monotonic_ns() + DEADLINE_NS;
}

static void client_answer(struct client *c)
{
	ctl_header_encode(&c->msg, c->head);
	c->sending = 1;
	c->done = 0;
	c->deadline = clock_monotonic_ns() + DEADLINE_NS;
}

static void client_refuse(struct client *c, int err, const char *text)
{
	ctl_msg_init(&c->msg, CTL_ERROR, c->in.serial);
	ctl_msg_add(&c->msg, "error", text);
	ctl_msg_add_u64(&c->msg, "errno", (uint64_t)err);
	c->last = 1;
	client_answer(c);
}

/* A whole request is there. */
static void client_request(struct client *c)
{
	struct server *s = c->s;

	c->msg.version = c->in.version;
	c->msg.type = c->in.type;
	c->msg.serial = c->in.serial;
	c->msg.length = c->in.length;
	if (ctl_payload_check(c->msg.payload, c->msg.length) != 0) {
		client_refuse(c, EBADMSG, "the request is malformed");
		return;
	}
	c->pass_fd = -1;
	request_run(s->d, &c->peer, &c->msg, &s->reply, &c->pass_fd);
	c->msg.type = s->reply.type;
	c->msg.length = s->reply.length;
	memcpy(c->msg.payload, s->reply.payload, s->reply.length);
	client_answer(c);
}

static void client_header(struct client *c)
{
	int err = ctl_header_decode(c->head, &c->in);

	if (err == -EMSGSIZE)
		client_refuse(c, EMSGSIZE, "the request is longer than 64 KiB");
	else if (c->in.version != CTL_VERSION)
		client_refuse(
			c, EPROTONOSUPPORT,
			"this tracerd speaks another version of the control protocol than the "
			"program that asks; install both from one release");
}

/* What a step led to. */
enum step { STEP_GONE, STEP_WAIT, STEP_ON };

static enum step client_send(struct client *c)
{
	struct iovec io[2] = { { c->head, CTL_HEADER }, { c->msg.payload, c->msg.length } };
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .space = { 0 } };
	struct msghdr mh = { .msg_iov = io, .msg_iovlen = 2 };
	size_t total = CTL_HEADER + c->msg.length, skip = c->done;
	ssize_t n;

	for (int i = 0; i < 2; i++) {
		size_t cut = skip < io[i].iov_len ? skip : io[i].iov_len;

		io[i].iov_base = (char *)io[i].iov_base + cut;
		io[i].iov_len -= cut;
		skip -= cut;
	}
	if (c->pass_fd >= 0 && c->done == 0) {
		struct cmsghdr *h;

		mh.msg_control = &control;
		mh.msg_controllen = sizeof(control.space);
		h = CMSG_FIRSTHDR(&mh);
		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(h), &c->pass_fd, sizeof(int));
	}
	n = sendmsg(c->fd, &mh, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? STEP_WAIT : STEP_GONE;
	c->done += (size_t)n;
	if (c->done < total)
		return STEP_WAIT;
	if (c->last)
		return STEP_GONE;
	client_expect(c);
	return STEP_ON;
}

static enum step client_receive(struct client *c)
{
	size_t want = c->done < CTL_HEADER ? CTL_HEADER : CTL_HEADER + c->in.length;
	char *to = c->done < CTL_HEADER ? (char *)c->head + c->done
					: c->msg.payload + (c->done - CTL_HEADER);
	/* Descriptors that a client sends along are dropped by recv(). */
	ssize_t n = recv(c->fd, to, want - c->done, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return STEP_WAIT;
	if (n <= 0)
		return STEP_GONE;
	c->done += (size_t)n;
	if (c->done < want)
		return STEP_WAIT;
	if (want == CTL_HEADER) {
		c->in.length = 0;
		/* Not our protocol: there are no words that it would understand. */
		if (ctl_header_decode(c->head, &c->in) == -EPROTO)
			return STEP_GONE;
		client_header(c);
	}
	if (!c->sending && c->done == CTL_HEADER + c->in.length)
		client_request(c);
	return STEP_ON;
}

static void client_event(evutil_socket_t fd, short what, void *arg)
{
	struct client *c = arg;
	enum step step = what & EV_TIMEOUT ? STEP_GONE : STEP_ON;

	(void)fd;
	/* A bound, so that one busy client does not keep the loop to itself. */
	for (int turn = 0; turn < 8 && step == STEP_ON; turn++)
		step = c->sending ? client_send(c) : client_receive(c);
	if (step == STEP_GONE || client_wait(c) != 0)
		client_free(c);
}

static void accept_event(evutil_socket_t fd, short what, void *arg)
{
	struct server *s = arg;
	struct client *c;
	const char *refused = NULL;
	int cfd = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)what;
	if (cfd < 0)
		return;
	c = calloc(1, sizeof(*c));
	if (!c || s->nclients >= 2 * MAX_CLIENTS) {
		free(c);
		close(cfd);
		return;
	}
	c->fd = cfd;
	c->s = s;
	c->pass_fd = -1;
	c->ev = event_new(s->d->base, cfd, EV_READ, client_event, c);
	if (!c->ev) {
		free(c);
		close(cfd);
		return;
	}
	c->next = s->clients;
	c->prev = &s->clients;
	if (c->next)
		c->next->prev = &c->next;
	s->clients = c;
	s->nclients++;
	client_expect(c);
	if (!server_socket_allowed(&s->socket, cfd, &c->peer))
		refused =
			"you may not control this daemon; ask its user, root or the region's group";
	else if (s->nclients > MAX_CLIENTS)
		refused = "too many clients at once; try again";
	if (refused)
		client_refuse(c, EPERM, refused);
	client_event(cfd, 0, c);
}

struct server *server_new(struct daemon *d, struct fault *f)
{
	struct server *s = calloc(1, sizeof(*s));

	if (!s) {
		fault_set(f, ENOMEM, "no memory for the control socket");
		return NULL;
	}
	s->d = d;
	if (server_socket_open(&s->socket, &d->region, f) != 0) {
		free(s);
		return NULL;
	}
	s->accept = event_new(d->base, s->socket.fd, EV_READ | EV_PERSIST, accept_event, s);
	if (!s->accept || event_add(s->accept, NULL) != 0) {
		fault_set(f, ENOMEM, "no memory for the control socket");
		server_free(s);
		return NULL;
	}
	return s;
}

void server_free(struct server *s)
{
	if (!s)
		return;
	while (s->clients)
		client_free(s->clients);
	if (s->accept)
		event_free(s->accept);
	server_socket_close(&s->socket);
	free(s);
}

unsigned server_clients(const struct server *s)
{
	return s->nclients;
}
