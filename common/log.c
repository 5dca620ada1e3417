/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Where a daemon's lines go. Owns the choice of sink and the level; knows
 * nothing of what the lines say. One line is one write, so lines of several
 * processes on one terminal do not mix. Called by tracerd, main thread only.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"

static const char *log_name = "trbuf";
static int log_level = LOG_INFO;
static int log_syslog;
static int log_journal;

/* JOURNAL_STREAM is "device:inode" of the journal's end; only if stderr still
 * is that one does the journal read our priority marks. */
static int stderr_is_journal(void)
{
	const char *env = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	if (!env || sscanf(env, "%llu:%llu", &dev, &ino) != 2 || fstat(STDERR_FILENO, &st) != 0)
		return 0;
	return st.st_dev == (dev_t)dev && st.st_ino == (ino_t)ino;
}

void log_init(const char *name, int level)
{
	log_name = name;
	log_level = level;
	log_journal = stderr_is_journal();
}

void log_set_level(int level)
{
	log_level = level;
}

void log_to_syslog(void)
{
	openlog(log_name, LOG_PID, LOG_DAEMON);
	log_syslog = 1;
}

void log_line(int priority, const char *fmt, ...)
{
	char text[1024], line[1200];
	va_list ap;
	ssize_t done;
	int n;

	if (priority > log_level)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (log_syslog) {
		syslog(priority, "%s", text);
		return;
	}
	if (log_journal)
		n = snprintf(line, sizeof(line), "<%d>%s\n", priority, text);
	else
		n = snprintf(line, sizeof(line), "%s: %s\n", log_name, text);
	if (n < 0)
		return;
	done = write(STDERR_FILENO, line, (size_t)n);
	(void)done; /* there is no further place to complain to */
}
