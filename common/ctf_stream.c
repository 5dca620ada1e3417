/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A stream file being written. Invariants: bytes [0, size) are whole packets;
 * what lies behind is cut off before anything else is written; a packet that
 * did not reach the file whole has changed nothing in struct ctf_stream.
 * Knows packets and files only, no rings. Used by the daemon and by snapshot.
 */
#include "common/ctf_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define AHEAD_MIN (UINT64_C(256) << 10)
#define AHEAD_MAX (UINT64_C(16) << 20)

void ctf_stream_name(const struct ctf_stream_id *id, char name[CTF_STREAM_NAME])
{
	if (id->stream_id == CTF_STREAM_DAEMON)
		snprintf(name, CTF_STREAM_NAME, "stream_daemon");
	else
		snprintf(name, CTF_STREAM_NAME, "stream_%05u", (unsigned)id->instance & 0xfffffff);
}

int ctf_stream_create(struct ctf_stream *s, int dirfd, const struct ctf_stream_id *id)
{
	char name[CTF_STREAM_NAME];

	memset(s, 0, sizeof(*s));
	s->id = *id;
	ctf_stream_name(id, name);
	s->fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
	return s->fd < 0 ? -errno : 0;
}

/* Cut off what is behind the last whole packet. */
static int trim(struct ctf_stream *s)
{
	if (ftruncate(s->fd, (off_t)s->size) < 0)
		return -errno;
	s->torn = 0;
	s->ahead = s->size;
	return 0;
}

/* Allocate ahead without changing the size of the file. Failing here is no
 * failure: the write will say if there is no room. */
static void allocate_ahead(struct ctf_stream *s, uint64_t need)
{
	uint64_t ahead = s->size / 4;

	if (s->ahead_off || s->size + need <= s->ahead)
		return;
	if (ahead < AHEAD_MIN)
		ahead = AHEAD_MIN;
	if (ahead > AHEAD_MAX)
		ahead = AHEAD_MAX;
	ahead = ctf_pad(need + ahead);
	if (fallocate(s->fd, FALLOC_FL_KEEP_SIZE, (off_t)s->size, (off_t)ahead) == 0)
		s->ahead = s->size + ahead;
	else if (errno != EINTR)
		s->ahead_off = errno != ENOSPC && errno != EDQUOT;
}

/* Everything a reader sees of the packet; times never go back in a stream. */
static void seal(const struct ctf_stream *s, struct ctf_packet *p)
{
	memcpy(p->uuid, s->id.uuid, sizeof(p->uuid));
	p->stream_id = s->id.stream_id;
	p->instance = s->id.instance;
	p->cpu = s->id.cpu;
	p->flags |= s->id.flags;
	p->seq = s->seq;
	p->discarded = s->discarded;
	if (p->begin < s->end)
		p->begin = s->end;
	if (p->end < p->begin)
		p->end = p->begin;
}

/* Bytes that are in the file from `at` on, before an error or all of them. */
static uint64_t write_all(struct ctf_stream *s, struct iovec *io, unsigned n, int *err)
{
	uint64_t at = s->size;

	*err = 0;
	while (n) {
		ssize_t w = pwritev(s->fd, io, (int)n, (off_t)at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0) {
			*err = w < 0 ? -errno : -ENOSPC;
			break;
		}
		at += (uint64_t)w;
		while (n && (size_t)w >= io->iov_len) {
			w -= (ssize_t)io->iov_len;
			io++;
			n--;
		}
		if (n) {
			io->iov_base = (char *)io->iov_base + w;
			io->iov_len -= (size_t)w;
		}
	}
	return at - s->size;
}

static int block_good(const struct ctf_packet *p)
{
	return p->content >= CTF_HEADER_SIZE && p->content <= p->size &&
	       p->size <= CTF_MAX_PACKET && p->size % CTF_PACKET_ALIGN == 0;
}

int ctf_stream_append(struct ctf_stream *s, struct ctf_block *b, unsigned n)
{
	struct iovec io[CTF_STREAM_BATCH];
	struct ctf_stream after[CTF_STREAM_BATCH + 1];
	uint64_t total = 0, done;
	unsigned whole = 0;
	int err;

	if (n == 0 || n > CTF_STREAM_BATCH)
		return n ? -EINVAL : 0;
	if (s->torn && (err = trim(s)) < 0)
		return err;
	after[0] = *s;
	for (unsigned i = 0; i < n; i++) {
		struct ctf_stream *a = &after[i + 1];

		if (!block_good(&b[i].packet))
			return -EINVAL;
		*a = after[i];
		a->discarded += b[i].misses;
		seal(a, &b[i].packet);
		ctf_packet_encode(b[i].mem, &b[i].packet);
		a->seq++;
		if (b[i].packet.page != CTF_NO_PAGE)
			a->events += b[i].packet.event_count;
		a->end = b[i].packet.end;
		a->size += b[i].packet.size;
		io[i].iov_base = b[i].mem;
		io[i].iov_len = (size_t)b[i].packet.size;
		total += b[i].packet.size;
	}
	allocate_ahead(s, total);
	after[0].ahead_off = s->ahead_off;
	done = write_all(s, io, n, &err);
	while (whole < n && after[whole + 1].size - s->size <= done)
		whole++;
	after[whole].ahead = s->ahead;
	after[whole].ahead_off = s->ahead_off;
	*s = after[whole];
	if (err) {
		s->torn = 1;
		trim(s);
	}
	return whole ? (int)whole : err;
}

/* Is this the next packet of this stream, and does it end inside the file? */
static int follows(const struct ctf_stream *s, const struct ctf_packet *p, uint64_t file_size)
{
	return memcmp(p->uuid, s->id.uuid, sizeof(p->uuid)) == 0 &&
	       p->stream_id == s->id.stream_id && p->instance == s->id.instance && block_good(p) &&
	       p->seq == s->seq && p->size <= file_size - s->size && p->begin >= s->end &&
	       p->discarded >= s->discarded;
}

static int open_checked(struct ctf_stream *s, int dirfd, uint64_t *file_size)
{
	char name[CTF_STREAM_NAME];
	struct stat st;

	ctf_stream_name(&s->id, name);
	s->fd = openat(dirfd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (s->fd < 0)
		return -errno;
	if (fstat(s->fd, &st) < 0)
		return -errno;
	/* The directory's name came from the region: touch only what is our own. */
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1)
		return -EPERM;
	*file_size = (uint64_t)st.st_size;
	return 0;
}

int64_t ctf_stream_resume(struct ctf_stream *s, int dirfd, const struct ctf_stream_id *id,
			  struct ctf_packet *last, struct ctf_packet *page)
{
	unsigned char head[CTF_HEADER_SIZE];
	struct ctf_packet p;
	uint64_t file_size = 0;
	int err;

	memset(s, 0, sizeof(*s));
	memset(last, 0, sizeof(*last));
	memset(page, 0, sizeof(*page));
	page->page = CTF_NO_PAGE;
	s->id = *id;
	err = open_checked(s, dirfd, &file_size);
	while (!err && file_size - s->size >= sizeof(head)) {
		if (pread(s->fd, head, sizeof(head), (off_t)s->size) != (ssize_t)sizeof(head) ||
		    ctf_packet_decode(head, &p) || !follows(s, &p, file_size))
			break;
		*last = p;
		if (p.page != CTF_NO_PAGE) {
			*page = p;
			s->events += p.event_count;
		}
		s->size += p.size;
		s->seq = p.seq + 1;
		s->end = p.end;
		s->discarded = p.discarded;
	}
	if (!err)
		err = trim(s);
	if (err < 0 && s->fd >= 0) {
		close(s->fd);
		s->fd = -1;
	}
	return err ? err : (int64_t)s->seq;
}

int ctf_stream_close(struct ctf_stream *s)
{
	int err = 0;

	if (s->fd < 0)
		return 0;
	if (s->torn || s->ahead > s->size)
		err = trim(s);
	if (close(s->fd) < 0 && !err)
		err = -errno;
	s->fd = -1;
	return err;
}
