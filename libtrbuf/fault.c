/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* One line for people about what failed. Called by everybody; prints nothing. */
#include <stdarg.h>
#include <stdio.h>

#include "libtrbuf/region.h"

int fault_set(struct fault *f, int err, const char *fmt, ...)
{
	va_list ap;

	if (f) {
		va_start(ap, fmt);
		vsnprintf(f->text, sizeof(f->text), fmt, ap);
		va_end(ap);
	}
	return -err;
}
