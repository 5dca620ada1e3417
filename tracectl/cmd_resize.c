/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl resize: the memory of the rings, at run time. Sets the wanted size;
 * who holds the consumer lock makes it so: the daemon, or without one this
 * verb itself.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/parse.h"
#include "libtrbuf/ring_setup.h"
#include "libtrbuf/sync.h"
#include "tracectl/cmd.h"
#include "tracectl/json.h"
#include "tracectl/region_tool.h"
#include "tracectl/ring_state.h"
#include "tracectl/text.h"

struct resize {
	uint64_t size, rounded;
	const char *cpus;      /* --cpu, NULL all rings */
	unsigned char *chosen; /* one byte a ring */
	int daemon;            /* it does the work, not we */
	struct fault why;      /* why a ring is not what was asked for */
};

/* Looked at before the region is opened: wrong use makes no region. */
static int cpus_wrong(const char *list, struct fault *f)
{
	unsigned char *set = calloc(LAYOUT_MAX_CPUS, 1);
	int wrong = set && parse_cpus(list, LAYOUT_MAX_CPUS, set, f) != 0;

	free(set);
	return wrong;
}

static int parse_options(const struct cmd_env *env, struct resize *z, int argc, char **argv)
{
	static const struct option options[] = {
		{ "cpu", required_argument, NULL, 'c' },
		{ 0 },
	};
	struct fault f;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":c:", options, NULL)) != -1) {
		if (c != 'c')
			return cmd_badopt(env, c, argv);
		z->cpus = optarg;
	}
	if (argc - optind != 1)
		return cmd_usage(env, argc > optind ? "one size at a time"
						    : "which size? for example 8M");
	if (parse_size(argv[optind], &z->size, &f))
		return cmd_usage(env, "%s", f.text);
	if (z->cpus && cpus_wrong(z->cpus, &f))
		return cmd_usage(env, "%s", f.text);
	if (!z->size)
		return cmd_usage(env,
				 "a ring has at least %u pages; `tracectl off` or `cpus` stop "
				 "tracing",
				 LAYOUT_MIN_PAGES);
	return CMD_DONE;
}

static int choose_rings(const struct cmd_env *env, struct region *r, struct resize *z)
{
	struct fault f;

	z->chosen = calloc(r->geo.nr_rings, 1);
	if (!z->chosen)
		return cmd_fail(env, CMD_FAILED, "no memory");
	if (!z->cpus)
		memset(z->chosen, 1, r->geo.nr_rings);
	else if (parse_cpus(z->cpus, r->geo.nr_cpus, z->chosen, &f))
		return cmd_usage(env, "%s", f.text);
	return CMD_DONE;
}

static void want(struct region *r, const struct resize *z)
{
	if (!z->cpus) {
		ring_setup_want(r, -1, z->size);
		return;
	}
	for (uint32_t i = 0; i < r->geo.nr_cpus; i++) {
		if (z->chosen[i])
			ring_setup_want(r, (int)i, z->size);
	}
}

/* Locked rings have a size of their own, which follows that of the others. */
static int has_size(struct region *r, uint32_t ring)
{
	struct ring_state s;

	ring_state_one(r, ring, &s);
	return !s.ready || s.bad || s.totals.bytes == s.totals.wanted;
}

static int all_have_size(struct region *r, void *arg)
{
	const struct resize *z = arg;

	for (uint32_t i = 0; i < r->geo.nr_rings; i++) {
		if (z->chosen[i] && !has_size(r, i))
			return 0;
	}
	return 1;
}

/* With the consumer lock. A ring that cannot be mended does not stop the others. */
static void apply(struct region *r, struct resize *z)
{
	for (uint32_t i = 0; i < r->geo.nr_rings; i++) {
		struct fault f = { "" };
		int n;

		if (!z->chosen[i] || has_size(r, i))
			continue;
		n = ring_setup_apply(r, i, &f);
		if (n < 0 && f.text[0])
			z->why = f;
		else if (!has_size(r, i) && !z->why.text[0])
			fault_set(&z->why, EAGAIN,
				  "pages that hold events are given back once they are "
				  "read: start tracerd, or `tracectl mode "
				  "overwrite` and resize again");
	}
}

static void make_it_so(struct region *r, struct resize *z)
{
	char holder[64];

	for (int tries = 0; tries < 3; tries++) {
		int got;

		if (region_tool_consumer(r)) {
			apply(r, z);
			region_unlock(r, REGION_LOCK_CONSUMER);
			return;
		}
		z->daemon = 1;
		got = region_tool_wait(r, all_have_size, z, REGION_TOOL_DAEMON_MS);
		if (got == 1)
			return;
		if (got == 0)
			break;
	}
	region_tool_holder(r, holder, sizeof(holder));
	fault_set(&z->why, ETIMEDOUT,
		  "%s has not come that far in %d s; it goes on: see `tracectl "
		  "status`, or its log if memory is short",
		  holder, REGION_TOOL_DAEMON_MS / 1000);
}

static int report_json(const struct resize *z, const struct region *r, const struct ring_state *s)
{
	struct json j;

	json_start(&j, stdout);
	json_object(&j, NULL);
	json_u64(&j, "asked", z->size);
	json_u64(&j, "rounded", z->rounded);
	json_bool(&j, "by_daemon", z->daemon);
	json_string(&j, z->why.text[0] ? "error" : "note", z->why.text[0] ? z->why.text : NULL);
	json_s64(&j, "status", z->why.text[0] ? CMD_FAILED : CMD_DONE);
	json_array(&j, "rings");
	for (uint32_t i = 0; i < r->geo.nr_rings; i++) {
		if (!z->chosen[i] || !s[i].ready)
			continue;
		json_object(&j, NULL);
		json_u64(&j, "ring", i);
		json_bool(&j, "locked", s[i].locked);
		json_u64(&j, "bytes", s[i].totals.bytes);
		json_u64(&j, "pages", s[i].totals.pages);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
	return z->why.text[0] ? CMD_FAILED : CMD_DONE;
}

static int alike(const struct ring_state *a, const struct ring_state *b)
{
	return a->ready && b->ready && a->locked == b->locked && a->totals.bytes == b->totals.bytes;
}

/* Rings of the same size in one line. */
static void print_sizes(const struct resize *z, const struct region *r, const struct ring_state *s)
{
	for (uint32_t i = 0; i < r->geo.nr_rings; i++) {
		char name[32], human[32];
		uint32_t n = 0, before = 0;

		for (uint32_t k = 0; k < r->geo.nr_rings && z->chosen[i]; k++) {
			n += z->chosen[k] && alike(&s[k], &s[i]);
			before += k < i && z->chosen[k] && alike(&s[k], &s[i]);
		}
		if (!n || before)
			continue;
		ring_state_name(r, &s[i], name, sizeof(name));
		text_size(s[i].totals.bytes, human, sizeof(human));
		if (n == 1)
			printf("%s: %s (%u pages)\n", name, human, s[i].totals.pages);
		else
			printf("%u rings of %s: %s each (%u pages)\n", n,
			       s[i].locked ? "programs without rseq" : "CPUs", human,
			       s[i].totals.pages);
	}
}

static int report_text(const struct cmd_env *env, const struct resize *z, const struct region *r,
		       const struct ring_state *s)
{
	char asked[32], rounded[32];

	text_size(z->size, asked, sizeof(asked));
	text_size(z->rounded, rounded, sizeof(rounded));
	if (z->rounded != z->size)
		printf("%s becomes %s (%s)\n", asked, rounded,
		       z->rounded < z->size ? "the most a ring may have"
		       : z->rounded == (uint64_t)LAYOUT_MIN_PAGES * r->geo.page_size
			       ? "a ring has at least 4 pages"
			       : "whole pages");
	if (!sync_load(&r->hdr->rings_ready))
		printf("rings will have %s when tracing is first on\n", rounded);
	else
		print_sizes(z, r, s);
	if (z->why.text[0])
		return cmd_fail(env, CMD_FAILED, "not all rings are what was asked for: %s",
				z->why.text);
	return CMD_DONE;
}

static int report(const struct cmd_env *env, const struct resize *z, struct region *r)
{
	struct ring_state *s = ring_state_load(r);
	int status;

	if (!s)
		return cmd_fail(env, CMD_FAILED, "no memory");
	status = env->json ? report_json(z, r, s) : report_text(env, z, r, s);
	free(s);
	return status;
}

static int run(struct cmd_env *env, int argc, char **argv)
{
	struct resize z = { 0 };
	struct region r;
	int status = parse_options(env, &z, argc, argv);

	if (status == CMD_DONE)
		status = region_tool_open(env, &r, REGION_CREATE);
	if (status != CMD_DONE)
		return status;
	status = choose_rings(env, &r, &z);
	if (status == CMD_DONE)
		status = region_tool_control(env, &r);
	if (status == CMD_DONE) {
		z.rounded = ring_setup_round(&r, z.size);
		want(&r, &z);
		region_unlock(&r, REGION_LOCK_CONTROL);
		if (sync_load_acquire(&r.hdr->rings_ready))
			make_it_so(&r, &z);
		status = report(env, &z, &r);
	}
	free(z.chosen);
	region_close(&r);
	return cmd_written(env, status);
}

const struct cmd cmd_resize = {
	.name = "resize",
	.args = "SIZE [--cpu LIST]",
	.summary = "set the memory of the rings",
	.help = "SIZE is the memory of each ring: a number with k, M or G; it is rounded up to\n"
		"whole pages, at least 4. May be done at any time. Growing takes memory at once;\n"
		"pages that hold events are given back after they were read. The size also holds\n"
		"for rings to come. Says what became of it; status 1 if it is not (yet) SIZE.\n\n"
		"Options:\n"
		"  -c, --cpu LIST\n        only the rings of these CPUs, such as 0,4-7\n\n"
		"Examples:\n"
		"  tracectl resize 16M\n"
		"  tracectl resize 1G --cpu 0-3\n",
	.run = run,
};
