/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What tracerd was told: tracerd.conf, then the command line, which wins.
 * Every key of the file is an option too.
 */
#ifndef TRACERD_CONFIG_H
#define TRACERD_CONFIG_H

#include <stdint.h>
#include <stdio.h>

#include "common/settings.h"

#ifndef TRBUF_SYSCONFDIR
#define TRBUF_SYSCONFDIR "/etc"
#endif
#define CONFIG_FILE TRBUF_SYSCONFDIR "/trbuf/tracerd.conf"
#define CONFIG_PATH 4096

/* X(enumerator, option, section, key, argument, help) */
#define CONFIG_LIST(X) \
	X(REGION, "region", "region", "path", "PATH", "the region to serve (see trbuf(7))") \
	X(OUTPUT, "output", "recording", "output", "DIR", \
	  "where recordings are made (~/trbuf-traces)") \
	X(NAME, "name", "recording", "name", "NAME", "first part of their names (trace)") \
	X(RECORD, "record", "recording", "record", "[=yes|no]", "begin a recording at once (no)") \
	X(ON, "on", "recording", "on", "[=yes|no]", "switch tracing on at once (no)") \
	X(RESERVE, "reserve", "recording", "reserve", "SIZE", \
	  "room on the disk to leave free (16M)") \
	X(CHECK_RECORDS, "check-records", "recording", "check-records", "auto|yes|no", \
	  "walk through each page before it is written (auto: if a group may write the region)") \
	X(PID_FILE, "pid-file", "daemon", "pid-file", "FILE", "write the process id there (none)") \
	X(LOG_LEVEL, "log-level", "daemon", "log-level", "LEVEL", \
	  "least level of lines to log (info)")

enum config_index {
#define X(id, option, section, key, arg, help) CONFIG_##id,
	CONFIG_LIST(X)
#undef X
		CONFIG_COUNT
};

enum config_action { CONFIG_RUN = 0, CONFIG_CHECK, CONFIG_HELP, CONFIG_VERSION };

struct config {
	struct settings settings;
	char region[CONFIG_PATH];   /* absolute once loaded */
	char output[CONFIG_PATH];   /* absolute once loaded */
	char pid_file[CONFIG_PATH]; /* absolute, or "" none */
	char name[72];
	int record, on;
	uint64_t reserve;
	int check_records; /* -1 auto */
	unsigned log_level;
	/* command line only */
	char file[CONFIG_PATH]; /* what is or was read; "" none */
	enum config_action action;
	int daemonize;
	int ready_fd; /* -1 none */
};

/* File and command line. 0; 2 wrong use or 1 a bad or unreadable file, both with *f. */
int config_load(struct config *c, int argc, char **argv, struct fault *f);

/* Just the text of a file, from `in`: 0, or -EINVAL with *f naming file and line. */
int config_read(struct config *c, FILE *in, const char *name, struct fault *f);

void config_defaults(struct config *c);

/* What would be used, as a tracerd.conf. */
void config_print(const struct config *c, FILE *out);
void config_help(FILE *out);

#endif
