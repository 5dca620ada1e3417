/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* A request to the daemon of the region, as a verb makes it. */
#ifndef TRACECTL_DAEMON_CALL_H
#define TRACECTL_DAEMON_CALL_H

#include "common/ctl_proto.h"
#include "tracectl/cmd.h"

/* An empty request; NULL with a message if there is no memory. */
struct ctl_msg *daemon_call_new(const struct cmd_env *env, unsigned type);
void daemon_call_free(struct ctl_msg *m);

/* Send it and wait: *m becomes the reply. Status; a message was printed if it
 * is not CMD_DONE. */
int daemon_call(const struct cmd_env *env, struct ctl_msg *m, int timeout_ms);

/* Print path, events and missed of a reply that has totals. */
void daemon_call_totals(const struct cmd_env *env, const struct ctl_msg *m);

/* For verbs that only have --strict: *strict. Status. */
int daemon_call_strict(const struct cmd_env *env, int argc, char **argv, int *strict);

#endif
