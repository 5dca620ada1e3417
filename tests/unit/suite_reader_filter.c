/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: filter expressions have C's precedence, compare all 64-bit integers
 * exactly, and name the column of an error.
 */
#include <string.h>

#include "tests/unit/suites.h"
#include "tracectl/filter_expr.h"
#include "tracectl/out_time.h"

/* net:rx { u16 port = 80; s32 delta = -5; u64 big = 2^64 - 1; f64 load = 1.5;
 * string iface = "eth0"; u8 list[3] = 7 8 9 } */
static struct meta_field fields[] = {
	{ .name = "port", .kind = META_UINT, .size = 2, .base = 10 },
	{ .name = "delta", .kind = META_SINT, .size = 4, .base = 10 },
	{ .name = "big", .kind = META_UINT, .size = 8, .base = 10 },
	{ .name = "load", .kind = META_FLOAT, .size = 8, .base = 10 },
	{ .name = "iface", .kind = META_STRING },
	{ .name = "list", .kind = META_ARRAY, .elem = META_UINT, .size = 1, .base = 10, .count = 3 },
};
static unsigned char payload[64];
static struct meta meta;
static struct trace trace = { .meta = &meta };
static struct meta_event type = {
	.name = "net:rx", .class_len = 3, .level = 6, .fields = { .nfields = 6, .field = fields },
};
static struct trace_event event = { .type = &type, .trace = &trace, .cpu = 3, .payload = payload };

static void fill(void)
{
	static const double load = 1.5;
	int32_t pid = 12;

	ctf_put(payload, 2, 80);
	ctf_put(payload + 2, 4, (uint64_t)-5);
	ctf_put(payload + 6, 8, UINT64_MAX);
	memcpy(payload + 14, &load, 8);
	memcpy(payload + 22, "eth0", 5);
	memcpy(payload + 27, "\7\10\11", 3);
	memcpy(payload + 40, &pid, 4);
	event.end = payload + 30;
	event.context = payload + 40;
	meta.stream[0].pid_at = 0;
	meta.stream[0].tid_at = -1;
}

static const struct {
	const char *text;
	int result;
} cases[] = {
	{ "port == 80", 1 },
	{ "port != 80", 0 },
	{ "port == 80 && iface ~ \"eth*\" || pid == 99", 1 },
	{ "pid == 99 || port == 81 && iface ~ \"eth*\"", 0 },
	{ "1 || 0 && 0", 1 },
	{ "1 + 2 * 3 == 7", 1 },
	{ "10 - 4 - 3 == 3", 1 },
	{ "1 << 2 + 1 == 8", 1 },
	{ "7 & 3 == 3", 1 },
	{ "1 | 6 & 4 ^ 4", 1 },
	{ "!port == 0", 1 },
	{ "!(port == 0)", 1 },
	{ "-delta == 5 && - -5 == 5", 1 },
	{ "~0 == big", 1 },
	{ "delta < 0", 1 },
	{ "delta < port", 1 },
	{ "delta > big", 0 },
	{ "big == 18446744073709551615", 1 },
	{ "big > 0x7fffffffffffffff", 1 },
	{ "big == -1", 0 },
	{ "load > 1 && load < 1.75 && load == 1.5", 1 },
	{ "load * 2 == 3", 1 },
	{ "port / 0 == 0", 0 },
	{ "iface == \"eth0\"", 1 },
	{ "iface !~ \"e*\"", 0 },
	{ "iface < \"f\" && iface > \"eth\"", 1 },
	{ "iface == 5", 0 },
	{ "iface != 5", 1 },
	{ "list[0] == 7 && list[2] == 9", 1 },
	{ "list[3] == 0", 0 },
	{ "list[1 + 1] == 9", 1 },
	{ "pid == 12 && cpu == 3", 1 },
	{ "tid == 0", 0 },
	{ "event == \"net:rx\" && class == \"net\" && class ~ \"n?t\"", 1 },
	{ "level <= 6", 1 },
	{ "absent == 1", 0 },
	{ "absent != 1", 0 },
	{ "!(absent == 1)", 1 },
};

START_TEST(eval_cases)
{
	char error[FILTER_ERROR] = "";
	struct filter_expr *x = filter_parse(cases[_i].text, error);

	fill();
	ck_assert_msg(x != NULL, "%s: %s", cases[_i].text, error);
	ck_assert_msg(filter_eval(x, &event) == cases[_i].result, "%s", cases[_i].text);
	filter_expr_free(x);
}
END_TEST

START_TEST(parse_errors)
{
	static const struct {
		const char *text;
		unsigned column;
	} bad[] = {
		{ "", 1 }, { "port = 80", 6 }, { "port ==", 8 }, { "(port", 6 }, { "port)", 5 },
		{ "\"abc", 1 }, { "port == 80 81", 12 }, { "a && || b", 6 }, { "$port", 1 },
		{ "list[1", 7 }, { "99999999999999999999", 1 }, { "# x", 1 },
	};
	char error[FILTER_ERROR], want[32], deep[400];

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(!filter_parse(bad[i].text, error), "%s was taken", bad[i].text);
		snprintf(want, sizeof(want), "column %u: ", bad[i].column);
		ck_assert_msg(strncmp(error, want, strlen(want)) == 0, "%s: %s", bad[i].text, error);
	}
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	ck_assert(!filter_parse(deep, error));
	memset(deep, '!', sizeof(deep) - 1);
	ck_assert(!filter_parse(deep, error));
}
END_TEST

START_TEST(time_forms)
{
	static const struct {
		const char *text;
		int64_t ns; /* -1 an error */
	} forms[] = {
		{ "+1s", 86400000000000 + 1000000000 }, { "+1.5ms", 86400000000000 + 1500000 },
		{ "+20us", 86400000000000 + 20000 }, { "+2", 86400000000000 + 2000000000 },
		{ "1970-01-02T00:00:01Z", 86401000000000 }, { "1970-01-02 00:00:01.25", 86401250000000 },
		{ "00:00:02", 86402000000000 }, { "00:00:02.000000001", 86402000000001 },
		{ "12.5", 12500000000 }, { "1970-01-02", 86400000000000 },
		{ "", -1 }, { "+", -1 }, { "+1x", -1 }, { "yesterday", -1 }, { "1970-13-02", -1 },
		{ "12:00:00x", -1 }, { "1.", -1 }, { "99999999999999999999", -1 },
	};
	int64_t ns;

	for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		int err = out_parse_time(forms[i].text, 86400000000000, 1, &ns);

		ck_assert_msg(err == (forms[i].ns < 0 ? -1 : 0), "%s", forms[i].text);
		if (!err)
			ck_assert_int_eq(ns, forms[i].ns);
	}
}
END_TEST

Suite *suite_reader_filter(void)
{
	Suite *s = suite_create("reader_filter");
	TCase *t = tcase_create("filter");

	tcase_add_loop_test(t, eval_cases, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(t, parse_errors);
	tcase_add_test(t, time_forms);
	suite_add_tcase(s, t);
	return s;
}
