/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* tracectl start: ask the daemon of the region to begin a recording. */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "common/ctl_client.h"
#include "common/parse.h"
#include "common/settings.h"
#include "tracectl/cmd.h"
#include "tracectl/daemon_call.h"
#include "tracectl/json.h"
#include "tracectl/region_tool.h"

struct start {
	struct settings settings;
	const char *dir, *name;
};

/* The daemon has another working directory. */
static int put_dir(const struct cmd_env *env, struct ctl_msg *m, const char *dir)
{
	char full[4200], cwd[4096];

	if (dir[0] == '/')
		return ctl_msg_add(m, "dir", dir) ? cmd_usage(env, "-o: path too long") : CMD_DONE;
	if (!getcwd(cwd, sizeof(cwd)))
		return cmd_fail(env, CMD_FAILED, "current directory: %s; give -o an absolute path",
				strerror(errno));
	if (snprintf(full, sizeof(full), "%s/%s", cwd, dir) >= (int)sizeof(full))
		return cmd_usage(env, "-o: path too long");
	ctl_msg_add(m, "dir", full);
	return CMD_DONE;
}

static int options(const struct cmd_env *env, struct start *s, int argc, char **argv)
{
	struct option o[SETTINGS_COUNT + 3] = { { 0 } };
	struct fault f;
	int c, mine;

	settings_init(&s->settings);
	settings_options(o);
	o[SETTINGS_COUNT] = (struct option){ "output", required_argument, NULL, 'o' };
	o[SETTINGS_COUNT + 1] = (struct option){ "name", required_argument, NULL, 'n' };
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":o:n:", o, NULL)) != -1) {
		mine = settings_option(&s->settings, c, optarg, &f);
		if (mine < 0)
			return cmd_usage(env, "%s", f.text);
		if (mine)
			continue;
		if (c == 'o' && optarg[0])
			s->dir = optarg;
		else if (c == 'o')
			return cmd_usage(env, "-o needs the name of a directory");
		else if (c == 'n' && parse_trace_name(optarg, &f) == 0)
			s->name = optarg;
		else if (c == 'n')
			return cmd_usage(env, "--name: %s", f.text);
		else
			return cmd_badopt(env, c, argv);
	}
	if (optind < argc)
		return cmd_usage(env, "start takes no argument, got `%s`", argv[optind]);
	return CMD_DONE;
}

/* Settings go into the region itself: the daemon follows. */
static int apply(const struct cmd_env *env, const struct settings *s)
{
	struct region r;
	struct fault f;
	int status = region_tool_open(env, &r, 0);

	if (status != CMD_DONE)
		return status;
	if (settings_apply(&r, s, &f) != 0)
		status = cmd_fail(env, CMD_FAILED, "%s", f.text);
	region_close(&r);
	return status;
}

static void report(const struct cmd_env *env, const struct ctl_msg *reply)
{
	const char *path = ctl_msg_get(reply, "path");
	int on = ctl_msg_get_u64(reply, "on", 1) != 0;
	struct json j;

	if (!env->json) {
		printf("recording into %s\n", path ? path : "?");
		if (!on)
			printf("tracing is off: `tracectl on` switches it on\n");
		return;
	}
	json_start(&j, stdout);
	json_object(&j, NULL);
	json_string(&j, "path", path);
	json_bool(&j, "on", on);
	json_object_end(&j);
	json_end(&j);
}

static int run(struct cmd_env *env, int argc, char **argv)
{
	struct start s = { .dir = NULL };
	struct ctl_msg *m;
	int status = options(env, &s, argc, argv);

	if (status == CMD_DONE && s.settings.given)
		status = apply(env, &s.settings);
	if (status != CMD_DONE)
		return status;
	m = daemon_call_new(env, CTL_START);
	if (!m)
		return CMD_FAILED;
	if (s.dir)
		status = put_dir(env, m, s.dir);
	if (s.name)
		ctl_msg_add(m, "name", s.name);
	if (status == CMD_DONE)
		status = daemon_call(env, m, CTL_TIMEOUT_LONG);
	if (status == CMD_DONE)
		report(env, m);
	daemon_call_free(m);
	return cmd_written(env, status);
}

const struct cmd cmd_start = {
	.name = "start",
	.args = "[-o DIR] [--name NAME] [SETTING...]",
	.summary = "begin a recording by the daemon of the region",
	.help = "  -o, --output DIR\n"
		"        the directory of the trace itself; it is made, and must be empty if it\n"
		"        is there. Without it the daemon makes NAME-TIME in its own directory\n"
		"  -n, --name NAME\n        name of the recording\n"
		"Settings; some can no longer change once the region has rings:\n" SETTINGS_HELP
		"\nTracing must be on for events to come: `tracectl on`.\n\n"
		"Examples:\n"
		"  tracectl on && tracectl start --name boot\n"
		"  tracectl start -o /tmp/trace --ring-size 16M\n",
	.run = run,
};
