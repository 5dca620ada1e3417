/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
#ifndef TRBUF_REGION_CREATE_H
#define TRBUF_REGION_CREATE_H

#include "libtrbuf/region.h"

/* Make a region file and link it to `path`. 0, -EEXIST if somebody was first,
 * or -errno with *f. `s` may be NULL. */
int region_create(const char *path, const char *dir, const struct region_settings *s,
		  struct fault *f);

/* Settings that a region may still take on (page size, context, clock) until
 * its rings exist; the others always. 0, or -EBUSY with *f when something asked
 * for differs and cannot be changed any more. Caller holds REGION_LOCK_CONTROL. */
int region_adjust(struct region *r, const struct region_settings *s, struct fault *f);

/* Highest possible CPU number + 1. `list` as in /sys/devices/system/cpu/possible:
 * -EINVAL if malformed. */
int region_parse_cpus(const char *list, uint32_t *count);
uint32_t region_possible_cpus(void);

#endif
