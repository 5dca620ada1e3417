/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The registry of events, classes and modules: lock-free for producers, read
 * with checks by everybody else.
 *
 * Text behind struct layout_event: the name and a NUL; then per field
 *   u8 type, u8 element type, u16 count, u16 labels, u16 0 (little endian),
 *   name NUL, and per label: i64 value, label NUL.
 * type and element type are enum trbuf_type of trbuf.h.
 */
#ifndef TRBUF_REGISTRY_H
#define TRBUF_REGISTRY_H

#include <stdint.h>

#include "libtrbuf/region.h"

struct trbuf_event;

/* Producer: find or add the event; fills in its id and gate. 0 or -errno. */
int registry_add_event(struct region *r, struct trbuf_event *ev);

/* Producer: find or add a loaded object. Offset of its entry, 0 if no memory. */
uint64_t registry_add_module(struct region *r, const char *path, uint64_t size,
			     const unsigned char *build_id, unsigned build_id_size);

struct registry_label {
	int64_t value;
	const char *name;
};

struct registry_field {
	uint8_t type;    /* enum trbuf_type */
	uint8_t elem;    /* of arrays, sequences and enumerations */
	uint16_t count;  /* elements of an array */
	uint16_t nlabels;
	const char *name;
	struct registry_label *labels;
};

/* A checked private copy of an event entry. One allocation: free() it. */
struct registry_event {
	uint64_t off; /* of its entry in the region */
	uint32_t id;
	uint8_t level, class_index, span, variable;
	unsigned nfields;
	char class_name[LAYOUT_NAME];
	char name[LAYOUT_NAME];
	struct registry_field field[LAYOUT_MAX_FIELDS];
};

/* Reader: entries not seen before. Keep one per consumer, zeroed at first;
 * registry_scan calls fn for each new, well-formed event (which then owns ev).
 * A malformed entry is skipped, counted in `bad` and never looked at again.
 * Returns the number of new events or -errno. Cheap when nothing is new. */
struct registry_scan {
	uint32_t seen_next_event; /* next_event at the last scan */
	uint32_t resolved;        /* ids below it that were found or given up */
	uint64_t bad;
	uint64_t head[LAYOUT_BUCKETS]; /* newest entry seen, per bucket */
};
int registry_scan(struct region *r, struct registry_scan *s,
		  int (*fn)(struct registry_event *ev, void *arg), void *arg);

/* Copy one event entry, checked. NULL if malformed or no memory. */
struct registry_event *registry_event_at(const struct region *r, uint64_t off);

/* Name of a class, "" if not there or malformed. */
void registry_class_name(const struct region *r, unsigned index, char name[LAYOUT_NAME]);

struct registry_module {
	uint32_t id;
	uint64_t size;
	unsigned build_id_size;
	unsigned char build_id[32];
	char path[4096];
};
/* 0, or -EBADMSG if the entry is malformed. */
int registry_module_at(const struct region *r, uint64_t off, struct registry_module *m);

#endif
