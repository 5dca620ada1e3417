/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Threads are cancelled while they trace; a signal comes 10,000 times a second
 * and its handler traces; threads have stacks of 32 KiB; errno stays.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "life.h"

TRBUF_EVENT(life, text, TRBUF_INFO, (u64, number), (str, text), (seq, u32, values));
TRBUF_EVENT(life, caught, TRBUF_INFO, (u64, number));

static void *cancelled(void *arg)
{
	int old;

	pthread_setcanceltype(arg ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, &old);
	for (;;) {
		life_tick(1);
		pthread_testcancel();
	}
	return NULL;
}

/* With asynchronous cancelling a thread may end between its count and its event. */
static void cancel_threads(int async)
{
	for (unsigned i = 0; i < 100; i++) {
		unsigned long long seen = atomic_load(&life->emitted);
		pthread_t thread;

		if (pthread_create(&thread, NULL, cancelled, async ? &thread : NULL))
			life_fail("no thread");
		for (unsigned k = 0; k < 200 && atomic_load(&life->emitted) == seen; k++)
			usleep(100);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
}

static void on_signal(int sig)
{
	int saved = errno;

	(void)sig;
	atomic_fetch_add(&life->flag[0], 1);
	trbuf_trace(life, caught, life_count());
	if (errno != saved)
		atomic_fetch_add(&life->flag[1], 1);
	errno = saved;
}

static void *sender(void *arg)
{
	pthread_t to = *(pthread_t *)arg;
	struct timespec t = { 0, 50000 };

	while (!atomic_load(&life->flag[2])) {
		pthread_kill(to, SIGUSR1);
		nanosleep(&t, NULL);
	}
	return NULL;
}

static void storm(void)
{
	struct itimerval it = { { 0, 100 }, { 0, 100 } }, none = { { 0, 0 }, { 0, 0 } };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pthread_t self = pthread_self(), thread;

	sigaction(SIGALRM, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	if (pthread_create(&thread, NULL, sender, &self))
		life_fail("no thread");
	setitimer(ITIMER_REAL, &it, NULL);
	while (atomic_load(&life->flag[0]) < 5000) {
		errno = ESTALE;
		life_tick(10);
		if (errno != ESTALE)
			life_fail("errno changed");
	}
	setitimer(ITIMER_REAL, &none, NULL);
	atomic_store(&life->flag[2], 1);
	pthread_join(thread, NULL);
	if (atomic_load(&life->flag[1]))
		life_fail("errno changed in a handler");
}

static void *small(void *arg)
{
	static char long_text[30000];
	static uint32_t values[6000];

	(void)arg;
	memset(long_text, 'x', sizeof(long_text) - 1);
	for (unsigned i = 0; i < 50; i++) {
		trbuf_trace(life, text, life_count(), long_text, values, 6000);
		life_tick(5);
		trbuf_printf(life, TRBUF_INFO, "%llu %s", (unsigned long long)life_count(), "printf");
	}
	return NULL;
}

static void small_stacks(void)
{
	pthread_attr_t attr;
	pthread_t thread[8];

	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, 32 << 10))
		life_fail("stack size");
	for (unsigned i = 0; i < 8; i++)
		if (pthread_create(&thread[i], &attr, small, NULL))
			life_fail("no thread");
	for (unsigned i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	life_begin();
	if (strcmp(what, "cancel") == 0 || strcmp(what, "async") == 0)
		cancel_threads(what[0] == 'a');
	else if (strcmp(what, "storm") == 0)
		storm();
	else if (strcmp(what, "small") == 0)
		small_stacks();
	else
		return 2;
	return life_end();
}
