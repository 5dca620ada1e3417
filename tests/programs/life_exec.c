/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * exec in place, fork and exec, posix_spawn, and exec while other threads are
 * in the middle of events. Prints what all of them emitted.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>

#include "life.h"

#define COUNTERS 9 /* the descriptor that finds the counters again */

extern char **environ;

static void begin(int again)
{
	int fd = again ? COUNTERS : memfd_create("life", 0);

	if (fd < 0 || (!again && (ftruncate(fd, sizeof(*life)) || dup2(fd, COUNTERS) < 0)))
		life_fail("no counters");
	life = (struct life *)mmap(NULL, sizeof(*life), PROT_READ | PROT_WRITE, MAP_SHARED,
				   COUNTERS, 0);
	if (life == MAP_FAILED)
		life_fail("no memory for counters");
}

static void *ticker(void *arg)
{
	(void)arg;
	for (;;)
		life_tick(1);
	return NULL;
}

static pid_t spawn(void)
{
	char *args[] = { (char *)"life_exec", (char *)"leaf", NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ))
		life_fail("posix_spawn");
	return pid;
}

/* Threads end inside an event: each may have counted one that is not there. */
static int with_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, ticker, NULL))
			life_fail("no thread");
	while (atomic_load(&life->emitted) < 5000)
		usleep(1000);
	execl("/proc/self/exe", "life_exec", "end", (char *)NULL);
	return 127;
}

int main(int argc, char **argv)
{
	const char *step = argc > 1 ? argv[1] : "";

	begin(argc > 1);
	life_tick(100);
	if (strcmp(step, "leaf") == 0)
		return 0;
	if (strcmp(step, "end") == 0)
		return life_end();
	if (strcmp(step, "threads") == 0)
		return with_threads();
	if (strcmp(step, "again") == 0) {
		for (int i = 0; i < 20; i++)
			spawn();
		return life_wait_all() ? 1 : life_end();
	}
	if (fork() == 0) {
		execl("/proc/self/exe", "life_exec", "leaf", (char *)NULL);
		_exit(127);
	}
	if (life_wait_all())
		life_fail("fork and exec");
	execl("/proc/self/exe", "life_exec", getenv("LIFE_THREADS") ? "threads" : "again",
	      (char *)NULL);
	return 127;
}
