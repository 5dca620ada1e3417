/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: metadata of ours is understood in any order and spacing, anything
 * else is refused with its line; times are babeltrace2's to the nanosecond;
 * the ledger finds each missing event.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "tracectl/reader/ledger.h"
#include "tracectl/reader/meta.h"
#include "tracectl/stat.h"

#define INT(n) "integer { size = " #n "; align = 8; signed = false; }"
#define HEADER "/* CTF 1.8 */\n"
#define TRACE                                                                                    \
	"trace { major = 1; minor = 8; uuid = \"00112233-4455-6677-8899-aabbccddeeff\"; "        \
	"byte_order = le; packet.header := struct { " INT(32) " magic; " INT(8) " uuid[16]; "    \
	INT(32) " stream_id; " INT(64) " stream_instance_id; }; };\n"
#define CLOCK "clock { name = \"trbuf\"; freq = 1000; offset_s = 5; offset = 7; };\n"
#define STREAM                                                                                   \
	"stream { id = 0; packet.context := struct { " INT(32) " cpu_id; "                       \
	"integer { size = 64; align = 256; } timestamp_begin; " INT(64) " timestamp_end; "       \
	"integer { size = 64; align = 256; } content_size; " INT(64) " packet_size; "            \
	INT(64) " packet_seq_num; " INT(64) " events_discarded; };\n"                            \
	"event.header := struct { " INT(16) " id; " INT(48) " timestamp; }; };\n"
#define EVENT(fields) \
	"event { name = \"net:rx\"; id = 16; stream_id = 0; fields := struct { " fields " }; };\n"

static struct meta *parse(const char *text, char *error)
{
	size_t n = strlen(text);

	error[0] = '\0';
	return meta_parse(strdup(text), n, error);
}

START_TEST(meta_orders)
{
	static const char *const texts[] = {
		HEADER TRACE CLOCK STREAM EVENT(INT(16) " _port;"),
		HEADER EVENT(INT(16) " _port;") STREAM CLOCK TRACE,
		HEADER "/* a */ // b\n" TRACE ";" CLOCK STREAM "\n\n" EVENT(INT(16) "_port ; ") "env { x = \"y\"; n = -3; };",
		HEADER "typealias " INT(16) " := unsigned short;\n" TRACE CLOCK STREAM
			EVENT("unsigned short _port;"),
	};
	char error[META_ERROR];
	struct meta *m = parse(texts[_i], error);

	ck_assert_msg(m != NULL, "%s", error);
	ck_assert_uint_eq(m->nevents, 1);
	ck_assert_str_eq(m->event[0]->name, "net:rx");
	ck_assert_uint_eq(m->event[0]->class_len, 3);
	ck_assert_str_eq(m->event[0]->fields.field[0].name, "port");
	ck_assert_uint_eq(m->event[0]->fields.size, 2);
	ck_assert_ptr_eq(m->stream[0].by_id[16], m->event[0]);
	ck_assert_uint_eq(m->uuid[15], 0xff);
	meta_free(m);
}
END_TEST

START_TEST(meta_refused)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "CTF 1.8" },
		{ "/* CTF 2 */", "CTF 1.8" },
		{ HEADER TRACE CLOCK STREAM EVENT(INT(7) " _x;"), "7 bits" },
		{ HEADER TRACE CLOCK STREAM EVENT(INT(0) " _x;"), "0 bits" },
		{ HEADER TRACE CLOCK STREAM EVENT(INT(128) " _x;"), "128 bits" },
		{ HEADER TRACE CLOCK STREAM EVENT("nonsense _x;"), "line 6: type `nonsense" },
		{ HEADER TRACE CLOCK STREAM EVENT("variant <x> { } _x;"), "variant" },
		{ HEADER TRACE CLOCK STREAM EVENT(INT(8) " _x[_y];"), "length of `x`" },
		{ HEADER TRACE CLOCK STREAM EVENT(INT(64) " _n; " INT(8) " _x[_n];"), "unsigned" },
		{ HEADER TRACE CLOCK STREAM EVENT("integer { size = 32; align = 32; } _x;"), "gaps" },
		{ HEADER TRACE CLOCK STREAM EVENT("integer { size = 32; byte_order = be; } _x;"), "byte order" },
		{ HEADER TRACE CLOCK STREAM EVENT("floating_point { exp_dig = 8; mant_dig = 53; } _x;"), "belong" },
		{ HEADER TRACE CLOCK STREAM EVENT("") EVENT(""), "declared twice" },
		{ HEADER TRACE CLOCK STREAM STREAM, "declared twice" },
		{ HEADER TRACE CLOCK EVENT(""), "not declared" },
		{ HEADER TRACE STREAM EVENT(""), "no clock" },
		{ HEADER CLOCK STREAM EVENT(""), "packet.header" },
		{ HEADER TRACE "clock { freq = 0; };", "frequency" },
		{ HEADER TRACE CLOCK STREAM "event { name = \"x", "string without end" },
		{ HEADER TRACE CLOCK STREAM "/* ", "comment without end" },
		{ HEADER TRACE CLOCK STREAM "event { id = 99999999999999999999; };", "64 bits" },
		{ HEADER TRACE CLOCK STREAM "event { id = 65536; };", "16 bits" },
		{ HEADER TRACE CLOCK STREAM "\x01", "byte 0x01" },
		{ HEADER TRACE CLOCK STREAM "callsite { };", "not known" },
	};
	char error[META_ERROR];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct meta *m = parse(cases[i].text, error);

		ck_assert_msg(!m, "case %u was taken", i);
		ck_assert_msg(strstr(error, cases[i].why) != NULL, "case %u: \"%s\" not in \"%s\"", i,
			      cases[i].why, error);
	}
}
END_TEST

/* Cut anywhere, the text is refused or taken, never read beyond its end. */
START_TEST(meta_cut)
{
	static const char text[] = HEADER TRACE CLOCK STREAM
		EVENT("enum : " INT(8) " { \"A\" = 1, B = 2 ... 5, C } _e; string _s; " INT(16)
		      " __l_length; " INT(8) " _l[__l_length];");
	char error[META_ERROR];

	for (size_t n = 0; n <= strlen(text); n++) {
		char *copy = malloc(n ? n : 1);

		memcpy(copy, text, n);
		meta_free(meta_parse(copy, n, error));
	}
}
END_TEST

START_TEST(meta_steps)
{
	char error[META_ERROR];
	struct meta *m = parse(HEADER TRACE CLOCK STREAM EVENT(INT(16) " _a; string _s; " INT(16)
			       " __q_length; " INT(32) " _q[__q_length]; " INT(64) " _t[3];"), error);
	const struct meta_step *s;

	ck_assert_msg(m != NULL, "%s", error);
	s = m->event[0]->steps;
	ck_assert_uint_eq(m->event[0]->nsteps, 2);
	ck_assert(s[0].skip == 2 && s[0].kind == META_STRING);
	ck_assert(s[1].skip == 2 && s[1].kind == META_SEQ && s[1].size == 4 && s[1].length == 2);
	ck_assert(s[2].skip == 24 && s[2].kind == META_UINT);
	meta_free(m);
}
END_TEST

START_TEST(meta_times)
{
	static const uint64_t frequencies[] = { 1000000000, 2596000000, 24000000, 1000 };
	static const uint64_t cycles[] = { 0, 1, 999, 123456789, UINT64_C(1) << 40, UINT64_C(1) << 52 };

	for (unsigned f = 0; f < 4; f++) {
		struct meta_clock c = { .frequency = frequencies[f], .base_ns = 1700000000000000000 };

		for (unsigned i = 0; i < 6; i++) {
			int64_t ns = meta_ns(&c, cycles[i]);
			uint64_t back = meta_cycles(&c, ns);

			if (c.frequency == 1000 && cycles[i] >> 40)
				continue; /* beyond 64-bit nanoseconds */
			ck_assert_int_eq(meta_ns(&c, back), ns);
			ck_assert(back <= cycles[i]);
			ck_assert(!back || meta_ns(&c, back - 1) < ns);
		}
	}
}
END_TEST

START_TEST(ledger_gaps)
{
	struct ledger l = { 0 };
	struct ctf_packet p = { .flags = CTF_PACKET_EMPTY, .events_before = 100, .missed_before = 5 };

	ck_assert_uint_eq(ledger_gap(&l, &p, 0), 0);
	ledger_advance(&l, &p);
	p = (struct ctf_packet){ .events_before = 100, .missed_before = 5, .event_count = 10 };
	ck_assert_uint_eq(ledger_gap(&l, &p, 0), 0);
	ledger_advance(&l, &p);
	/* 7 discarded and 3 overwritten, reported */
	p = (struct ctf_packet){ .flags = CTF_PACKET_MISSED, .events_before = 113,
				 .missed_before = 12, .event_count = 1 };
	ck_assert_uint_eq(ledger_gap(&l, &p, 10), 0);
	ck_assert_uint_eq(ledger_gap(&l, &p, 4), 6);
	ledger_advance(&l, &p);
	p = (struct ctf_packet){ .events_before = 120, .missed_before = 12, .event_count = 1 };
	ck_assert_uint_eq(ledger_gap(&l, &p, 0), 7);
	p.events_before = 110;
	ck_assert_uint_eq(ledger_gap(&l, &p, 0), (uint64_t)-3);
	ck_assert_uint_eq(ledger_emitted(&l), 20);
}
END_TEST

START_TEST(hist_values)
{
	static struct hist h;

	memset(&h, 0, sizeof(h));
	for (uint64_t i = 1; i <= 1000; i++)
		hist_add(&h, i);
	ck_assert_uint_eq(h.min, 1);
	ck_assert_uint_eq(h.max, 1000);
	ck_assert_uint_eq(hist_percentile(&h, 100), 1000);
	ck_assert(hist_percentile(&h, 50) >= 500 && hist_percentile(&h, 50) <= 517);
	ck_assert(hist_percentile(&h, 99) >= 990 && hist_percentile(&h, 99) <= 1000);
	ck_assert_uint_eq(hist_log2(&h, 0), 0);
	ck_assert_uint_eq(hist_log2(&h, 1), 1);
	ck_assert_uint_eq(hist_log2(&h, 9), 256);
	ck_assert_uint_eq(hist_log2(&h, 10), 1000 - 511);
	hist_add(&h, UINT64_MAX);
	hist_add(&h, 0);
	ck_assert_uint_eq(hist_percentile(&h, 100), UINT64_MAX);
	ck_assert_uint_eq(hist_log2(&h, 0), 1);
}
END_TEST

Suite *suite_reader(void)
{
	Suite *s = suite_create("reader");
	TCase *t = tcase_create("reader");

	tcase_add_loop_test(t, meta_orders, 0, 4);
	tcase_add_test(t, meta_refused);
	tcase_add_test(t, meta_cut);
	tcase_add_test(t, meta_steps);
	tcase_add_test(t, meta_times);
	tcase_add_test(t, ledger_gaps);
	tcase_add_test(t, hist_values);
	suite_add_tcase(s, t);
	return s;
}
