/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Pairs the begin and end events of spans, per thread. Ends may be missing
 * (events were missed, the trace begins or ends in the middle, a thread was
 * killed): a span is then left open, and closed by the end of one around it or
 * by the end of the trace.
 */
#ifndef TRACECTL_OUT_SPAN_H
#define TRACECTL_OUT_SPAN_H

#include "tracectl/reader/reader.h"

#define SPAN_DEPTH 512u      /* of one thread */
#define SPAN_THREADS 131072u /* with an open span at one moment */

struct span {
	const struct meta_event *type; /* of the begin */
	unsigned name_len;             /* of its name without _begin */
	int64_t begin_ns;
	int64_t inner_ns; /* spent in spans within it */
	void *user;
};

struct span_thread {
	struct span_thread *next;
	uint64_t key;
	int32_t pid, tid;
	unsigned depth, room;
	struct span *stack;
};

struct spans {
	void *arg;
	/* A span ends; `closed`: without an end of its own. It is the top of
	 * t->stack still. */
	void (*end)(void *arg, const struct span_thread *t, const struct span *s, int64_t ns,
		    int closed);
	uint64_t no_begin; /* ends without a begin: left out */
	uint64_t closed;   /* spans without an end */
	uint64_t too_deep; /* left out: stack or table full */
	unsigned nthreads, nbuckets;
	struct span_thread **bucket;
};

int spans_init(struct spans *s); /* 0 or -1 */
void spans_free(struct spans *s);

/* Who an event belongs to: pid and tid of the context; without a pid the tid,
 * without both 0 and the CPU. */
void spans_who(const struct trace_event *ev, int32_t *pid, int32_t *tid);

/* A span begins: its place on the stack, NULL if there is no room. */
struct span *spans_begin(struct spans *s, const struct trace_event *ev);
/* Calls s->end for the span and for those within it that are still open. 0, or
 * -1 if there was no begin. */
int spans_end(struct spans *s, const struct trace_event *ev);
/* The trace ends here. */
void spans_finish(struct spans *s, int64_t ns);

/* The open spans of the event's thread, or NULL. */
struct span_thread *spans_thread(struct spans *s, const struct trace_event *ev);

#endif
