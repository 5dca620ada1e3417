/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Lines of a daemon for people: to stderr (with systemd's priority marks if that
 * is the journal), or to syslog. */
#ifndef TRBUF_LOG_H
#define TRBUF_LOG_H

#include <syslog.h>

/* `name` goes before each line and must stay valid. Lines above `level`
 * (LOG_ERR, ...) are dropped. */
void log_init(const char *name, int level);
void log_set_level(int level);
/* From now on to syslog: stderr is about to be closed. */
void log_to_syslog(void);

void log_line(int priority, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
