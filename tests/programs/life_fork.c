/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Forks of all kinds: from several threads that all trace, four generations
 * deep, and many children that end at once. Prints what was emitted.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "life.h"

static void generation(unsigned left)
{
	life_tick(20);
	for (unsigned i = 0; i < 3 && left; i++)
		if (fork() == 0) {
			generation(left - 1);
			_exit(life_wait_all());
		}
	life_tick(20);
}

static void *forker(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 10; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			life_tick(30);
			_exit(0);
		}
		life_tick(30);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			life_fail("a child of a thread");
	}
	return NULL;
}

/* Half end through exit, which runs the destructor of the library. */
static void ends_at_once(unsigned i)
{
	if (i % 3)
		life_tick(1);
	if (i % 2)
		_exit(0);
	exit(0);
}

int main(void)
{
	pthread_t thread[4];

	life_begin();
	for (unsigned i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, forker, NULL))
			life_fail("no thread");
	for (unsigned i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	generation(4);
	if (life_wait_all())
		life_fail("a generation");
	for (unsigned i = 0; i < 300; i++) {
		if (fork() == 0)
			ends_at_once(i);
		if (i % 20 == 19 && life_wait_all())
			life_fail("a short child");
	}
	if (life_wait_all())
		life_fail("a short child");
	return life_end();
}
