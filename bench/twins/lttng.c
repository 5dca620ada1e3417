/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The events of bench/twin.h with LTTng-UST, as a plug-in. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/twins/lttng_events.h"

#include "bench/twin.h"

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
	return kind == TWIN_OFF ? lttng_ust_tracepoint_enabled(bench, off) :
				  lttng_ust_tracepoint_enabled(bench, one);
}

static void sixteen(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (lttng_ust_tracepoint_enabled(bench, sixteen)) {
			struct twin_sixteen v = { TWIN_SIXTEEN_VALUES(i) };

			lttng_ust_do_tracepoint(bench, sixteen, &v);
		}
	}
}

static void burst(enum twin_kind kind, uint64_t n)
{
	switch (kind) {
	case TWIN_NONE:
		for (uint64_t i = 0; i < n; i++)
			lttng_ust_tracepoint(bench, none);
		break;
	case TWIN_U64:
		for (uint64_t i = 0; i < n; i++)
			lttng_ust_tracepoint(bench, one, i);
		break;
	case TWIN_FOUR:
		for (uint64_t i = 0; i < n; i++)
			lttng_ust_tracepoint(bench, four, i, i + 1, i + 2, i + 3);
		break;
	case TWIN_STR11:
		for (uint64_t i = 0; i < n; i++)
			lttng_ust_tracepoint(bench, text, TWIN_TEXT11);
		break;
	case TWIN_STR100:
		for (uint64_t i = 0; i < n; i++)
			lttng_ust_tracepoint(bench, text, TWIN_TEXT100);
		break;
	case TWIN_SIXTEEN:
		sixteen(n);
		break;
	default:
		for (uint64_t i = 0; i < n; i++)
			lttng_ust_tracepoint(bench, off, i);
	}
}

static const struct twin self = { "LTTng", start, has, on, burst };

const struct twin *twin_get(void);
const struct twin *twin_get(void)
{
	return &self;
}
