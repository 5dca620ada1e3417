/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The trace that is meant without a path: what the region says of its
 * recording. The path in the region is untrusted: copied once, checked to be
 * ended. Called by cmd_view.c and cmd_stat.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tracectl/region_tool.h"
#include "tracectl/view_trace.h"

static int copy_path(const struct region *r, char *path)
{
	char text[sizeof(r->hdr->recording_path)];

	memcpy(text, r->hdr->recording_path, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	if (text[0] != '/')
		return -1;
	snprintf(path, 4096, "%s", text);
	return 0;
}

int view_trace_path(const struct cmd_env *env, const char *given, int running, char *path)
{
	struct region r;
	struct fault f;
	char where[4096];
	int recording, found;

	if (given) {
		if (snprintf(path, 4096, "%s", given) >= 4096 || !given[0])
			return cmd_fail(env, CMD_FAILED, "path of the trace is empty or too long");
		return 0;
	}
	if (region_tool_try(env, &r, where, &f))
		return cmd_usage(env, "which trace? No region with a recording at %s; "
				 "name the directory of a recording", where);
	recording = r.hdr->recording == 1;
	found = copy_path(&r, path) == 0;
	region_close(&r);
	if (found && (recording || !running))
		return 0;
	return cmd_fail(env, CMD_FAILED, "%s: no recording runs; `tracectl start` begins one, "
			"or name the directory of a trace", where);
}

int view_trace_running(const struct cmd_env *env, char *path)
{
	struct region r;
	struct fault f;
	char where[4096];
	int running;

	if (region_tool_try(env, &r, where, &f))
		return 0;
	running = r.hdr->recording == 1 && copy_path(&r, path) == 0;
	region_close(&r);
	return running;
}
