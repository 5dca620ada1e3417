/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The region as a verb uses it: opened by the path rule, its locks with
 * time-outs and messages, its control words changed whole or not at all.
 * Functions that return a status have printed why when it is not CMD_DONE.
 */
#ifndef TRACECTL_REGION_TOOL_H
#define TRACECTL_REGION_TOOL_H

#include "libtrbuf/region.h"
#include "tracectl/cmd.h"

#define REGION_TOOL_LOCK_MS 5000
#define REGION_TOOL_DAEMON_MS 5000

/* flags: 0 or REGION_CREATE. */
int region_tool_open(const struct cmd_env *env, struct region *r, unsigned flags);

/* As region_tool_open, without creating and without printing: 0, or -errno
 * with *f. -ENOENT: there is none. `path` (PATH_MAX bytes) is set in any case. */
int region_tool_try(const struct cmd_env *env, struct region *r, char *path, struct fault *f);

/* Take the control lock and mend what a killed tool left half-way. */
int region_tool_control(const struct cmd_env *env, struct region *r);

/* Take the consumer lock if nobody has it: 1 taken, 0 held by another. */
int region_tool_consumer(struct region *r);

/* Who holds the consumer lock, as text for messages: "tracerd (pid 12)". */
void region_tool_holder(const struct region *r, char *buf, size_t size);

/* Is there a consumer? Its pid, 0 if the lock is free. -1: held by somebody
 * who has not said who he is. */
int region_tool_daemon(const struct region *r);

/* Ring the doorbell and wait until done(r, arg) is true, at most timeout_ms,
 * or until the consumer lock becomes free: 1 done, 0 time is over, -1 free. */
int region_tool_wait(struct region *r, int (*done)(struct region *r, void *arg), void *arg,
		     int timeout_ms);

#endif
