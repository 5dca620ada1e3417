/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Which trace a verb means when none is named. */
#ifndef TRACECTL_VIEW_TRACE_H
#define TRACECTL_VIEW_TRACE_H

#include "tracectl/cmd.h"

/* `given`, or the recording of the region (with `running`: one that runs).
 * 0, or a status after saying why. path: 4096 bytes. */
int view_trace_path(const struct cmd_env *env, const char *given, int running, char *path);

/* The recording that the region says is running now: 1 with its path, else 0. */
int view_trace_running(const struct cmd_env *env, char *path);

#endif
