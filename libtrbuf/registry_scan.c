/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Reading the registry, by daemon and tools: entries may be anything, so each
 * is copied once, checked, and only the copy is used. No loop is longer than
 * the table of ids.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/registry.h"
#include "libtrbuf/sync.h"
#include "libtrbuf/trbuf.h"

#define ENTRY_MAX (LAYOUT_GRANULE / 4)
#define LABELS_MAX 1024u

struct bytes {
	const char *p, *end;
};

/* A NUL-ended piece of at most `max` bytes, or NULL. */
static const char *take_string(struct bytes *b, size_t max)
{
	const char *s = b->p, *nul = memchr(s, '\0', (size_t)(b->end - b->p));

	if (!nul || (size_t)(nul - s) >= max)
		return NULL;
	b->p = nul + 1;
	return s;
}

static int scalar(unsigned type)
{
	return type >= TRBUF_T_U8 && type <= TRBUF_T_PTR;
}

static int field_ok(const struct registry_field *f)
{
	switch (f->type) {
	case TRBUF_T_ARRAY:
		return scalar(f->elem) && f->count > 0;
	case TRBUF_T_SEQ:
		return scalar(f->elem);
	case TRBUF_T_ENUM:
		return f->elem >= TRBUF_T_U8 && f->elem <= TRBUF_T_S64 && f->nlabels > 0;
	default:
		return f->type > 0 && f->type < TRBUF_T_END;
	}
}

static int parse_field(struct bytes *b, struct registry_field *f, struct registry_label *labels,
		       unsigned *used)
{
	unsigned char h[8];

	if (b->end - b->p < 8)
		return -EBADMSG;
	memcpy(h, b->p, 8);
	b->p += 8;
	f->type = h[0];
	f->elem = h[1];
	f->count = (uint16_t)(h[2] | h[3] << 8);
	f->nlabels = (uint16_t)(h[4] | h[5] << 8);
	f->labels = labels + *used;
	f->name = take_string(b, LAYOUT_NAME);
	if (!f->name || !*f->name || !field_ok(f) || *used + f->nlabels > LABELS_MAX)
		return -EBADMSG;
	for (unsigned i = 0; i < f->nlabels; i++, (*used)++) {
		if (b->end - b->p < 8)
			return -EBADMSG;
		memcpy(&labels[*used].value, b->p, 8);
		b->p += 8;
		labels[*used].name = take_string(b, 256);
		if (!labels[*used].name)
			return -EBADMSG;
	}
	return 0;
}

static int parse(struct registry_event *ev, const struct layout_event *e, char *text,
		 struct registry_label *labels)
{
	struct bytes b = { text, text + e->text_size };
	const char *name = take_string(&b, LAYOUT_NAME);
	unsigned used = 0;

	if (!name || !*name)
		return -EBADMSG;
	strcpy(ev->name, name);
	for (unsigned i = 0; i < ev->nfields; i++)
		if (parse_field(&b, &ev->field[i], labels, &used))
			return -EBADMSG;
	return 0;
}

struct registry_event *registry_event_at(const struct region *r, uint64_t off)
{
	struct layout_event e;
	struct registry_event *ev;
	char *text;
	struct registry_label *labels;

	if (off % 16 || !region_in_pool(r, off, sizeof(e)))
		return NULL;
	memcpy(&e, r->base + off, sizeof(e));
	if (e.kind != LAYOUT_ENTRY_EVENT || e.size < sizeof(e) || e.size > ENTRY_MAX ||
	    e.text_size != e.size - sizeof(e) || !region_in_pool(r, off, e.size) ||
	    e.id < LAYOUT_FIRST_EVENT || e.id >= LAYOUT_MAX_EVENTS - (e.variable ? 1u : 0u) ||
	    e.level > 7 || e.class_index >= LAYOUT_MAX_CLASSES || e.span > 2 || e.variable > 1 ||
	    e.nfields > LAYOUT_MAX_FIELDS)
		return NULL;
	/* Labels are 10 bytes of text at least, so this is room for all. */
	ev = calloc(1, sizeof(*ev) + (e.text_size / 9 + 1) * sizeof(*labels) + e.text_size + 1);
	if (!ev)
		return NULL;
	labels = (struct registry_label *)(ev + 1);
	text = (char *)(labels + e.text_size / 9 + 1);
	memcpy(text, r->base + off + sizeof(e), e.text_size);
	ev->off = off;
	ev->id = e.id;
	ev->level = e.level;
	ev->class_index = e.class_index;
	ev->span = e.span;
	ev->variable = e.variable;
	ev->nfields = e.nfields;
	registry_class_name(r, e.class_index, ev->class_name);
	if (!ev->class_name[0] || parse(ev, &e, text, labels)) {
		free(ev);
		return NULL;
	}
	return ev;
}

void registry_class_name(const struct region *r, unsigned index, char name[LAYOUT_NAME])
{
	uint64_t off = index < LAYOUT_MAX_CLASSES ? sync_load_acquire(&r->hdr->class_name[index]) : 0;

	memset(name, 0, LAYOUT_NAME);
	if (off && region_in_pool(r, off, LAYOUT_NAME))
		memcpy(name, r->base + off, LAYOUT_NAME - 1);
}

/* One bucket: entries from its head to the newest one seen before. */
static int scan_bucket(struct region *r, struct registry_scan *s, unsigned b, unsigned *budget,
		       int (*fn)(struct registry_event *, void *), void *arg)
{
	uint64_t head = sync_load_acquire(&r->hdr->event_bucket[b]), off = head; /* [O4] */
	int found = 0;

	while (off && off != s->head[b]) {
		struct registry_event *ev;

		/* Never below 0: the next bucket may be a loop as well. */
		if (!*budget || off % 16 || !region_in_pool(r, off, sizeof(struct layout_event))) {
			s->bad++;
			break;
		}
		--*budget;
		ev = registry_event_at(r, off);
		off = sync_load(&((struct layout_event *)(r->base + off))->next);
		if (!ev) {
			s->bad++;
			continue;
		}
		s->resolved += 1u + ev->variable;
		found++;
		if (fn(ev, arg) < 0)
			return -ECANCELED;
	}
	s->head[b] = head;
	return found;
}

int registry_scan(struct region *r, struct registry_scan *s,
		  int (*fn)(struct registry_event *ev, void *arg), void *arg)
{
	uint32_t next = sync_load_acquire(&r->hdr->next_event);
	unsigned budget = LAYOUT_MAX_EVENTS;
	int found = 0;

	if (next == s->seen_next_event && s->resolved == next - LAYOUT_FIRST_EVENT)
		return 0;
	for (unsigned b = 0; b < LAYOUT_BUCKETS && budget; b++) {
		int n = scan_bucket(r, s, b, &budget, fn, arg);

		if (n < 0)
			return n;
		found += n;
	}
	s->seen_next_event = next;
	return found;
}

int registry_module_at(const struct region *r, uint64_t off, struct registry_module *m)
{
	struct layout_module e;

	if (off % 16 || !region_in_pool(r, off, sizeof(e)))
		return -EBADMSG;
	memcpy(&e, r->base + off, sizeof(e));
	if (e.kind != LAYOUT_ENTRY_MODULE || e.path_size == 0 || e.path_size > sizeof(m->path) ||
	    e.build_id_size > 32 || !region_in_pool(r, off, sizeof(e) + e.path_size))
		return -EBADMSG;
	m->id = e.id;
	m->size = e.size;
	m->build_id_size = e.build_id_size;
	memcpy(m->build_id, e.build_id, sizeof(m->build_id));
	memcpy(m->path, r->base + off + sizeof(e), e.path_size);
	m->path[e.path_size - 1] = '\0';
	return 0;
}
