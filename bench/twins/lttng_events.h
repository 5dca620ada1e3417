/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The events of bench/twin.h with LTTng-UST. Read several times over by its headers. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/twins/lttng_events.h"

#if !defined(TRBUF_BENCH_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TRBUF_BENCH_LTTNG_EVENTS_H

#include <stdint.h>

#include <lttng/tracepoint.h>

#include "bench/twin.h"

LTTNG_UST_TRACEPOINT_EVENT(bench, none, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())

LTTNG_UST_TRACEPOINT_EVENT(bench, one, LTTNG_UST_TP_ARGS(uint64_t, a),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)))

LTTNG_UST_TRACEPOINT_EVENT(bench, four,
	LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c, uint64_t, d),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, a, a)
		lttng_ust_field_integer(uint64_t, b, b)
		lttng_ust_field_integer(uint64_t, c, c)
		lttng_ust_field_integer(uint64_t, d, d)))

LTTNG_UST_TRACEPOINT_EVENT(bench, text, LTTNG_UST_TP_ARGS(const char *, text),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_string(text, text)))

/* An event has ten arguments at most here, so the sixteen come in a struct. */
LTTNG_UST_TRACEPOINT_EVENT(bench, sixteen, LTTNG_UST_TP_ARGS(const struct twin_sixteen *, v),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint8_t, a, v->a)
		lttng_ust_field_integer(uint16_t, b, v->b)
		lttng_ust_field_integer(uint32_t, c, v->c)
		lttng_ust_field_integer(uint64_t, d, v->d)
		lttng_ust_field_integer(int8_t, e, v->e)
		lttng_ust_field_integer(int16_t, f, v->f)
		lttng_ust_field_integer(int32_t, g, v->g)
		lttng_ust_field_integer(int64_t, h, v->h)
		lttng_ust_field_integer_hex(uint32_t, i, v->i)
		lttng_ust_field_integer_hex(uint64_t, j, v->j)
		lttng_ust_field_float(float, k, v->k)
		lttng_ust_field_float(double, l, v->l)
		lttng_ust_field_integer(uint8_t, m, v->m)
		lttng_ust_field_integer_hex(uintptr_t, n, (uintptr_t)v->n)
		lttng_ust_field_integer(uint64_t, o, v->o)
		lttng_ust_field_integer(uint32_t, p, v->p)))

/* Not switched on: bench/run enables bench:* less this one. */
LTTNG_UST_TRACEPOINT_EVENT(bench, off, LTTNG_UST_TP_ARGS(uint64_t, a),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)))

#endif

#include <lttng/tracepoint-event.h>
