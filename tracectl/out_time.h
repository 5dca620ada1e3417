/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Times as text. Keeps the text of the last second, as most events share it. */
#ifndef TRACECTL_OUT_TIME_H
#define TRACECTL_OUT_TIME_H

#include "tracectl/out.h"

struct out_clock {
	enum out_time form;
	int utc;
	int have;
	int64_t second;
	char text[64]; /* up to and with the dot */
	size_t size;
	uint64_t last; /* ns or cycles of the event before */
	int have_last;
};

void out_clock_init(struct out_clock *c, const struct out_options *o);
/* 13:02:03.123456789, up to 80 bytes. */
void out_clock_put(struct out_clock *c, struct out_buf *b, const struct trace_event *ev);
/* +0.000000000 since the last call, up to 40 bytes. */
void out_clock_delta(struct out_clock *c, struct out_buf *b, const struct trace_event *ev);

/* ISO 8601 in UTC, with nanoseconds. */
void out_iso_time(int64_t ns, char *text, size_t size);

/* "+1.5s", "13:02:03.5", "2026-12-01T13:02:03Z", "1700000000.25" against the
 * time of the first event. 0 or -1. */
int out_parse_time(const char *text, int64_t first, int utc, int64_t *ns);
/* Does it need the first event's time? */
int out_time_is_relative(const char *text);

#endif
