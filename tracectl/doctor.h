/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* What the checks of `tracectl doctor` share. */
#ifndef TRACECTL_DOCTOR_H
#define TRACECTL_DOCTOR_H

#include "libtrbuf/region.h"
#include "tracectl/event_set.h"
#include "tracectl/ring_state.h"

struct json;

enum doctor_kind {
	DOCTOR_CAUSE,  /* events are not recorded because of this */
	DOCTOR_REMARK, /* they are, but worth knowing */
};

struct doctor {
	const struct cmd_env *env;
	struct region *r;
	const char *event;   /* as it was asked for, NULL all */
	const char *pattern; /* the glob of it */
	int all;             /* --all: every cause */
	unsigned causes;
	struct json *j;
	struct event_set set;
	struct layout_control control;
	struct ring_state *rings;
	struct ring_sum sum;
	int daemon; /* pid, 0 none, -1 unknown */
};

/* Notes one finding: code is a fixed word, mend a command or advice. Only the
 * first cause is kept unless all are wanted. */
void doctor_found(struct doctor *d, enum doctor_kind kind, const char *code, const char *mend,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Each in its own order of importance; see doctor_checks[] in cmd_doctor.c. */
void doctor_check_place(struct doctor *d);
void doctor_check_control(struct doctor *d);
void doctor_check_events(struct doctor *d);
void doctor_check_rings(struct doctor *d);
void doctor_check_cpus(struct doctor *d);
void doctor_check_rseq(struct doctor *d);
void doctor_check_daemon(struct doctor *d);
void doctor_check_refused(struct doctor *d);

/* Processes that still trace into a removed file at `path`: how many, and the
 * pid of one of them. */
unsigned doctor_orphans(const char *path, int *pid);

#endif
