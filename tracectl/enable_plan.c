/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The rules behind `enable` and `disable`. A gate needs its class in the mask
 * and the newest matching rule; `enable` promises that matching events are on
 * and that no other event changes. So where a class must come into the mask, a
 * `disable CLASS:*` first keeps its other events off. Works on a private copy
 * of the control words; called by cmd_enable.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libtrbuf/control.h"
#include "tracectl/enable_plan.h"

int enable_plan_pattern(const char *text, char *out, size_t size)
{
	const char *colon = strchr(text, ':');
	int n;

	if (!text[0] || colon == text || (colon && !colon[1]))
		return -EINVAL;
	n = snprintf(out, size, "%s%s", text, colon ? "" : ":*");
	return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

/* The class part of a pattern; 1 if it is a plain name, 0 if it is a glob. */
static int class_part(const char *pattern, char name[LAYOUT_NAME])
{
	size_t n = strcspn(pattern, ":");

	if (n >= LAYOUT_NAME || strcspn(pattern, "*?[\\") < n) {
		name[0] = '\0';
		return 0;
	}
	memcpy(name, pattern, n);
	name[n] = '\0';
	return 1;
}

static int speaks_of_whole_class(const struct enable_change *ch)
{
	const char *colon = strchr(ch->pattern, ':');

	return !ch->exclude[0] && colon && strcmp(colon, ":*") == 0;
}

/* Rules about one class alone say nothing any more once a newer rule speaks
 * of the whole class. */
static void drop_class_rules(struct layout_control *c, const char *class_name)
{
	char name[LAYOUT_NAME];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->nrules; i++) {
		if (class_part(c->rules[i].pattern, name) && strcmp(name, class_name) == 0)
			continue;
		if (kept != i)
			c->rules[kept] = c->rules[i];
		kept++;
	}
	c->nrules = kept;
}

static int class_rule(struct layout_control *c, int enable, const char *class_name)
{
	char pattern[LAYOUT_NAME + 2];

	snprintf(pattern, sizeof(pattern), "%s:*", class_name);
	drop_class_rules(c, class_name);
	return control_rule(c, enable, pattern, NULL, 7);
}

static int matches(const struct enable_change *ch, const struct registry_event *ev)
{
	struct layout_rule rule = { .action = 0 };

	memcpy(rule.pattern, ch->pattern, sizeof(rule.pattern));
	memcpy(rule.exclude, ch->exclude, sizeof(rule.exclude));
	return event_set_rule_matches(&rule, ev);
}

/* Bits of the classes that have a matching event or could get one; each event
 * is counted for the first pattern that speaks of it. */
static uint64_t matching_classes(const struct event_set *set, const struct enable_change *ch,
				 struct enable_counts *n)
{
	char part[sizeof(ch->pattern)];
	uint64_t bits = 0;

	snprintf(part, sizeof(part), "%.*s", (int)strcspn(ch->pattern, ":"), ch->pattern);
	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES; i++) {
		if (set->class_name[i][0] && control_glob(part, set->class_name[i]))
			bits |= UINT64_C(1) << i;
	}
	for (size_t i = 0; i < set->count; i++) {
		if (!matches(ch, set->event[i]))
			continue;
		bits |= UINT64_C(1) << set->event[i]->class_index;
		n->matched += !n->seen[i];
		n->seen[i] = 1;
	}
	return bits;
}

/* Classes that are out of the mask and have a matching event come in, with all
 * their events off until the rule of the change follows. */
static int take_in(struct layout_control *c, const struct event_set *set, uint64_t bits)
{
	bits &= ~c->mask;
	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES; i++) {
		int err;

		if (!(bits >> i & 1))
			continue;
		err = class_rule(c, 0, set->class_name[i]);
		if (err)
			return err;
		c->mask |= UINT64_C(1) << i;
	}
	return 0;
}

static uint64_t free_bits(const struct event_set *set)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES; i++)
		bits |= (uint64_t)!set->class_name[i][0] << i;
	return bits;
}

static int prepend(struct layout_control *c, int enable, const char *pattern)
{
	struct layout_rule rule = { .action = (uint8_t)enable, .level = 7 };

	if (c->nrules >= LAYOUT_MAX_RULES)
		return -ENOSPC;
	snprintf(rule.pattern, sizeof(rule.pattern), "%s", pattern);
	memmove(&c->rules[1], &c->rules[0], c->nrules * sizeof(rule));
	c->rules[0] = rule;
	c->nrules++;
	return 0;
}

/*
 * Classes to come get bits that are now free. If those are out of the mask, a
 * rule for events of such a class would mean nothing; so "classes to come are
 * off" is moved from the mask into the oldest rule, and the classes that are
 * here and in the mask get a rule each that keeps them as they are.
 */
static int open_for_new_classes(struct layout_control *c, const struct event_set *set,
				const struct enable_change *ch)
{
	uint64_t bits = free_bits(set);
	char name[LAYOUT_NAME], pattern[LAYOUT_NAME + 2];
	int err = 0;

	if ((c->mask & bits) == bits)
		return 0;
	if (class_part(ch->pattern, name) && event_set_class(set, name) >= 0)
		return 0;
	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES && !err; i++) {
		if ((bits >> i & 1) || !(c->mask >> i & 1))
			continue;
		snprintf(pattern, sizeof(pattern), "%s:*", set->class_name[i]);
		err = prepend(c, 1, pattern);
	}
	if (!err)
		err = prepend(c, 0, "*:*");
	c->mask |= bits;
	return err;
}

int enable_plan_add(struct layout_control *c, const struct event_set *set,
		    const struct enable_change *ch, struct enable_counts *n)
{
	uint64_t bits = matching_classes(set, ch, n);
	char name[LAYOUT_NAME];
	int everything = strcmp(ch->pattern, "*:*") == 0 && !ch->exclude[0], err = 0;

	if (ch->enable && everything)
		c->mask = UINT64_MAX; /* the rule decides for all: none is needed before it */
	else if (ch->enable)
		err = open_for_new_classes(c, set, ch);
	if (!err && ch->enable && !everything)
		err = take_in(c, set, bits);
	if (err)
		return err;
	if (speaks_of_whole_class(ch) && class_part(ch->pattern, name))
		drop_class_rules(c, name);
	return control_rule(c, ch->enable, ch->pattern, ch->exclude, ch->level);
}
