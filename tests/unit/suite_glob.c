/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Promise: patterns mean what they mean in the shell, and cost a bounded time. */
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/control.h"
#include "tests/unit/suites.h"

static const struct {
	const char *pattern, *text;
	int match;
} cases[] = {
	{ "", "", 1 },
	{ "", "a", 0 },
	{ "net:rx", "net:rx", 1 },
	{ "net:rx", "net:r", 0 },
	{ "net:r", "net:rx", 0 },
	{ "*", "", 1 },
	{ "*", "net:rx", 1 },
	{ "net:*", "net:rx", 1 },
	{ "net:*", "nets:rx", 0 },
	{ "*:rx", "net:rx", 1 },
	{ "n*t:*x", "net:rx", 1 },
	{ "n**t:?x", "net:rx", 1 },
	{ "net:?", "net:", 0 },
	{ "net:[rt]x", "net:tx", 1 },
	{ "net:[!rt]x", "net:tx", 0 },
	{ "net:[a-s]x", "net:rx", 1 },
	{ "net:[a-q]x", "net:rx", 0 },
	{ "net:[]]", "net:]", 1 },
	{ "net:\\*", "net:*", 1 },
	{ "net:\\*", "net:x", 0 },
	{ "net:[rx", "net:[rx", 1 },
};

START_TEST(glob_cases)
{
	ck_assert_msg(!!control_glob(cases[_i].pattern, cases[_i].text) == cases[_i].match,
		      "\"%s\" on \"%s\"", cases[_i].pattern, cases[_i].text);
}
END_TEST

/* A naive matcher needs 2^60 steps for this; check's own time-out is the deadline. */
START_TEST(glob_bounded)
{
	char pattern[120], text[128];

	for (size_t i = 0; i < sizeof(pattern) - 1; i++)
		pattern[i] = i % 2 ? 'a' : '*';
	pattern[sizeof(pattern) - 1] = '\0';
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 2] = 'b';
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(control_glob(pattern, text), 1);
	pattern[sizeof(pattern) - 2] = 'c';
	ck_assert_int_eq(control_glob(pattern, text), 0);
}
END_TEST

Suite *suite_glob(void)
{
	Suite *s = suite_create("glob");
	TCase *t = tcase_create("glob");

	tcase_add_loop_test(t, glob_cases, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(t, glob_bounded);
	suite_add_tcase(s, t);
	return s;
}
