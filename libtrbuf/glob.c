/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The one glob of trbuf. Patterns lie in the shared region, and producers match
 * them in their constructors: so no locale, no allocation, and a time bounded
 * by the product of the lengths whatever the pattern is.
 */
#include <stddef.h>

#include "libtrbuf/control.h"

/* Match one character against a set that starts behind '['; *end behind ']'.
 * An unclosed set is a plain '['. */
static int in_set(const char *p, char c, const char **end)
{
	int negate = *p == '!' || *p == '^', hit = 0;
	const char *first = p += negate;

	for (; *p && (*p != ']' || p == first); p++) {
		char low = *p, high;

		if (low == '\\' && p[1])
			low = *++p;
		high = low;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			p += 2;
			if (*p == '\\' && p[1])
				p++;
			high = *p;
		}
		if ((unsigned char)low <= (unsigned char)c && (unsigned char)c <= (unsigned char)high)
			hit = 1;
	}
	if (*p != ']')
		return -1;
	*end = p + 1;
	return hit != negate;
}

/* Does one pattern element match c? *next is what follows the element. */
static int match_one(const char *p, char c, const char **next)
{
	int hit;

	*next = p + 1;
	switch (*p) {
	case '?':
		return 1;
	case '[':
		hit = in_set(p + 1, c, next);
		return hit < 0 ? c == '[' : hit;
	case '\\':
		if (p[1]) {
			*next = p + 2;
			return p[1] == c;
		}
		return c == '\\';
	default:
		return *p == c;
	}
}

int control_glob(const char *p, const char *text)
{
	const char *star = NULL, *resume = NULL, *next;

	while (*text) {
		if (*p == '*') {
			star = ++p;
			resume = text;
		} else if (*p && match_one(p, *text, &next)) {
			p = next;
			text++;
		} else if (star) {
			/* Only the last star needs to be tried again. */
			p = star;
			text = ++resume;
		} else {
			return 0;
		}
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}
