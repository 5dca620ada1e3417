/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Finding, creating, mapping and growing a region. */
#ifndef TRBUF_REGION_H
#define TRBUF_REGION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libtrbuf/layout.h"

/* Geometry after checking: private numbers, safe to compute with. */
struct geometry {
	uint64_t map_size;
	uint64_t off_gates, off_rings, off_pool;
	uint32_t nr_cpus, nr_locked, nr_rings;
	uint32_t page_size, table_cap, max_slots;
	uint32_t context, clock;
};

struct region {
	unsigned char *base;       /* map_size bytes of address space */
	struct layout_region *hdr; /* = base */
	struct geometry geo;
	int fd; /* -1 in a producer after attach */
	dev_t dev;
	ino_t ino;
	char path[4096];
};

/* What a first comer may choose; 0 means the default. */
struct region_settings {
	uint64_t map_size;  /* default 4 GiB */
	uint32_t page_size; /* default 64 KiB; 4 KiB to 1 MiB, a power of two */
	int context;        /* default -1 = pid,tid; else enum layout_context */
	uint32_t clock;     /* default: the best the machine has */
	uint64_t ring_size; /* default 4 MiB */
	uint32_t nr_cpus;   /* default: highest possible CPU + 1. Tests set it. */
	uint32_t nr_locked; /* default max(16, 8 * CPUs), at most 64 */
	uint32_t mode;      /* enum layout_mode */
	uint32_t watermark; /* default 50 per cent */
	int flush_ms;       /* default -1 = 1000 */
};
#define REGION_SETTINGS_DEFAULT { .context = -1, .flush_ms = -1 }

/* A failure for people: one line without newline: what, where, why, what to do. */
struct fault {
	char text[512];
};
/* Writes the line; returns -err so that callers can `return fault_set(...)`. */
int fault_set(struct fault *f, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

enum region_flags {
	REGION_CREATE = 1,   /* make it if it is not there */
	REGION_PRODUCER = 2, /* quick and quiet: no calibration, fd closed after */
	REGION_READONLY = 4,
};

/* The path rule: `chosen` (--region) if not NULL, else $TRBUF_REGION, else the
 * system's, else the user's own. 0 or -errno. Set-user-ID programs ignore the
 * environment. */
int region_path(const char *chosen, char *buf, size_t size);

/* 0 or -errno with *f filled in. -ENOENT without REGION_CREATE if absent. */
int region_open(struct region *r, const char *path, unsigned flags,
		const struct region_settings *s, struct fault *f);
void region_close(struct region *r);

/* Is the file of this region still the one at its path? 1 yes, 0 removed or
 * replaced (an orphan), -errno. */
int region_in_place(const struct region *r);

/* Memory from the pool, allocated and zero, `align` a power of two. 0 if there
 * is none (*err says why as -errno). Needs r->fd >= 0. */
uint64_t region_pool_alloc(struct region *r, uint64_t size, uint64_t align, int *err);
/* Allocate again, or give back, memory that was handed out before. */
int region_back(struct region *r, uint64_t off, uint64_t size);
int region_unback(struct region *r, uint64_t off, uint64_t size);

/* True if [off, off + size) lies inside the pool as the file stands now. */
int region_in_pool(const struct region *r, uint64_t off, uint64_t size);

/* Bytes of memory the region file occupies. */
uint64_t region_memory(const struct region *r);

static inline unsigned char *region_gate(const struct region *r, uint32_t id)
{
	return r->base + r->geo.off_gates + id;
}
static inline struct layout_ring *region_ring(const struct region *r, uint32_t ring)
{
	return (struct layout_ring *)(r->base + r->geo.off_rings) + ring;
}

/* Locks on the region file (OFD, vanish with their owner; tools and daemon
 * only). REGION_LOCK_CONTROL: held shortly by whoever changes control words.
 * REGION_LOCK_CONSUMER: held by who drains the rings and moves pages.
 * timeout_ms 0: try once. 0, -ETIMEDOUT or -errno. */
enum region_lock { REGION_LOCK_CONTROL = 0, REGION_LOCK_CONSUMER = 1 };
int region_lock(struct region *r, enum region_lock which, int timeout_ms);
void region_unlock(struct region *r, enum region_lock which);
/* Does somebody else hold it? 1 yes, 0 no, -errno. Takes nothing. */
int region_lock_held(const struct region *r, enum region_lock which);

#endif
