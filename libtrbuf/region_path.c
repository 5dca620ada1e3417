/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Where the region lies. The rule: the path given, else $TRBUF_REGION, else
 * the system's if it may be opened, else the user's own. A program that runs
 * with more rights than its user (AT_SECURE) does not look at the environment.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libtrbuf/region.h"

#define SYSTEM_REGION "/run/trbuf/region"

static int put(char *buf, size_t size, const char *a, const char *b)
{
	int n = snprintf(buf, size, "%s%s", a, b);

	return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

static int user_path(char *buf, size_t size, int secure)
{
	const char *run = secure ? NULL : getenv("XDG_RUNTIME_DIR");
	struct stat st;
	int n;

	if (run && run[0] == '/' && stat(run, &st) == 0 && S_ISDIR(st.st_mode) &&
	    st.st_uid == geteuid())
		return put(buf, size, run, "/trbuf/region");
	n = snprintf(buf, size, "/dev/shm/trbuf-%u/region", (unsigned)geteuid());
	return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

int region_path(const char *chosen, char *buf, size_t size)
{
	int secure = getauxval(AT_SECURE) != 0;
	const char *env = secure ? NULL : getenv("TRBUF_REGION");

	if (chosen && *chosen)
		return put(buf, size, chosen, "");
	if (env && *env)
		return put(buf, size, env, "");
	if (faccessat(AT_FDCWD, SYSTEM_REGION, R_OK | W_OK, AT_EACCESS) == 0)
		return put(buf, size, SYSTEM_REGION, "");
	return user_path(buf, size, secure);
}
