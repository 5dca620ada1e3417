/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Names of processes, from the events of the daemon's stream. */
#ifndef TRACECTL_OUT_NAMES_H
#define TRACECTL_OUT_NAMES_H

#include <stdint.h>

struct names;
struct trace_event;

struct names_entry {
	int32_t pid;
	uint64_t attached; /* clock */
	char comm[32];
};

struct names *names_new(void);
void names_free(struct names *n);

/* Read the daemon's streams of the trace at `path` once, before all others. */
struct names *names_load(const char *path);

/* Learn from trbuf:process; other events are nothing to it. */
void names_learn(struct names *n, const struct trace_event *ev);

/* The name that `pid` had at this clock value, NULL if not known. */
const char *names_comm(const struct names *n, int32_t pid, uint64_t clock);

/* All of them, by pid and time. */
unsigned names_count(const struct names *n);
const struct names_entry *names_at(const struct names *n, unsigned i);

#endif
