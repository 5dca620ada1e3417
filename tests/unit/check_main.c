/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Runs all unit tests, or the suites named on the command line. Knows nothing
 * of any of them. Threads and long runs belong in tests/stress.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"

static const struct {
	const char *name;
	Suite *(*suite)(void);
} suites[] = {
#define X(name) { #name, suite_##name },
	SUITES(X)
#undef X
};

static int wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return 1;
	return argc <= 1;
}

int main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);
	int failed, ran;

	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		if (wanted(suites[i].name, argc, argv))
			srunner_add_suite(runner, suites[i].suite());
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	ran = srunner_ntests_run(runner);
	srunner_free(runner);
	if (ran == 0)
		fprintf(stderr, "check_main: no test ran\n");
	return failed || ran == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
