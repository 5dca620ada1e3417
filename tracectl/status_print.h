/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* What `tracectl status` found, and writing it down. */
#ifndef TRACECTL_STATUS_PRINT_H
#define TRACECTL_STATUS_PRINT_H

#include "libtrbuf/region.h"
#include "tracectl/ring_state.h"

struct status_report {
	struct layout_control control;
	struct ring_state *rings;
	struct ring_sum sum;
	uint64_t frequency, memory;
	size_t events, events_on, classes, same_name;
	uint64_t events_bad;
	unsigned processes, processes_locked, processes_dead;
	int daemon;   /* pid, 0 none, -1 unknown */
	int in_place; /* the file is the one at its path */
	int stale;    /* gates wait to be derived again */
	int recording, paused;
	char recording_path[1024];
};

void status_print_text(const struct region *r, const struct status_report *s);
void status_print_json(const struct region *r, const struct status_report *s);

#endif
