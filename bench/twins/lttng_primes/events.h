/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The events of examples/primes.c with LTTng-UST. Read several times over by its headers. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER primes

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/twins/lttng_primes/events.h"

#if !defined(TRBUF_BENCH_LTTNG_PRIMES_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TRBUF_BENCH_LTTNG_PRIMES_H

#include <stdint.h>

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(primes, number, LTTNG_UST_TP_ARGS(uint32_t, number, uint8_t, prime),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, number, number)
			    lttng_ust_field_integer(uint8_t, prime, prime)))
LTTNG_UST_TRACEPOINT_EVENT(primes, fill_page_begin, LTTNG_UST_TP_ARGS(uint64_t, page),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, page, page)))
LTTNG_UST_TRACEPOINT_EVENT(primes, put_page_begin, LTTNG_UST_TP_ARGS(uint64_t, page),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, page, page)))
LTTNG_UST_TRACEPOINT_EVENT(primes, get_page_begin, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(primes, test_page_begin,
	LTTNG_UST_TP_ARGS(uint64_t, page, const char *, worker),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, page, page)
			    lttng_ust_field_string(worker, worker)))
LTTNG_UST_TRACEPOINT_EVENT(primes, is_prime_begin, LTTNG_UST_TP_ARGS(uint32_t, number),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, number, number)))
LTTNG_UST_TRACEPOINT_EVENT(primes, fill_page_end, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(primes, put_page_end, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(primes, get_page_end, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(primes, test_page_end, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(primes, is_prime_end, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())

#endif

#include <lttng/tracepoint-event.h>
