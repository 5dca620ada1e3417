/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* tracectl stop: end the recording of the daemon, with everything on disk. */
#include "common/ctl_client.h"
#include "tracectl/cmd.h"
#include "tracectl/daemon_call.h"

static int run(struct cmd_env *env, int argc, char **argv)
{
	struct ctl_msg *m;
	int strict, status = daemon_call_strict(env, argc, argv, &strict);

	if (status != CMD_DONE)
		return status;
	m = daemon_call_new(env, CTL_STOP);
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

const struct cmd cmd_stop = {
	.name = "stop",
	.args = "[--strict]",
	.summary = "end the recording, with everything on disk",
	.help = "Everything that the rings hold is written first; then says where the trace is,\n"
		"how many events are in it and how many were missed. Tracing itself stays on or\n"
		"off as it is.\n\n"
		"  --strict\n        exit status 3 if events were missed\n\n"
		"Examples:\n"
		"  tracectl off && tracectl stop\n",
	.run = run,
};
