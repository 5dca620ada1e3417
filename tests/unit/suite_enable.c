/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: `enable` switches on what matches and changes nothing else, also
 * where the class is out of the mask or not registered yet.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/control.h"
#include "tests/unit/suites.h"
#include "tracectl/enable_plan.h"

static struct registry_event events[5];
static struct registry_event *pointers[5];
static struct event_set set;
static struct layout_control c;
static unsigned char seen[5];

static void t_event(int i, unsigned class_index, const char *class_name, const char *name)
{
	events[i].class_index = (uint8_t)class_index;
	events[i].level = 6;
	events[i].id = 16 + (unsigned)i;
	strcpy(events[i].class_name, class_name);
	strcpy(events[i].name, name);
	strcpy(set.class_name[class_index], class_name);
	pointers[i] = &events[i];
}

static void setup(void)
{
	memset(&set, 0, sizeof(set));
	memset(&c, 0, sizeof(c));
	memset(events, 0, sizeof(events));
	memset(seen, 0, sizeof(seen));
	t_event(0, 0, "net", "rx");
	t_event(1, 0, "net", "tx");
	t_event(2, 1, "disk", "read");
	t_event(3, 1, "disk", "write");
	t_event(4, 2, "cpu", "idle");
	set.event = pointers;
	set.count = 5;
	c.on = 1;
	c.mask = UINT64_MAX;
}

static int t_on(const char *class_name, unsigned class_index, const char *name)
{
	return control_gate(&c, class_name, class_index, name, 6);
}

/* The five events as a string of 0 and 1. */
static void t_state(const char *want)
{
	char got[6] = "";

	for (int i = 0; i < 5; i++)
		got[i] = (char)('0' +
				t_on(events[i].class_name, events[i].class_index, events[i].name));
	ck_assert_str_eq(got, want);
}

static size_t t_change(int enable, const char *pattern, const char *exclude)
{
	struct enable_change ch = { .enable = enable, .level = 7 };
	struct enable_counts n = { 0, seen };

	memset(seen, 0, sizeof(seen));
	ck_assert_int_eq(enable_plan_pattern(pattern, ch.pattern, sizeof(ch.pattern)), 0);
	if (exclude)
		ck_assert_int_eq(enable_plan_pattern(exclude, ch.exclude, sizeof(ch.exclude)), 0);
	ck_assert_int_eq(enable_plan_add(&c, &set, &ch, &n), 0);
	return n.matched;
}

START_TEST(test_plain)
{
	ck_assert_uint_eq(t_change(0, "*", NULL), 5);
	t_state("00000");
	ck_assert_uint_eq(t_change(1, "net:rx", NULL), 1);
	t_state("10000");
	ck_assert_uint_eq(t_change(1, "disk", NULL), 2);
	t_state("10110");
	ck_assert_uint_eq(t_change(0, "*:r*", NULL), 2);
	t_state("00010");
	ck_assert_uint_eq(t_change(1, "*", NULL), 5);
	t_state("11111");
	ck_assert_uint_eq(c.nrules, 0);
}
END_TEST

START_TEST(test_exclude_leaves_alone)
{
	t_change(0, "net:tx", NULL);
	t_change(1, "*", "net:*");
	t_state("10111");
	t_change(0, "*", "disk");
	t_state("00110");
}
END_TEST

START_TEST(test_class_out_of_mask)
{
	c.mask &= ~UINT64_C(2); /* disk */
	t_state("11001");
	ck_assert_uint_eq(t_change(1, "disk:read", NULL), 1);
	t_state("11101");
	ck_assert(c.mask >> 1 & 1);
	/* an event of the class that comes later stays off, as it would have been */
	ck_assert(!t_on("disk", 1, "later"));
	t_change(1, "disk", NULL);
	t_state("11111");
	ck_assert(t_on("disk", 1, "later"));
}
END_TEST

START_TEST(test_mask_none)
{
	c.mask = 0;
	t_change(1, "net:rx", NULL);
	t_state("10000");
	ck_assert(!t_on("new", 7, "e"));
}
END_TEST

START_TEST(test_class_to_come)
{
	c.mask = 3; /* net and disk; all to come are off */
	ck_assert_uint_eq(t_change(1, "new:e", NULL), 0);
	t_state("11110");
	ck_assert(t_on("new", 9, "e"));
	ck_assert(!t_on("new", 9, "f"));
	ck_assert(!t_on("other", 10, "e"));
	ck_assert(!t_on("cpu", 2, "idle"));
}
END_TEST

START_TEST(test_event_to_come_in_masked_class)
{
	c.mask &= ~UINT64_C(1); /* net */
	ck_assert_uint_eq(t_change(1, "net:later", NULL), 0);
	t_state("00111");
	ck_assert(t_on("net", 0, "later"));
}
END_TEST

START_TEST(test_rules_do_not_pile_up)
{
	for (int i = 0; i < 500; i++) {
		t_change(0, "net", NULL);
		t_change(1, "net:rx", NULL);
		t_change(1, "disk:*", NULL);
		t_change(0, "disk:write", NULL);
	}
	ck_assert_uint_le(c.nrules, 4);
	t_state("10101");
}
END_TEST

START_TEST(test_full_table_is_said)
{
	struct enable_counts n = { 0, seen };
	struct enable_change ch = { .enable = 1, .level = 7 };
	int err = 0;

	for (int i = 0; i < 100 && !err; i++) {
		snprintf(ch.pattern, sizeof(ch.pattern), "net:%d*", i);
		err = enable_plan_add(&c, &set, &ch, &n);
	}
	ck_assert_int_eq(err, -ENOSPC);
	ck_assert_uint_le(c.nrules, LAYOUT_MAX_RULES);
	ck_assert_uint_eq(t_change(1, "*", NULL), 5);
	ck_assert_uint_eq(c.nrules, 0);
}
END_TEST

START_TEST(test_pattern_forms)
{
	char out[16];

	ck_assert_int_eq(enable_plan_pattern("net", out, sizeof(out)), 0);
	ck_assert_str_eq(out, "net:*");
	ck_assert_int_eq(enable_plan_pattern("n*:r?", out, sizeof(out)), 0);
	ck_assert_str_eq(out, "n*:r?");
	ck_assert_int_eq(enable_plan_pattern("", out, sizeof(out)), -EINVAL);
	ck_assert_int_eq(enable_plan_pattern(":x", out, sizeof(out)), -EINVAL);
	ck_assert_int_eq(enable_plan_pattern("x:", out, sizeof(out)), -EINVAL);
	ck_assert_int_eq(enable_plan_pattern("0123456789abcdef", out, sizeof(out)), -ENAMETOOLONG);
}
END_TEST

Suite *suite_enable(void)
{
	Suite *s = suite_create("enable");
	TCase *t = tcase_create("enable");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, test_plain);
	tcase_add_test(t, test_exclude_leaves_alone);
	tcase_add_test(t, test_class_out_of_mask);
	tcase_add_test(t, test_mask_none);
	tcase_add_test(t, test_class_to_come);
	tcase_add_test(t, test_event_to_come_in_masked_class);
	tcase_add_test(t, test_rules_do_not_pile_up);
	tcase_add_test(t, test_full_table_is_said);
	tcase_add_test(t, test_pattern_forms);
	suite_add_tcase(s, t);
	return s;
}
