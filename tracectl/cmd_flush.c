/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* tracectl flush: write what the rings hold to disk now. */
#include "common/ctl_client.h"
#include "tracectl/cmd.h"
#include "tracectl/daemon_call.h"

static int run(struct cmd_env *env, int argc, char **argv)
{
	struct ctl_msg *m;
	int strict, status = daemon_call_strict(env, argc, argv, &strict);

	if (status != CMD_DONE)
		return status;
	m = daemon_call_new(env, CTL_FLUSH);
	if (!m)
		return CMD_FAILED;
	status = daemon_call(env, m, CTL_TIMEOUT_LONG);
	if (status == CMD_DONE) {
		daemon_call_totals(env, m);
		if (strict && ctl_msg_get_u64(m, "missed", 0))
			status = CMD_MISSED;
	}
	daemon_call_free(m);
	return cmd_written(env, status);
}

const struct cmd cmd_flush = {
	.name = "flush",
	.args = "[--strict]",
	.summary = "write what the rings hold to disk now",
	.help = "Full pages and the part of the open ones that is new. The recording goes on.\n"
		"Prints where it is, and its events and misses up to now.\n\n"
		"  --strict\n        exit status 3 if events were missed so far\n\n"
		"Examples:\n"
		"  tracectl flush\n",
	.run = run,
};
