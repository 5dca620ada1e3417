/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl list: what is registered. Command line, classes and events are
 * here; processes are in list_processes.c. Reads only.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/parse.h"
#include "libtrbuf/control.h"
#include "libtrbuf/sync.h"
#include "libtrbuf/trbuf.h"
#include "tracectl/cmd.h"
#include "tracectl/enable_plan.h"
#include "tracectl/event_set.h"
#include "tracectl/json.h"
#include "tracectl/list_processes.h"
#include "tracectl/region_tool.h"
#include "tracectl/text.h"

struct listing {
	struct region *r;
	struct event_set set;
	struct layout_control control;
	const char *pattern; /* "" all */
	struct json *j;      /* NULL: text */
};

/* ------------------------------------------------------------- classes */

static void count_class(const struct listing *l, unsigned index, size_t *events, size_t *on)
{
	*events = *on = 0;
	for (size_t i = 0; i < l->set.count; i++) {
		const struct registry_event *ev = l->set.event[i];

		if (ev->class_index != index)
			continue;
		(*events)++;
		*on += (size_t)control_gate(&l->control, ev->class_name, ev->class_index, ev->name,
					    ev->level);
	}
}

static void list_class(const struct listing *l, unsigned i)
{
	const char *name = l->set.class_name[i];
	int in_mask = (int)(l->control.mask >> i & 1);
	size_t events, on;

	count_class(l, i, &events, &on);
	if (!l->j) {
		printf("%2u  %-24s %6zu events, %zu on%s\n", i, name, events, on,
		       in_mask ? "" : "; not in mask");
		return;
	}
	json_object(l->j, NULL);
	json_string(l->j, "class", name);
	json_u64(l->j, "bit", i);
	json_bool(l->j, "in_mask", in_mask);
	json_u64(l->j, "events", events);
	json_u64(l->j, "on", on);
	json_object_end(l->j);
}

static size_t list_classes(const struct listing *l)
{
	char part[LAYOUT_NAME * 2];
	size_t shown = 0;

	snprintf(part, sizeof(part), "%.*s", (int)strcspn(l->pattern, ":"), l->pattern);
	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES; i++) {
		if (!l->set.class_name[i][0] ||
		    (part[0] && !control_glob(part, l->set.class_name[i])))
			continue;
		list_class(l, i);
		shown++;
	}
	return shown;
}

/* -------------------------------------------------------------- events */

static const char *span_word(unsigned span)
{
	return span == 1 ? "begin" : span == 2 ? "end" : NULL;
}

static void json_field(struct json *j, const struct registry_field *f)
{
	json_object(j, NULL);
	json_string(j, "name", f->name);
	json_string(j, "type", text_type(f->type));
	if (f->type == TRBUF_T_ARRAY || f->type == TRBUF_T_SEQ || f->type == TRBUF_T_ENUM)
		json_string(j, "element", text_type(f->elem));
	if (f->type == TRBUF_T_ARRAY)
		json_u64(j, "count", f->count);
	if (f->type == TRBUF_T_ENUM) {
		json_array(j, "labels");
		for (unsigned i = 0; i < f->nlabels; i++) {
			json_object(j, NULL);
			json_s64(j, "value", f->labels[i].value);
			json_string(j, "name", f->labels[i].name);
			json_object_end(j);
		}
		json_array_end(j);
	}
	json_object_end(j);
}

/* The gate is derived: if a tool was killed half-way it may lag behind. */
static int gate_lags(const struct listing *l, const struct registry_event *ev, enum event_why why)
{
	return (sync_load(region_gate(l->r, ev->id)) != 0) != (why == EVENT_ON);
}

static void json_event(const struct listing *l, const struct registry_event *ev)
{
	struct json *j = l->j;
	char name[EVENT_SET_FULL_NAME], rule_text[300];
	int rule;
	enum event_why why = event_set_why(&l->control, ev, &rule);

	event_set_name(ev, name);
	json_object(j, NULL);
	json_string(j, "event", name);
	json_string(j, "class", ev->class_name);
	json_string(j, "name", ev->name);
	json_u64(j, "id", ev->id);
	json_u64(j, "level", ev->level);
	json_string(j, "level_name", parse_level_name(ev->level));
	json_string(j, "span", span_word(ev->span));
	json_bool(j, "on", why == EVENT_ON);
	json_string(j, "reason", event_set_why_word(why));
	if (rule >= 0)
		event_set_rule_text(&l->control.rules[rule], rule_text, sizeof(rule_text));
	json_string(j, "rule", rule >= 0 ? rule_text : NULL);
	json_bool(j, "gate_lags", gate_lags(l, ev, why));
	json_array(j, "fields");
	for (unsigned i = 0; i < ev->nfields; i++)
		json_field(j, &ev->field[i]);
	json_array_end(j);
	json_object_end(j);
}

static void text_event(const struct listing *l, const struct registry_event *ev)
{
	char name[EVENT_SET_FULL_NAME], why_text[400], field[600];
	int rule;
	enum event_why why = event_set_why(&l->control, ev, &rule);

	event_set_name(ev, name);
	event_set_explain(&l->control, why, rule, why_text, sizeof(why_text));
	text_put(stdout, name);
	printf("  id %u  %s%s%s  ", ev->id, parse_level_name(ev->level), ev->span ? "  span " : "",
	       ev->span ? span_word(ev->span) : "");
	text_put(stdout, why_text);
	printf("%s\n", gate_lags(l, ev, why) ? "  (a change was left half-way)" : "");
	for (unsigned i = 0; i < ev->nfields; i++) {
		text_field(&ev->field[i], field, sizeof(field));
		printf("    ");
		text_put(stdout, field);
		putchar('\n');
	}
}

static size_t list_events(const struct listing *l)
{
	size_t shown = 0;

	for (size_t i = 0; i < l->set.count; i++) {
		char name[EVENT_SET_FULL_NAME];

		event_set_name(l->set.event[i], name);
		if (l->pattern[0] && !control_glob(l->pattern, name))
			continue;
		if (l->j)
			json_event(l, l->set.event[i]);
		else
			text_event(l, l->set.event[i]);
		shown++;
	}
	return shown;
}

/* ---------------------------------------------------------------- verb */

static int what_of(const char *word)
{
	static const char *const names[] = { "events", "classes", "processes" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(word, names[i]) == 0)
			return i;
	}
	return -1;
}

static int list(const struct cmd_env *env, struct listing *l, int what)
{
	static const char *const names[] = { "events", "classes", "processes" };
	struct json j;
	size_t shown;

	l->j = env->json ? &j : NULL;
	if (l->j) {
		json_start(&j, stdout);
		json_object(&j, NULL);
		json_array(&j, names[what]);
	}
	shown = what == 2   ? list_processes(l->r, l->j)
		: what == 1 ? list_classes(l)
			    : list_events(l);
	if (l->j) {
		json_array_end(&j);
		json_u64(&j, "damaged", l->set.bad);
		json_object_end(&j);
		json_end(&j);
	} else if (!shown) {
		printf("no %s%s\n", names[what],
		       l->pattern[0] ? " that match"
		       : what == 2   ? " attached"
				     : " registered");
	}
	if (!l->j && l->set.bad)
		printf("%llu entries of the registry are damaged\n",
		       (unsigned long long)l->set.bad);
	return CMD_DONE;
}

static int run(struct cmd_env *env, int argc, char **argv)
{
	static const struct option none[] = { { 0 } };
	char pattern[sizeof(((struct layout_rule *)0)->pattern)] = "";
	struct listing *l;
	struct region r;
	int c, what = 0, status, err;

	opterr = 0;
	c = getopt_long(argc, argv, ":", none, NULL);
	if (c != -1)
		return cmd_badopt(env, c, argv);
	if (optind < argc)
		what = what_of(argv[optind++]);
	if (what < 0)
		return cmd_usage(env, "list what? events, classes or processes, not `%s`",
				 argv[optind - 1]);
	if (argc - optind > (what == 2 ? 0 : 1))
		return cmd_usage(env, "too many arguments: `%s`", argv[argc - 1]);
	if (optind < argc && enable_plan_pattern(argv[optind], pattern, sizeof(pattern)))
		return cmd_usage(env, "`%s` is no pattern", argv[optind]);
	status = region_tool_open(env, &r, 0);
	if (status != CMD_DONE)
		return status;
	l = calloc(1, sizeof(*l));
	err = l ? event_set_load(&l->set, &r) : -ENOMEM;
	if (err) {
		status = cmd_fail(env, CMD_FAILED, "%s: %s", r.path, strerror(-err));
	} else {
		l->r = &r;
		l->pattern = pattern;
		control_get(&r, &l->control);
		status = list(env, l, what);
	}
	if (l)
		event_set_free(&l->set);
	free(l);
	region_close(&r);
	return cmd_written(env, status);
}

const struct cmd cmd_list = {
	.name = "list",
	.args = "[events [PATTERN] | classes [PATTERN] | processes]",
	.summary = "show registered events, classes and processes",
	.help = "  events     name, id, level, on or off and why, fields (what is shown without\n"
		"             an argument)\n"
		"  classes    bit in the mask, name, number of events\n"
		"  processes  pid, name, executable, state, loaded objects\n\n"
		"PATTERN is a glob as in `tracectl enable`. Events stay registered when their\n"
		"program is gone.\n\n"
		"Examples:\n"
		"  tracectl list\n"
		"  tracectl list events 'net:*'\n"
		"  tracectl --json list processes | jq '.processes[].pid'\n",
	.run = run,
};
