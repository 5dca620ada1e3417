/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Promise: what tracectl prints with --json is JSON, whatever the strings are. */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "tracectl/cmd.h"
#include "tracectl/json.h"

static char *text;
static size_t text_size;
static FILE *out;
static struct json j;

static void t_begin(void)
{
	out = open_memstream(&text, &text_size);
	ck_assert_ptr_nonnull(out);
	json_start(&j, out);
}

static void t_end(const char *want)
{
	fclose(out);
	ck_assert_str_eq(text, want);
	free(text);
	text = NULL;
}

static void t_quoted(const void *data, size_t size, const char *want)
{
	t_begin();
	json_quote(out, data, size);
	t_end(want);
}

START_TEST(test_nesting)
{
	t_begin();
	json_object(&j, NULL);
	json_array(&j, "empty");
	json_array_end(&j);
	json_array(&j, "a");
	json_u64(&j, NULL, 1);
	json_object(&j, NULL);
	json_bool(&j, "t", 5);
	json_bool(&j, "f", 0);
	json_object_end(&j);
	json_null(&j, NULL);
	json_array_end(&j);
	json_string(&j, "s", "x");
	json_string(&j, "n", NULL);
	json_object_end(&j);
	json_end(&j);
	t_end("{\"empty\":[],\"a\":[1,{\"t\":true,\"f\":false},null],\"s\":\"x\",\"n\":null}\n");
}
END_TEST

START_TEST(test_too_deep_is_bounded)
{
	t_begin();
	for (int i = 0; i < 2 * JSON_DEPTH; i++)
		json_array(&j, NULL);
	for (int i = 0; i < 4 * JSON_DEPTH; i++)
		json_array_end(&j);
	ck_assert_int_eq(j.depth, 0);
	fclose(out);
	free(text);
}
END_TEST

START_TEST(test_numbers_are_whole)
{
	t_begin();
	json_array(&j, NULL);
	json_u64(&j, NULL, UINT64_MAX);
	json_u64(&j, NULL, (UINT64_C(1) << 53) + 1);
	json_s64(&j, NULL, INT64_MIN);
	json_hex(&j, NULL, UINT64_MAX);
	json_double(&j, NULL, 0.1);
	json_double(&j, NULL, NAN);
	json_double(&j, NULL, INFINITY);
	json_array_end(&j);
	t_end("[18446744073709551615,9007199254740993,-9223372036854775808,\"0xffffffffffffffff\","
	      "0.10000000000000001,null,null]");
}
END_TEST

START_TEST(test_escapes)
{
	static const char raw[] = "a\"b\\c\nd\te\x01\x1f\x7f/";

	t_quoted(raw, sizeof(raw) - 1, "\"a\\\"b\\\\c\\nd\\te\\u0001\\u001f\\u007f/\"");
	t_quoted("\0", 1, "\"\\u0000\"");
}
END_TEST

#define BAD "\xef\xbf\xbd"

START_TEST(test_utf8)
{
	t_quoted("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9,
		 "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
	t_quoted("\xff", 1, "\"" BAD "\"");
	t_quoted("\xc3", 1, "\"" BAD "\"");                         /* cut short */
	t_quoted("\xc0\xaf", 2, "\"" BAD BAD "\"");                 /* overlong */
	t_quoted("\xe0\x80\xaf", 3, "\"" BAD BAD BAD "\"");         /* overlong */
	t_quoted("\xed\xa0\x80", 3, "\"" BAD BAD BAD "\"");         /* surrogate */
	t_quoted("\xf4\x90\x80\x80", 4, "\"" BAD BAD BAD BAD "\""); /* above U+10FFFF */
	t_quoted("\xe2\x82x", 3, "\"" BAD BAD "x\"");
	t_quoted("\xf4\x8f\xbf\xbf", 4, "\"\xf4\x8f\xbf\xbf\"");
}
END_TEST

START_TEST(test_near_words)
{
	ck_assert_uint_eq(cmd_distance("status", "status"), 0);
	ck_assert_uint_eq(cmd_distance("statu", "status"), 1);
	ck_assert_uint_eq(cmd_distance("nte", "net"), 1);
	ck_assert_uint_eq(cmd_distance("", "abc"), 3);
	ck_assert_uint_eq(cmd_distance("kitten", "sitting"), 3);
	ck_assert(cmd_is_near("statu", "status", 1));
	ck_assert(!cmd_is_near("xyz", "top", cmd_distance("xyz", "top")));
}
END_TEST

Suite *suite_json(void)
{
	Suite *s = suite_create("json");
	TCase *c = tcase_create("json");

	tcase_add_test(c, test_nesting);
	tcase_add_test(c, test_too_deep_is_bounded);
	tcase_add_test(c, test_numbers_are_whole);
	tcase_add_test(c, test_escapes);
	tcase_add_test(c, test_utf8);
	tcase_add_test(c, test_near_words);
	suite_add_tcase(s, c);
	return s;
}
