/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The events of twin.h with trbuf. Includes <trbuf.h> and links libtrbuf.so, as a user does. */
#include <trbuf.h>

#include "bench/twin.h"

TRBUF_EVENT(bench, none, TRBUF_INFO);
TRBUF_EVENT(bench, one, TRBUF_INFO, (u64, a));
TRBUF_EVENT(bench, four, TRBUF_INFO, (u64, a), (u64, b), (u64, c), (u64, d));
TRBUF_EVENT(bench, text, TRBUF_INFO, (str, text));
TRBUF_EVENT(bench, sixteen, TRBUF_INFO, (u8, a), (u16, b), (u32, c), (u64, d), (s8, e), (s16, f),
	    (s32, g), (s64, h), (x32, i), (x64, j), (f32, k), (f64, l), (bool, m), (ptr, n),
	    (u64, o), (u32, p));
TRBUF_EVENT(bench_off, one, TRBUF_INFO, (u64, a));

static int start(void)
{
	return 0;
}

static int has(enum twin_kind kind)
{
	return kind < TWIN_KINDS;
}

static int on(enum twin_kind kind)
{
	return kind == TWIN_OFF ? trbuf_enabled(bench_off, one) : trbuf_enabled(bench, one);
}

static void burst(enum twin_kind kind, uint64_t n)
{
	switch (kind) {
	case TWIN_NONE:
		for (uint64_t i = 0; i < n; i++)
			trbuf_trace(bench, none);
		break;
	case TWIN_U64:
		for (uint64_t i = 0; i < n; i++)
			trbuf_trace(bench, one, i);
		break;
	case TWIN_FOUR:
		for (uint64_t i = 0; i < n; i++)
			trbuf_trace(bench, four, i, i + 1, i + 2, i + 3);
		break;
	case TWIN_STR11:
		for (uint64_t i = 0; i < n; i++)
			trbuf_trace(bench, text, TWIN_TEXT11);
		break;
	case TWIN_STR100:
		for (uint64_t i = 0; i < n; i++)
			trbuf_trace(bench, text, TWIN_TEXT100);
		break;
	case TWIN_SIXTEEN:
		for (uint64_t i = 0; i < n; i++)
			trbuf_trace(bench, sixteen, TWIN_SIXTEEN_VALUES(i));
		break;
	default:
		for (uint64_t i = 0; i < n; i++)
			trbuf_trace(bench_off, one, i);
	}
}

const struct twin twin_trbuf = { "trbuf", start, has, on, burst };
