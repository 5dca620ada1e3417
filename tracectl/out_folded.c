/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Folded stacks for flame graphs: per process and stack of spans the
 * nanoseconds spent in it and not in a span within it. Distinct stacks are kept
 * in a tree with a cap; what goes beyond is added up under "[more]". Called
 * through struct out_format.
 */
#include <stdlib.h>
#include <string.h>

#include "tracectl/out.h"
#include "tracectl/out_names.h"
#include "tracectl/out_span.h"

#define MAX_NODES 400000u
#define BUCKETS 65536u

struct node {
	uint32_t parent; /* 0: of a process */
	uint32_t next;   /* in its bucket */
	const struct meta_event *type;
	int32_t pid; /* of a process */
	uint64_t self_ns;
};

struct folded {
	struct spans spans;
	struct out *out;
	struct node *node; /* [0] is nothing */
	unsigned n, room;
	uint32_t bucket[BUCKETS];
	uint64_t more_ns;
	int64_t last;
};

static uint32_t hash(uint32_t parent, const struct meta_event *type, int32_t pid)
{
	uint64_t h = parent * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)type ^
		     (uint64_t)(uint32_t)pid << 32;

	h *= UINT64_C(0xff51afd7ed558ccd);
	return (uint32_t)(h >> 40) % BUCKETS;
}

/* The child of a node, made when new; 0 if there is no room. */
static uint32_t child(struct folded *f, uint32_t parent, const struct meta_event *type, int32_t pid)
{
	uint32_t *at = &f->bucket[hash(parent, type, pid)];

	for (uint32_t i = *at; i; i = f->node[i].next) {
		const struct node *n = &f->node[i];

		if (n->parent == parent && n->type == type && n->pid == pid)
			return i;
	}
	if (f->n == f->room) {
		unsigned room = f->room * 2;
		struct node *more = room <= MAX_NODES ? realloc(f->node, room * sizeof(*more)) : NULL;

		if (!more)
			return 0;
		f->node = more;
		f->room = room;
	}
	f->node[f->n] = (struct node){ .parent = parent, .next = *at, .type = type, .pid = pid };
	*at = f->n;
	return f->n++;
}

static void add_span(void *arg, const struct span_thread *t, const struct span *s, int64_t ns,
		     int closed)
{
	struct folded *f = arg;
	int64_t self = ns - s->begin_ns - s->inner_ns;
	uint32_t at = child(f, 0, NULL, t->pid);

	(void)closed;
	for (unsigned i = 0; at && i < t->depth; i++)
		at = child(f, at, t->stack[i].type, 0);
	if (self < 0)
		self = 0;
	if (at)
		f->node[at].self_ns += (uint64_t)self;
	else
		f->more_ns += (uint64_t)self;
}

static void folded_event(struct out *out, const struct trace_event *ev)
{
	struct folded *f = out->state;

	f->last = ev->ns;
	if (ev->type->span == META_SPAN_BEGIN)
		spans_begin(&f->spans, ev);
	else if (ev->type->span == META_SPAN_END)
		spans_end(&f->spans, ev);
}

/* A frame: ; and space have a meaning in the format. */
static void put_frame(struct out_buf *b, const char *name, size_t n)
{
	out_reserve(b, n + 32);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)name[i];

		out_char(b, c == ';' ? ':' : c <= ' ' || c == 0x7f ? '_' : (char)c);
	}
}

static void put_process(struct folded *f, int32_t pid)
{
	const char *comm = f->out->names ? names_comm(f->out->names, pid, UINT64_MAX) : NULL;
	char text[24];

	if (comm && *comm) {
		put_frame(f->out->buf, comm, strlen(comm));
		return;
	}
	snprintf(text, sizeof(text), "pid-%d", pid);
	put_frame(f->out->buf, text, strlen(text));
}

static void put_stack(struct folded *f, uint32_t leaf)
{
	uint32_t path[SPAN_DEPTH + 1];
	unsigned n = 0;
	struct out_buf *b = f->out->buf;

	for (uint32_t i = leaf; i && n <= SPAN_DEPTH; i = f->node[i].parent)
		path[n++] = i;
	put_process(f, f->node[path[n - 1]].pid);
	while (n-- > 1) {
		const char *name = f->node[path[n - 1]].type->name;
		size_t size = strlen(name);

		if (size > 6 && strcmp(name + size - 6, "_begin") == 0)
			size -= 6;
		out_text(b, ";");
		put_frame(b, name, size);
	}
	out_reserve(b, 64);
	out_char(b, ' ');
	out_u64(b, f->node[leaf].self_ns);
	out_char(b, '\n');
}

static int folded_begin(struct out *out)
{
	struct folded *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->room = 1024;
	f->n = 1;
	f->node = calloc(f->room, sizeof(*f->node));
	if (!f->node || spans_init(&f->spans)) {
		free(f->node);
		free(f);
		return -1;
	}
	f->out = out;
	f->spans.arg = f;
	f->spans.end = add_span;
	out->state = f;
	return 0;
}

static void folded_end(struct out *out)
{
	struct folded *f = out->state;

	spans_finish(&f->spans, f->last);
	for (uint32_t i = 1; i < f->n; i++) {
		if (f->node[i].parent && f->node[i].self_ns)
			put_stack(f, i);
	}
	if (f->more_ns) {
		out_text(out->buf, "[more] ");
		out_reserve(out->buf, 64);
		out_u64(out->buf, f->more_ns);
		out_char(out->buf, '\n');
	}
	if (f->spans.closed || f->spans.no_begin || f->spans.too_deep)
		fprintf(out->notes,
			"tracectl: spans: %llu had no end and were closed, %llu ends had no begin "
			"and %llu spans were too many at once: left out\n",
			(unsigned long long)f->spans.closed, (unsigned long long)f->spans.no_begin,
			(unsigned long long)f->spans.too_deep);
	spans_free(&f->spans);
	free(f->node);
	free(f);
}

const struct out_format out_format_folded = { "folded", folded_begin, folded_event, folded_end };
