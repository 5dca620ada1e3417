/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The settings that record, start and tracerd share. One list makes the
 * options, the keys of the INI file, the lines of --help and the checks:
 * what is added here appears everywhere.
 */
#ifndef TRBUF_SETTINGS_H
#define TRBUF_SETTINGS_H

#include <getopt.h>

#include "libtrbuf/region.h"

/* X(enumerator, name, section of tracerd.conf, argument, help) */
#define SETTINGS_LIST(X) \
	X(RING_SIZE, "ring-size", "rings", "SIZE", "memory of each ring, at least 4 pages (4M)") \
	X(PAGE_SIZE, "page-size", "region", "SIZE", \
	  "page of a ring, a power of 2, 4K to 1M (64K)") \
	X(MODE, "mode", "rings", "MODE", \
	  "full ring: discard new events, or overwrite old (discard)") \
	X(CONTEXT, "context", "region", "LIST", "in every record: none, tid or pid,tid (pid,tid)") \
	X(CLOCK, "clock", "region", "CLOCK", "auto, tsc, arm, monotonic or coarse (auto)") \
	X(WATERMARK, "watermark", "rings", "PERCENT", "fill that wakes the daemon (50)") \
	X(FLUSH, "flush", "rings", "TIME", "how often open pages reach the disk, 0 never (1s)") \
	X(DOORBELL, "doorbell", "rings", "yes|no", \
	  "producers wake the daemon; no: it polls (yes)") \
	X(MAP_SIZE, "map-size", "region", "SIZE", "address space kept for the region (4G)")

enum settings_index {
#define X(id, name, section, arg, help) SETTINGS_##id,
	SETTINGS_LIST(X)
#undef X
		SETTINGS_COUNT
};

/* Text for the help of a verb: a constant string. */
#define SETTINGS_HELP_LINE(id, name, section, arg, help) "  --" name " " arg "\n        " help "\n"
#define SETTINGS_HELP SETTINGS_LIST(SETTINGS_HELP_LINE)

struct settings {
	struct region_settings region;
	int doorbell;   /* 0: nobody rings, the daemon polls */
	uint32_t given; /* bit i: setting i was given */
};

void settings_init(struct settings *s);

const char *settings_name(unsigned i);
const char *settings_section(unsigned i);

/* Index of a name, or -1. */
int settings_find(const char *name);

/* Set number i from text. 0, or -EINVAL with *f naming the setting. */
int settings_set(struct settings *s, unsigned i, const char *value, struct fault *f);

/* What is in force, as text that settings_set() reads back. */
void settings_show(const struct settings *s, unsigned i, char *buf, size_t size);

/* Checks of settings against each other. 0, or -EINVAL with *f. */
int settings_check(const struct settings *s, struct fault *f);

/* getopt_long: SETTINGS_COUNT entries at `o`, with the values
 * SETTINGS_OPTION + index. */
#define SETTINGS_OPTION 0x1000
void settings_options(struct option *o);
/* 1: `c` was one of ours and is set; 0: it is not ours; -EINVAL with *f. */
int settings_option(struct settings *s, int c, const char *value, struct fault *f);

/*
 * Bring the settings that were given into a region that exists. Takes
 * REGION_LOCK_CONTROL. Page size, context, clock and map size are fixed once
 * the rings exist: -EBUSY with *f if one of them was given and differs (the
 * others are set all the same). Rings the doorbell if something changed.
 */
int settings_apply(struct region *r, const struct settings *s, struct fault *f);

#endif
