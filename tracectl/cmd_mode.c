/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* tracectl mode: what a full ring does with the next event. */
#include <getopt.h>

#include "common/parse.h"
#include "libtrbuf/doorbell.h"
#include "libtrbuf/sync.h"
#include "tracectl/cmd.h"
#include "tracectl/json.h"
#include "tracectl/region_tool.h"

static void report(const struct cmd_env *env, const struct region *r)
{
	const char *name = parse_mode_name(sync_load(&r->hdr->mode));
	struct json j;

	if (!env->json) {
		printf("mode %s\n", name);
		return;
	}
	json_start(&j, stdout);
	json_object(&j, NULL);
	json_string(&j, "mode", name);
	json_object_end(&j);
	json_end(&j);
}

static int change(const struct cmd_env *env, struct region *r, uint32_t mode)
{
	int status = region_tool_control(env, r);

	if (status != CMD_DONE)
		return status;
	sync_store_release(&r->hdr->mode, mode);
	region_unlock(r, REGION_LOCK_CONTROL);
	doorbell_ring(r);
	return CMD_DONE;
}

static int run(struct cmd_env *env, int argc, char **argv)
{
	static const struct option none[] = { { 0 } };
	struct region r;
	struct fault f;
	uint32_t mode = 0;
	int status, c;

	opterr = 0;
	c = getopt_long(argc, argv, ":", none, NULL);
	if (c != -1)
		return cmd_badopt(env, c, argv);
	if (argc - optind > 1)
		return cmd_usage(env, "one mode at a time");
	if (optind < argc && parse_mode(argv[optind], &mode, &f))
		return cmd_usage(env, "%s", f.text);
	status = region_tool_open(env, &r, optind < argc ? REGION_CREATE : 0);
	if (status != CMD_DONE)
		return status;
	if (optind < argc)
		status = change(env, &r, mode);
	if (status == CMD_DONE)
		report(env, &r);
	region_close(&r);
	return cmd_written(env, status);
}

const struct cmd cmd_mode = {
	.name = "mode",
	.args = "[discard | overwrite]",
	.summary = "show or set what a full ring does",
	.help = "  discard    a full ring keeps what it holds; new events are missed, and\n"
		"             counted\n"
		"  overwrite  a full ring gives up its oldest page; its events are counted as\n"
		"             overwritten: the newest are always there\n\n"
		"May be changed at any time, also while tracing is on.\n\n"
		"Examples:\n"
		"  tracectl mode\n"
		"  tracectl mode overwrite\n",
	.run = run,
};
