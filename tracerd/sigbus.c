/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * SIGBUS in the mapping of the region: whoever may write the file may also
 * truncate it, and the daemon still has a recording to end properly. The page
 * that is gone is replaced by a private one of zeros, which every check of the
 * region's words takes for a malformed page; the loop then sees sigbus_seen()
 * and ends. A SIGBUS anywhere else is a bug and kills as usual. Called by
 * daemon_open.c and daemon.c.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libtrbuf/sync.h"
#include "tracerd/sigbus.h"

static uintptr_t guard_start, guard_end, page_bytes;
static uint32_t seen;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr & ~(page_bytes - 1);
	int saved = errno;

	(void)context;
	if (info->si_code == BUS_ADRERR && at >= guard_start && at < guard_end &&
	    mmap((void *)at, page_bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
		sync_store(&seen, 1);
		errno = saved;
		return;
	}
	/* Back to the default; the instruction faults again and it takes effect. */
	signal(sig, SIG_DFL);
}

int sigbus_guard(const struct region *r)
{
	struct sigaction sa = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	guard_start = (uintptr_t)r->base;
	guard_end = guard_start + r->geo.map_size;
	sigemptyset(&sa.sa_mask);
	return sigaction(SIGBUS, &sa, NULL) == 0 ? 0 : -errno;
}

int sigbus_seen(void)
{
	return sync_load(&seen) != 0;
}
