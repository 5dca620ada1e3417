/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Checks of the doctor about control words and events: is tracing on, is the
 * event there, and what keeps it off. Reads only. Called by cmd_doctor.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/parse.h"
#include "libtrbuf/control.h"
#include "libtrbuf/process.h"
#include "libtrbuf/sync.h"
#include "tracectl/doctor.h"

void doctor_check_control(struct doctor *d)
{
	const struct layout_region *h = d->r->hdr;

	if (sync_load(&h->gates_seq) != sync_load(&h->control_seq))
		doctor_found(
			d, DOCTOR_CAUSE, "change_half_way",
			d->control.on ? "tracectl on" : "tracectl off",
			"a tool was killed in the middle of a change: some events may be in their "
			"old state");
	if (!d->control.on)
		doctor_found(d, DOCTOR_CAUSE, "tracing_off", "tracectl on", "tracing is off");
	if (!d->control.mask)
		doctor_found(d, DOCTOR_CAUSE, "mask_empty", "tracectl mask all",
			     "the class mask is empty: no event can be on");
}

static unsigned live_processes(const struct region *r)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < LAYOUT_MAX_PROCESSES; i++) {
		struct process_info p;

		n += process_get(r, i, &p) && p.state == LAYOUT_PROCESS_LIVE && !process_dead(&p);
	}
	return n;
}

static void check_attached(struct doctor *d)
{
	static const char look[] = "start the program with the same TRBUF_REGION, and with "
				   "TRBUF_DEBUG=1 to be told what keeps it away";

	if (!d->set.count)
		doctor_found(d, DOCTOR_CAUSE, "no_events", look,
			     "no program has registered an event in %s", d->r->path);
	else if (!live_processes(d->r))
		doctor_found(d, DOCTOR_CAUSE, "no_processes", look,
			     "no running process is attached to %s", d->r->path);
}

static void not_registered(struct doctor *d)
{
	char near[300];

	event_set_near(&d->set, d->event, near, sizeof(near));
	if (near[0])
		doctor_found(d, DOCTOR_CAUSE, "not_registered", "tracectl list",
			     "no event `%s` is registered; near to it: %s", d->event, near);
	else
		doctor_found(
			d, DOCTOR_CAUSE, "not_registered", "tracectl list",
			"no event `%s` is registered: the program that has it has not attached, "
			"or it is compiled out (TRBUF_DISABLE)",
			d->event);
}

/* One event that is off, with what mends it. */
static void explain_off(struct doctor *d, const struct registry_event *ev, enum event_why why,
			int rule)
{
	char name[EVENT_SET_FULL_NAME], mend[400], text[300] = "";

	event_set_name(ev, name);
	if (rule >= 0)
		event_set_rule_text(&d->control.rules[rule], text, sizeof(text));
	if (why == EVENT_OFF_MASK) {
		snprintf(mend, sizeof(mend), "tracectl mask +%s", ev->class_name);
		doctor_found(d, DOCTOR_CAUSE, "class_off", mend,
			     "%s is off: class %s is not in the mask 0x%" PRIx64, name,
			     ev->class_name, d->control.mask);
	} else if (why == EVENT_OFF_LEVEL) {
		snprintf(mend, sizeof(mend), "tracectl enable '%s' --level %s", name,
			 parse_level_name(ev->level));
		doctor_found(d, DOCTOR_CAUSE, "level", mend,
			     "%s is off: its level is %s, the rule \"%s\" ends before that", name,
			     parse_level_name(ev->level), text);
	} else if (why == EVENT_OFF_RULE) {
		snprintf(mend, sizeof(mend), "tracectl enable '%s'", name);
		doctor_found(d, DOCTOR_CAUSE, "rule", mend, "%s is off by the rule \"%s\"", name,
			     text);
	}
}

static void check_gate(struct doctor *d, const struct registry_event *ev, enum event_why why)
{
	char name[EVENT_SET_FULL_NAME];
	int gate = sync_load(region_gate(d->r, ev->id)) != 0;

	if (gate == (why == EVENT_ON))
		return;
	event_set_name(ev, name);
	doctor_found(d, gate ? DOCTOR_REMARK : DOCTOR_CAUSE, "gate_lags", "tracectl on",
		     "%s should be %s, but its gate says %s: a change was left half-way", name,
		     gate ? "off" : "on", gate ? "on" : "off");
}

/* The events asked for: one is enough to be recorded. */
static void check_named(struct doctor *d)
{
	const struct registry_event *off = NULL;
	enum event_why off_why = EVENT_ON;
	size_t found = 0, on = 0;
	int off_rule = -1;

	for (size_t i = 0; i < d->set.count; i++) {
		const struct registry_event *ev = d->set.event[i];
		char name[EVENT_SET_FULL_NAME];
		enum event_why why;
		int rule;

		event_set_name(ev, name);
		if (!control_glob(d->pattern, name))
			continue;
		found++;
		why = event_set_why(&d->control, ev, &rule);
		on += why == EVENT_ON;
		check_gate(d, ev, why);
		if (why != EVENT_ON && (!off || d->all)) {
			off = ev;
			off_why = why;
			off_rule = rule;
			if (d->all)
				explain_off(d, ev, why, rule);
		}
	}
	if (!found)
		not_registered(d);
	else if (!on && off && !d->all)
		explain_off(d, off, off_why, off_rule);
}

/* Without a name: what keeps how many of the events off. */
static void check_all_events(struct doctor *d)
{
	size_t by[EVENT_OFF_LEVEL + 1] = { 0 }, off;
	struct layout_control *c = &d->control;
	uint32_t was_on = c->on;

	c->on = 1; /* that tracing is off has been said */
	for (size_t i = 0; i < d->set.count; i++) {
		enum event_why why;
		int rule;

		why = event_set_why(c, d->set.event[i], &rule);
		by[why]++;
		if (was_on)
			check_gate(d, d->set.event[i], why);
	}
	c->on = was_on;
	off = d->set.count - by[EVENT_ON];
	if (off)
		doctor_found(
			d, by[EVENT_ON] ? DOCTOR_REMARK : DOCTOR_CAUSE, "events_off",
			by[EVENT_ON] ? "tracectl list" : "tracectl enable '*'",
			"%zu of %zu registered events are off: class not in mask %zu, rule %zu, "
			"level %zu",
			off, d->set.count, by[EVENT_OFF_MASK], by[EVENT_OFF_RULE],
			by[EVENT_OFF_LEVEL]);
}

void doctor_check_events(struct doctor *d)
{
	if (d->set.bad)
		doctor_found(d, DOCTOR_REMARK, "registry_damaged",
			     "remove the region file and start the programs again",
			     "%" PRIu64 " entries of the registry are damaged", d->set.bad);
	if (d->event)
		check_named(d);
	else
		check_all_events(d);
	check_attached(d);
}
