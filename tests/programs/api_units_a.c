/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The same event in two files, one of which may be in a shared object: one
 * event, all places fire, also in constructors and destructors. The other file
 * has an event of the same name with other fields: another id. Prints "emitted N".
 */
#include <stdio.h>

#include "api_units.h"

TRBUF_EVENT(units, clash, TRBUF_INFO, (u8, a));

__attribute__((constructor)) static void at_start(void)
{
	trbuf_trace(units, shared, "constructor");
}

__attribute__((destructor)) static void at_end(void)
{
	trbuf_trace(units, shared, "destructor");
}

int main(void)
{
	units_in_line("a");
	trbuf_trace(units, clash, 1);
	units_other();
	printf("emitted 10\n"); /* 4 here, 4 in units_other(), 2 at start and end */
	return 0;
}
