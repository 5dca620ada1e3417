/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
#ifndef TRBUF_PROCESS_MODULES_H
#define TRBUF_PROCESS_MODULES_H

#include "libtrbuf/region.h"

/* Entry `index` of the table, NULL if its chunk is not there. */
struct layout_process *process_entry(const struct region *r, uint32_t index);

/* A forked child has what its parent had loaded. */
void process_modules_inherit(struct layout_process *child, const struct layout_process *parent);

#endif
