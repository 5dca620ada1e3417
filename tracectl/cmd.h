/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What a verb of tracectl is, and what all of them share.
 *
 * Each verb lives in cmd_<verb>.c and defines one constant struct cmd; main.c
 * has the table. main.c takes --help, --json and --region out of argv (before
 * or after the verb, up to a "--"), so a verb never sees them.
 */
#ifndef TRACECTL_CMD_H
#define TRACECTL_CMD_H

#include <stdio.h>

struct cmd;

enum cmd_status {
	CMD_DONE = 0,
	CMD_FAILED = 1,
	CMD_USAGE = 2,
	CMD_MISSED = 3, /* done, but events were missed (only with --strict) */
};

struct cmd_env {
	const char *region_path; /* --region PATH, or NULL: the path rule of region.h */
	int json;                /* --json: results and errors are JSON on stdout */
	const struct cmd *cmd;   /* the verb that runs */
};

struct cmd {
	const char *name;
	const char *args;    /* for the usage line: "PATTERN... [--level L]" */
	const char *summary; /* one line, no full stop */
	const char *help;    /* options and examples; lines end in \n */
	/* argv[0] is the verb, argv[argc] is NULL; getopt_long works on it
	 * (optind is 1). Returns enum cmd_status. */
	int (*run)(struct cmd_env *env, int argc, char **argv);
};

/* "tracectl: ..." on stderr, or with --json {"error": ..., "status": N} on
 * stdout. Returns status, so that a verb can `return cmd_fail(...)`. */
int cmd_fail(const struct cmd_env *env, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Wrong use: as cmd_fail with CMD_USAGE, and names the verb's --help. */
int cmd_usage(const struct cmd_env *env, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* For the default branch of a getopt_long loop that was called with opterr 0
 * and an option string that starts with ':' (":o:" and so on): says which
 * option is unknown or lacks its argument. `c` is what getopt_long returned. */
int cmd_badopt(const struct cmd_env *env, int c, char **argv);

/* A remark beside the result, to stderr; with --json nothing: the result has it
 * as a field. Returns 0. */
int cmd_note(const struct cmd_env *env, const char *text);

/* Edits between two words, and whether that is near enough to be suggested. */
unsigned cmd_distance(const char *a, const char *b);
int cmd_is_near(const char *word, const char *name, unsigned distance);

/* Help of one verb, to stdout. */
void cmd_help(const struct cmd *cmd);

/* Flushes stdout; CMD_FAILED with a message if something could not be written
 * (full disk, closed pipe), else `status`. Verbs that print end with it. */
int cmd_written(const struct cmd_env *env, int status);

extern const struct cmd cmd_status, cmd_list, cmd_on, cmd_off, cmd_enable, cmd_disable, cmd_mask;
extern const struct cmd cmd_cpus, cmd_resize, cmd_mode, cmd_top, cmd_doctor;
extern const struct cmd cmd_start, cmd_stop, cmd_flush, cmd_record;
extern const struct cmd cmd_view, cmd_convert, cmd_stat, cmd_verify, cmd_repair;

#endif
