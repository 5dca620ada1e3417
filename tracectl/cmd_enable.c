/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl enable, disable: rules for events by name. Owns command line and
 * report; what rules and mask must become is computed in enable_plan.c.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/parse.h"
#include "libtrbuf/control.h"
#include "tracectl/cmd.h"
#include "tracectl/enable_plan.h"
#include "tracectl/event_set.h"
#include "tracectl/json.h"
#include "tracectl/region_tool.h"
#include "tracectl/text.h"

struct wish {
	int enable, dry_run;
	unsigned level;
	const char *exclude;
	char **pattern;
	int npatterns;
};

static int check_pattern(const struct cmd_env *env, const char *text, char *out, size_t size)
{
	switch (enable_plan_pattern(text, out, size)) {
	case 0:
		return CMD_DONE;
	case -ENAMETOOLONG:
		return cmd_usage(env, "pattern `%.40s...` is longer than %zu bytes", text,
				 size - 1);
	default:
		return cmd_usage(env,
				 "`%s` is no pattern: write CLASS, CLASS:EVENT or a glob of that",
				 text);
	}
}

/* Looked at before the region is opened: wrong use makes no region. */
static int check_patterns(const struct cmd_env *env, const struct wish *w)
{
	struct enable_change change;
	int status = CMD_DONE;

	if (w->exclude)
		status = check_pattern(env, w->exclude, change.exclude, sizeof(change.exclude));
	for (int i = 0; i < w->npatterns && status == CMD_DONE; i++)
		status = check_pattern(env, w->pattern[i], change.pattern, sizeof(change.pattern));
	return status;
}

static int parse_options(const struct cmd_env *env, struct wish *w, int argc, char **argv)
{
	static const struct option options[] = {
		{ "exclude", required_argument, NULL, 'x' },
		{ "dry-run", no_argument, NULL, 'n' },
		{ "level", required_argument, NULL, 'l' },
		{ 0 },
	};
	struct fault f;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, w->enable ? ":x:nl:" : ":x:n", options, NULL)) != -1) {
		if (c == 'x')
			w->exclude = optarg;
		else if (c == 'n')
			w->dry_run = 1;
		else if (c == 'l' && !w->enable)
			return cmd_usage(env, "--level belongs to enable");
		else if (c == 'l') {
			if (parse_level(optarg, &w->level, &f))
				return cmd_usage(env, "%s", f.text);
		} else
			return cmd_badopt(env, c, argv);
	}
	w->pattern = argv + optind;
	w->npatterns = argc - optind;
	if (w->npatterns < 1)
		return cmd_usage(env, "which events? give a pattern, such as 'net:*'");
	return check_patterns(env, w);
}

/* All patterns of the command line become one change. */
static int make_plan(const struct cmd_env *env, const struct wish *w, const struct event_set *set,
		     struct layout_control *c, struct enable_counts *n)
{
	struct enable_change change = { .enable = w->enable, .level = w->level };

	if (w->exclude)
		enable_plan_pattern(w->exclude, change.exclude, sizeof(change.exclude));
	for (int i = 0; i < w->npatterns; i++) {
		enable_plan_pattern(w->pattern[i], change.pattern, sizeof(change.pattern));
		if (enable_plan_add(c, set, &change, n))
			return cmd_fail(
				env, CMD_FAILED,
				"no room for another rule (%u at most): `tracectl enable '*'` "
				"drops all of them, then say it in fewer patterns",
				LAYOUT_MAX_RULES);
	}
	return CMD_DONE;
}

static void show_change(const struct registry_event *ev, const struct layout_control *now,
			struct json *j)
{
	char name[EVENT_SET_FULL_NAME];
	int on = control_gate(now, ev->class_name, ev->class_index, ev->name, ev->level);

	event_set_name(ev, name);
	if (j) {
		json_object(j, NULL);
		json_string(j, "event", name);
		json_u64(j, "id", ev->id);
		json_bool(j, "on", on);
		json_object_end(j);
		return;
	}
	text_put(stdout, name);
	printf(" %s\n", on ? "on" : "off");
}

/* Events whose state differs, as it is when tracing is on. */
static size_t each_change(const struct event_set *set, const struct layout_control *was,
			  const struct layout_control *now, int show, struct json *j)
{
	size_t changed = 0;

	for (size_t i = 0; i < set->count; i++) {
		const struct registry_event *ev = set->event[i];

		if (control_gate(was, ev->class_name, ev->class_index, ev->name, ev->level) ==
		    control_gate(now, ev->class_name, ev->class_index, ev->name, ev->level))
			continue;
		changed++;
		if (show)
			show_change(ev, now, j);
	}
	return changed;
}

static void report_json(const struct wish *w, const struct enable_plan *p)
{
	struct json j;

	json_start(&j, stdout);
	json_object(&j, NULL);
	json_bool(&j, "enable", w->enable);
	json_bool(&j, "dry_run", w->dry_run);
	json_bool(&j, "tracing", p->tracing);
	json_u64(&j, "matched", p->counts.matched);
	json_u64(&j, "changed", each_change(p->set, p->was, p->now, 0, NULL));
	json_u64(&j, "rules", p->now->nrules);
	json_hex(&j, "mask", p->now->mask);
	json_array(&j, "changes");
	each_change(p->set, p->was, p->now, 1, &j);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}

static void report_text(const struct wish *w, const struct enable_plan *p)
{
	size_t changed = each_change(p->set, p->was, p->now, w->dry_run, NULL);

	printf("%zu registered event%s match%s, %zu %s", p->counts.matched,
	       p->counts.matched == 1 ? "" : "s", p->counts.matched == 1 ? "es" : "", changed,
	       w->dry_run ? "would change" : "changed");
	if (!p->counts.matched)
		printf("; the rule %s for events that programs register later",
		       w->dry_run ? "would be kept" : "is kept");
	printf("%s\n", p->tracing ? "" : "; tracing is off (`tracectl on`)");
}

static int change_region(struct cmd_env *env, struct region *r, const struct wish *w,
			 struct layout_control c[2])
{
	struct event_set set;
	struct enable_plan plan = { .set = &set, .was = &c[0], .now = &c[1] };
	int status, err;

	err = event_set_load(&set, r);
	plan.counts.seen = calloc(set.count + 1, 1);
	if (err || !plan.counts.seen) {
		free(plan.counts.seen);
		event_set_free(&set);
		return cmd_fail(env, CMD_FAILED, "%s: events cannot be read: %s", r->path,
				strerror(err ? -err : ENOMEM));
	}
	control_get(r, &c[0]);
	plan.tracing = c[0].on != 0;
	c[1] = c[0];
	status = make_plan(env, w, &set, &c[1], &plan.counts);
	if (status == CMD_DONE) {
		if (!w->dry_run)
			control_publish(r, &c[1]);
		/* The report is about rules and mask, also while tracing is off. */
		c[0].on = c[1].on = 1;
		if (env->json)
			report_json(w, &plan);
		else
			report_text(w, &plan);
	}
	free(plan.counts.seen);
	event_set_free(&set);
	return status;
}

static int run(struct cmd_env *env, int argc, char **argv, int enable)
{
	struct wish w = { .enable = enable, .level = 7 };
	struct layout_control *c;
	struct region r;
	int status = parse_options(env, &w, argc, argv);

	if (status == CMD_DONE)
		status = region_tool_open(env, &r, w.dry_run ? 0 : REGION_CREATE);
	if (status != CMD_DONE)
		return status;
	c = calloc(2, sizeof(*c));
	status = c ? region_tool_control(env, &r) : cmd_fail(env, CMD_FAILED, "no memory");
	if (status == CMD_DONE)
		status = change_region(env, &r, &w, c);
	free(c);
	region_close(&r);
	return cmd_written(env, status);
}

static int run_enable(struct cmd_env *env, int argc, char **argv)
{
	return run(env, argc, argv, 1);
}

static int run_disable(struct cmd_env *env, int argc, char **argv)
{
	return run(env, argc, argv, 0);
}

#define HELP_PATTERN \
	"PATTERN is a glob (* ? [a-z] [!x]) on `class:event`; without a colon it means\n" \
	"all events of the class. Quote it, or the shell takes it for file names.\n" \
	"The newest rule that matches an event decides.\n"
#define HELP_OPTIONS \
	"  -x, --exclude GLOB\n        leave the events that match GLOB as they are\n" \
	"  -n, --dry-run\n        change nothing, show which events would change\n"

const struct cmd cmd_enable = {
	.name = "enable",
	.args = "PATTERN... [--level L] [--exclude GLOB] [--dry-run]",
	.summary = "switch events on by name",
	.help = HELP_PATTERN
	"Matching events are on, also those that no program has registered yet; if\n"
	"their class is out of the mask it is taken in, and its other events stay as\n"
	"they were.\n\nOptions:\n"
	"  -l, --level L\n"
	"        events less urgent than L stay off: emerg alert crit err warning\n"
	"        notice info debug, or 0 to 7 (debug)\n" HELP_OPTIONS "\nExamples:\n"
	"  tracectl enable net 'disk:read*'\n"
	"  tracectl enable '*' --level info --exclude 'net:poll*'\n"
	"  tracectl disable '*' && tracectl enable net:rx\n",
	.run = run_enable,
};

const struct cmd cmd_disable = {
	.name = "disable",
	.args = "PATTERN... [--exclude GLOB] [--dry-run]",
	.summary = "switch events off by name",
	.help = HELP_PATTERN
	"Matching events are off, also those that no program has registered yet. The\n"
	"mask stays as it is.\n\nOptions:\n" HELP_OPTIONS "\nExamples:\n"
	"  tracectl disable net:poll\n"
	"  tracectl disable '*' --exclude 'net:*'\n",
	.run = run_disable,
};
