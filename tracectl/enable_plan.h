/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* What rules and mask become when events are enabled or disabled. Pure. */
#ifndef TRACECTL_ENABLE_PLAN_H
#define TRACECTL_ENABLE_PLAN_H

#include <stddef.h>

#include "tracectl/event_set.h"

struct enable_change {
	int enable;
	unsigned level;
	char pattern[sizeof(((struct layout_rule *)0)->pattern)];
	char exclude[sizeof(((struct layout_rule *)0)->exclude)]; /* "" none */
};

struct enable_counts {
	size_t matched;      /* registered events that one of the patterns speaks of */
	unsigned char *seen; /* one byte an event of the set, zero at first */
};

struct enable_plan {
	const struct event_set *set;
	struct layout_control *was, *now;
	struct enable_counts counts;
	int tracing; /* the whole is on */
};

/* "net" becomes "net:*". 0, -EINVAL or -ENAMETOOLONG. */
int enable_plan_pattern(const char *text, char *out, size_t size);

/* Bring one change into *c. 0, or -ENOSPC when the rules do not fit. */
int enable_plan_add(struct layout_control *c, const struct event_set *set,
		    const struct enable_change *change, struct enable_counts *n);

#endif
