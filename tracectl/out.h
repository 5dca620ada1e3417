/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What a format of `view` and `convert` is: a constant record with functions,
 * one per out_*.c, and the settings they share.
 */
#ifndef TRACECTL_OUT_H
#define TRACECTL_OUT_H

#include <stdio.h>

#include "tracectl/out_buf.h"
#include "tracectl/reader/reader.h"

enum out_time { OUT_TIME_LOCAL, OUT_TIME_UTC, OUT_TIME_DATE, OUT_TIME_SECONDS, OUT_TIME_CYCLES };

enum out_form { OUT_FORM_BABELTRACE, OUT_FORM_COMPACT, OUT_FORM_WIDE };

struct out_options {
	enum out_time time;
	int utc;      /* with OUT_TIME_DATE */
	int no_delta; /* compact form: no time since the event before */
	enum out_form form;
	int colour;
	const char *directory; /* of a format that writes one */
};

struct names;

struct out {
	const struct out_format *format;
	struct out_options o;
	struct out_buf *buf;
	struct reader *reader;
	const struct names *names; /* of processes, or NULL */
	void *state;               /* of the format */
	uint64_t events;
	FILE *notes; /* where a format says what it could not do */
	char problem[512]; /* why the format failed, "" it did not */
};

struct out_format {
	const char *name;
	int (*begin)(struct out *out); /* 0, or -1 (no memory, or `problem`) */
	void (*event)(struct out *out, const struct trace_event *ev);
	void (*end)(struct out *out); /* ends the output, frees the state */
};

extern const struct out_format out_format_text, out_format_json, out_format_csv;
extern const struct out_format out_format_chrome, out_format_folded, out_format_ctf;

/* Shared pieces (out_value.c). */
void out_escaped(struct out_buf *b, const char *text, size_t n); /* as babeltrace2 */
void out_json_string(struct out_buf *b, const char *text, size_t n);
void out_json_value(struct out_buf *b, const struct field_value *v);

#endif
