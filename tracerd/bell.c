/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The doorbell thread. Owns the thread and the eventfd; of the region it only
 * touches the doorbell word, through libtrbuf/doorbell.h. The main thread arms
 * and looks at the rings before it lets the thread sleep, so nothing that was
 * filled in between is overlooked [O5]. Called by daemon.c, main thread.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libtrbuf/doorbell.h"
#include "libtrbuf/sync.h"
#include "tracerd/bell.h"

#define STACK_SIZE 65536
#define STOP_TRIES 25

struct bell {
	struct region *r;
	int fd;
	pthread_t thread;
	sem_t go;
	uint32_t armed;   /* W: main, before go */
	uint32_t stop;    /* W: main */
	uint32_t rung;    /* W: thread, times it woke */
	uint32_t waiting; /* main's own: go was posted and the answer not yet taken */
	uint32_t seen;    /* main's own: rung at the last look */
};

static void *bell_thread(void *arg)
{
	struct bell *b = arg;
	const uint64_t one = 1;

	for (;;) {
		while (sem_wait(&b->go) != 0 && errno == EINTR)
			;
		if (sync_load_acquire(&b->stop))
			return NULL;
		while (doorbell_wait(b->r, sync_load(&b->armed), -1) == -EINTR &&
		       !sync_load_acquire(&b->stop))
			;
		doorbell_disarm(b->r);
		sync_store_release(&b->rung, sync_load(&b->rung) + 1);
		/* EAGAIN: the counter is full, so the loop will wake all the same. */
		if (write(b->fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
			return NULL;
	}
}

static int start_thread(struct bell *b)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int err = pthread_attr_init(&attr);

	if (err)
		return err;
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&b->thread, &attr, bell_thread, b);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return err;
}

struct bell *bell_new(struct region *r, struct fault *f)
{
	struct bell *b = calloc(1, sizeof(*b));
	int err;

	if (!b) {
		fault_set(f, ENOMEM, "no memory for the doorbell");
		return NULL;
	}
	b->r = r;
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->fd < 0) {
		fault_set(f, errno, "no eventfd for the doorbell: %s", strerror(errno));
		free(b);
		return NULL;
	}
	sem_init(&b->go, 0, 0);
	err = start_thread(b);
	if (err) {
		fault_set(f, err, "no thread for the doorbell: %s", strerror(err));
		close(b->fd);
		free(b);
		return NULL;
	}
	return b;
}

/* Not doorbell_ring(): that does nothing when the bell is switched off or, by a
 * hostile producer, disarmed. */
static void wake(struct region *r)
{
	sync_fetch_add(&r->hdr->doorbell, 2);
	syscall(SYS_futex, &r->hdr->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The thread may be just before its sleep when it is woken: again and again,
 * but not for ever. */
static int join(struct bell *b)
{
	for (int i = 0; i < STOP_TRIES; i++) {
		struct timespec until;

		sem_post(&b->go);
		wake(b->r);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 20000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_sec++;
			until.tv_nsec -= 1000000000;
		}
		if (pthread_timedjoin_np(b->thread, NULL, &until) == 0)
			return 0;
	}
	return -ETIMEDOUT;
}

void bell_free(struct bell *b)
{
	if (!b)
		return;
	sync_store_release(&b->stop, 1);
	/* If the thread cannot be got rid of, its memory must stay. */
	if (join(b) != 0)
		return;
	doorbell_disarm(b->r);
	sem_destroy(&b->go);
	close(b->fd);
	free(b);
}

int bell_fd(const struct bell *b)
{
	return b->fd;
}

int bell_take(struct bell *b)
{
	uint64_t count;
	ssize_t n = read(b->fd, &count, sizeof(count));
	uint32_t rung = sync_load_acquire(&b->rung);

	(void)n; /* EAGAIN: somebody else emptied it; `rung` says what we need */
	if (rung == b->seen)
		return !b->waiting;
	b->seen = rung;
	b->waiting = 0;
	return 1;
}

void bell_wait(struct bell *b, uint32_t armed)
{
	if (b->waiting)
		return;
	b->waiting = 1;
	sync_store(&b->armed, armed);
	sem_post(&b->go);
}
