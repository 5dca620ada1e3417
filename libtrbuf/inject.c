/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Test builds only: $TRBUF_INJECT = "point:action:every", e.g.
 * "switch.stores:kill:100" kills at the 100th passage. Actions: kill, stop,
 * yield, usr1. A point matches by its exact name or by "*".
 */
#include "libtrbuf/inject.h"

#ifdef TRBUF_INJECT
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtrbuf/sync.h"

static char want[64], action[16];
static unsigned every, passed;

__attribute__((constructor(101))) static void inject_setup(void)
{
	const char *env = getenv("TRBUF_INJECT"), *a, *n;

	if (!env || !(a = strchr(env, ':')) || !(n = strchr(a + 1, ':')))
		return;
	if ((size_t)(a - env) >= sizeof(want) || (size_t)(n - a - 1) >= sizeof(action))
		return;
	memcpy(want, env, (size_t)(a - env));
	memcpy(action, a + 1, (size_t)(n - a - 1));
	every = (unsigned)strtoul(n + 1, NULL, 10);
}

void inject_point(const char *name)
{
	if (!every || (strcmp(want, "*") != 0 && strcmp(want, name) != 0))
		return;
	if ((sync_fetch_add(&passed, 1) + 1) % every != 0)
		return;
	if (strcmp(action, "kill") == 0)
		kill(getpid(), SIGKILL);
	else if (strcmp(action, "stop") == 0)
		kill(getpid(), SIGSTOP);
	else if (strcmp(action, "usr1") == 0)
		raise(SIGUSR1);
	else
		sched_yield();
}
#else
typedef int inject_not_built;
#endif
