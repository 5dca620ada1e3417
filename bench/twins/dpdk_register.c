/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Makes the events of dpdk_events.h known; in a file of its own, as this header
 * turns each use of an event into a description of it. */
#include <rte_trace_point_register.h>

#include "bench/twins/dpdk_events.h"

RTE_TRACE_POINT_REGISTER(bench_none, bench.none)
RTE_TRACE_POINT_REGISTER(bench_one, bench.one)
RTE_TRACE_POINT_REGISTER(bench_four, bench.four)
RTE_TRACE_POINT_REGISTER(bench_text, bench.text)
RTE_TRACE_POINT_REGISTER(bench_off, bench.off)
