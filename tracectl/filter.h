/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Which events of a trace are wanted: the options that view, convert and stat
 * share, and the scan over a trace with them.
 */
#ifndef TRACECTL_FILTER_H
#define TRACECTL_FILTER_H

#include <getopt.h>

#include "tracectl/cmd.h"
#include "tracectl/filter_expr.h"

enum filter_option {
	FILTER_BEGIN = 0x1000,
	FILTER_END,
	FILTER_EVENT,
	FILTER_CLASS,
	FILTER_PID,
	FILTER_TID,
	FILTER_CPU,
	FILTER_WHERE,
};

#define FILTER_OPTIONS                                           \
	{ "begin", required_argument, NULL, FILTER_BEGIN },      \
	{ "end", required_argument, NULL, FILTER_END },          \
	{ "event", required_argument, NULL, FILTER_EVENT },      \
	{ "class", required_argument, NULL, FILTER_CLASS },      \
	{ "pid", required_argument, NULL, FILTER_PID },          \
	{ "tid", required_argument, NULL, FILTER_TID },          \
	{ "cpu", required_argument, NULL, FILTER_CPU },          \
	{ "where", required_argument, NULL, FILTER_WHERE }

#define FILTER_HELP                                                                     \
	"Which events:\n"                                                               \
	"  --begin TIME    from here on: `+1.5s` behind the first event, `13:02:03.5`,\n" \
	"                  `2026-12-01T13:02:03Z`, seconds since 1970, or `@PATTERN`:\n" \
	"                  from the first event that matches\n"                         \
	"  --end TIME      up to here, the same forms; with @PATTERN that event is the last\n" \
	"  --event PATTERN class:event as a glob, or the event's name alone; may be repeated\n" \
	"  --class PATTERN --pid LIST --tid LIST --cpu LIST\n"                          \
	"                  lists are like 1,4-7; each may be repeated\n"                \
	"  --where EXPR    an expression over fields, as in C; ~ and !~ match globs:\n" \
	"                  'port == 80 && iface ~ \"eth*\" || pid == 12'. Names: fields, else\n" \
	"                  pid tid cpu event class level\n"

#define FILTER_LIST 64

struct filter_range {
	uint64_t low, high;
};

struct filter_list {
	unsigned n;
	struct filter_range range[FILTER_LIST];
};

struct filter_globs {
	unsigned n;
	const char *glob[FILTER_LIST];
};

struct filter {
	const char *begin, *end; /* as given */
	int utc;                 /* times of day are UTC */
	int64_t begin_ns, end_ns;
	int started, finished; /* for @PATTERN */
	int resolved;
	struct filter_globs events, classes;
	struct filter_list pids, tids, cpus;
	struct filter_expr *where;
	int any; /* any filter but times */
};

void filter_init(struct filter *f);
void filter_free(struct filter *f);

/* One of FILTER_OPTIONS: 0, or a status after saying what is wrong. */
int filter_take(const struct cmd_env *env, struct filter *f, int option, const char *arg);

/* Names in --where that no event has: 0 or a status. */
int filter_check(const struct cmd_env *env, const struct filter *f, const struct reader *r);

enum filter_verdict { FILTER_SKIP, FILTER_TAKE, FILTER_STOP };
enum filter_verdict filter_event(struct filter *f, const struct trace_event *ev);

/* Absolute --begin, to pass over packets; INT64_MIN if there is none. */
int64_t filter_begin(const struct filter *f);

#endif
