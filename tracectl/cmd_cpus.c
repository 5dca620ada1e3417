/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl cpus: which CPUs may trace. Events on the others are filtered, not
 * missed. Writes through ring_setup_allow() alone.
 */
#include <getopt.h>
#include <stdlib.h>

#include "common/parse.h"
#include "libtrbuf/ring_setup.h"
#include "libtrbuf/sync.h"
#include "tracectl/cmd.h"
#include "tracectl/json.h"
#include "tracectl/region_tool.h"

static int allowed(const struct region *r, uint32_t cpu)
{
	return !sync_load(&region_ring(r, cpu)->denied);
}

/* CPUs of one kind as "0-3,7". */
static void put_list(const struct region *r, int kind)
{
	const char *comma = "";

	for (uint32_t i = 0; i < r->geo.nr_cpus; i++) {
		uint32_t first = i;

		if (allowed(r, i) != kind)
			continue;
		while (i + 1 < r->geo.nr_cpus && allowed(r, i + 1) == kind)
			i++;
		printf("%s%u", comma, first);
		if (i > first)
			printf("-%u", i);
		comma = ",";
	}
	if (!comma[0])
		printf("none");
	putchar('\n');
}

static void report(const struct cmd_env *env, const struct region *r)
{
	struct json j;

	if (!env->json) {
		printf("may trace:     ");
		put_list(r, 1);
		printf("may not trace: ");
		put_list(r, 0);
		return;
	}
	json_start(&j, stdout);
	json_object(&j, NULL);
	for (int kind = 1; kind >= 0; kind--) {
		json_array(&j, kind ? "allowed" : "denied");
		for (uint32_t i = 0; i < r->geo.nr_cpus; i++) {
			if (allowed(r, i) == kind)
				json_u64(&j, NULL, i);
		}
		json_array_end(&j);
	}
	json_object_end(&j);
	json_end(&j);
}

static int change(const struct cmd_env *env, struct region *r, const char *list)
{
	unsigned char *set = calloc(r->geo.nr_cpus, 1);
	struct fault f;
	int status;

	if (!set)
		return cmd_fail(env, CMD_FAILED, "no memory");
	if (parse_cpus(list, r->geo.nr_cpus, set, &f)) {
		free(set);
		return cmd_usage(env, "%s", f.text);
	}
	status = region_tool_control(env, r);
	if (status == CMD_DONE) {
		for (uint32_t i = 0; i < r->geo.nr_cpus; i++) {
			if (allowed(r, i) != set[i])
				ring_setup_allow(r, i, set[i]);
		}
		region_unlock(r, REGION_LOCK_CONTROL);
	}
	free(set);
	return status;
}

/* Looked at before the region is opened: wrong use makes no region. */
static int list_wrong(const char *list, struct fault *f)
{
	unsigned char *set = calloc(LAYOUT_MAX_CPUS, 1);
	int wrong = set && parse_cpus(list, LAYOUT_MAX_CPUS, set, f) != 0;

	free(set);
	return wrong;
}

static int run(struct cmd_env *env, int argc, char **argv)
{
	static const struct option none[] = { { 0 } };
	struct region r;
	struct fault f;
	int status, c;

	opterr = 0;
	c = getopt_long(argc, argv, ":", none, NULL);
	if (c != -1)
		return cmd_badopt(env, c, argv);
	if (argc - optind > 1)
		return cmd_usage(env, "one list, with commas: 0,2-3");
	if (optind < argc && list_wrong(argv[optind], &f))
		return cmd_usage(env, "%s", f.text);
	status = region_tool_open(env, &r, optind < argc ? REGION_CREATE : 0);
	if (status != CMD_DONE)
		return status;
	if (optind < argc)
		status = change(env, &r, argv[optind]);
	if (status == CMD_DONE)
		report(env, &r);
	region_close(&r);
	return cmd_written(env, status);
}

const struct cmd cmd_cpus = {
	.name = "cpus",
	.args = "[LIST]",
	.summary = "show or set which CPUs may trace",
	.help = "LIST is CPU numbers and ranges, such as 0,4-7, or `all`; the CPUs that are not\n"
		"in it do not trace: their events are counted as filtered, not as missed.\n"
		"Programs without rseq use the locked rings, which belong to no CPU and are not\n"
		"affected. Without LIST the present state is shown.\n\n"
		"Examples:\n"
		"  tracectl cpus 0,4-7\n"
		"  tracectl cpus all\n",
	.run = run,
};
