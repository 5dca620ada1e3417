/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * `tracectl list processes`. Who attached, with what loaded; read through
 * process.h, which checks. Called by cmd_list.c.
 */
#include <inttypes.h>
#include <stdio.h>

#include "libtrbuf/process.h"
#include "libtrbuf/registry.h"
#include "tracectl/list_processes.h"
#include "tracectl/text.h"

static const char *state_word(const struct process_info *p)
{
	/* Killed: it never said so, but it is gone. */
	if (p->state == LAYOUT_PROCESS_LIVE && process_dead(p))
		return "dead";
	return text_process_state(p->state);
}

/* The executable is the first object that a process lists. */
static int executable(const struct region *r, const struct process_info *p,
		      struct registry_module *m)
{
	return p->nmodules && registry_module_at(r, p->module[0].module, m) == 0;
}

static void text_process(const struct region *r, const struct process_info *p)
{
	struct registry_module m;
	int have = executable(r, p, &m);

	printf("pid %u  ", p->pid);
	text_put(stdout, p->comm);
	printf("  %s  uid %u  %s rings%s\n", state_word(p), p->uid,
	       p->locked ? "locked" : "per-CPU", p->emitted ? "" : "  nothing emitted yet");
	if (have) {
		printf("    ");
		text_put(stdout, m.path);
		putchar('\n');
	}
	for (unsigned i = 1; i < p->nmodules; i++) {
		if (registry_module_at(r, p->module[i].module, &m) != 0)
			continue;
		printf("    0x%" PRIx64 "  ", p->module[i].base);
		text_put(stdout, m.path);
		putchar('\n');
	}
}

static void json_module(const struct region *r, const struct process_module *pm, struct json *j)
{
	struct registry_module m;
	char build_id[2 * sizeof(m.build_id) + 1] = "";

	if (registry_module_at(r, pm->module, &m) != 0)
		return;
	for (unsigned i = 0; i < m.build_id_size && i < sizeof(m.build_id); i++)
		snprintf(build_id + 2 * i, 3, "%02x", m.build_id[i]);
	json_object(j, NULL);
	json_string(j, "path", m.path);
	json_hex(j, "base", pm->base);
	json_u64(j, "size", m.size);
	json_string(j, "build_id", build_id[0] ? build_id : NULL);
	json_object_end(j);
}

static void json_process(const struct region *r, const struct process_info *p, struct json *j)
{
	struct registry_module m;

	json_object(j, NULL);
	json_u64(j, "index", p->index);
	json_u64(j, "use", p->use);
	json_u64(j, "pid", p->pid);
	json_u64(j, "pid_ns", p->pid_ns);
	json_u64(j, "uid", p->uid);
	json_string(j, "comm", p->comm);
	json_string(j, "exe", executable(r, p, &m) ? m.path : NULL);
	json_string(j, "state", state_word(p));
	json_bool(j, "locked", p->locked != 0);
	json_bool(j, "emitted", p->emitted != 0);
	json_u64(j, "attached", p->attached);
	json_array(j, "modules");
	for (unsigned i = 0; i < p->nmodules; i++)
		json_module(r, &p->module[i], j);
	json_array_end(j);
	json_object_end(j);
}

size_t list_processes(const struct region *r, struct json *j)
{
	size_t shown = 0;

	for (uint32_t i = 0; i < LAYOUT_MAX_PROCESSES; i++) {
		struct process_info p;

		if (!process_get(r, i, &p))
			continue;
		if (j)
			json_process(r, &p, j);
		else
			text_process(r, &p);
		shown++;
	}
	return shown;
}
