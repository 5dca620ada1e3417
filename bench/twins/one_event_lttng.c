/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* bench/one_event.c with LTTng-UST. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/twins/lttng_events.h"

int main(void)
{
	lttng_ust_tracepoint(bench, one, 1);
	return 0;
}
