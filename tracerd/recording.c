/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The life of a recording: begin, end, fail. It stands in the region too
 * (recording_path, recording, paused), written last at the begin and first at
 * the end, so that the next daemon finds it if this one dies.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "libtrbuf/sync.h"
#include "tracerd/recording.h"

#define STOP_ROUNDS 256

void recording_publish(struct session *s)
{
	struct layout_region *hdr = s->r->hdr;
	size_t n = strlen(s->path);

	sync_store_release(&hdr->recording, 0);
	memset(hdr->recording_path, 0, sizeof(hdr->recording_path));
	memcpy(hdr->recording_path, s->path, n < sizeof(hdr->recording_path) ? n : 0);
	sync_store(&hdr->paused, 0);
	sync_store_release(&hdr->recording, 1);
}

void recording_close(struct session *s)
{
	struct layout_region *hdr = s->r->hdr;

	if (!s->recording)
		return;
	session_totals(s, &s->last);
	s->recording = s->paused = 0;
	sync_store_release(&hdr->recording, 0);
	sync_store(&hdr->paused, 0);
	memset(hdr->recording_path, 0, sizeof(hdr->recording_path));
	for (unsigned i = 0; i < s->nrings; i++)
		if (ctf_stream_close(&s->ring[i].stream) < 0)
			session_log(s, LOG_ERR, "%s: stream %u: late write error", s->path, i);
	daemon_stream_close(s);
	close(s->dirfd);
	s->dirfd = -1;
}

int recording_fail(struct session *s, int err, const char *what)
{
	if (!s->recording)
		return err;
	session_log(s, LOG_ERR, "%s: %s: %s; the recording has ended, start another", s->path, what,
		    strerror(-err));
	recording_close(s);
	return err;
}

/* A name that is good in a path and in metadata without escapes. */
static void clean_name(char out[LAYOUT_NAME], const char *name)
{
	unsigned n = 0;

	for (; name && *name && n < LAYOUT_NAME - 1; name++) {
		char c = *name;
		int good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			   (c >= '0' && c <= '9') || strchr("_-+@%=:,", c) || (c == '.' && n);

		out[n++] = good ? c : '_';
	}
	out[n] = '\0';
	if (!n)
		strcpy(out, "trace");
}

static void fill_meta(struct session *s, struct ctf_meta *m)
{
	memcpy(m->region, s->r->hdr->region_id, sizeof(m->region));
	clock_map_get(s->r, &m->clock);
	m->created = clock_realtime_ns();
	m->clock_kind = s->r->geo.clock;
	m->page_size = s->r->geo.page_size;
	m->context = s->r->geo.context;
	m->rings = s->r->geo.nr_rings;
}

static void note_begin(struct session *s)
{
	char detail[200];

	snprintf(detail, sizeof(detail), "on=%d mask=0x%llx rules=%u mode=%s ring-size=%llu", s->on,
		 (unsigned long long)s->mask, s->nrules,
		 s->mode == LAYOUT_OVERWRITE ? "overwrite" : "discard",
		 (unsigned long long)s->wanted_size);
	statedump_note(s, "begin", "tracerd", detail);
}

/* Nothing of the new recording may be missing on disk when it is published. */
static int begin(struct session *s, int dirfd, const char *path, const struct ctf_meta *m)
{
	int err;

	s->meta = *m;
	s->dirfd = dirfd;
	snprintf(s->path, sizeof(s->path), "%s", path);
	s->meta_stale = 1;
	s->damaged = 0;
	s->lost_reported = 0;
	s->recording = 1;
	for (unsigned i = 0; i < s->nrings; i++) {
		memset(&s->ring[i].stream, 0, sizeof(s->ring[i].stream));
		s->ring[i].stream.fd = -1;
	}
	statedump_forget(s);
	err = output_metadata(s);
	if (!err)
		err = daemon_stream_open(s);
	if (err)
		return err;
	recording_publish(s);
	note_begin(s);
	s->quiet = 0;
	return 0;
}

int session_start(struct session *s, const char *dir, const char *name, struct fault *f)
{
	struct ctf_meta m = { .page_size = 0 };
	char path[4096];
	int dirfd, err;

	session_look(s, f);
	clean_name(m.name, name);
	fill_meta(s, &m);
	err = ctf_uuid_new(m.uuid);
	if (err)
		return fault_set(f, -err, "no random numbers: %s", strerror(-err));
	dirfd = output_make_dir(s, dir, m.name, path, f);
	if (dirfd < 0)
		return dirfd;
	if (s->recording)
		session_stop(s, NULL, f);
	err = begin(s, dirfd, path, &m);
	if (!err)
		return 0;
	recording_close(s);
	return fault_set(f, -err, "cannot record into %.300s: %s", path, strerror(-err));
}

/* All that one ring holds, then its last misses. */
static int finish_ring(struct session *s, struct ring_state *rs)
{
	for (unsigned i = 0; i < STOP_ROUNDS; i++) {
		int n = drain_ring(s, rs);

		if (n >= 0)
			n = drain_partial(s, rs);
		if (n < 0)
			return n;
		if (n == 0)
			break;
	}
	return s->recording ? drain_last_misses(s, rs) : 0;
}

int session_stop(struct session *s, struct session_totals *out, struct fault *f)
{
	int err = 0, paused;

	if (!s->recording)
		return fault_set(f, EALREADY, "no recording runs; `tracectl start` begins one");
	drain_init_rings(s);
	output_begin(s, 1);
	statedump_processes(s);
	for (unsigned i = 0; i < s->nrings && !err; i++)
		err = finish_ring(s, &s->ring[i]);
	if (!err && s->recording) {
		statedump_processes(s);
		statedump_lost(s);
		statedump_note(s, "end", "tracerd", "");
		daemon_stream_flush(s);
	}
	output_end(s);
	paused = s->paused;
	recording_close(s);
	if (out)
		*out = s->last;
	if (err)
		return fault_set(f, -err, "%.300s: %s", s->path, strerror(-err));
	if (paused)
		return fault_set(
			f, ENOSPC,
			"%.300s: ended without room for all: what the rings still hold goes "
			"into the next recording",
			s->path);
	return 0;
}
