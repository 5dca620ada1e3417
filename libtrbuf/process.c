/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The process table. An entry is claimed by compare-and-swap of its state word
 * {use count, state}, filled in and made live by its own process; the consumer
 * frees it once it is written and its process is gone for certain. No
 * allocation, no lock: a forked child of a threaded program may come here.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/process.h"
#include "libtrbuf/process_modules.h"
#include "libtrbuf/sync.h"

#define STATE(word) ((uint32_t)((word)&0xff))
#define USE(word) ((word) >> 8)
#define MAKE(use, state) ((use) << 8 | (state))

_Static_assert(LAYOUT_PROCESS_PER_CHUNK * sizeof(struct layout_process) == LAYOUT_GRANULE, "chunk");

static struct layout_process *chunk_at(const struct region *r, uint32_t chunk)
{
	uint64_t off = sync_load_acquire(&r->hdr->process_chunk[chunk]);

	if (!off || off % LAYOUT_GRANULE || !region_in_pool(r, off, LAYOUT_GRANULE))
		return NULL;
	return (struct layout_process *)(r->base + off);
}

struct layout_process *process_entry(const struct region *r, uint32_t index)
{
	struct layout_process *chunk;

	if (index >= LAYOUT_MAX_PROCESSES)
		return NULL;
	chunk = chunk_at(r, index / LAYOUT_PROCESS_PER_CHUNK);
	return chunk ? chunk + index % LAYOUT_PROCESS_PER_CHUNK : NULL;
}

/* ------------------------------------------------------------ the kernel */

struct stat_line {
	char state;
	uint64_t threads, start;
};

/* Fields 3, 20 and 22 of /proc/PID/stat; the name before them may hold anything. */
static int read_stat(const char *path, struct stat_line *s)
{
	char text[1024], *p;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	text[n] = '\0';
	p = strrchr(text, ')');
	if (!p || p[1] != ' ')
		return -EIO;
	p += 2;
	s->state = *p;
	for (int field = 3; field < 22; field++) {
		if (field == 20)
			s->threads = strtoull(p, NULL, 10);
		p = strchr(p, ' ');
		if (!p)
			return -EIO;
		p++;
	}
	s->start = strtoull(p, NULL, 10);
	return 0;
}

static uint64_t own_pid_ns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

/* --------------------------------------------------------------- attach */

static uint32_t claim_in(struct layout_process *chunk, uint32_t base)
{
	for (uint32_t i = 0; i < LAYOUT_PROCESS_PER_CHUNK; i++) {
		uint64_t word = sync_load(&chunk[i].state);

		if (STATE(word) != LAYOUT_PROCESS_FREE)
			continue;
		if (sync_cas64(&chunk[i].state, word, MAKE(USE(word) + 1, LAYOUT_PROCESS_CLAIMED)))
			return base + i + 1;
	}
	return 0;
}

static uint32_t claim(struct region *r)
{
	for (uint32_t c = 0; c < LAYOUT_PROCESS_CHUNKS; c++) {
		struct layout_process *chunk = chunk_at(r, c);
		uint32_t got;
		int err;

		if (!chunk) {
			uint64_t off = region_pool_alloc(r, LAYOUT_GRANULE, LAYOUT_GRANULE, &err);

			if (!off)
				break;
			sync_cas64(&r->hdr->process_chunk[c], 0, off);
			chunk = chunk_at(r, c);
		}
		got = chunk ? claim_in(chunk, c * LAYOUT_PROCESS_PER_CHUNK) : 0;
		if (got)
			return got;
	}
	sync_fetch_add(&r->hdr->processes_refused, 1);
	return 0;
}

static void fill(struct region *r, struct layout_process *p, uint32_t parent, int locked)
{
	struct stat_line s = { 0, 0, 0 };
	uint64_t use = USE(sync_load(&p->state));

	p->pid = (uint32_t)getpid();
	read_stat("/proc/self/stat", &s);
	p->start_time = s.start;
	p->attached = clock_read(r->geo.clock, r->hdr);
	p->exited = 0;
	p->parent = parent;
	p->uid = (uint32_t)getuid();
	p->locked = (uint32_t)locked;
	p->pid_ns = own_pid_ns();
	p->emitted = 0;
	p->published = 0;
	memset(p->comm, 0, sizeof(p->comm));
	prctl(PR_GET_NAME, p->comm);
	sync_store(&p->modules, 0);
	sync_store_release(&p->state, MAKE(use, LAYOUT_PROCESS_LIVE));
}

uint32_t process_attach(struct region *r, uint32_t parent, int locked)
{
	uint32_t got = claim(r);
	struct layout_process *p = got ? process_entry(r, got - 1) : NULL;
	struct layout_process *from = parent ? process_entry(r, parent - 1) : NULL;

	if (!p)
		return 0;
	fill(r, p, parent, locked);
	if (from) /* a child does not walk the loader */
		process_modules_inherit(p, from);
	else
		process_modules(r, got);
	return got;
}

void process_emits(struct region *r, uint32_t index_plus_1)
{
	struct layout_process *p = index_plus_1 ? process_entry(r, index_plus_1 - 1) : NULL;

	if (p && !sync_load(&p->emitted))
		sync_store(&p->emitted, 1);
}

void process_detach(struct region *r, uint32_t index_plus_1)
{
	struct layout_process *p = index_plus_1 ? process_entry(r, index_plus_1 - 1) : NULL;
	uint64_t word;

	if (!p || sync_load(&p->pid) != (uint32_t)getpid())
		return;
	word = sync_load(&p->state);
	sync_store(&p->exited, clock_read(r->geo.clock, r->hdr));
	/* Nothing in the trace names a process that never emitted. */
	if (!sync_load(&p->emitted))
		sync_store(&p->pid, 0); /* a free entry has none: see process_sweep() */
	if (STATE(word) == LAYOUT_PROCESS_LIVE)
		sync_cas64(&p->state, word,
			   MAKE(USE(word), sync_load(&p->emitted) ? LAYOUT_PROCESS_EXITED
								  : LAYOUT_PROCESS_FREE));
}

/* -------------------------------------------------------------- readers */

int process_get(const struct region *r, uint32_t index, struct process_info *out)
{
	const struct layout_process *p = process_entry(r, index);
	struct layout_process copy;
	uint64_t word;

	if (!p)
		return 0;
	word = sync_load_acquire(&p->state);
	if (STATE(word) != LAYOUT_PROCESS_LIVE && STATE(word) != LAYOUT_PROCESS_EXITED)
		return 0;
	memcpy(&copy, p, sizeof(copy));
	memset(out, 0, sizeof(*out));
	out->index = index;
	out->use = (uint32_t)USE(word);
	out->state = STATE(word);
	out->pid = copy.pid;
	out->parent = copy.parent;
	out->uid = copy.uid;
	out->locked = copy.locked;
	out->emitted = copy.emitted;
	out->pid_ns = copy.pid_ns;
	out->start_time = copy.start_time;
	out->attached = copy.attached;
	out->exited = copy.exited;
	out->published = copy.published;
	memcpy(out->comm, copy.comm, sizeof(copy.comm));
	out->nmodules = copy.modules < LAYOUT_PROCESS_MODULES ? copy.modules : LAYOUT_PROCESS_MODULES;
	for (unsigned i = 0; i < out->nmodules; i++) {
		out->module[i].module = copy.module[i].module;
		out->module[i].base = copy.module[i].base;
		out->module[i].since = copy.module[i].since;
	}
	return 1;
}

int process_dead(const struct process_info *p)
{
	struct stat_line s;
	char path[64];
	int err;

	if (p->state == LAYOUT_PROCESS_EXITED && p->pid_ns != own_pid_ns())
		return 1;
	if (p->pid == 0 || p->pid > INT32_MAX || p->pid_ns != own_pid_ns())
		return 0; /* pids of other namespaces say nothing here */
	if (kill((pid_t)p->pid, 0) != 0 && errno == ESRCH)
		return 1;
	snprintf(path, sizeof(path), "/proc/%u/stat", p->pid);
	err = read_stat(path, &s);
	if (err)
		return err == -ENOENT || err == -ESRCH;
	if (p->start_time && s.start != p->start_time)
		return 1;
	/* The first thread may be gone while others run. */
	return (s.state == 'Z' || s.state == 'X') && s.threads <= 1;
}

int process_thread_dead(const struct region *r, uint32_t index_plus_1, uint32_t tid)
{
	struct process_info p;
	char path[64];

	if (!index_plus_1)
		return kill((pid_t)tid, 0) != 0 && errno == ESRCH;
	if (!process_get(r, index_plus_1 - 1, &p))
		return kill((pid_t)tid, 0) != 0 && errno == ESRCH;
	if (process_dead(&p))
		return 1;
	if (p.pid_ns != own_pid_ns())
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/task/%u", p.pid, tid);
	return access(path, F_OK) != 0 && errno == ENOENT && kill((pid_t)tid, 0) != 0 &&
	       errno == ESRCH;
}

void process_mark(struct region *r, uint32_t index, uint64_t mark)
{
	struct layout_process *p = process_entry(r, index);

	if (p)
		sync_store(&p->published, mark);
}

void process_free(struct region *r, const struct process_info *info)
{
	struct layout_process *p = process_entry(r, info->index);

	if (!p || sync_load(&p->state) != MAKE((uint64_t)info->use, info->state))
		return;
	/* Its process is gone, so nobody else writes here: a free entry has no pid. */
	sync_store(&p->pid, 0);
	sync_cas64(&p->state, MAKE((uint64_t)info->use, info->state),
			   MAKE((uint64_t)info->use, LAYOUT_PROCESS_FREE));
}

void process_sweep(struct region *r)
{
	for (uint32_t i = 0; i < LAYOUT_MAX_PROCESSES; i++) {
		struct layout_process *p = process_entry(r, i);
		uint64_t word;
		uint32_t pid;

		if (!p) {
			i |= LAYOUT_PROCESS_PER_CHUNK - 1;
			continue;
		}
		word = sync_load_acquire(&p->state);
		pid = sync_load(&p->pid);
		if (STATE(word) == LAYOUT_PROCESS_CLAIMED && pid && pid <= INT32_MAX &&
		    kill((pid_t)pid, 0) != 0 && errno == ESRCH)
			sync_cas64(&p->state, word, MAKE(USE(word), LAYOUT_PROCESS_FREE));
	}
}
