/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* One event of a header that several files and a shared object include. */
#ifndef API_UNITS_H
#define API_UNITS_H

#include <trbuf.h>

TRBUF_EVENT(units, shared, TRBUF_INFO, (str, from));
TRBUF_SPAN_EVENT(units, shared_span, TRBUF_INFO);

static inline void units_in_line(const char *from)
{
	TRBUF_SPAN(units, shared_span);
	trbuf_trace(units, shared, from);
}

#ifdef __cplusplus
extern "C"
#endif
void units_other(void);

#endif
