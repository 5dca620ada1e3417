/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What start, stop and flush share: finding the daemon, asking it, printing
 * totals. Does not open the region: a daemon can be asked as long as its
 * socket is there. Called by cmd_start.c, cmd_stop.c, cmd_flush.c.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/ctl_client.h"
#include "libtrbuf/region.h"
#include "tracectl/daemon_call.h"
#include "tracectl/json.h"

struct ctl_msg *daemon_call_new(const struct cmd_env *env, unsigned type)
{
	struct ctl_msg *m = malloc(sizeof(*m));

	if (m)
		ctl_msg_init(m, type, 0);
	else
		cmd_fail(env, CMD_FAILED, "no memory");
	return m;
}

void daemon_call_free(struct ctl_msg *m)
{
	free(m);
}

int daemon_call(const struct cmd_env *env, struct ctl_msg *m, int timeout_ms)
{
	struct ctl_msg *reply;
	char path[4096];
	struct fault f;
	int err = region_path(env->region_path, path, sizeof(path));

	if (err)
		return cmd_fail(env, CMD_FAILED, "the region's path: %s", strerror(-err));
	reply = malloc(sizeof(*reply));
	if (!reply)
		return cmd_fail(env, CMD_FAILED, "no memory");
	err = ctl_request(path, m, reply, timeout_ms, &f);
	if (!err) {
		m->type = reply->type;
		m->length = reply->length;
		memcpy(m->payload, reply->payload, reply->length);
	}
	free(reply);
	return err ? cmd_fail(env, CMD_FAILED, "%s: %s", env->cmd->name, f.text) : CMD_DONE;
}

void daemon_call_totals(const struct cmd_env *env, const struct ctl_msg *m)
{
	static const char *const counts[] = {
		"events", "missed", "lost", "damaged", "packets", "bytes", "streams",
	};
	const char *path = ctl_msg_get(m, "path");
	struct json j;

	if (!env->json) {
		printf("trace: %s\nevents: %llu\nmissed: %llu\n", path ? path : "?",
		       (unsigned long long)ctl_msg_get_u64(m, "events", 0),
		       (unsigned long long)ctl_msg_get_u64(m, "missed", 0));
		return;
	}
	json_start(&j, stdout);
	json_object(&j, NULL);
	json_string(&j, "path", path);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_u64(&j, counts[i], ctl_msg_get_u64(m, counts[i], 0));
	json_object_end(&j);
	json_end(&j);
}

int daemon_call_strict(const struct cmd_env *env, int argc, char **argv, int *strict)
{
	static const struct option o[] = { { "strict", no_argument, NULL, 's' },
					   { NULL, 0, NULL, 0 } };
	int c;

	*strict = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", o, NULL)) != -1) {
		if (c != 's')
			return cmd_badopt(env, c, argv);
		*strict = 1;
	}
	if (optind < argc)
		return cmd_usage(env, "%s takes no argument, got `%s`", env->cmd->name,
				 argv[optind]);
	return CMD_DONE;
}
