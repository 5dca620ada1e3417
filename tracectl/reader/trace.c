/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * From a path to traces and streams: directories with a `metadata` file at the
 * path or below it; those with the same UUID are chunks of one trace. Stream
 * files are known by the header of their first packet, not by their name.
 * Called by reader.c, again and again while following.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracectl/reader/trace.h"

#define MAX_DEPTH 4
#define MAX_DIRS 65536

static void *grow(void *array, unsigned n, size_t size)
{
	/* room for a power of two, so grow when n is one */
	if (n && (n & (n - 1)))
		return array;
	array = realloc(array, (n ? 2 * (size_t)n : 1) * size);
	if (!array) {
		fputs("tracectl: out of memory\n", stderr);
		exit(1);
	}
	return array;
}

static char *join(const char *dir, const char *name)
{
	size_t n = strlen(dir) + strlen(name) + 2;
	char *path = malloc(n);

	if (!path) {
		fputs("tracectl: out of memory\n", stderr);
		exit(1);
	}
	snprintf(path, n, "%s/%s", dir, name);
	return path;
}

static ssize_t read_all(int fd, char *to, size_t size)
{
	size_t n = 0;

	while (n < size) {
		ssize_t got = read(fd, to + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

/* The text of dir/metadata, malloced; NULL with errno, ENOENT if there is none. */
static char *read_metadata(const char *dir, size_t *size, int64_t *stamp)
{
	char *path = join(dir, "metadata"), *text = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;
	struct stat st;
	ssize_t n = -1;

	free(path);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		error = EINVAL;
	else if (st.st_size > META_MAX_SIZE)
		error = EFBIG;
	else
		text = malloc((size_t)st.st_size + 1);
	if (text)
		n = read_all(fd, text, (size_t)st.st_size);
	if (n < 0) {
		free(text);
		text = NULL;
		errno = error ? error : errno;
	} else {
		*size = (size_t)n;
		text[n] = '\0';
		*stamp = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec +
			 (int64_t)st.st_ino * 7 + st.st_size;
	}
	close(fd);
	return text;
}

static struct trace *find_trace(struct reader *r, const struct meta *m)
{
	for (unsigned i = 0; i < r->ntraces; i++) {
		if (memcmp(r->trace[i]->meta->uuid, m->uuid, 16) == 0)
			return r->trace[i];
	}
	return NULL;
}

/* Of the metadata files of one trace, the one with most events is used. */
static void use_meta(struct reader *r, struct trace *t, struct meta *m)
{
	if (m->nevents <= t->meta->nevents) {
		meta_free(m);
		return;
	}
	t->old = grow(t->old, t->nold, sizeof(*t->old));
	t->old[t->nold++] = t->meta;
	t->meta = m;
	for (unsigned i = 0; i < r->nstreams; i++) {
		if (r->stream[i]->trace == t)
			stream_set_meta(r->stream[i]);
	}
}

static struct trace *known_dir(struct reader *r, const char *dir)
{
	for (unsigned i = 0; i < r->ntraces; i++) {
		for (unsigned k = 0; k < r->trace[i]->ndirs; k++) {
			if (strcmp(r->trace[i]->dir[k], dir) == 0)
				return r->trace[i];
		}
	}
	return NULL;
}

static struct trace *add_dir(struct reader *r, const char *dir, struct meta *m)
{
	struct trace *t = find_trace(r, m);

	if (!t) {
		t = calloc(1, sizeof(*t));
		r->trace = grow(r->trace, r->ntraces, sizeof(*r->trace));
		if (!t)
			return NULL;
		t->meta = m;
		r->trace[r->ntraces++] = t;
	} else {
		use_meta(r, t, m);
	}
	t->dir = grow(t->dir, t->ndirs, sizeof(*t->dir));
	t->dir[t->ndirs++] = strdup(dir);
	return t;
}

/* Metadata of one directory, new or changed. NULL: nothing usable. */
static struct trace *load_dir(struct reader *r, const char *dir, char error[META_ERROR])
{
	struct trace *t = known_dir(r, dir);
	char why[META_ERROR];
	int64_t stamp = 0;
	struct meta *m;
	size_t size;
	char *text = read_metadata(dir, &size, &stamp);

	if (!text) {
		if (errno != ENOENT)
			snprintf(error, META_ERROR, "%s/metadata: %s", dir, strerror(errno));
		return t;
	}
	if (t && (t->ndirs > 1 || t->stamp == stamp)) {
		free(text);
		return t;
	}
	m = meta_parse(text, size, why);
	if (!m) {
		snprintf(error, META_ERROR, "%.200s/metadata: %.280s", dir, why);
		return t;
	}
	if (t)
		use_meta(r, t, m);
	else
		t = add_dir(r, dir, m);
	if (t)
		t->stamp = stamp;
	return t;
}

static int known_file(const struct reader *r, const char *path)
{
	for (unsigned i = 0; i < r->nstreams; i++) {
		for (unsigned k = 0; k < r->stream[i]->nfiles; k++) {
			if (strcmp(r->stream[i]->file[k].path, path) == 0)
				return 1;
		}
	}
	return 0;
}

/* The first good packet header of a file, wherever it is. */
static int first_packet(const struct trace *t, const char *path, struct ctf_packet *p,
			uint64_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), found = 0;
	unsigned char head[CTF_HEADER_SIZE];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*size = (uint64_t)st.st_size;
	for (uint64_t at = 0; !found && at + sizeof(head) <= *size; at += CTF_PACKET_ALIGN) {
		if (pread(fd, head, sizeof(head), (off_t)at) != (ssize_t)sizeof(head))
			break;
		found = ctf_packet_decode(head, p) == 0 &&
			memcmp(p->uuid, t->meta->uuid, 16) == 0 &&
			p->stream_id < META_MAX_STREAMS && t->meta->stream[p->stream_id].declared;
	}
	close(fd);
	return found ? 1 : 0;
}

static struct stream *find_stream(struct reader *r, const struct trace *t,
				  const struct ctf_packet *p)
{
	for (unsigned i = 0; i < r->nstreams; i++) {
		struct stream *s = r->stream[i];

		if (s->trace == t && s->class_id == p->stream_id && s->instance == p->instance)
			return s;
	}
	return NULL;
}

static struct stream *add_stream(struct reader *r, struct trace *t, const struct ctf_packet *p)
{
	struct stream *s = calloc(1, sizeof(*s));

	r->stream = grow(r->stream, r->nstreams, sizeof(*r->stream));
	if (!s)
		return NULL;
	s->reader = r;
	s->trace = t;
	s->class_id = p->stream_id;
	s->instance = p->instance;
	s->fd = -1;
	s->ended = 1;
	s->ev.stream = s;
	s->ev.trace = t;
	stream_set_meta(s);
	r->stream[r->nstreams++] = s;
	return s;
}

/* Files of a stream by the time of their first packet. Those that are being
 * read or were read stay where they are. */
static void add_file(struct stream *s, char *path, uint64_t size, uint64_t begin)
{
	unsigned at = s->nfiles, first = s->window ? s->current + 1 : 0;

	s->file = grow(s->file, s->nfiles, sizeof(*s->file));
	while (at > first && s->file[at - 1].begin > begin) {
		s->file[at] = s->file[at - 1];
		at--;
	}
	s->file[at] = (struct stream_file){ .path = path, .size = size, .begin = begin };
	s->nfiles++;
}

static int scan_file(struct reader *r, struct trace *t, const char *dir, const char *name)
{
	char *path = join(dir, name);
	struct ctf_packet p;
	struct stream *s;
	uint64_t size = 0;
	int got = known_file(r, path) ? -1 : first_packet(t, path, &p, &size);

	if (got <= 0) {
		struct reader_damage d = { path, 0, size, "no packet of this trace in the file" };

		if (got == 0 && size && !r->o.live)
			reader_report(r, &d);
		free(path);
		return 0;
	}
	if (r->o.only_daemon && p.stream_id != CTF_STREAM_DAEMON) {
		free(path);
		return 0;
	}
	s = find_stream(r, t, &p);
	if (!s)
		s = add_stream(r, t, &p);
	if (s)
		add_file(s, path, size, p.begin);
	return 1;
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int scan_dir(struct reader *r, const char *dir, int depth, char error[META_ERROR])
{
	struct dirent **list;
	struct trace *t = load_dir(r, dir, error);
	int n = scandir(dir, &list, visible, alphasort), found = 0;

	if (n < 0) {
		snprintf(error, META_ERROR, "%s: %s", dir, strerror(errno));
		return 0;
	}
	for (int i = 0; i < n; i++) {
		char *path = join(dir, list[i]->d_name);
		struct stat st;

		if (lstat(path, &st) == 0) {
			if (S_ISREG(st.st_mode) && t && strcmp(list[i]->d_name, "metadata"))
				found += scan_file(r, t, dir, list[i]->d_name);
			else if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
				found += scan_dir(r, path, depth + 1, error);
		}
		free(path);
		free(list[i]);
	}
	free(list);
	return found;
}

int trace_scan(struct reader *r, char error[META_ERROR])
{
	int found;

	error[0] = '\0';
	found = scan_dir(r, r->path, 0, error);
	if (r->ntraces)
		return found;
	if (!error[0])
		snprintf(error, META_ERROR, "%s: no trace here (no `metadata` file)", r->path);
	return -1;
}

void trace_free(struct trace *t)
{
	for (unsigned i = 0; i < t->ndirs; i++)
		free(t->dir[i]);
	for (unsigned i = 0; i < t->nold; i++)
		meta_free(t->old[i]);
	free(t->old);
	free(t->dir);
	meta_free(t->meta);
	free(t);
}
