/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A program that traces a little and checks that errno stays as it was, in
 * whatever state the region is. The words of the command line come before:
 *
 *   nofile    no descriptor may be opened any more
 *   remove    the region is removed half-way
 *   mlock     all memory is locked
 *   many N    N events more
 *   big       events that are too large for a record
 *   on, off   fail unless tracing is so
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

#include "life.h"

TRBUF_EVENT(life, big, TRBUF_INFO, (u64, number), (array, u64, 2000, values));

#define KEEPS_ERRNO(statement) \
	do { \
		errno = EXDEV; \
		statement; \
		if (errno != EXDEV) \
			life_fail("errno changed: " #statement); \
	} while (0)

static void *first_of_a_thread(void *arg)
{
	(void)arg;
	KEEPS_ERRNO(life_tick(1));
	return NULL;
}

static void prepare(char **word)
{
	struct rlimit none = { 0, 0 };

	if (strcmp(*word, "nofile") == 0 && setrlimit(RLIMIT_NOFILE, &none))
		life_fail("setrlimit");
	if (strcmp(*word, "remove") == 0 && unlink(getenv("TRBUF_REGION")))
		life_fail("unlink");
	if (strcmp(*word, "mlock") == 0 && mlockall(MCL_CURRENT | MCL_FUTURE))
		exit(77);
	if (strcmp(*word, "on") == 0 && !trbuf_enabled(life, tick))
		life_fail("not on");
	if (strcmp(*word, "off") == 0 && trbuf_enabled(life, tick))
		life_fail("not off");
	if (strcmp(*word, "many") == 0)
		for (unsigned long i = strtoul(word[1], NULL, 10); i > 0; i--)
			KEEPS_ERRNO(life_tick(1));
	if (strcmp(*word, "big") == 0)
		for (unsigned i = 0; i < 10; i++) {
			static uint64_t values[2000];

			KEEPS_ERRNO(trbuf_trace(life, big, life_count(), values));
		}
}

int main(int argc, char **argv)
{
	pthread_t thread;

	life_begin();
	KEEPS_ERRNO(life_tick(1));
	for (int i = 1; i < argc; i++)
		prepare(argv + i);
	KEEPS_ERRNO(life_tick(100));
	if (trbuf_enabled(life, tick))
		KEEPS_ERRNO(trbuf_printf(life, TRBUF_INFO, "%llu", (unsigned long long)life_count()));
	if (pthread_create(&thread, NULL, first_of_a_thread, NULL))
		life_fail("no thread");
	pthread_join(thread, NULL);
	if (fork() == 0) {
		KEEPS_ERRNO(life_tick(10));
		_exit(0);
	}
	if (life_wait_all())
		life_fail("child");
	return life_end();
}
