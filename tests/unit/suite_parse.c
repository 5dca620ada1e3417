/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Promise: what people write is taken exactly, or refused with a line that says
 * what is allowed; nothing overflows and nothing is guessed. */
#include <errno.h>
#include <string.h>

#include "common/parse.h"
#include "common/settings.h"
#include "tests/unit/suites.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define BAD UINT64_MAX

static const struct {
	const char *text;
	uint64_t value; /* BAD: refused */
} sizes[] = {
	{ "0", 0 },
	{ "1", 1 },
	{ "4096", 4096 },
	{ "64K", 65536 },
	{ "64k", 65536 },
	{ "64KiB", 65536 },
	{ "64KB", 65536 },
	{ "100B", 100 },
	{ "1.5M", 1572864 },
	{ "0.5K", 512 },
	{ "2G", UINT64_C(2) << 30 },
	{ "3T", UINT64_C(3) << 40 },
	{ "16383P", UINT64_C(16383) << 50 },
	{ "18446744073709551614", UINT64_MAX - 1 },
	{ "18446744073709551616", BAD },
	{ "16384P", BAD },
	{ "99999999999999999999K", BAD },
	{ "-1", BAD },
	{ "+1", BAD },
	{ "-4M", BAD },
	{ "", BAD },
	{ " 1", BAD },
	{ "1 ", BAD },
	{ "K", BAD },
	{ ".5K", BAD },
	{ "1.K", BAD },
	{ "1.5", BAD },
	{ "1.2.3K", BAD },
	{ "1.0000000001K", BAD },
	{ "1KK", BAD },
	{ "1Ki", BAD },
	{ "0x10", BAD },
	{ "1e3", BAD },
	{ "1,5M", BAD },
};

START_TEST(size_cases)
{
	uint64_t v = 77;
	struct fault f = { "" };
	int err = parse_size(sizes[_i].text, &v, &f);

	if (sizes[_i].value == BAD) {
		ck_assert_int_eq(err, -EINVAL);
		ck_assert_uint_eq(v, 77);
		ck_assert(f.text[0]);
		ck_assert_ptr_null(strchr(f.text, '\n'));
		return;
	}
	ck_assert_int_eq(err, 0);
	ck_assert_uint_eq(v, sizes[_i].value);
}
END_TEST

START_TEST(size_printed)
{
	static const uint64_t values[] = {
		0, 1, 512, 1024, 1536, 65536, UINT64_C(4) << 30, UINT64_C(7) << 40, UINT64_MAX
	};
	char text[32];
	uint64_t back;

	for (int i = 0; i < N(values); i++) {
		parse_print_size(values[i], text, sizeof(text));
		ck_assert_int_eq(parse_size(text, &back, NULL), 0);
		ck_assert_uint_eq(back, values[i]);
	}
}
END_TEST

static const struct {
	const char *text;
	uint64_t ms;
} times[] = {
	{ "0", 0 },        { "1", 1000 },      { "1s", 1000 },
	{ "250ms", 250 },  { "1.5s", 1500 },   { "2min", 120000 },
	{ "1h", 3600000 }, { "0.001s", 1 },    { "576h", 2073600000 },
	{ "577h", BAD },   { "0.0001s", BAD }, { "0.5ms", BAD },
	{ "-1s", BAD },    { "1 s", BAD },     { "1m", BAD },
	{ "s", BAD },      { "", BAD },        { "99999999999h", BAD },
	{ "1sec", BAD },   { "1S", BAD },
};

START_TEST(time_cases)
{
	uint32_t ms = 77;
	int err = parse_duration_ms(times[_i].text, &ms, NULL);

	ck_assert_int_eq(err, times[_i].ms == BAD ? -EINVAL : 0);
	ck_assert_uint_eq(ms, times[_i].ms == BAD ? 77 : times[_i].ms);
}
END_TEST

static const struct {
	const char *text, *set; /* set NULL: refused */
} lists[] = {
	{ "0", "10000000" },
	{ "7", "00000001" },
	{ "0,3-5", "10011100" },
	{ "3-5,0", "10011100" },
	{ "2-2", "00100000" },
	{ "all", "11111111" },
	{ "0-7", "11111111" },
	{ "00", "10000000" },
	{ "8", NULL },
	{ "0-8", NULL },
	{ "5-3", NULL },
	{ "0,0", NULL },
	{ "0-3,2", NULL },
	{ "", NULL },
	{ ",", NULL },
	{ "0,", NULL },
	{ ",0", NULL },
	{ "0,,1", NULL },
	{ "-1", NULL },
	{ "1-", NULL },
	{ "1--2", NULL },
	{ "1-2-3", NULL },
	{ " 1", NULL },
	{ "1 ", NULL },
	{ "ALL", NULL },
	{ "all,1", NULL },
	{ "0x1", NULL },
	{ "4294967296", NULL },
	{ "18446744073709551616", NULL },
	{ "0-99999999999999999999", NULL },
};

START_TEST(cpu_cases)
{
	unsigned char set[9] = { 9, 9, 9, 9, 9, 9, 9, 9, 9 };
	struct fault f = { "" };
	int err = parse_cpus(lists[_i].text, 8, set, &f);

	ck_assert_int_eq(err, lists[_i].set ? 0 : -EINVAL);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(set[i], lists[_i].set ? lists[_i].set[i] - '0' : 0);
	ck_assert_int_eq(set[8], 9);
	ck_assert(err == 0 || f.text[0]);
}
END_TEST

START_TEST(large_machine)
{
	static unsigned char set[LAYOUT_MAX_CPUS];

	ck_assert_int_eq(parse_cpus("255-257,65535-65537,131071", LAYOUT_MAX_CPUS, set, NULL), 0);
	ck_assert(!set[254] && set[255] && set[256] && set[257] && !set[258]);
	ck_assert(set[65535] && set[65536] && set[65537] && set[131071]);
	ck_assert_int_eq(parse_cpus("131072", LAYOUT_MAX_CPUS, set, NULL), -EINVAL);
}
END_TEST

START_TEST(words)
{
	unsigned level = 9;
	uint32_t n = 9, pc = 0;
	int context = 9, b = 9;

	for (unsigned i = 0; i < 8; i++) {
		ck_assert_int_eq(parse_level(parse_level_name(i), &level, NULL), 0);
		ck_assert_uint_eq(level, i);
	}
	ck_assert_int_eq(parse_level("7", &level, NULL), 0);
	ck_assert_int_eq(parse_level("8", &level, NULL), -EINVAL);
	ck_assert_int_eq(parse_level("INFO", &level, NULL), -EINVAL);
	ck_assert_int_eq(parse_level("", &level, NULL), -EINVAL);
	ck_assert_int_eq(parse_mode("overwrite", &n, NULL), 0);
	ck_assert_uint_eq(n, LAYOUT_OVERWRITE);
	ck_assert_int_eq(parse_mode("over", &n, NULL), -EINVAL);
	ck_assert_int_eq(parse_context("pid,tid", &context, NULL), 0);
	ck_assert_int_eq(context, LAYOUT_CONTEXT_PID_TID);
	ck_assert_int_eq(parse_context("pid", &context, NULL), -EINVAL);
	ck_assert_int_eq(parse_bool("off", &b, NULL), 0);
	ck_assert_int_eq(b, 0);
	ck_assert_int_eq(parse_bool("2", &b, NULL), -EINVAL);
	ck_assert_int_eq(parse_percent("100%", &pc, NULL), 0);
	ck_assert_uint_eq(pc, 100);
	ck_assert_int_eq(parse_percent("0", &pc, NULL), -EINVAL);
	ck_assert_int_eq(parse_percent("101", &pc, NULL), -EINVAL);
	ck_assert_int_eq(parse_percent("50%%", &pc, NULL), -EINVAL);
}
END_TEST

START_TEST(numbers)
{
	uint64_t v = 0;

	ck_assert_int_eq(parse_u64("0xffffffffffffffff", 0, UINT64_MAX, &v, NULL), 0);
	ck_assert(v == UINT64_MAX);
	ck_assert_int_eq(parse_u64("18446744073709551615", 0, UINT64_MAX, &v, NULL), 0);
	ck_assert_int_eq(parse_u64("18446744073709551616", 0, UINT64_MAX, &v, NULL), -EINVAL);
	ck_assert_int_eq(parse_u64("0x10000000000000000", 0, UINT64_MAX, &v, NULL), -EINVAL);
	ck_assert_int_eq(parse_u64("0x", 0, UINT64_MAX, &v, NULL), -EINVAL);
	ck_assert_int_eq(parse_u64("5", 6, 7, &v, NULL), -EINVAL);
	ck_assert_int_eq(parse_u64("8", 6, 7, &v, NULL), -EINVAL);
	ck_assert_int_eq(parse_u64("-1", 0, UINT64_MAX, &v, NULL), -EINVAL);
}
END_TEST

START_TEST(trace_names)
{
	char longest[66];

	memset(longest, 'a', sizeof(longest));
	longest[65] = '\0';
	ck_assert_int_eq(parse_trace_name(longest, NULL), -EINVAL);
	longest[64] = '\0';
	ck_assert_int_eq(parse_trace_name(longest, NULL), 0);
	ck_assert_int_eq(parse_trace_name("", NULL), -EINVAL);
	ck_assert_int_eq(parse_trace_name("a/b", NULL), -EINVAL);
	ck_assert_int_eq(parse_trace_name("..", NULL), -EINVAL);
	ck_assert_int_eq(parse_trace_name("a\nb", NULL), -EINVAL);
	ck_assert_int_eq(parse_trace_name("a b.c", NULL), 0);
}
END_TEST

static const struct {
	const char *name, *value;
	int good;
} settings[] = {
	{ "ring-size", "16K", 1 }, { "ring-size", "8K", 0 },  { "ring-size", "0", 0 },
	{ "page-size", "4K", 1 },  { "page-size", "1M", 1 },  { "page-size", "2M", 0 },
	{ "page-size", "2K", 0 },  { "page-size", "12K", 0 }, { "mode", "overwrite", 1 },
	{ "mode", "", 0 },         { "context", "none", 1 },  { "clock", "monotonic", 1 },
	{ "clock", "auto", 1 },    { "clock", "hpet", 0 },    { "watermark", "1", 1 },
	{ "watermark", "200", 0 }, { "flush", "0", 1 },       { "flush", "2h", 0 },
	{ "map-size", "1G", 1 },   { "map-size", "1M", 0 },   { "doorbell", "no", 1 },
};

/* What is shown is what can be set; what is refused changes nothing. */
START_TEST(settings_cases)
{
	struct settings s, again;
	char text[64], back[64];
	struct fault f = { "" };
	int i = settings_find(settings[_i].name), err;

	ck_assert_int_ge(i, 0);
	settings_init(&s);
	settings_init(&again);
	settings_show(&again, (unsigned)i, text, sizeof(text));
	err = settings_set(&s, (unsigned)i, settings[_i].value, &f);
	ck_assert_int_eq(err, settings[_i].good ? 0 : -EINVAL);
	ck_assert_uint_eq(s.given, settings[_i].good ? 1u << i : 0);
	if (err) {
		settings_show(&s, (unsigned)i, back, sizeof(back));
		ck_assert_str_eq(text, back);
		ck_assert_ptr_nonnull(strstr(f.text, settings[_i].name));
		return;
	}
	settings_show(&s, (unsigned)i, text, sizeof(text));
	ck_assert_int_eq(settings_set(&again, (unsigned)i, text, NULL), 0);
	settings_show(&again, (unsigned)i, back, sizeof(back));
	ck_assert_str_eq(text, back);
}
END_TEST

Suite *suite_parse(void)
{
	Suite *s = suite_create("parse");
	TCase *t = tcase_create("parse");

	tcase_add_loop_test(t, size_cases, 0, N(sizes));
	tcase_add_test(t, size_printed);
	tcase_add_loop_test(t, time_cases, 0, N(times));
	tcase_add_loop_test(t, cpu_cases, 0, N(lists));
	tcase_add_test(t, large_machine);
	tcase_add_test(t, words);
	tcase_add_test(t, numbers);
	tcase_add_test(t, trace_names);
	tcase_add_loop_test(t, settings_cases, 0, N(settings));
	suite_add_tcase(s, t);
	return s;
}
