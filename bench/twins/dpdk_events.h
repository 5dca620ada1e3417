/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The events of bench/twin.h with DPDK. dpdk_register.c reads it in another meaning. */
#ifndef TRBUF_BENCH_DPDK_EVENTS_H
#define TRBUF_BENCH_DPDK_EVENTS_H

#include <rte_trace_point.h>

RTE_TRACE_POINT(bench_none, RTE_TRACE_POINT_ARGS(void))
RTE_TRACE_POINT(bench_one, RTE_TRACE_POINT_ARGS(uint64_t a), rte_trace_point_emit_u64(a);)
RTE_TRACE_POINT(bench_four, RTE_TRACE_POINT_ARGS(uint64_t a, uint64_t b, uint64_t c, uint64_t d),
	rte_trace_point_emit_u64(a); rte_trace_point_emit_u64(b);
	rte_trace_point_emit_u64(c); rte_trace_point_emit_u64(d);)
RTE_TRACE_POINT(bench_text, RTE_TRACE_POINT_ARGS(const char *text),
	rte_trace_point_emit_string(text);)
RTE_TRACE_POINT(bench_off, RTE_TRACE_POINT_ARGS(uint64_t a), rte_trace_point_emit_u64(a);)

#endif
