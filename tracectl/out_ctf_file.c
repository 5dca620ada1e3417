/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Records into packets, packets into a stream file, as strict readers want
 * them: times that do not go back, sequence numbers without gaps. And the
 * metadata of a copy. Called by out_ctf.c and repair.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracectl/out_ctf.h"

/* All of it, or an errno. */
static int write_all(int fd, const unsigned char *p, size_t size)
{
	while (size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int ctf_file_open(struct ctf_file *f, const char *path, const struct ctf_packet *like,
		  const unsigned char uuid[16])
{
	int fd;

	memset(f, 0, sizeof(*f));
	f->p = *like;
	memcpy(f->p.uuid, uuid, 16);
	f->p.seq = f->p.discarded = 0;
	f->p.event_count = 0;
	f->room = OUT_CTF_PACKET;
	f->at = CTF_HEADER_SIZE;
	f->mem = malloc(f->room);
	f->path = strdup(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (fd < 0 || !f->mem || !f->path)
		f->error = fd < 0 ? errno : ENOMEM;
	if (fd >= 0)
		close(fd);
	return f->error ? -1 : 0;
}

static void append(struct ctf_file *f, size_t size)
{
	int fd = open(f->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0) {
		f->error = errno;
		return;
	}
	f->error = write_all(fd, f->mem, size);
	if (close(fd) && !f->error)
		f->error = errno;
}

void ctf_file_record(struct ctf_file *f, const struct trace_event *ev)
{
	const unsigned char *from = ev->context - CTF_RECORD_HEADER;
	size_t size = (size_t)(ev->end - from), room = f->room;

	while (f->at + size > room)
		room *= 2;
	if (room > f->room) {
		unsigned char *more = realloc(f->mem, room);

		if (!more) {
			f->error = ENOMEM;
			return;
		}
		f->mem = more;
		f->room = room;
	}
	memcpy(f->mem + f->at, from, size);
	f->at += size;
	if (!f->p.event_count++)
		f->p.begin = ev->clock;
	f->p.end = ev->clock;
}

void ctf_file_flush(struct ctf_file *f)
{
	uint64_t size = ctf_pad(f->at);

	if (f->p.begin < f->last)
		f->p.begin = f->last;
	if (f->p.end < f->p.begin)
		f->p.end = f->p.begin;
	f->last = f->p.end;
	f->p.content = f->at;
	f->p.size = size;
	if (size > f->room) {
		unsigned char *more = realloc(f->mem, size);

		if (!more) {
			f->error = ENOMEM;
			return;
		}
		f->mem = more;
		f->room = size;
	}
	memset(f->mem + f->at, 0, size - f->at);
	ctf_packet_encode(f->mem, &f->p);
	if (!f->error)
		append(f, size);
	f->p.seq++;
	f->p.event_count = 0;
	f->at = CTF_HEADER_SIZE;
}

int ctf_file_close(struct ctf_file *f)
{
	free(f->mem);
	free(f->path);
	f->mem = NULL;
	f->path = NULL;
	return f->error;
}

static void uuid_text(const unsigned char u[16], char text[37])
{
	snprintf(text, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
		 u[13], u[14], u[15]);
}

/* The text with the trace's UUID replaced wherever it stands. */
static void replace_uuid(char *text, size_t size, const unsigned char *from, const unsigned char *to)
{
	char old[37], new[37], *at = text;

	uuid_text(from, old);
	uuid_text(to, new);
	while ((at = memmem(at, size - (size_t)(at - text), old, 36))) {
		memcpy(at, new, 36);
		at += 36;
	}
}

static int write_metadata(const char *path, const struct meta *m, const unsigned char *uuid)
{
	char *text = malloc(m->size + 1);
	int fd, err;

	if (!text)
		return ENOMEM;
	memcpy(text, m->text, m->size);
	if (uuid)
		replace_uuid(text, m->size, m->uuid, uuid);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
	err = fd < 0 ? errno : write_all(fd, (const unsigned char *)text, m->size);
	if (fd >= 0 && close(fd) && !err)
		err = errno;
	free(text);
	return err;
}

int ctf_copy_dir(const char *dir, const struct meta *m, const unsigned char *uuid,
		 char error[META_ERROR])
{
	char path[4352];
	int err;

	if (mkdir(dir, 0750)) {
		snprintf(error, META_ERROR, "cannot make %.300s: %s", dir, strerror(errno));
		return -1;
	}
	snprintf(path, sizeof(path), "%s/metadata", dir);
	err = write_metadata(path, m, uuid);
	if (!err)
		return 0;
	snprintf(error, META_ERROR, "cannot write %.300s: %s", path, strerror(err));
	return -1;
}
