/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Emits one event of every kind of field and of every kind of trace point,
 * with values that a test can look for, and prints how many: "emitted N". Also
 * included by api_types.cc, so it is valid C99 and C++11.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include <trbuf.h>

enum api_colour { API_RED, API_GREEN = 5 };

TRBUF_ENUM(colour, { API_RED, "RED" }, { API_GREEN, "GREEN" }, { -1, "NONE" });

TRBUF_EVENT(api, none, TRBUF_DEBUG);
TRBUF_EVENT(api, unsigned_, TRBUF_INFO, (u8, a), (u16, b), (u32, c), (u64, d));
TRBUF_EVENT(api, signed_, TRBUF_INFO, (s8, a), (s16, b), (s32, c), (s64, d));
TRBUF_EVENT(api, hex, TRBUF_INFO, (x8, a), (x16, b), (x32, c), (x64, d));
TRBUF_EVENT(api, other, 3, (f32, a), (f64, b), (bool, c), (ptr, d), (str, e));
TRBUF_EVENT(api, arrays, 0, (array, u32, 3, a), (array, bool, 2, b), (array, f64, 1, c));
TRBUF_EVENT(api, sequences, 7, (seq, s16, a), (blob, b), (seq, x64, c));
TRBUF_EVENT(api, enums, TRBUF_NOTICE, (enum, u8, colour, a), (enum, s64, colour, b),
	    (enum, u64, colour, c));
TRBUF_EVENT(api, keywords, TRBUF_INFO, (u8, class), (u8, int), (u8, struct), (u8, event),
	    (u8, stream), (u8, align), (u8, this), (u8, integer), (u8, string), (u8, variant));
TRBUF_EVENT(api, macros, TRBUF_INFO, (s32, errno), (s64, st_mtime), (u8, EOF), (u8, stdin));
TRBUF_EVENT(linux, unix, TRBUF_INFO, (u8, linux));
TRBUF_EVENT(api, sixteen, TRBUF_INFO, (u8, a), (u8, b), (u8, c), (u8, d), (u8, e), (u8, f),
	    (u8, g), (u8, h), (u8, i), (u8, j), (u8, k), (u8, l), (u8, m), (u8, n), (u8, o),
	    (str, p));
TRBUF_EVENT(a23456789012345678901234567890123456789012345678901234567890123,
	    b23456789012345678901234567890123456789012345678901234567890123, TRBUF_INFO,
	    (u8, c23456789012345678901234567890123456789012345678901234567890123));
TRBUF_SPAN_EVENT(api, work, TRBUF_INFO, (u32, number), (str, name));
TRBUF_SPAN_EVENT(api, pause, TRBUF_INFO);

/* A program may wrap the macros in its own. */
#define MY_EVENT(name, ...) TRBUF_EVENT(api, name, TRBUF_INFO, __VA_ARGS__)
MY_EVENT(wrapped, (bool, a), (seq, bool, b));

static unsigned long api_emitted;
static int api_evaluated;

static int api_evaluate(int value)
{
	api_evaluated++;
	return value;
}

#define EMIT(...) \
	do { \
		trbuf_trace(__VA_ARGS__); \
		api_emitted++; \
	} while (0)

static int api_span(uint32_t number)
{
	TRBUF_SPAN(api, work, number, "span");
	TRBUF_SPAN(api, pause);

	api_emitted += 4;
	if (number > 1)
		return 1;
	trbuf_printf(api, TRBUF_INFO, "number %u of %s", (unsigned)number, "two");
	api_emitted++;
	return 0;
}

static void api_all(void)
{
	static const uint32_t words[3] = { 1, 2, 3 };
	static const int16_t shorts[2] = { -1, 1 };
	static const uint64_t longs[1] = { 0xabcdef };
	static const bool bools[2] = { true, false };
	static const double doubles[1] = { 0.5 };
	enum api_colour green = API_GREEN;

	EMIT(api, none);
	EMIT(api, unsigned_, 255, 65535, 4294967295u, 18446744073709551615u);
	EMIT(api, signed_, -128, -32768, -2147483647 - 1, -9223372036854775807);
	EMIT(api, hex, 0xff, 0xffff, 0xffffffffu, 0xffffffffffffffffu);
	EMIT(api, other, 1.5f, -2.25, true, words, "text");
	EMIT(api, other, 1.5f, -2.25, false, NULL, NULL);
	EMIT(api, arrays, words, bools, doubles);
	EMIT(api, sequences, shorts, 2, "\1\2\3", 3, longs, 1);
	EMIT(api, sequences, NULL, 0, NULL, 0, NULL, 0);
	EMIT(api, enums, green, -1, API_RED);
	EMIT(api, keywords, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	EMIT(api, macros, errno, 2, 3, 4);
	trbuf_trace(linux, unix, 7); /* through EMIT, both would have become 1 */
	api_emitted++;
	EMIT(api, sixteen, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "sixteen");
	EMIT(a23456789012345678901234567890123456789012345678901234567890123,
	     b23456789012345678901234567890123456789012345678901234567890123, 1);
	EMIT(api, wrapped, true, bools, 2);
	if (trbuf_enabled(api, none))
		EMIT(api, none);
	else
		trbuf_trace(api, signed_, 0, 0, 0, api_evaluate(1));
	api_span(1);
	api_span(2);
}

#ifndef API_TYPES_NO_MAIN
int main(void)
{
	errno = 77;
	api_all();
	if (errno != 77)
		return 1;
	if (api_evaluated)
		return 1; /* arguments of a trace point that is off */
	printf("emitted %lu\n", api_emitted);
	return 0;
}
#endif
