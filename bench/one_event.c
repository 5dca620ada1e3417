/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* A whole program that emits one event, or with BENCH_NONE none at all, without any tracer. */
#ifndef BENCH_NONE
#include <trbuf.h>

TRBUF_EVENT(bench, one, TRBUF_INFO, (u64, a));
#endif

int main(void)
{
#ifndef BENCH_NONE
	trbuf_trace(bench, one, 1);
#endif
	return 0;
}
