/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Registering, by producers: room by fetch-add, filled in, published by one
 * compare-and-swap of a bucket. Who loses the race compares and uses the
 * winner's entry; who is killed in between leaks his room and nothing else.
 */
#include <errno.h>
#include <string.h>

#include "libtrbuf/control.h"
#include "libtrbuf/registry.h"
#include "libtrbuf/registry_heap.h"
#include "libtrbuf/sync.h"
#include "libtrbuf/trbuf.h"

#define ENTRY_MAX 8192u
#define CHAIN_MAX 70000u /* longer than any honest chain */

/* ------------------------------------------------------------- classes */

static int same_text(const struct region *r, uint64_t off, const char *text, size_t size)
{
	return region_in_pool(r, off, size) && memcmp(r->base + off, text, size) == 0;
}

static int class_index(struct region *r, const char *name)
{
	size_t size = strlen(name) + 1;

	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES; i++) {
		uint64_t *word = &r->hdr->class_name[i], off = sync_load_acquire(word);

		if (off == 0) {
			off = registry_heap_alloc(r, LAYOUT_NAME);
			if (!off)
				return -ENOMEM;
			memcpy(r->base + off, name, size);
			if (sync_cas64(word, 0, off)) /* [O4] */
				return (int)i;
			off = sync_load_acquire(word);
		}
		if (same_text(r, off, name, size))
			return (int)i;
	}
	sync_fetch_add(&r->hdr->classes_refused, 1);
	return -ENOSPC;
}

/* -------------------------------------------------------------- events */

struct text {
	unsigned char *p, *end;
	int full;
};

static void put(struct text *t, const void *data, size_t size)
{
	if (t->full || (size_t)(t->end - t->p) < size) {
		t->full = 1;
		return;
	}
	memcpy(t->p, data, size);
	t->p += size;
}

static void put_field(struct text *t, const struct trbuf_field *f)
{
	unsigned char head[8] = { f->type, f->elem, (unsigned char)f->count,
				  (unsigned char)(f->count >> 8), (unsigned char)f->nlabels,
				  (unsigned char)(f->nlabels >> 8), 0, 0 };

	put(t, head, sizeof(head));
	put(t, f->name, strlen(f->name) + 1);
	for (unsigned i = 0; i < f->nlabels; i++) {
		put(t, &f->labels[i].value, 8);
		put(t, f->labels[i].name, strlen(f->labels[i].name) + 1);
	}
}

/* The entry as it will lie in the region, but for next and id. */
static int build(struct layout_event *e, const struct trbuf_event *ev, unsigned index)
{
	struct text t = { (unsigned char *)(e + 1), (unsigned char *)e + ENTRY_MAX, 0 };

	memset(e, 0, sizeof(*e));
	put(&t, ev->name, strlen(ev->name) + 1);
	for (unsigned i = 0; i < ev->nfields; i++)
		put_field(&t, &ev->fields[i]);
	if (t.full)
		return -E2BIG;
	e->kind = LAYOUT_ENTRY_EVENT;
	e->level = ev->level;
	e->class_index = (uint8_t)index;
	e->span = ev->span;
	e->variable = ev->variable;
	e->nfields = ev->nfields;
	e->size = (uint32_t)(t.p - (unsigned char *)e);
	e->text_size = e->size - (uint32_t)sizeof(*e);
	e->hash = registry_hash(REGISTRY_HASH_START, &e->kind, 8);
	e->hash = registry_hash(e->hash, e + 1, e->text_size);
	return 0;
}

/* The published twin of *e in the chain from `off` to `stop`, or 0. */
static uint64_t find(const struct region *r, uint64_t off, uint64_t stop,
		     const struct layout_event *e)
{
	for (unsigned n = 0; off && off != stop && n < CHAIN_MAX; n++) {
		const struct layout_event *x = (const struct layout_event *)(r->base + off);

		if (!region_in_pool(r, off, sizeof(*x)))
			return 0;
		if (sync_load(&x->hash) == e->hash && sync_load(&x->size) == e->size &&
		    region_in_pool(r, off, e->size) &&
		    memcmp(&x->kind, &e->kind, 8) == 0 && memcmp(x + 1, e + 1, e->text_size) == 0)
			return off;
		off = sync_load(&x->next);
	}
	return 0;
}

static uint32_t new_id(struct region *r, uint32_t count)
{
	uint32_t id;

	do {
		id = sync_load(&r->hdr->next_event);
		if (id < LAYOUT_FIRST_EVENT || id + count > LAYOUT_MAX_EVENTS)
			return 0;
	} while (!sync_cas32(&r->hdr->next_event, id, id + count));
	return id;
}

static uint64_t publish(struct region *r, uint64_t *bucket, struct layout_event *e)
{
	uint64_t off = registry_heap_alloc(r, e->size), head, seen, twin;
	struct layout_event *x;

	e->id = off ? new_id(r, e->variable ? 2 : 1) : 0;
	if (!e->id) {
		sync_fetch_add(&r->hdr->events_refused, 1);
		return 0;
	}
	x = (struct layout_event *)(r->base + off);
	memcpy(x, e, e->size);
	seen = 0;
	for (;;) {
		head = sync_load_acquire(bucket);
		twin = find(r, head, seen, e);
		if (twin)
			return twin;
		sync_store(&x->next, head);
		if (sync_cas64(bucket, head, off)) /* [O4] */
			return off;
		seen = head;
	}
}

int registry_add_event(struct region *r, struct trbuf_event *ev)
{
	union {
		struct layout_event e;
		unsigned char room[ENTRY_MAX];
	} u;
	uint64_t *bucket, off;
	struct layout_event *x;
	int index, err;
	uint32_t id;

	if (ev->nfields > LAYOUT_MAX_FIELDS || strlen(ev->name) >= LAYOUT_NAME ||
	    strlen(ev->class_name) >= LAYOUT_NAME)
		return -EINVAL;
	index = class_index(r, ev->class_name);
	if (index < 0)
		return index;
	err = build(&u.e, ev, (unsigned)index);
	if (err)
		return err;
	bucket = &r->hdr->event_bucket[u.e.hash % LAYOUT_BUCKETS];
	off = find(r, sync_load_acquire(bucket), 0, &u.e);
	if (!off)
		off = publish(r, bucket, &u.e);
	if (!off)
		return -ENOSPC;
	x = (struct layout_event *)(r->base + off);
	id = sync_load(&x->id);
	if (id < LAYOUT_FIRST_EVENT || id >= LAYOUT_MAX_EVENTS)
		return -EBADMSG;
	struct control_event ce = { ev->class_name, ev->name, (unsigned)index, ev->level, id };
	control_derive_new(r, off, &ce);
	sync_store(&ev->id, id);
	sync_store_release(&ev->gate, region_gate(r, id));
	return 0;
}

/* ------------------------------------------------------------- modules */

uint64_t registry_add_module(struct region *r, const char *path, uint64_t size,
			     const unsigned char *build_id, unsigned build_id_size)
{
	size_t path_size = strlen(path) + 1;
	struct layout_module m = { .kind = LAYOUT_ENTRY_MODULE, .size = size };
	uint64_t *bucket, head, off = 0;
	struct layout_module *x;

	if (path_size > 4096)
		return 0;
	m.build_id_size = (uint8_t)(build_id_size > 32 ? 32 : build_id_size);
	memcpy(m.build_id, build_id, m.build_id_size);
	m.path_size = (uint32_t)path_size;
	m.entry_size = (uint32_t)(sizeof(m) + path_size);
	m.hash = registry_hash(REGISTRY_HASH_START, m.build_id, sizeof(m.build_id));
	m.hash = registry_hash(m.hash, path, path_size);
	bucket = &r->hdr->module_bucket[m.hash % (LAYOUT_BUCKETS / 16)];
	for (;;) {
		uint64_t at = head = sync_load_acquire(bucket);

		for (unsigned n = 0; at && n < CHAIN_MAX && region_in_pool(r, at, sizeof(m)); n++) {
			x = (struct layout_module *)(r->base + at);
			if (sync_load(&x->hash) == m.hash && sync_load(&x->entry_size) == m.entry_size)
				return at;
			at = sync_load(&x->next);
		}
		if (!off) {
			off = registry_heap_alloc(r, m.entry_size);
			if (!off)
				return 0;
			m.id = sync_fetch_add(&r->hdr->next_module, 1);
			x = (struct layout_module *)(r->base + off);
			memcpy(x, &m, sizeof(m));
			memcpy(x + 1, path, path_size);
		}
		x = (struct layout_module *)(r->base + off);
		sync_store(&x->next, head);
		if (sync_cas64(bucket, head, off)) /* [O4] */
			return off;
	}
}
