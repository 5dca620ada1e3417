/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Which pid was which process, and when. Bounded: the newest 65536 processes.
 * Called by the text forms, chrome, folded and stat.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracectl/out_names.h"
#include "tracectl/reader/reader.h"

#define MAX_NAMES 65536u

struct names {
	unsigned n, room;
	struct names_entry *entry; /* by pid, then attached */
};

struct names *names_new(void)
{
	return calloc(1, sizeof(struct names));
}

void names_free(struct names *n)
{
	if (n)
		free(n->entry);
	free(n);
}

/* Index of the first entry that is behind (pid, clock). */
static unsigned find(const struct names *n, int32_t pid, uint64_t clock)
{
	unsigned low = 0, high = n->n;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;
		const struct names_entry *e = &n->entry[mid];

		if (e->pid < pid || (e->pid == pid && e->attached <= clock))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int make_room(struct names *n)
{
	unsigned room = n->room ? n->room * 2 : 64;
	struct names_entry *more;

	if (n->n < n->room)
		return 0;
	if (room > MAX_NAMES)
		return -1;
	more = realloc(n->entry, room * sizeof(*more));
	if (!more)
		return -1;
	n->entry = more;
	n->room = room;
	return 0;
}

void names_learn(struct names *n, const struct trace_event *ev)
{
	struct names_entry e = { 0 };
	unsigned at;

	if (ev->type->own != META_OWN_PROCESS)
		return;
	e.pid = (int32_t)event_number(ev, "pid", 0);
	e.attached = event_number(ev, "attached", 0);
	snprintf(e.comm, sizeof(e.comm), "%s", event_string(ev, "comm"));
	at = find(n, e.pid, e.attached);
	if (at && n->entry[at - 1].pid == e.pid && n->entry[at - 1].attached == e.attached) {
		n->entry[at - 1] = e;
		return;
	}
	if (make_room(n))
		return;
	memmove(n->entry + at + 1, n->entry + at, (n->n - at) * sizeof(e));
	n->entry[at] = e;
	n->n++;
}

const char *names_comm(const struct names *n, int32_t pid, uint64_t clock)
{
	unsigned at = find(n, pid, clock);

	if (at && n->entry[at - 1].pid == pid)
		return n->entry[at - 1].comm;
	/* Seen a moment before it was entered: the first one then. */
	if (at < n->n && n->entry[at].pid == pid)
		return n->entry[at].comm;
	return NULL;
}

struct names *names_load(const char *path)
{
	struct reader_options o = { .begin_ns = INT64_MIN, .live = 1, .only_daemon = 1 };
	struct names *n = names_new();
	const struct trace_event *ev;
	char error[META_ERROR];
	struct reader *r = n ? reader_open(path, &o, error) : NULL;

	while (r && (ev = reader_next(r)))
		names_learn(n, ev);
	reader_close(r);
	return n;
}

unsigned names_count(const struct names *n)
{
	return n->n;
}

const struct names_entry *names_at(const struct names *n, unsigned i)
{
	return &n->entry[i];
}
