/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Lists of CPUs, strictly: a typing mistake must not switch off half of a
 * machine. Numbers of any size that the layout allows; nothing is guessed.
 * Called by tracectl.
 */
#include <errno.h>
#include <string.h>

#include "common/parse.h"

static int number(const char **p, uint32_t *v)
{
	uint64_t n = 0;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	for (; **p >= '0' && **p <= '9'; (*p)++) {
		n = n * 10 + (uint64_t)(**p - '0');
		if (n >= LAYOUT_MAX_CPUS)
			n = LAYOUT_MAX_CPUS; /* too large, and stays it */
	}
	*v = (uint32_t)n;
	return 0;
}

/* One "3" or "3-7", marked in set. */
static int range(const char **p, uint32_t ncpus, unsigned char *set, const char **why)
{
	uint32_t from, to;

	*why = "use a list such as 0,3-7 or all";
	if (number(p, &from) != 0)
		return -EINVAL;
	to = from;
	if (**p == '-') {
		(*p)++;
		if (number(p, &to) != 0)
			return -EINVAL;
	}
	if (**p != ',' && **p != '\0')
		return -EINVAL;
	*why = "a range must go upwards";
	if (to < from)
		return -EINVAL;
	*why = "a CPU of that number does not exist here";
	if (to >= ncpus)
		return -EINVAL;
	*why = "a CPU stands there twice";
	for (uint32_t i = from; i <= to; i++) {
		if (set[i])
			return -EINVAL;
		set[i] = 1;
	}
	return 0;
}

static int list(const char *s, uint32_t ncpus, unsigned char *set, const char **why)
{
	const char *p = s;

	memset(set, 0, ncpus);
	for (;;) {
		if (range(&p, ncpus, set, why) != 0)
			return -EINVAL;
		if (*p == '\0')
			return 0;
		p++;
	}
}

int parse_cpus(const char *s, uint32_t ncpus, unsigned char *set, struct fault *f)
{
	const char *why;

	if (strcmp(s, "all") == 0) {
		memset(set, 1, ncpus);
		return 0;
	}
	if (list(s, ncpus, set, &why) == 0)
		return 0;
	memset(set, 0, ncpus);
	return fault_set(f, EINVAL, "CPU list \"%.60s\": %s (0 to %u)", s, why, ncpus - 1);
}
