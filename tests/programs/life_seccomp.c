/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A process that may do nothing but read, write, exit, futex and return from a
 * handler goes on tracing: also a thread whose first event comes after that.
 * With "first" the main thread too has its first event after that.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "life.h"

#define ALLOW(name) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void lock_up(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(read), ALLOW(write), ALLOW(exit), ALLOW(exit_group), ALLOW(futex),
		ALLOW(rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog))
		_exit(77);
}

static void *late(void *arg)
{
	char byte;

	atomic_store(&life->flag[1], 1); /* started: libc makes no more calls for it */
	if (read(*(int *)arg, &byte, 1) != 1)
		_exit(1);
	life_tick(20000);
	atomic_store(&life->flag[0], 1);
	syscall(SYS_exit, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	int first = argc > 1 && strcmp(argv[1], "first") == 0, ends[2];
	pthread_t thread;
	char line[64];

	life_begin();
	if (pipe(ends) || pthread_create(&thread, NULL, late, &ends[0]))
		life_fail("no thread");
	while (!atomic_load(&life->flag[1]))
		usleep(1000);
	if (!first)
		life_tick(1);
	lock_up();
	life_tick(20000);
	if (first || argc == 1) {
		if (write(ends[1], "", 1) != 1)
			_exit(1);
		while (!atomic_load(&life->flag[0]))
			life_tick(1);
	}
	snprintf(line, sizeof(line), "emitted %llu\n", (unsigned long long)atomic_load(&life->emitted));
	if (write(1, line, strlen(line)) < 0)
		_exit(1);
	_exit(0);
}
