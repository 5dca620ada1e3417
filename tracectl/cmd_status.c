/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl status: the region in one look. Gathers; status_print.c writes it
 * down. Changes nothing and takes no lock.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/control.h"
#include "libtrbuf/process.h"
#include "libtrbuf/sync.h"
#include "tracectl/cmd.h"
#include "tracectl/event_set.h"
#include "tracectl/json.h"
#include "tracectl/region_tool.h"
#include "tracectl/status_print.h"

static void count_processes(const struct region *r, struct status_report *s)
{
	for (uint32_t i = 0; i < LAYOUT_MAX_PROCESSES; i++) {
		struct process_info p;

		if (!process_get(r, i, &p) || p.state != LAYOUT_PROCESS_LIVE)
			continue;
		if (process_dead(&p)) {
			s->processes_dead++;
			continue;
		}
		s->processes++;
		s->processes_locked += p.locked != 0;
	}
}

static void count_events(const struct event_set *set, const struct layout_control *c,
			 struct status_report *s)
{
	s->events = set->count;
	s->classes = set->nclasses;
	s->events_bad = set->bad;
	for (size_t i = 0; i < set->count; i++) {
		const struct registry_event *ev = set->event[i];
		const struct registry_event *next = i + 1 < set->count ? set->event[i + 1] : NULL;

		s->events_on += (size_t)control_gate(c, ev->class_name, ev->class_index, ev->name,
						     ev->level);
		s->same_name += next && strcmp(ev->class_name, next->class_name) == 0 &&
				strcmp(ev->name, next->name) == 0;
	}
}

static void copy_path(const struct region *r, char *path, size_t size)
{
	size_t n = size < sizeof(r->hdr->recording_path) ? size : sizeof(r->hdr->recording_path);

	memcpy(path, r->hdr->recording_path, n);
	path[n - 1] = '\0';
}

static int gather(struct region *r, struct status_report *s)
{
	struct event_set set;
	int err = event_set_load(&set, r);

	control_get(r, &s->control);
	if (!err)
		count_events(&set, &s->control, s);
	event_set_free(&set);
	s->rings = err ? NULL : ring_state_load(r);
	if (!s->rings)
		return err ? err : -ENOMEM;
	ring_state_sum(r, s->rings, &s->sum);
	count_processes(r, s);
	s->frequency = clock_frequency(r);
	s->memory = region_memory(r);
	s->daemon = region_tool_daemon(r);
	s->in_place = region_in_place(r) == 1;
	s->stale = sync_load(&r->hdr->gates_seq) != sync_load(&r->hdr->control_seq);
	s->recording = sync_load(&r->hdr->recording) != 0;
	s->paused = sync_load(&r->hdr->paused) != 0;
	copy_path(r, s->recording_path, sizeof(s->recording_path));
	return 0;
}

static int no_region(const struct cmd_env *env, const char *path)
{
	struct json j;

	if (!env->json)
		return cmd_fail(env, CMD_FAILED,
				"%s: no region there; a traced program, tracerd or "
				"`tracectl on` makes it",
				path);
	json_start(&j, stdout);
	json_object(&j, NULL);
	json_string(&j, "error", "no region there");
	json_s64(&j, "status", CMD_FAILED);
	json_string(&j, "region", path);
	json_object_end(&j);
	json_end(&j);
	return CMD_FAILED;
}

static int run(struct cmd_env *env, int argc, char **argv)
{
	static const struct option none[] = { { 0 } };
	struct status_report *s;
	char path[PATH_MAX];
	struct region r;
	struct fault f;
	int err, c;

	opterr = 0;
	c = getopt_long(argc, argv, ":", none, NULL);
	if (c != -1)
		return cmd_badopt(env, c, argv);
	if (optind < argc)
		return cmd_usage(env, "status takes no argument, got `%s`", argv[optind]);
	err = region_tool_try(env, &r, path, &f);
	if (err == -ENOENT)
		return no_region(env, path);
	if (err)
		return cmd_fail(env, CMD_FAILED, "%s", f.text);
	s = calloc(1, sizeof(*s));
	err = s ? gather(&r, s) : -ENOMEM;
	if (err)
		err = cmd_fail(env, CMD_FAILED, "%s: %s", path, strerror(-err));
	else if (env->json)
		status_print_json(&r, s);
	else
		status_print_text(&r, s);
	if (s)
		free(s->rings);
	free(s);
	region_close(&r);
	return cmd_written(env, err);
}

const struct cmd cmd_status = {
	.name = "status",
	.args = "",
	.summary = "show region, rings, counts, daemon and recording",
	.help = "All counts are since the region was made. For each ring: events emitted into\n"
		"it, events missed, events filtered (their CPU may not trace), page switches.\n"
		"emitted = events of all rings + missed + no_ring, too_large, nested, clock.\n"
		"The region is only read: no lock is taken and no program is disturbed.\n\n"
		"Examples:\n"
		"  tracectl status\n"
		"  tracectl --json status | jq .totals\n",
	.run = run,
};
