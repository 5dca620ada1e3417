/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* tracectl mask: the raw class mask, one bit a class. Leaves the rules alone. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/parse.h"
#include "libtrbuf/control.h"
#include "tracectl/cmd.h"
#include "tracectl/event_set.h"
#include "tracectl/json.h"
#include "tracectl/region_tool.h"
#include "tracectl/text.h"

static int unknown_class(const struct cmd_env *env, const struct event_set *set, const char *name)
{
	char near[300];

	event_set_near_class(set, name, near, sizeof(near));
	if (near[0])
		return cmd_fail(env, CMD_FAILED, "no class `%s` is registered; near to it: %s",
				name, near);
	return cmd_fail(env, CMD_FAILED,
			"no class `%s` is registered (`tracectl list classes`); "
			"`tracectl enable %s` holds for classes to come",
			name, name);
}

/* Is it an argument at all? Looked at before the region is opened: wrong use
 * makes no region. */
static int check(const struct cmd_env *env, const char *arg)
{
	struct fault f;
	uint64_t value;

	if (strncmp(arg, "--", 2) == 0)
		return cmd_usage(env, "unknown option %s", arg);
	if (arg[0] == '+' || arg[0] == '-')
		return arg[1] ? CMD_DONE : cmd_usage(env, "`%s` needs a class", arg);
	if (strcmp(arg, "all") == 0 || strcmp(arg, "none") == 0 ||
	    parse_u64(arg, 0, UINT64_MAX, &value, &f) == 0)
		return CMD_DONE;
	return cmd_usage(env,
			 "`%s` is no mask: write a number (0x is hex), all, none, +CLASS or -CLASS",
			 arg);
}

/* One argument brought into the mask, left to right. */
static int change(const struct cmd_env *env, const struct event_set *set, const char *arg,
		  uint64_t *mask)
{
	int index;

	if (strcmp(arg, "all") == 0 || strcmp(arg, "none") == 0) {
		*mask = arg[0] == 'a' ? UINT64_MAX : 0;
		return CMD_DONE;
	}
	if (arg[0] != '+' && arg[0] != '-') {
		parse_u64(arg, 0, UINT64_MAX, mask, NULL);
		return CMD_DONE;
	}
	index = event_set_class(set, arg + 1);
	if (index < 0)
		return unknown_class(env, set, arg + 1);
	if (arg[0] == '+')
		*mask |= UINT64_C(1) << index;
	else
		*mask &= ~(UINT64_C(1) << index);
	return CMD_DONE;
}

static void report_json(const struct event_set *set, uint64_t mask)
{
	struct json j;

	json_start(&j, stdout);
	json_object(&j, NULL);
	json_hex(&j, "mask", mask);
	json_array(&j, "classes");
	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES; i++) {
		if (!set->class_name[i][0])
			continue;
		json_object(&j, NULL);
		json_string(&j, "class", set->class_name[i]);
		json_u64(&j, "bit", i);
		json_bool(&j, "on", (int)(mask >> i & 1));
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}

static void put_classes(const struct event_set *set, uint64_t mask, const char *title)
{
	int first = 1;

	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES; i++) {
		if (!set->class_name[i][0] || !(mask >> i & 1))
			continue;
		fputs(first ? title : " ", stdout);
		text_put(stdout, set->class_name[i]);
		first = 0;
	}
	if (!first)
		putchar('\n');
}

static void report(const struct cmd_env *env, const struct event_set *set, uint64_t mask)
{
	if (env->json) {
		report_json(set, mask);
		return;
	}
	printf("mask 0x%016" PRIx64 "%s\n", mask,
	       mask == UINT64_MAX ? " (all)"
	       : mask == 0        ? " (none)"
				  : "");
	put_classes(set, mask, "on:  ");
	put_classes(set, ~mask, "off: ");
}

static int show_or_change(struct cmd_env *env, struct region *r, int argc, char **argv)
{
	struct layout_control c;
	struct event_set set;
	int status = CMD_DONE, err = event_set_load(&set, r);

	if (err)
		status = cmd_fail(env, CMD_FAILED, "%s: events cannot be read: %s", r->path,
				  strerror(-err));
	control_get(r, &c);
	for (int i = 1; i < argc && status == CMD_DONE; i++)
		status = change(env, &set, argv[i], &c.mask);
	if (status == CMD_DONE && argc > 1)
		control_publish(r, &c);
	if (status == CMD_DONE)
		report(env, &set, c.mask);
	event_set_free(&set);
	return status;
}

static int run(struct cmd_env *env, int argc, char **argv)
{
	struct region r;
	int status = CMD_DONE;

	for (int i = 1; i < argc && status == CMD_DONE; i++)
		status = check(env, argv[i]);
	if (status == CMD_DONE)
		status = region_tool_open(env, &r, argc > 1 ? REGION_CREATE : 0);
	if (status != CMD_DONE)
		return status;
	if (argc > 1)
		status = region_tool_control(env, &r);
	if (status == CMD_DONE)
		status = show_or_change(env, &r, argc, argv);
	region_close(&r);
	return cmd_written(env, status);
}

const struct cmd cmd_mask = {
	.name = "mask",
	.args = "[VALUE | +CLASS | -CLASS | all | none]...",
	.summary = "show or set the class mask",
	.help = "The mask has 64 bits, one a class, in the order in which programs registered\n"
		"them (`tracectl list classes`). An event is off while the bit of its class is\n"
		"0, whatever the rules say. Arguments apply from left to right; without any the\n"
		"mask is shown.\n\n"
		"  VALUE   a number, 0x for hex\n"
		"  +CLASS  take the class in\n"
		"  -CLASS  leave the class out\n"
		"  all     all 64 bits\n"
		"  none    no bit\n\n"
		"Examples:\n"
		"  tracectl mask\n"
		"  tracectl mask none +net +disk\n"
		"  tracectl mask 0xff\n",
	.run = run,
};
