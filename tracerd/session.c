/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The data side of the daemon as one object: what main loop and control socket
 * call. Owns REGION_LOCK_CONSUMER and with it the consumer's words of the
 * region. The work is in drain.c, packets.c, recording.c and the others.
 */
#include "tracerd/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/sync.h"
#include "tracerd/recording.h"

void session_log(const struct session *s, int priority, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	if (!s->set.log)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	s->set.log(s->set.log_arg, priority, line);
}

uint64_t session_clock(const struct session *s)
{
	return clock_read(s->r->geo.clock, s->r->hdr);
}

/* ------------------------------------------------------------ new, free */

static int allocate(struct session *s)
{
	s->nrings = s->r->geo.nr_rings;
	s->ring = calloc(s->nrings ? s->nrings : 1, sizeof(*s->ring));
	s->scan = calloc(1, sizeof(*s->scan));
	s->event = calloc(LAYOUT_MAX_EVENTS + 1, sizeof(struct registry_event *));
	s->dumped = calloc(LAYOUT_MAX_PROCESSES, sizeof(*s->dumped));
	s->copy = calloc(1, LAYOUT_MAX_PAGE + CTF_PACKET_ALIGN);
	s->missed = calloc(HELD_MAX + 2, CTF_PACKET_ALIGN);
	s->output = strdup(s->set.output ? s->set.output : ".");
	s->events_out = open_memstream(&s->events_text, &s->events_size);
	if (!s->ring || !s->scan || !s->event || !s->dumped || !s->copy || !s->missed ||
	    !s->output || !s->events_out)
		return -ENOMEM;
	for (unsigned i = 0; i < s->nrings; i++) {
		s->ring[i].stream.fd = -1;
		s->ring[i].recover = 1;
	}
	return 0;
}

/* lost_on_disk is one sum; how it divides is known only to the daemon that
 * wrote it, so the causes are taken in order. The total stays exact. */
static void split_lost(struct session *s)
{
	uint64_t left = sync_load(&s->r->hdr->lost_on_disk);

	for (unsigned k = 0; k < LAYOUT_LOST_KINDS; k++) {
		uint64_t n = sync_load(&s->r->hdr->lost[k]);

		s->lost[k] = n < left ? n : left;
		left -= s->lost[k];
	}
}

static void free_memory(struct session *s)
{
	if (s->events_out)
		fclose(s->events_out);
	free(s->events_text);
	for (unsigned i = 0; s->event && i < LAYOUT_MAX_EVENTS; i++)
		free(s->event[i]);
	if (s->dumped)
		statedump_forget(s);
	free(s->ds.buf);
	free(s->event);
	free(s->dumped);
	free(s->copy);
	free(s->missed);
	free(s->output);
	free(s->scan);
	free(s->ring);
	free(s);
}

struct session *session_new(struct region *r, const struct session_settings *set, struct fault *f)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s) {
		fault_set(f, ENOMEM, "no memory");
		return NULL;
	}
	s->r = r;
	s->set = *set;
	s->dirfd = s->ds.file.fd = -1;
	if (allocate(s)) {
		fault_set(f, ENOMEM, "no memory");
		free_memory(s);
		return NULL;
	}
	if (region_lock(r, REGION_LOCK_CONSUMER, 0)) {
		fault_set(f, EBUSY,
			  "%.300s: another process reads this region; one daemon is enough",
			  r->path);
		free_memory(s);
		return NULL;
	}
	sync_store(&r->hdr->consumer_pid, (uint32_t)getpid());
	drain_init_rings(s);
	recover_recording(s);
	split_lost(s);
	for (unsigned i = 0; s->recording && i < s->nrings; i++)
		recover_pages(s, &s->ring[i]);
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	if (s->recording) {
		daemon_stream_flush(s);
		for (unsigned i = 0; i < s->nrings; i++)
			ctf_stream_close(&s->ring[i].stream);
		daemon_stream_close(s);
		if (s->dirfd >= 0)
			close(s->dirfd);
	}
	sync_store(&s->r->hdr->consumer_pid, 0);
	region_unlock(s->r, REGION_LOCK_CONSUMER);
	free_memory(s);
}

/* ---------------------------------------------------------- drain, flush */

int session_drain(struct session *s)
{
	struct fault f;
	int pages = 0;

	if (session_look(s, &f) < 0)
		session_log(s, LOG_WARNING, "%s", f.text);
	output_begin(s, 0);
	for (unsigned i = 0; i < s->nrings && s->recording; i++) {
		int n = drain_ring(s, &s->ring[i]);

		if (n < 0)
			return n;
		pages += n;
	}
	output_end(s);
	if (pages)
		s->quiet = 0;
	return pages;
}

/* Full pages, open pages, daemon's stream: 1 if all rings gave all they had. */
static int flush_rings(struct session *s, int *fresh)
{
	int whole = 1;

	for (unsigned i = 0; i < s->nrings && s->recording; i++) {
		struct ring_state *rs = &s->ring[i];
		int n = drain_ring(s, rs), part;

		part = n < 0 ? n : drain_partial(s, rs);
		if (part < 0)
			return part;
		*fresh += n + part;
		if (rs->nheld || rs->recover)
			whole = 0;
		else if (rs->condition == RING_GOOD && ring_reader_waiting(&rs->reader))
			whole = 0;
	}
	return whole && (!s->paused || s->trying);
}

int session_flush(struct session *s)
{
	struct process_info *dead;
	struct fault f;
	unsigned ndead;
	int fresh = 0, whole, n;

	if (session_look(s, &f) < 0)
		session_log(s, LOG_WARNING, "%s", f.text);
	if (!s->recording)
		return 0;
	output_begin(s, 0);
	dead = statedump_dead(s, &ndead, 0);
	n = statedump_processes(s);
	if (n < 0) {
		free(dead);
		return n;
	}
	fresh += n;
	whole = flush_rings(s, &fresh);
	if (whole > 0 && s->recording)
		statedump_free(s, dead, ndead);
	free(dead);
	if (whole < 0)
		return whole;
	n = statedump_lost(s);
	if (n >= 0 && s->recording) {
		fresh += n;
		n = daemon_stream_flush(s);
	}
	output_end(s);
	s->quiet = fresh == 0 && n == 0;
	return n < 0 ? n : fresh;
}

/* ---------------------------------------------------------------- state */

void session_totals(struct session *s, struct session_totals *out)
{
	struct session_totals t = { .lost = s->lost_reported };

	if (!s->recording) {
		t = s->last;
		t.waiting = t.quarantined = 0;
	} else if (s->ds.file.fd >= 0) {
		t.streams = 1;
		t.packets = s->ds.file.seq;
		t.bytes = s->ds.file.size;
		t.missed = s->ds.file.discarded;
		t.damaged = s->damaged;
	}
	for (unsigned i = 0; i < s->nrings; i++) {
		const struct ring_state *rs = &s->ring[i];

		if (rs->condition == RING_GOOD)
			t.waiting += rs->nheld + ring_reader_waiting(&rs->reader);
		t.quarantined += rs->condition == RING_QUARANTINED;
		if (!s->recording || rs->stream.fd < 0)
			continue;
		t.streams++;
		t.packets += rs->stream.seq;
		t.bytes += rs->stream.size;
		t.events += rs->stream.events;
		t.missed += rs->stream.discarded;
	}
	t.bad_events = s->scan->bad;
	*out = t;
}

void session_note(struct session *s, const char *what, const char *who, const char *detail)
{
	statedump_note(s, what, who, detail);
	s->quiet = 0;
}

int session_recording(const struct session *s)
{
	return s->recording;
}

const char *session_path(const struct session *s)
{
	return s->path;
}

int session_paused(const struct session *s)
{
	return s->paused;
}

int session_idle(const struct session *s)
{
	return !s->recording || (s->looked && !s->on && s->quiet && !s->paused);
}
