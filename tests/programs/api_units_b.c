/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The other file of api_units_a.c. */
#include "api_units.h"

TRBUF_EVENT(units, clash, TRBUF_INFO, (str, b));

void units_other(void)
{
	units_in_line("b");
	trbuf_trace(units, clash, "one");
}
