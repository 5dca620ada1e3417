/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: a gate is on AND mask AND the last rule that matches; rules that a
 * newer one makes pointless go, nothing else does; a change that was left
 * half-way is repaired; words in the region are not believed.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtrbuf/control.h"
#include "libtrbuf/registry.h"
#include "libtrbuf/trbuf.h"
#include "tests/unit/suites.h"

static struct layout_control c;
static char dir[64], path[80];
static struct region region;
static struct fault fault;

static void setup(void)
{
	memset(&c, 0, sizeof(c));
	c.on = 1;
	c.mask = UINT64_MAX;
}

static void setup_region(void)
{
	struct region_settings s = REGION_SETTINGS_DEFAULT;

	setup();
	s.map_size = UINT64_C(256) << 20;
	strcpy(dir, "/tmp/trbuf-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/region", dir);
	ck_assert_msg(region_open(&region, path, REGION_CREATE, &s, &fault) == 0, "%s", fault.text);
}

static void teardown_region(void)
{
	region_close(&region);
	unlink(path);
	rmdir(dir);
}

START_TEST(gate)
{
	ck_assert(control_gate(&c, "net", 0, "rx", 7));
	c.on = 0;
	ck_assert(!control_gate(&c, "net", 0, "rx", 0));
	c.on = 1;
	c.mask = ~(UINT64_C(1) << 63);
	ck_assert(control_gate(&c, "net", 0, "rx", 7));
	ck_assert(!control_gate(&c, "net", 63, "rx", 0));
	c.mask = UINT64_C(1) << 63;
	ck_assert(control_gate(&c, "net", 63, "rx", 0));
	ck_assert(!control_gate(&c, "net", 62, "rx", 0));
}
END_TEST

START_TEST(last_rule_decides)
{
	ck_assert_int_eq(control_rule(&c, 0, "*", NULL, 7), 0);
	ck_assert(!control_gate(&c, "net", 0, "rx", 6));
	ck_assert_int_eq(control_rule(&c, 1, "net:*", NULL, 6), 0);
	ck_assert(control_gate(&c, "net", 0, "rx", 6));
	ck_assert(!control_gate(&c, "net", 0, "rx", 7));
	ck_assert(!control_gate(&c, "disk", 1, "rx", 0));
	ck_assert_int_eq(control_rule(&c, 0, "net:r*", "net:rx", 7), 0);
	ck_assert(control_gate(&c, "net", 0, "rx", 6));
	ck_assert(!control_gate(&c, "net", 0, "ry", 6));
	ck_assert_uint_eq(c.nrules, 3);
}
END_TEST

START_TEST(pointless_rules_go)
{
	ck_assert_int_eq(control_rule(&c, 0, "a:b", NULL, 7), 0);
	ck_assert_int_eq(control_rule(&c, 1, "a:b", NULL, 3), 0);
	ck_assert_uint_eq(c.nrules, 1);
	ck_assert(!control_gate(&c, "a", 0, "b", 4));
	ck_assert_int_eq(control_rule(&c, 0, "a:b", "x", 7), 0); /* decides not alone */
	ck_assert_uint_eq(c.nrules, 2);
	ck_assert_int_eq(control_rule(&c, 1, "*", NULL, 7), 0);
	ck_assert_uint_eq(c.nrules, 0);
}
END_TEST

START_TEST(full_table)
{
	char pattern[64], big[200];
	struct layout_control before;

	for (unsigned i = 0; i < LAYOUT_MAX_RULES; i++) {
		snprintf(pattern, sizeof(pattern), "c:e%u", i);
		ck_assert_int_eq(control_rule(&c, i & 1, pattern, NULL, 7), 0);
	}
	before = c;
	ck_assert_int_eq(control_rule(&c, 1, "d:e", NULL, 7), -ENOSPC);
	ck_assert_mem_eq(&before, &c, sizeof(c));
	ck_assert_int_eq(control_rule(&c, 1, "c:e5", NULL, 2), 0); /* in the place of an older one */
	ck_assert_uint_eq(c.nrules, LAYOUT_MAX_RULES);
	memset(big, 'x', sizeof(big));
	big[120] = '\0';
	ck_assert_int_eq(control_rule(&c, 1, big, NULL, 7), -ENAMETOOLONG);
	big[120] = 'x';
	big[128] = '\0';
	ck_assert_int_eq(control_rule(&c, 1, "z:z", big, 7), -ENAMETOOLONG);
}
END_TEST

static struct trbuf_event event = { .gate = &event.off, .class_name = "net", .name = "rx",
				    .level = TRBUF_INFO, .abi = TRBUF_ABI };

START_TEST(publish_and_repair)
{
	ck_assert_int_eq(registry_add_event(&region, &event), 0);
	ck_assert_int_eq(*event.gate, 0); /* a new region is off */
	control_publish(&region, &c);
	ck_assert_int_eq(*event.gate, 1);
	ck_assert_int_eq(control_repair(&region, 1), 0);
	c.mask = 0;
	control_publish(&region, &c);
	ck_assert_int_eq(*event.gate, 0);

	/* As if a tool had been killed after the store of control_seq. */
	c.mask = UINT64_MAX;
	region.hdr->control[(region.hdr->control_seq + 1) & 1] = c;
	region.hdr->control_seq++;
	ck_assert_int_eq(*event.gate, 0);
	ck_assert_int_eq(control_repair(&region, 0), 1);
	ck_assert_int_eq(*event.gate, 1);
	ck_assert_int_eq(control_repair(&region, 0), 0);

	/* As if somebody had scribbled over the gates. */
	*region_gate(&region, event.id) = 0;
	ck_assert_int_eq(control_repair(&region, 0), 0);
	ck_assert_int_eq(control_repair(&region, 1), 1);
	ck_assert_int_eq(*event.gate, 1);
}
END_TEST

START_TEST(sequence_wraps)
{
	ck_assert_int_eq(registry_add_event(&region, &event), 0);
	region.hdr->control_seq = region.hdr->gates_seq = UINT32_MAX - 2;
	for (unsigned i = 0; i < 8; i++) {
		c.on = i & 1;
		control_publish(&region, &c);
		ck_assert_int_eq(*event.gate, (int)(i & 1));
	}
}
END_TEST

START_TEST(spoilt_words)
{
	struct layout_control got;

	for (unsigned i = 0; i < 2; i++) {
		memset(&region.hdr->control[i], 0xff, sizeof(struct layout_control));
		memset(region.hdr->control[i].rules, '[', sizeof(c.rules));
	}
	control_get(&region, &got);
	ck_assert_uint_le(got.nrules, LAYOUT_MAX_RULES);
	for (unsigned i = 0; i < got.nrules; i++)
		ck_assert_uint_lt(strlen(got.rules[i].pattern), sizeof(got.rules[i].pattern));
	control_gate(&got, "net", 0, "rx", 7);
	ck_assert_int_eq(registry_add_event(&region, &event), 0);
	ck_assert_int_ge(control_repair(&region, 1), 0);
}
END_TEST

Suite *suite_control(void)
{
	Suite *s = suite_create("control");
	TCase *t = tcase_create("rules"), *r = tcase_create("region");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, gate);
	tcase_add_test(t, last_rule_decides);
	tcase_add_test(t, pointless_rules_go);
	tcase_add_test(t, full_table);
	suite_add_tcase(s, t);
	tcase_add_checked_fixture(r, setup_region, teardown_region);
	tcase_add_test(r, publish_and_repair);
	tcase_add_test(r, sequence_wraps);
	tcase_add_test(r, spoilt_words);
	suite_add_tcase(s, r);
	return s;
}
