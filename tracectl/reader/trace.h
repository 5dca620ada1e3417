/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The directories of a trace: finding metadata and stream files. For the
 * reader alone. */
#ifndef TRACECTL_TRACE_H
#define TRACECTL_TRACE_H

#include "tracectl/reader/stream.h"

struct reader {
	struct reader_options o;
	char *path;
	unsigned ntraces, nstreams;
	struct trace **trace;
	struct stream **stream; /* by rank */
	unsigned nheap;
	struct stream **heap;
	struct stream *current; /* whose event was returned last */
	int64_t bound_ns;       /* the runner-up in the heap */
	unsigned bound_rank;
	uint64_t damaged, skipped;
	unsigned fds; /* descriptors that streams may keep */
};

/* Find everything at r->path that is not known yet. Number of new or changed
 * things, or -1 with a reason. */
int trace_scan(struct reader *r, char error[META_ERROR]);
void trace_free(struct trace *t);

#endif
