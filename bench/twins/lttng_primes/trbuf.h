/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Stands for <trbuf.h> when examples/primes.c is compiled as its own LTTng twin:
 * the same source, the same trace points, recorded by LTTng-UST.
 */
#ifndef TRBUF_H
#define TRBUF_H

#include <stdbool.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/twins/lttng_primes/events.h"

#define TRBUF_EVENT(...) struct twin_nothing
#define TRBUF_SPAN_EVENT(...) struct twin_nothing
#define trbuf_trace(class, event, ...) lttng_ust_tracepoint(class, event, __VA_ARGS__)

#define TWIN_END(span) \
	static inline void twin_end_##span(const int *on) \
	{ \
		if (*on) \
			lttng_ust_tracepoint(primes, span##_end); \
	}
TWIN_END(fill_page)
TWIN_END(put_page)
TWIN_END(get_page)
TWIN_END(test_page)
TWIN_END(is_prime)

#define TRBUF_SPAN(class, span, ...) \
	__attribute__((cleanup(twin_end_##span))) const int twin_on = \
		lttng_ust_tracepoint_enabled(class, span##_begin); \
	lttng_ust_tracepoint(class, span##_begin __VA_OPT__(,) __VA_ARGS__)

#endif
