/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Control words and the gates that are derived from them.
 *
 * gate = on AND class in mask AND level AND no override. A change is made in
 * the copy of struct layout_control that is not in force and published by one
 * store of control_seq, so it happens whole or not at all; then every gate
 * goes from its old to its final value in one store. A tool that is killed in
 * between leaves gates_seq behind control_seq: the next one derives again.
 */
#ifndef TRBUF_CONTROL_H
#define TRBUF_CONTROL_H

#include <stdint.h>

#include "libtrbuf/region.h"

struct registry_event;

/* A private copy of the control words in force, checked. */
void control_get(const struct region *r, struct layout_control *c);

/* Would this event be on? Pure. */
int control_gate(const struct layout_control *c, const char *class_name, unsigned class_index,
		 const char *name, unsigned level);

/* Publish *c and derive all gates. Caller holds REGION_LOCK_CONTROL. Rings the
 * doorbell so that the daemon looks. */
void control_publish(struct region *r, const struct layout_control *c);

/* Derive the gates again if a change was left half-way (or force). Caller
 * holds REGION_LOCK_CONTROL. Returns the number of gates that were wrong. */
int control_repair(struct region *r, int force);

/* Add one enable or disable to *c. Rules that it makes pointless are dropped;
 * -ENOSPC when the table is full. `exclude` may be NULL. */
int control_rule(struct layout_control *c, int enable, const char *pattern, const char *exclude,
		 unsigned level);

/* Glob over a whole string: * ? [a-z] [!x] and \ to quote. No other meaning,
 * no locale, bounded time. */
int control_glob(const char *pattern, const char *text);

/* An event's identity, as far as a gate needs it. */
struct control_event {
	const char *class_name, *name;
	unsigned class_index, level;
	uint32_t id;
};

/* Producer: derive the gate of an event that was just published at `off`.
 * Allocates nothing. */
void control_derive_new(struct region *r, uint64_t off, const struct control_event *ev);

#endif
