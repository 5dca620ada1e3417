/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A program closes every descriptor that is not its own, opens a file and a
 * pipe, and goes on tracing over many page switches and wake-ups: not one byte
 * that it did not write may be in them. $1 is the file. Also: nothing of the
 * library is among the descriptors, threads and signal handlers of a program;
 * with "count" it says how many descriptors there are, to be compared with the
 * same program without the library.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "life.h"

static unsigned entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static void look_at_myself(void)
{
	char line[256];
	FILE *f;
	unsigned handlers = 0;

	if (entries("/proc/self/task") != 3) /* . and .. */
		life_fail("a thread that is not mine");
	f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "SigCgt:", 7) == 0)
			handlers = strspn(line + 7, "\t0 \n") != strlen(line + 7);
	if (f)
		fclose(f);
	if (handlers)
		life_fail("a signal handler that is not mine");
}

static void *other(void *arg)
{
	(void)arg;
	life_tick(20000);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	struct stat st;
	int file, ends[2];
	char byte;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "count") == 0)
		return printf("%u\n", entries("/proc/self/fd")) < 0;
	life_begin();
	life_tick(10);
	look_at_myself();
	if (close_range(3, ~0U, 0))
		life_fail("close_range");
	file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file != 3 || pipe2(ends, O_NONBLOCK) || write(file, "mine", 4) != 4)
		life_fail("my own descriptors");
	if (pthread_create(&thread, NULL, other, NULL))
		life_fail("no thread");
	life_tick(20000);
	if (fork() == 0) {
		life_tick(5000);
		_exit(0);
	}
	pthread_join(thread, NULL);
	if (life_wait_all())
		life_fail("child");
	if (fstat(file, &st) || st.st_size != 4)
		life_fail("stray bytes in my file");
	if (read(ends[0], &byte, 1) >= 0)
		life_fail("stray bytes in my pipe");
	if (entries("/proc/self/fd") != 2 + 6 + 1) /* . .., 0 1 2, file, pipe, the directory */
		life_fail("more descriptors than mine");
	return life_end();
}
