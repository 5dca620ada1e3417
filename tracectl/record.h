/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The parts of `tracectl record`: what was asked for (cmd_record.c), the
 * private region (record_region.c), its daemon (record_daemon.c) and the
 * command (record_child.c).
 */
#ifndef TRACECTL_RECORD_H
#define TRACECTL_RECORD_H

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include "common/settings.h"
#include "tracectl/cmd.h"

#define RECORD_PATTERNS LAYOUT_MAX_RULES

struct record {
	const struct cmd_env *env;
	/* asked for */
	struct settings settings;
	const char *dir, *name;
	const char *pattern[RECORD_PATTERNS];
	unsigned npatterns;
	unsigned level;
	int strict;
	char **command;
	/* made */
	char private_dir[4096]; /* "" not yet */
	char region_path[4200];
	struct region region; /* fd -1: not open */
	char output[4200];    /* absolute: where the daemon makes recordings */
	char trace[4200];     /* absolute */
	char trace_name[72];
	pid_t daemon; /* 0 none */
	int daemon_died;
	sigset_t old_mask; /* as we were started */
	int signal_fd;     /* SIGINT SIGTERM SIGHUP SIGQUIT SIGCHLD */
	/* result */
	unsigned long long events, missed;
};

/* All return a status and have printed why if it is not CMD_DONE. */
int record_region_make(struct record *rec);
int record_region_off(struct record *rec); /* tracing off */
void record_region_remove(struct record *rec);

int record_daemon_start(struct record *rec); /* and the recording with it */
int record_daemon_stop(struct record *rec);  /* the recording: fills in events, missed */
void record_daemon_end(struct record *rec);

/* Can the command be run? CMD_DONE, 126 or 127. */
int record_child_check(const struct record *rec);
/* Run the command to its end. Its exit status, 128 + signal, 126 or 127. */
int record_child_run(struct record *rec);

/* A signal that came, 0 none; does not wait. Children are looked after. */
int record_signal(struct record *rec, struct signalfd_siginfo *info);

#endif
