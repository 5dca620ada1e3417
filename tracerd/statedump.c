/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What the trace says about its makers: processes with their loaded objects,
 * losses without a ring, notes and quarantines. The process table is
 * untrusted; process_get() gives checked copies. An entry is freed only when
 * its process is dead for certain and all its events are in the files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/sync.h"
#include "tracerd/recording.h"

#define DEAD_EVERY UINT64_C(1000000000) /* ns */

enum { EVENT_PROCESS = 1, EVENT_MODULE, EVENT_EXIT, EVENT_STATE, EVENT_QUARANTINE };

static uint64_t mix(uint64_t h, uint64_t v)
{
	return (h ^ v) * UINT64_C(0x9e3779b97f4a7c15) ^ (h >> 29);
}

/* A number for this state of the entry in this recording, never 0. */
static uint64_t version(const struct session *s, const struct process_info *p)
{
	uint64_t h = mix(ctf_get(s->meta.uuid, 8), p->use);

	h = mix(h, p->state == LAYOUT_PROCESS_EXITED);
	for (unsigned i = 0; i < p->nmodules; i++)
		h = mix(mix(mix(h, p->module[i].module), p->module[i].base), p->module[i].since);
	return h | 1;
}

static struct dumped *entry(struct session *s, const struct process_info *p)
{
	struct dumped *d = s->dumped[p->index];

	if (!d)
		d = s->dumped[p->index] = calloc(1, sizeof(*d));
	if (d && d->use != p->use) {
		memset(d, 0, sizeof(*d));
		d->use = p->use;
	}
	return d;
}

/* The program: its first object; a child has what its parent had. */
static void program(struct session *s, const struct process_info *p, struct registry_module *m)
{
	m->path[0] = '\0';
	if (p->nmodules && registry_module_at(s->r, p->module[0].module, m))
		m->path[0] = '\0';
}

static void write_process(struct session *s, const struct process_info *p,
			  struct registry_module *m)
{
	program(s, p, m);
	const struct daemon_field f[] = {
		{ 'w', p->index, NULL },      { 'w', p->use, NULL },      { 'w', p->pid, NULL },
		{ 'q', p->pid_ns, NULL },     { 'w', p->uid, NULL },      { 'w', p->parent, NULL },
		{ 'q', p->start_time, NULL }, { 'q', p->attached, NULL }, { 's', 0, p->comm },
		{ 's', 0, m->path },
	};

	daemon_stream_event(s, EVENT_PROCESS, f, 10);
}

static void write_module(struct session *s, const struct process_info *p,
			 const struct process_module *pm, struct registry_module *m)
{
	if (registry_module_at(s->r, pm->module, m))
		return;
	const struct daemon_field f[] = {
		{ 'w', p->index, NULL },
		{ 'w', p->use, NULL },
		{ 'w', p->pid, NULL },
		{ 'q', pm->base, NULL },
		{ 'q', m->size, NULL },
		{ 'q', pm->since, NULL },
		{ 'i', m->build_id_size, m->build_id },
		{ 's', 0, m->path },
	};

	daemon_stream_event(s, EVENT_MODULE, f, 8);
}

static void write_exit(struct session *s, const struct process_info *p)
{
	const struct daemon_field f[] = {
		{ 'w', p->index, NULL },
		{ 'w', p->use, NULL },
		{ 'w', p->pid, NULL },
		{ 'q', p->exited, NULL },
	};

	daemon_stream_event(s, EVENT_EXIT, f, 4);
}

/* What of the entry the trace does not have yet. */
static int dump_one(struct session *s, const struct process_info *p, struct registry_module *m)
{
	struct dumped *d = entry(s, p);
	uint64_t mark = version(s, p);

	if (!d || d->mark == mark)
		return 0;
	if (p->published == mark) { /* the daemon before this one wrote it */
		d->described = 1;
		d->exited = p->state == LAYOUT_PROCESS_EXITED;
		d->nmodules = p->nmodules;
		memcpy(d->module, p->module, sizeof(d->module));
		d->mark = mark;
		return 0;
	}
	if (!d->described)
		write_process(s, p, m);
	d->described = 1;
	for (unsigned i = 0; i < p->nmodules; i++) {
		if (i < d->nmodules && !memcmp(&d->module[i], &p->module[i], sizeof(d->module[i])))
			continue;
		write_module(s, p, &p->module[i], m);
		d->module[i] = p->module[i];
	}
	d->nmodules = p->nmodules;
	if (p->state == LAYOUT_PROCESS_EXITED && !d->exited) {
		write_exit(s, p);
		d->exited = 1;
	}
	d->mark = mark;
	return 1;
}

/* Marks that the entries are in the file, which is why it comes after the flush. */
static void mark_all(struct session *s)
{
	for (uint32_t i = 0; i < LAYOUT_MAX_PROCESSES; i++)
		if (s->dumped[i] && s->dumped[i]->mark)
			process_mark(s->r, i, s->dumped[i]->mark);
}

int statedump_processes(struct session *s)
{
	struct registry_module *m = malloc(sizeof(*m));
	struct process_info p;
	int fresh = 0, n;

	for (uint32_t i = 0; m && s->recording && i < LAYOUT_MAX_PROCESSES; i++)
		if (process_get(s->r, i, &p) && p.emitted)
			fresh += dump_one(s, &p, m);
	free(m);
	n = daemon_stream_flush(s);
	if (n > 0 && fresh)
		mark_all(s);
	return n;
}

struct process_info *statedump_dead(struct session *s, unsigned *n, int now)
{
	uint64_t t = clock_monotonic_ns();
	struct process_info *dead = NULL, p;
	unsigned room = 0;

	*n = 0;
	if (!now && t - s->dead_checked < DEAD_EVERY)
		return NULL;
	s->dead_checked = t;
	ring_free_dead_owners(s->r);
	process_sweep(s->r);
	for (uint32_t i = 0; i < LAYOUT_MAX_PROCESSES; i++) {
		if (!process_get(s->r, i, &p) || !process_dead(&p))
			continue;
		if (*n == room) {
			struct process_info *more = realloc(dead, (room + 64) * sizeof(*dead));

			if (!more)
				break;
			dead = more;
			room += 64;
		}
		dead[(*n)++] = p;
	}
	return dead;
}

void statedump_free(struct session *s, struct process_info *dead, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct dumped *d = s->dumped[dead[i].index];

		if (dead[i].emitted && s->recording && !(d && d->described))
			continue; /* it could not be written down yet */
		/* One that was killed has not said so itself. */
		if (d && d->use == dead[i].use && d->described && !d->exited)
			write_exit(s, &dead[i]);
		process_free(s->r, &dead[i]);
		free(d);
		s->dumped[dead[i].index] = NULL;
	}
}

void statedump_forget(struct session *s)
{
	for (uint32_t i = 0; i < LAYOUT_MAX_PROCESSES; i++) {
		free(s->dumped[i]);
		s->dumped[i] = NULL;
	}
}

int statedump_lost(struct session *s)
{
	int found = 0;

	for (unsigned k = 0; k < LAYOUT_LOST_KINDS && s->recording; k++) {
		uint64_t now = sync_load(&s->r->hdr->lost[k]), count = now - s->lost[k];
		uint64_t total = s->r->hdr->lost_on_disk + count;
		int err;

		if (!count)
			continue;
		err = daemon_stream_missed(s, count, MISSED_LOST + k, total);
		if (err)
			return err == -EAGAIN ? found : err;
		s->lost[k] = now;
		s->lost_reported += count;
		sync_store(&s->r->hdr->lost_on_disk, total);
		found++;
	}
	return found;
}

void statedump_note(struct session *s, const char *what, const char *who, const char *detail)
{
	const struct daemon_field f[] = { { 's', 0, what }, { 's', 0, who }, { 's', 0, detail } };

	daemon_stream_event(s, EVENT_STATE, f, 3);
}

void statedump_quarantine(struct session *s, uint32_t ring, const char *why)
{
	const struct daemon_field f[] = { { 'w', ring, NULL }, { 's', 0, why } };

	daemon_stream_event(s, EVENT_QUARANTINE, f, 2);
}
