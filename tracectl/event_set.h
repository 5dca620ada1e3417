/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * All events that are registered, as a sorted private copy, and why each one
 * is on or off under given control words.
 */
#ifndef TRACECTL_EVENT_SET_H
#define TRACECTL_EVENT_SET_H

#include "libtrbuf/registry.h"

#define EVENT_SET_FULL_NAME (2 * LAYOUT_NAME)

struct event_set {
	struct registry_event **event; /* by class, name, id */
	size_t count;
	size_t room;
	uint64_t bad;                                     /* entries that are malformed */
	uint32_t next_event;                              /* ids handed out so far end here */
	char class_name[LAYOUT_MAX_CLASSES][LAYOUT_NAME]; /* "" not there */
	unsigned nclasses;
};

/* 0 or -errno; event_set_free() in any case. */
int event_set_load(struct event_set *set, struct region *r);
void event_set_free(struct event_set *set);

/* "class:event" */
void event_set_name(const struct registry_event *ev, char name[EVENT_SET_FULL_NAME]);

/* Index of a class by its name, -1 if there is none. */
int event_set_class(const struct event_set *set, const char *name);

enum event_why {
	EVENT_ON = 0,
	EVENT_OFF_TRACING, /* the whole of tracing is off */
	EVENT_OFF_MASK,    /* its class is out of the mask */
	EVENT_OFF_RULE,    /* a disable */
	EVENT_OFF_LEVEL,   /* an enable up to a more urgent level */
};

/* Why an event is as it is; *rule is the index of the rule that decides, -1
 * if none does. control_gate() says the same, shorter. */
enum event_why event_set_why(const struct layout_control *c, const struct registry_event *ev,
			     int *rule);

/* For people: `off: rule 3 "disable net:*"`. */
void event_set_explain(const struct layout_control *c, enum event_why why, int rule, char *buf,
		       size_t size);
/* One word for JSON: tracing_off mask rule level, NULL if on. */
const char *event_set_why_word(enum event_why why);

/* `disable net:* exclude net:rx` */
void event_set_rule_text(const struct layout_rule *rule, char *buf, size_t size);

/* Does the rule speak of this event? */
int event_set_rule_matches(const struct layout_rule *rule, const struct registry_event *ev);

/* A few registered names near to `word`, as "a, b", "" if none. */
void event_set_near(const struct event_set *set, const char *word, char *buf, size_t size);
/* The same for classes. */
void event_set_near_class(const struct event_set *set, const char *word, char *buf, size_t size);

#endif
