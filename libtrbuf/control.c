/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Control words and gates. Two sides meet here without a lock: a tool that
 * publishes a change and then walks the registry, and a producer that publishes
 * an event and then reads the control words. Each does its store, a full
 * fence, then its look [O7]: so at least one of the two sees the other, and
 * the gate ends up as the newest control words say.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/control.h"
#include "libtrbuf/doorbell.h"
#include "libtrbuf/registry.h"
#include "libtrbuf/sync.h"

#define TRIES 1000

static void sanitize(struct layout_control *c)
{
	if (c->nrules > LAYOUT_MAX_RULES)
		c->nrules = LAYOUT_MAX_RULES;
	for (unsigned i = 0; i < c->nrules; i++) {
		c->rules[i].pattern[sizeof(c->rules[i].pattern) - 1] = '\0';
		c->rules[i].exclude[sizeof(c->rules[i].exclude) - 1] = '\0';
	}
}

/* The copy in force, and the sequence number it belongs to. A tool that
 * publishes twice meanwhile makes it look again; bounded all the same. */
static uint32_t copy_in_force(const struct region *r, struct layout_control *c)
{
	uint32_t seq = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		seq = sync_load_acquire(&r->hdr->control_seq);
		memcpy(c, &r->hdr->control[seq & 1], sizeof(*c));
		sync_fence_acquire();
		if (sync_load(&r->hdr->control_seq) == seq)
			break;
	}
	sanitize(c);
	return seq;
}

void control_get(const struct region *r, struct layout_control *c)
{
	copy_in_force(r, c);
}

/* Does this rule decide about the event? -1 no, 0 off, 1 on. */
static int rule_says(const struct layout_rule *rule, const char *full, unsigned level)
{
	if (!control_glob(rule->pattern, full))
		return -1;
	if (rule->exclude[0] && control_glob(rule->exclude, full))
		return -1;
	return rule->action == LAYOUT_RULE_ENABLE && level <= rule->level;
}

static void full_name(char full[2 * LAYOUT_NAME + 2], const char *class_name, const char *name)
{
	snprintf(full, 2 * LAYOUT_NAME + 2, "%.63s:%.63s", class_name, name);
}

int control_gate(const struct layout_control *c, const char *class_name, unsigned class_index,
		 const char *name, unsigned level)
{
	char full[2 * LAYOUT_NAME + 2];

	if (!c->on || !(c->mask >> class_index & 1))
		return 0;
	full_name(full, class_name, name);
	for (unsigned i = c->nrules; i-- > 0;) {
		int says = rule_says(&c->rules[i], full, level);

		if (says >= 0)
			return says;
	}
	return 1;
}

/* The same from shared memory, a rule at a time: for the small stacks and
 * allocation-free paths of registrants. The caller checks control_seq. */
static int gate_in_place(const struct layout_control *c, const struct control_event *ev)
{
	char full[2 * LAYOUT_NAME + 2];
	uint32_t n = sync_load(&c->nrules);

	if (!sync_load(&c->on) || !(sync_load(&c->mask) >> ev->class_index & 1))
		return 0;
	full_name(full, ev->class_name, ev->name);
	for (unsigned i = n < LAYOUT_MAX_RULES ? n : LAYOUT_MAX_RULES; i-- > 0;) {
		struct layout_rule rule = c->rules[i];
		int says;

		rule.pattern[sizeof(rule.pattern) - 1] = '\0';
		rule.exclude[sizeof(rule.exclude) - 1] = '\0';
		says = rule_says(&rule, full, ev->level);
		if (says >= 0)
			return says;
	}
	return 1;
}

/* ------------------------------------------------------------- derive */

struct derive {
	struct region *r;
	const struct layout_control *c;
	uint32_t seq;
	int wrong;
};

static int derive_one(struct registry_event *ev, void *arg)
{
	struct derive *d = arg;
	unsigned char *gate = region_gate(d->r, ev->id);
	struct layout_event *e = (struct layout_event *)(d->r->base + ev->off);
	unsigned char want = (unsigned char)control_gate(d->c, ev->class_name, ev->class_index,
							 ev->name, ev->level);

	if (sync_load(gate) != want) {
		sync_store(gate, want);
		d->wrong++;
	}
	sync_store(&e->gate_seq, d->seq);
	free(ev);
	return 0;
}

static int derive_all(struct region *r, const struct layout_control *c, uint32_t seq)
{
	struct registry_scan *s = calloc(1, sizeof(*s));
	struct derive d = { r, c, seq, 0 };

	if (!s)
		return 0;
	registry_scan(r, s, derive_one, &d);
	free(s);
	sync_store_release(&r->hdr->gates_seq, seq);
	return d.wrong;
}

void control_publish(struct region *r, const struct layout_control *c)
{
	uint32_t seq = sync_load(&r->hdr->control_seq) + 1;

	memcpy(&r->hdr->control[seq & 1], c, sizeof(*c));
	sync_store_release(&r->hdr->control_seq, seq); /* [O7] */
	sync_fence();                                  /* [O7] before the walk */
	derive_all(r, c, seq);
	doorbell_ring(r);
}

int control_repair(struct region *r, int force)
{
	struct layout_control *c;
	uint32_t seq = sync_load_acquire(&r->hdr->control_seq);
	int wrong = 0;

	if (!force && sync_load(&r->hdr->gates_seq) == seq)
		return 0;
	c = malloc(sizeof(*c));
	if (!c)
		return 0;
	seq = copy_in_force(r, c);
	wrong = derive_all(r, c, seq);
	free(c);
	return wrong;
}

void control_derive_new(struct region *r, uint64_t off, const struct control_event *ev)
{
	struct layout_event *e = (struct layout_event *)(r->base + off);

	for (unsigned i = 0; i < TRIES; i++) {
		uint32_t seq;

		sync_fence(); /* [O7] entry published before this look */
		seq = sync_load_acquire(&r->hdr->control_seq);
		sync_store(region_gate(r, ev->id),
			   (unsigned char)gate_in_place(&r->hdr->control[seq & 1], ev));
		sync_fence();
		if (sync_load(&r->hdr->control_seq) == seq) {
			sync_store(&e->gate_seq, seq);
			break;
		}
	}
}

/* --------------------------------------------------------------- rules */

static void drop_rule(struct layout_control *c, unsigned i)
{
	memmove(&c->rules[i], &c->rules[i + 1], (c->nrules - i - 1) * sizeof(c->rules[0]));
	c->nrules--;
}

int control_rule(struct layout_control *c, int enable, const char *pattern, const char *exclude,
		 unsigned level)
{
	struct layout_rule *rule;
	int all = strcmp(pattern, "*") == 0 || strcmp(pattern, "*:*") == 0;

	exclude = exclude ? exclude : "";
	if (strlen(pattern) >= sizeof(rule->pattern) || strlen(exclude) >= sizeof(rule->exclude))
		return -ENAMETOOLONG;
	/* What the new rule decides alone needs no older rule. */
	for (unsigned i = c->nrules; i-- > 0;)
		if (!exclude[0] && (all || strcmp(c->rules[i].pattern, pattern) == 0))
			drop_rule(c, i);
	if (all && enable && !exclude[0] && level >= 7)
		return 0; /* as if there were no rules */
	if (c->nrules >= LAYOUT_MAX_RULES)
		return -ENOSPC;
	rule = &c->rules[c->nrules++];
	memset(rule, 0, sizeof(*rule));
	rule->action = enable ? LAYOUT_RULE_ENABLE : LAYOUT_RULE_DISABLE;
	rule->level = (uint8_t)level;
	strcpy(rule->pattern, pattern);
	strcpy(rule->exclude, exclude);
	return 0;
}
