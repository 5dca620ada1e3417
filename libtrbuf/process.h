/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The process table: who attached, with what loaded. */
#ifndef TRBUF_PROCESS_H
#define TRBUF_PROCESS_H

#include <stdint.h>

#include "libtrbuf/region.h"

/* Producer side: enter this process; index + 1, or 0 if the table is full. */
uint32_t process_attach(struct region *r, uint32_t parent, int locked);
/* Producer side: this process has emitted. */
void process_emits(struct region *r, uint32_t index_plus_1);
/* Producer: note objects loaded since the last call (after dlopen). */
void process_modules(struct region *r, uint32_t index_plus_1);
/* Producer: leaving. An entry that never emitted is freed at once. */
void process_detach(struct region *r, uint32_t index_plus_1);

struct process_module {
	uint64_t module; /* offset for registry_module_at() */
	uint64_t base, since;
};

/* A checked private copy. */
struct process_info {
	uint32_t index; /* in the table */
	uint32_t use;   /* times the entry was used: (index, use) names a process */
	uint32_t state; /* enum layout_process_state */
	uint32_t pid, parent, uid, locked, emitted;
	uint64_t pid_ns, start_time, attached, exited, published;
	char comm[17];
	unsigned nmodules;
	struct process_module module[LAYOUT_PROCESS_MODULES];
};

/* Entry `index` below LAYOUT_MAX_PROCESSES: 1 in use, 0 free or malformed. */
int process_get(const struct region *r, uint32_t index, struct process_info *p);
/* Is it certain that this process no longer runs? */
int process_dead(const struct process_info *p);
/* Consumer: note that version `mark` of the entry is on disk. */
void process_mark(struct region *r, uint32_t index, uint64_t mark);
/* Consumer: free entries whose owner died while filling them in. */
void process_sweep(struct region *r);
/* Is thread `tid` of entry index_plus_1 gone for certain? */
int process_thread_dead(const struct region *r, uint32_t index_plus_1, uint32_t tid);
/* Consumer: free the entry if it still is the process in *p. */
void process_free(struct region *r, const struct process_info *p);

#endif
