/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The suites of the unit tests: suite_<name>.c has Suite *suite_<name>(void). */
#ifndef TRBUF_TESTS_SUITES_H
#define TRBUF_TESTS_SUITES_H

#include <check.h>

/* The most basic first. */
#define SUITES(X) \
	X(glob) X(parse) X(json) X(ctf) X(ctf_stream) X(reader) X(reader_filter) X(proto) \
	X(config) X(enable) \
	X(region) X(registry) X(control) X(process) X(ring)

#define X(name) Suite *suite_##name(void);
SUITES(X)
#undef X

#endif
