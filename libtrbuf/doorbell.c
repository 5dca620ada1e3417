/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The doorbell. Producer: store head; fence; look at the armed bit. Daemon: set
 * the armed bit; fence; look at the heads. Whatever the order, one of the two
 * sees the other [O5]; acquire and release alone would not do.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libtrbuf/doorbell.h"
#include "libtrbuf/sync.h"

#define ARMED 1u
#define RING 2u

void doorbell_ring(struct region *r)
{
	uint32_t *word = &r->hdr->doorbell;
	int saved;

	sync_fence(); /* [O5] head before this look */
	if (!(sync_load(word) & ARMED) || sync_load(&r->hdr->doorbell_off))
		return;
	sync_fetch_add(word, RING);
	saved = errno;
	syscall(SYS_futex, word, FUTEX_WAKE, 0x7fffffff, NULL, NULL, 0);
	errno = saved;
}

uint32_t doorbell_arm(struct region *r)
{
	uint32_t armed = sync_fetch_or(&r->hdr->doorbell, ARMED) | ARMED;

	sync_fence(); /* [O5] armed before the look at the heads */
	return armed;
}

int doorbell_wait(struct region *r, uint32_t armed, int timeout_ms)
{
	struct timespec ts = { timeout_ms / 1000, (timeout_ms % 1000) * 1000000L };

	if (sync_load_acquire(&r->hdr->doorbell) != armed)
		return 0;
	if (syscall(SYS_futex, &r->hdr->doorbell, FUTEX_WAIT, armed, timeout_ms < 0 ? NULL : &ts, NULL,
		    0) == 0 || errno == EAGAIN)
		return 0;
	return -errno;
}

void doorbell_disarm(struct region *r)
{
	sync_fetch_and(&r->hdr->doorbell, ~ARMED);
}
