/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Forks in all the ways that programs do, and traces before and after: a tree of
 * processes, forks with other threads tracing, a child that becomes a daemon and
 * closes every descriptor, one that starts itself again, and children that are
 * killed. Prints how many events were emitted.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trbuf.h>

#define DEPTH 5
#define EACH 50

TRBUF_EVENT(forks, tick, TRBUF_INFO, (u32, depth), (s32, pid));

static struct shared {
	atomic_ullong emitted;
	atomic_uint ended;
	atomic_bool stop;
} * shared;

static void tick(uint32_t depth, int n)
{
	for (int i = 0; i < n; i++) {
		trbuf_trace(forks, tick, depth, getpid());
		atomic_fetch_add(&shared->emitted, 1);
	}
}

static void wait_all(void)
{
	while (wait(NULL) > 0)
		;
}

static void tree(uint32_t depth)
{
	tick(depth, EACH);
	for (int i = 0; i < 2 && depth < DEPTH; i++) {
		if (fork() == 0) {
			tree(depth + 1);
			_exit(0);
		}
		tick(depth, EACH);
	}
	wait_all();
}

static void *ticker(void *arg)
{
	(void)arg;
	while (!atomic_load(&shared->stop))
		tick(100, 1);
	return NULL;
}

/* Children of a process whose other threads are in the middle of events. */
static void with_threads(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, ticker, NULL))
			exit(1);
	for (int i = 0; i < 50; i++) {
		if (fork() == 0) {
			tick(101, EACH);
			if (i % 3 == 0)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
	}
	wait_all();
	atomic_store(&shared->stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

/* As daemons do it. */
static void daemonized(void)
{
	if (fork() == 0) {
		setsid();
		if (fork())
			_exit(0);
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
		if (chdir("/") == 0)
			tick(102, EACH);
		atomic_fetch_add(&shared->ended, 1);
		_exit(0);
	}
	wait_all();
	while (atomic_load(&shared->ended) == 0)
		usleep(1000);
}

/* The new program is this one, with the counters on descriptor 9. */
static void started_again(void)
{
	if (fork() == 0) {
		execl("/proc/self/exe", "forks", "again", (char *)NULL);
		_exit(127);
	}
	wait_all();
}

int main(int argc, char **argv)
{
	int again = argc > 1 && strcmp(argv[1], "again") == 0;
	int fd = again ? 9 : memfd_create("counters", 0);

	if (fd < 0 || (!again && (ftruncate(fd, sizeof(*shared)) || dup2(fd, 9) < 0)))
		return 1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, 9, 0);
	if (shared == MAP_FAILED)
		return 1;
	if (again) {
		tick(103, EACH);
		return 0;
	}
	tree(0);
	with_threads();
	started_again();
	daemonized();
	printf("emitted %llu\n", (unsigned long long)atomic_load(&shared->emitted));
	return 0;
}
