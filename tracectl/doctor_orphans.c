/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Finds processes that trace into a region file that was removed: the kernel
 * shows such a mapping as "PATH (deleted)". Reads /proc only, and of it what
 * the user may see. Called by the doctor.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracectl/doctor.h"

static int ends_with(const char *line, const char *suffix)
{
	size_t n = strlen(line), m = strlen(suffix);

	return n >= m && memcmp(line + n - m, suffix, m) == 0;
}

static int maps_orphan(const char *pid, const char *suffix)
{
	char path[300], *line = NULL;
	size_t room = 0;
	ssize_t n;
	int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.200s/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!found && (n = getline(&line, &room, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		found = ends_with(line, suffix);
	}
	free(line);
	fclose(f);
	return found;
}

/* The path as the kernel shows it: its directory without links. */
static int real_suffix(const char *path, char *suffix, size_t size)
{
	char dir[PATH_MAX], real[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int n;

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	if (!realpath(dir, real))
		return -1;
	n = snprintf(suffix, size, " %s/%s (deleted)", strcmp(real, "/") == 0 ? "" : real,
		     slash ? slash + 1 : path);
	return n > 0 && (size_t)n < size ? 0 : -1;
}

unsigned doctor_orphans(const char *path, int *pid)
{
	char suffix[PATH_MAX + 32];
	unsigned count = 0;
	struct dirent *e;
	DIR *proc;

	*pid = 0;
	if (real_suffix(path, suffix, sizeof(suffix)) != 0)
		return 0;
	proc = opendir("/proc");
	if (!proc)
		return 0;
	while ((e = readdir(proc))) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9' || !maps_orphan(e->d_name, suffix))
			continue;
		count++;
		*pid = atoi(e->d_name);
	}
	closedir(proc);
	return count;
}
