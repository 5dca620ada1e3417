/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* From a trace through filters into a format: what view and convert share. */
#ifndef TRACECTL_OUT_RUN_H
#define TRACECTL_OUT_RUN_H

#include "tracectl/filter.h"
#include "tracectl/out.h"

#define OUT_RUN_SHOWN 20 /* findings that are printed one by one */

struct out_job {
	const char *path; /* of the trace */
	struct filter filter;
	const struct out_format *format;
	struct out_options o;
	int fd;
	int strict;
	int progress;      /* a bar on stderr */
	int follow;
	int64_t window_ns; /* follow: how long an event is held back for others */
	int interrupted;   /* set: following was ended by a signal */
	int names;         /* the format shows names of processes */
	int complete;      /* set by out_run: all that can be read was written */
};

/* Findings of a reader, printed and counted. */
struct out_findings {
	const struct cmd_env *env;
	unsigned shown;
};
void out_finding(void *arg, const struct reader_damage *d);
/* The last line about them; 1 if there were any. */
int out_findings_end(const struct out_findings *f, const struct reader *r);

/* Misses that an event reports, 0 for all other events. */
uint64_t out_missed(const struct trace_event *ev);

int out_run(const struct cmd_env *env, struct out_job *job);

/* Follow (view_follow.c): as out_run's loop. 0 or -1 if the output failed. */
struct out_loop {
	struct out_job *job;
	struct out *out;
	struct reader *reader;
	uint64_t missed;
	int ended; /* the recording has been stopped */
};
int out_loop_event(struct out_loop *l, const struct trace_event *ev); /* 0, or 1: stop */
void view_follow(struct out_loop *l);

#endif
