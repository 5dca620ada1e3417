/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Merges streams by time. A heap holds every stream with its next event on
 * top; as long as the stream whose event was returned last is still the
 * earliest (which it mostly is) the heap is not touched. Called by every verb
 * that reads a trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tracectl/reader/trace.h"

#define WINDOW_BUDGET (8u << 20)
#define SPARE_FDS 24u

void reader_report(struct reader *r, const struct reader_damage *d)
{
	r->damaged++;
	r->skipped += d->bytes;
	if (r->o.damage)
		r->o.damage(r->o.arg, d);
}

const struct reader_options *reader_opts(const struct reader *r)
{
	return &r->o;
}

static int before(const struct stream *a, const struct stream *b)
{
	return a->ev.ns < b->ev.ns || (a->ev.ns == b->ev.ns && a->rank < b->rank);
}

static void sift_down(struct reader *r, unsigned i)
{
	struct stream *s = r->heap[i];

	for (;;) {
		unsigned child = 2 * i + 1;

		if (child >= r->nheap)
			break;
		if (child + 1 < r->nheap && before(r->heap[child + 1], r->heap[child]))
			child++;
		if (!before(r->heap[child], s))
			break;
		r->heap[i] = r->heap[child];
		i = child;
	}
	r->heap[i] = s;
}

/* How far the stream on top may go before another one has its turn. */
static void set_bound(struct reader *r)
{
	const struct stream *next = r->nheap > 1 ? r->heap[1] : NULL;

	if (r->nheap > 2 && before(r->heap[2], next))
		next = r->heap[2];
	r->bound_ns = next ? next->ev.ns : INT64_MAX;
	r->bound_rank = next ? next->rank : ~0u;
}

static void push(struct reader *r, struct stream *s)
{
	unsigned i = r->nheap++;

	while (i && before(s, r->heap[(i - 1) / 2])) {
		r->heap[i] = r->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	r->heap[i] = s;
	s->ended = 0;
}

/* The stream on top has moved on, or has ended. */
static void settle(struct reader *r, int ended)
{
	if (ended) {
		r->heap[0]->ended = 1;
		r->heap[0] = r->heap[--r->nheap];
	}
	if (r->nheap)
		sift_down(r, 0);
	set_bound(r);
}

const struct trace_event *reader_next(struct reader *r)
{
	struct stream *s = r->current;

	if (s) {
		int got = stream_next(s);

		if (got && (s->ev.ns < r->bound_ns ||
			    (s->ev.ns == r->bound_ns && s->rank < r->bound_rank)))
			return &s->ev;
		settle(r, !got);
	}
	r->current = r->nheap ? r->heap[0] : NULL;
	return r->current ? &r->current->ev : NULL;
}

const struct trace_event *reader_stream_next(struct reader *r, unsigned i)
{
	return stream_next(r->stream[i]) ? &r->stream[i]->ev : NULL;
}

/* It is still on top of the heap, and only a stream that is `current` moves. */
void reader_unget(struct reader *r)
{
	r->current = NULL;
}

static int compare_streams(const void *a, const void *b)
{
	const struct stream *l = *(struct stream *const *)a, *m = *(struct stream *const *)b;
	int c = memcmp(l->trace->meta->uuid, m->trace->meta->uuid, 16);

	if (c)
		return c;
	if (l->class_id != m->class_id)
		return l->class_id < m->class_id ? -1 : 1;
	return l->instance < m->instance ? -1 : l->instance > m->instance;
}

static unsigned fd_budget(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur <= SPARE_FDS)
		return 0;
	return limit.rlim_cur > 1u << 16 ? 1u << 16 : (unsigned)limit.rlim_cur - SPARE_FDS;
}

/* A window for a stream that has none. 0 or -1. */
static int prepare(struct reader *r, struct stream *s)
{
	size_t size = WINDOW_BUDGET / r->nstreams;

	if (s->window)
		return 0;
	size = size < STREAM_MIN_WINDOW ? STREAM_MIN_WINDOW : size;
	size = size > STREAM_MAX_WINDOW ? STREAM_MAX_WINDOW : size & ~(size_t)4095;
	s->window = malloc(size);
	s->window_size = size;
	if (r->fds) {
		s->keep_fd = 1;
		r->fds--;
	}
	return s->window ? 0 : -1;
}

/* New ranks, windows for new streams, and their first events onto the heap. */
static int arrange(struct reader *r)
{
	unsigned room = r->nstreams ? r->nstreams : 1;
	struct stream **heap = realloc(r->heap, room * sizeof(struct stream *));

	if (!heap)
		return -1;
	r->heap = heap;
	if (r->nstreams)
		qsort(r->stream, r->nstreams, sizeof(struct stream *), compare_streams);
	for (unsigned i = 0; i < r->nstreams; i++)
		r->stream[i]->rank = i;
	for (unsigned i = 0; i < r->nstreams; i++) {
		struct stream *s = r->stream[i];

		if (!s->ended)
			continue;
		if (prepare(r, s))
			return -1;
		if (!r->o.by_stream && stream_next(s))
			push(r, s);
	}
	/* Ranks may have changed: make a heap again. */
	for (unsigned i = r->nheap / 2; i-- > 0;)
		sift_down(r, i);
	set_bound(r);
	return 0;
}

struct reader *reader_open(const char *path, const struct reader_options *o,
			   char error[META_ERROR])
{
	struct reader *r = calloc(1, sizeof(*r));
	size_t n = strlen(path);

	if (!r)
		return NULL;
	r->o = *o;
	while (n > 1 && path[n - 1] == '/')
		n--;
	r->path = strndup(path, n);
	r->fds = fd_budget();
	if (!r->path || trace_scan(r, error) < 0 || arrange(r)) {
		reader_close(r);
		return NULL;
	}
	return r;
}

int reader_refresh(struct reader *r)
{
	char error[META_ERROR];
	int changed = trace_scan(r, error);

	for (unsigned i = 0; i < r->nstreams; i++) {
		if (r->stream[i]->window)
			changed += stream_measure(r->stream[i]);
	}
	/* The event returned last is used up: forget it before the heap moves. */
	if (r->current) {
		settle(r, !stream_next(r->current));
		r->current = NULL;
	}
	return arrange(r) == 0 && changed > 0;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->nstreams; i++)
		stream_free(r->stream[i]);
	for (unsigned i = 0; i < r->ntraces; i++)
		trace_free(r->trace[i]);
	free(r->stream);
	free(r->trace);
	free(r->heap);
	free(r->path);
	free(r);
}

uint64_t reader_damaged(const struct reader *r)
{
	return r->damaged;
}

uint64_t reader_skipped(const struct reader *r)
{
	return r->skipped;
}

uint64_t reader_bytes(const struct reader *r)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < r->nstreams; i++) {
		for (unsigned k = 0; k < r->stream[i]->nfiles; k++)
			sum += r->stream[i]->file[k].size;
	}
	return sum;
}

uint64_t reader_done(const struct reader *r)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < r->nstreams; i++) {
		for (unsigned k = 0; k < r->stream[i]->current; k++)
			sum += r->stream[i]->file[k].size;
		sum += r->stream[i]->next_packet;
	}
	return sum;
}

unsigned reader_traces(const struct reader *r)
{
	return r->ntraces;
}

struct trace *reader_trace(const struct reader *r, unsigned i)
{
	return r->trace[i];
}

unsigned reader_streams(const struct reader *r)
{
	return r->nstreams;
}

const struct stream *reader_stream(const struct reader *r, unsigned i)
{
	return r->stream[i];
}

int event_field(const struct trace_event *ev, const char *name, struct field_value *v)
{
	struct field_walk w;

	field_start(&w, ev);
	while (field_next(&w, v)) {
		if (strcmp(v->field->name, name) == 0)
			return 1;
	}
	return 0;
}

uint64_t event_number(const struct trace_event *ev, const char *name, uint64_t none)
{
	struct field_value v;

	return event_field(ev, name, &v) && v.field->kind <= META_SINT ? v.number : none;
}

const char *event_string(const struct trace_event *ev, const char *name)
{
	struct field_value v;

	if (event_field(ev, name, &v) && v.field->kind == META_STRING)
		return (const char *)v.data;
	return "";
}
