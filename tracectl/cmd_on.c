/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl on, off: the whole of tracing. Owns the order "rings first, then
 * on=1", so that the first event already finds a ring. Moves no pages but
 * through ring_setup.h, and only under the consumer lock.
 */
#include <getopt.h>

#include "libtrbuf/control.h"
#include "libtrbuf/doorbell.h"
#include "libtrbuf/ring_setup.h"
#include "libtrbuf/sync.h"
#include "tracectl/cmd.h"
#include "tracectl/json.h"
#include "tracectl/region_tool.h"

static int no_arguments(const struct cmd_env *env, int argc, char **argv)
{
	static const struct option none[] = { { 0 } };
	int c;

	opterr = 0;
	c = getopt_long(argc, argv, ":", none, NULL);
	if (c != -1)
		return cmd_badopt(env, c, argv);
	if (optind < argc)
		return cmd_usage(env, "%s takes no argument, got `%s`", env->cmd->name,
				 argv[optind]);
	return CMD_DONE;
}

static int rings_ready(struct region *r, void *arg)
{
	(void)arg;
	return sync_load_acquire(&r->hdr->rings_ready) != 0;
}

/* With the consumer lock: rings for all that have none. */
static int make_rings(const struct cmd_env *env, struct region *r, struct fault *f)
{
	int n = ring_setup_all(r, f);

	region_unlock(r, REGION_LOCK_CONSUMER);
	if (n < 0)
		return cmd_fail(env, CMD_FAILED, "%s", f->text);
	if (n > 0)
		cmd_note(env, f->text);
	else
		f->text[0] = '\0';
	return CMD_DONE;
}

static void publish_on(struct region *r, int on)
{
	struct layout_control c;

	control_get(r, &c);
	c.on = (uint32_t)on;
	control_publish(r, &c);
}

/* A daemon holds the consumer lock: it makes the rings when it is asked. If it
 * goes away meanwhile, the work is ours. */
static int wait_for_rings(const struct cmd_env *env, struct region *r, struct fault *f)
{
	char holder[64];

	for (int tries = 0; tries < 3; tries++) {
		int got = region_tool_wait(r, rings_ready, NULL, REGION_TOOL_DAEMON_MS);

		if (got == 1)
			return CMD_DONE;
		if (got == 0)
			break;
		if (region_tool_consumer(r))
			return make_rings(env, r, f);
	}
	region_tool_holder(r, holder, sizeof(holder));
	return cmd_fail(env, CMD_FAILED,
			"%s: tracing stays off: %s has not made the rings in %d s; "
			"look at its log",
			r->path, holder, REGION_TOOL_DAEMON_MS / 1000);
}

static int switch_on(const struct cmd_env *env, struct region *r, struct fault *f)
{
	int status;

	if (region_tool_consumer(r)) {
		status = make_rings(env, r, f);
		if (status == CMD_DONE)
			publish_on(r, 1);
		region_unlock(r, REGION_LOCK_CONTROL);
		return status;
	}
	sync_store(&r->hdr->rings_wanted, 1);
	doorbell_ring(r);
	status = wait_for_rings(env, r, f);
	if (status == CMD_DONE)
		publish_on(r, 1);
	region_unlock(r, REGION_LOCK_CONTROL);
	return status;
}

static void report(const struct cmd_env *env, const char *path, int on, const char *note)
{
	struct json j;

	if (!env->json) {
		printf("tracing is %s (%s)\n", on ? "on" : "off", path);
		return;
	}
	json_start(&j, stdout);
	json_object(&j, NULL);
	json_string(&j, "region", path);
	json_bool(&j, "on", on);
	json_string(&j, "note", note && note[0] ? note : NULL);
	json_object_end(&j);
	json_end(&j);
}

static int run_on(struct cmd_env *env, int argc, char **argv)
{
	struct region r;
	struct fault f = { "" };
	int status = no_arguments(env, argc, argv);

	if (status == CMD_DONE)
		status = region_tool_open(env, &r, REGION_CREATE);
	if (status != CMD_DONE)
		return status;
	status = region_tool_control(env, &r);
	if (status == CMD_DONE)
		status = switch_on(env, &r, &f);
	if (status == CMD_DONE)
		report(env, r.path, 1, f.text);
	region_close(&r);
	return cmd_written(env, status);
}

static int run_off(struct cmd_env *env, int argc, char **argv)
{
	struct region r;
	int status = no_arguments(env, argc, argv);

	if (status == CMD_DONE)
		status = region_tool_open(env, &r, 0);
	if (status != CMD_DONE)
		return status;
	status = region_tool_control(env, &r);
	if (status == CMD_DONE) {
		publish_on(&r, 0);
		report(env, r.path, 0, NULL);
	}
	region_close(&r);
	return cmd_written(env, status);
}

const struct cmd cmd_on = {
	.name = "on",
	.args = "",
	.summary = "switch tracing on in the region",
	.help = "Makes the region if there is none, gives memory to the rings, then switches\n"
		"tracing on for every program that is attached or will be. Which events are\n"
		"recorded is said by `enable`, `disable` and `mask`; a new region has all on.\n"
		"No daemon is needed for that: the rings fill, and `top` shows how fast.\n\n"
		"Examples:\n"
		"  tracectl on\n"
		"  tracectl --region /dev/shm/mine on\n",
	.run = run_on,
};

const struct cmd cmd_off = {
	.name = "off",
	.args = "",
	.summary = "switch tracing off in the region",
	.help = "Every trace point is off when the command returns; what the rings hold stays\n"
		"there. Rules and mask are kept for the next `on`.\n\n"
		"Examples:\n"
		"  tracectl off\n",
	.run = run_off,
};
