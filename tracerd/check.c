/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Walks the records of a page before it is written, as one record with an
 * unknown id or a wrong length ends the reading of everything in stock readers.
 * Reads a private copy only, never the region. Called by packets.c.
 */
#include <string.h>

#include "common/ctf_types.h"
#include "libtrbuf/trbuf.h"
#include "tracerd/recording.h"

struct cursor {
	const unsigned char *p, *end;
};

static int skip(struct cursor *c, uint64_t bytes)
{
	if (bytes > (uint64_t)(c->end - c->p))
		return -1;
	c->p += bytes;
	return 0;
}

static int skip_string(struct cursor *c)
{
	const unsigned char *nul = memchr(c->p, 0, (size_t)(c->end - c->p));

	if (!nul)
		return -1;
	c->p = nul + 1;
	return 0;
}

static int skip_elements(struct cursor *c, unsigned size)
{
	uint64_t n;

	if (c->end - c->p < 2)
		return -1;
	n = ctf_get(c->p, 2);
	c->p += 2;
	return skip(c, n * size);
}

static int skip_field(struct cursor *c, const struct registry_field *f)
{
	switch (f->type) {
	case TRBUF_T_STR:
		return skip_string(c);
	case TRBUF_T_SEQ:
		return skip_elements(c, ctf_scalar_size(f->elem));
	case TRBUF_T_BLOB:
		return skip_elements(c, 1);
	case TRBUF_T_ARRAY:
		return skip(c, (uint64_t)f->count * ctf_scalar_size(f->elem));
	case TRBUF_T_ENUM:
		return skip(c, ctf_scalar_size(f->elem));
	default:
		return skip(c, ctf_scalar_size(f->type));
	}
}

static const struct registry_event *schema(const struct session *s, unsigned id, int *cut)
{
	const struct registry_event *ev = s->event[id];

	*cut = 0;
	if (!ev && id > 0 && s->event[id - 1] && s->event[id - 1]->variable) {
		ev = s->event[id - 1];
		*cut = 1;
	}
	return ev;
}

static const char *one_record(const struct session *s, struct cursor *c, uint64_t *clock)
{
	const struct registry_event *ev;
	unsigned id;
	uint64_t low;
	int cut, err = 0;

	if (c->end - c->p < (ptrdiff_t)CTF_RECORD_HEADER)
		return "it ends inside a record";
	ctf_record_decode(c->p, &id, &low);
	c->p += CTF_RECORD_HEADER;
	*clock = ctf_extend(*clock, low);
	ev = schema(s, id, &cut);
	if (!ev)
		return "a record has an id that no event has";
	if (skip(c, s->meta.context))
		return "it ends inside a record";
	for (unsigned i = 0; i < ev->nfields && !err; i++)
		err = skip_field(c, &ev->field[i]);
	if (!err && cut)
		err = skip(c, 4);
	return err ? "it ends inside a record" : NULL;
}

const char *check_records(const struct session *s, const unsigned char *mem,
			  const struct ctf_packet *p, uint64_t after)
{
	struct cursor c = { mem + CTF_HEADER_SIZE, mem + p->content };
	uint64_t clock = p->begin > after ? p->begin : after;

	for (uint32_t i = 0; i < p->event_count; i++) {
		const char *why = one_record(s, &c, &clock);

		if (why)
			return why;
		if (clock > p->end)
			return "a record lies outside the time of its page";
	}
	return c.p == c.end ? NULL : "it has more bytes than its records";
}
