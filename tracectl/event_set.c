/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The registered events as tracectl shows and matches them. Reads the region
 * through registry.h, which checks; changes nothing. Called by the verbs that
 * name events: list, enable, disable, mask, doctor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/parse.h"
#include "libtrbuf/control.h"
#include "libtrbuf/sync.h"
#include "tracectl/cmd.h"
#include "tracectl/event_set.h"

static int keep(struct registry_event *ev, void *arg)
{
	struct event_set *set = arg;

	if (set->count == set->room) {
		size_t room = set->room ? set->room * 2 : 64;
		void *p = realloc(set->event, room * sizeof(set->event[0]));

		if (!p) {
			free(ev);
			return -ENOMEM;
		}
		set->event = p;
		set->room = room;
	}
	set->event[set->count++] = ev;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct registry_event *x = *(struct registry_event *const *)a;
	const struct registry_event *y = *(struct registry_event *const *)b;
	int c = strcmp(x->class_name, y->class_name);

	if (!c)
		c = strcmp(x->name, y->name);
	return c ? c : (x->id > y->id) - (x->id < y->id);
}

int event_set_load(struct event_set *set, struct region *r)
{
	struct registry_scan *scan = calloc(1, sizeof(*scan));
	int err;

	memset(set, 0, sizeof(*set));
	if (!scan)
		return -ENOMEM;
	err = registry_scan(r, scan, keep, set);
	set->bad = scan->bad;
	set->next_event = sync_load(&r->hdr->next_event);
	free(scan);
	if (err < 0)
		return err;
	if (set->count)
		qsort(set->event, set->count, sizeof(set->event[0]), compare);
	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES; i++) {
		registry_class_name(r, i, set->class_name[i]);
		if (set->class_name[i][0])
			set->nclasses++;
	}
	return 0;
}

void event_set_free(struct event_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->event[i]);
	free(set->event);
	memset(set, 0, sizeof(*set));
}

void event_set_name(const struct registry_event *ev, char name[EVENT_SET_FULL_NAME])
{
	snprintf(name, EVENT_SET_FULL_NAME, "%s:%s", ev->class_name, ev->name);
}

int event_set_class(const struct event_set *set, const char *name)
{
	for (int i = 0; i < (int)LAYOUT_MAX_CLASSES; i++) {
		if (set->class_name[i][0] && strcmp(set->class_name[i], name) == 0)
			return i;
	}
	return -1;
}

int event_set_rule_matches(const struct layout_rule *rule, const struct registry_event *ev)
{
	char name[EVENT_SET_FULL_NAME];

	event_set_name(ev, name);
	return control_glob(rule->pattern, name) &&
	       !(rule->exclude[0] && control_glob(rule->exclude, name));
}

enum event_why event_set_why(const struct layout_control *c, const struct registry_event *ev,
			     int *rule)
{
	*rule = -1;
	for (int i = (int)c->nrules - 1; i >= 0 && *rule < 0; i--) {
		if (event_set_rule_matches(&c->rules[i], ev))
			*rule = i;
	}
	if (control_gate(c, ev->class_name, ev->class_index, ev->name, ev->level))
		return EVENT_ON;
	if (!c->on)
		return EVENT_OFF_TRACING;
	if (!(c->mask >> (ev->class_index & 63) & 1))
		return EVENT_OFF_MASK;
	if (*rule >= 0 && c->rules[*rule].action == LAYOUT_RULE_ENABLE)
		return EVENT_OFF_LEVEL;
	return EVENT_OFF_RULE;
}

const char *event_set_why_word(enum event_why why)
{
	static const char *const word[] = { NULL, "tracing_off", "mask", "rule", "level" };

	return word[why];
}

void event_set_rule_text(const struct layout_rule *rule, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s %s",
			 rule->action == LAYOUT_RULE_ENABLE ? "enable" : "disable", rule->pattern);

	if (n > 0 && (size_t)n < size && rule->action == LAYOUT_RULE_ENABLE && rule->level < 7)
		n += snprintf(buf + n, size - (size_t)n, " --level %s",
			      parse_level_name(rule->level));
	if (n > 0 && (size_t)n < size && rule->exclude[0])
		snprintf(buf + n, size - (size_t)n, " --exclude %s", rule->exclude);
}

void event_set_explain(const struct layout_control *c, enum event_why why, int rule, char *buf,
		       size_t size)
{
	char text[300] = "";

	if (rule >= 0)
		event_set_rule_text(&c->rules[rule], text, sizeof(text));
	switch (why) {
	case EVENT_ON:
		snprintf(buf, size, "on");
		break;
	case EVENT_OFF_TRACING:
		snprintf(buf, size, "off: tracing is off");
		break;
	case EVENT_OFF_MASK:
		snprintf(buf, size, "off: class not in mask");
		break;
	case EVENT_OFF_LEVEL:
		snprintf(buf, size, "off: level, by \"%s\"", text);
		break;
	default:
		snprintf(buf, size, "off: rule \"%s\"", text);
	}
}

/* Names put one behind the other, a few at most. */
struct near_list {
	char *buf;
	size_t size, used;
	unsigned count;
};

static void near_add(struct near_list *n, const char *name)
{
	int len;

	if (n->count >= 4 || n->used >= n->size)
		return;
	len = snprintf(n->buf + n->used, n->size - n->used, "%s%s", n->count ? ", " : "", name);
	n->used += len > 0 ? (size_t)len : 0;
	n->count++;
}

void event_set_near(const struct event_set *set, const char *word, char *buf, size_t size)
{
	struct near_list n = { .buf = buf, .size = size };
	char name[EVENT_SET_FULL_NAME], before[EVENT_SET_FULL_NAME] = "";

	buf[0] = '\0';
	for (size_t i = 0; i < set->count; i++) {
		const struct registry_event *ev = set->event[i];
		int is_near;

		event_set_name(ev, name);
		if (strchr(word, ':'))
			is_near = cmd_is_near(word, name, cmd_distance(word, name));
		else
			is_near = cmd_is_near(word, ev->name, cmd_distance(word, ev->name)) ||
				  cmd_is_near(word, ev->class_name,
					      cmd_distance(word, ev->class_name));
		if (is_near && strcmp(name, before) != 0)
			near_add(&n, name);
		memcpy(before, name, sizeof(before));
	}
}

void event_set_near_class(const struct event_set *set, const char *word, char *buf, size_t size)
{
	struct near_list n = { .buf = buf, .size = size };

	buf[0] = '\0';
	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES; i++) {
		const char *name = set->class_name[i];

		if (name[0] && cmd_is_near(word, name, cmd_distance(word, name)))
			near_add(&n, name);
	}
}
