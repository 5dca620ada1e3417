/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The process table as `tracectl list processes` shows it. */
#ifndef TRACECTL_LIST_PROCESSES_H
#define TRACECTL_LIST_PROCESSES_H

#include <stddef.h>

#include "libtrbuf/region.h"
#include "tracectl/json.h"

/* j NULL: text. Returns how many were shown. */
size_t list_processes(const struct region *r, struct json *j);

#endif
