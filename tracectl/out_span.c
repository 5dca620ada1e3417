/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Open spans of every thread. Memory follows the number of threads that are
 * inside a span, not the length of the trace. Called by out_chrome.c,
 * out_folded.c and stat_span.c.
 */
#include <stdlib.h>
#include <string.h>

#include "tracectl/out_span.h"

int spans_init(struct spans *s)
{
	s->nbuckets = 4096;
	s->bucket = calloc(s->nbuckets, sizeof(*s->bucket));
	return s->bucket ? 0 : -1;
}

static void free_thread(struct span_thread *t)
{
	free(t->stack);
	free(t);
}

void spans_free(struct spans *s)
{
	for (unsigned i = 0; i < s->nbuckets && s->bucket; i++) {
		while (s->bucket[i]) {
			struct span_thread *next = s->bucket[i]->next;

			free_thread(s->bucket[i]);
			s->bucket[i] = next;
		}
	}
	free(s->bucket);
	s->bucket = NULL;
}

void spans_who(const struct trace_event *ev, int32_t *pid, int32_t *tid)
{
	int have_tid = event_tid(ev, tid) == 0;

	if (event_pid(ev, pid))
		*pid = have_tid ? *tid : 0;
	if (!have_tid)
		*tid = (int32_t)ev->cpu;
}

static struct span_thread **find(struct spans *s, uint64_t key)
{
	uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
	struct span_thread **at = &s->bucket[(h >> 40) % s->nbuckets];

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static uint64_t key_of(int32_t pid, int32_t tid)
{
	return (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
}

struct span_thread *spans_thread(struct spans *s, const struct trace_event *ev)
{
	int32_t pid, tid;

	spans_who(ev, &pid, &tid);
	return *find(s, key_of(pid, tid));
}

static unsigned base_length(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	return (unsigned)(n > k && strcmp(name + n - k, suffix) == 0 ? n - k : n);
}

static struct span *push(struct span_thread *t)
{
	if (t->depth == t->room) {
		unsigned room = t->room ? t->room * 2 : 4;
		struct span *more = realloc(t->stack, room * sizeof(*more));

		if (!more)
			return NULL;
		t->stack = more;
		t->room = room;
	}
	return &t->stack[t->depth++];
}

static struct span_thread *add_thread(struct spans *s, struct span_thread **at, int32_t pid,
				      int32_t tid)
{
	struct span_thread *t = s->nthreads < SPAN_THREADS ? calloc(1, sizeof(*t)) : NULL;

	if (!t)
		return NULL;
	t->key = key_of(pid, tid);
	t->pid = pid;
	t->tid = tid;
	*at = t;
	s->nthreads++;
	return t;
}

struct span *spans_begin(struct spans *s, const struct trace_event *ev)
{
	struct span_thread **at, *t;
	struct span *span = NULL;
	int32_t pid, tid;

	spans_who(ev, &pid, &tid);
	at = find(s, key_of(pid, tid));
	t = *at ? *at : add_thread(s, at, pid, tid);
	if (t && t->depth < SPAN_DEPTH)
		span = push(t);
	if (!span) {
		s->too_deep++;
		return NULL;
	}
	*span = (struct span){ .type = ev->type, .begin_ns = ev->ns,
			       .name_len = base_length(ev->type->name, "_begin") };
	return span;
}

static void pop(struct spans *s, struct span_thread *t, int64_t ns, int closed)
{
	struct span *span = &t->stack[t->depth - 1];

	if (closed)
		s->closed++;
	s->end(s->arg, t, span, ns, closed);
	if (t->depth > 1)
		span[-1].inner_ns += ns - span->begin_ns;
	t->depth--;
}

int spans_end(struct spans *s, const struct trace_event *ev)
{
	unsigned n = base_length(ev->type->name, "_end"), i;
	struct span_thread **at, *t;
	int32_t pid, tid;

	spans_who(ev, &pid, &tid);
	at = find(s, key_of(pid, tid));
	t = *at;
	i = t ? t->depth : 0;
	while (i && (t->stack[i - 1].name_len != n ||
		     memcmp(t->stack[i - 1].type->name, ev->type->name, n)))
		i--;
	if (!i) {
		s->no_begin++;
		return -1;
	}
	while (t->depth > i)
		pop(s, t, ev->ns, 1);
	pop(s, t, ev->ns, 0);
	if (!t->depth) {
		*at = t->next;
		free_thread(t);
		s->nthreads--;
	}
	return 0;
}

void spans_finish(struct spans *s, int64_t ns)
{
	for (unsigned i = 0; i < s->nbuckets; i++) {
		for (struct span_thread *t = s->bucket[i]; t; t = t->next) {
			while (t->depth)
				pop(s, t, ns, 1);
		}
	}
}
