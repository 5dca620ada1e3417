/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The blocks of a `metadata` file: trace, env, clock, stream, event, in any
 * order. Builds a struct meta. Attributes that it does not know are passed
 * over, types that it does not know are an error. Called by trace.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ctf_packet.h"
#include "tracectl/reader/tsdl.h"

#define NAME_MAX_TEXT 128

/* One `name = value;` or `name := type;` of a block. */
struct entry {
	char name[NAME_MAX_TEXT]; /* model.emf.uri */
	int is_type;
	struct tsdl_type type;
	int is_number;
	int64_t number;
	const char *text;
};

static void parse_entry_name(struct tsdl *t, struct entry *e)
{
	e->name[0] = '\0';
	for (;;) {
		size_t n = strlen(e->name);

		if (t->token != TSDL_WORD || n + strlen(t->text) + 2 > sizeof(e->name)) {
			tsdl_fail(t, "name expected");
			return;
		}
		snprintf(e->name + n, sizeof(e->name) - n, "%s", t->text);
		tsdl_next(t);
		if (!tsdl_is(t, '.'))
			return;
		strcat(e->name, ".");
		tsdl_next(t);
	}
}

static void parse_entry_value(struct tsdl *t, struct entry *e)
{
	e->text = "";
	e->is_number = t->token == TSDL_NUMBER || t->token == TSDL_PUNCT;
	if (e->is_number) {
		e->number = tsdl_number(t);
		return;
	}
	if (t->token != TSDL_STRING && t->token != TSDL_WORD) {
		tsdl_fail(t, "value expected");
		return;
	}
	e->text = t->text;
	tsdl_next(t);
}

static void parse_entry(struct tsdl *t, struct entry *e)
{
	memset(e, 0, sizeof(*e));
	parse_entry_name(t, e);
	if (t->token == TSDL_ASSIGN) {
		tsdl_next(t);
		e->is_type = 1;
		tsdl_parse_type(t, &e->type, 0);
	} else {
		tsdl_expect(t, '=');
		parse_entry_value(t, e);
	}
	tsdl_expect(t, ';');
}

static int parse_uuid(const char *text, unsigned char uuid[16])
{
	unsigned n = 0;
	int high = -1;

	for (; *text; text++) {
		int c = *text | 0x20;
		int d = *text >= '0' && *text <= '9' ? *text - '0' :
			c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (*text == '-')
			continue;
		if (d < 0 || n == 16)
			return -1;
		if (high < 0) {
			high = d;
			continue;
		}
		uuid[n++] = (unsigned char)(high * 16 + d);
		high = -1;
	}
	return n == 16 ? 0 : -1;
}

static void need_struct(struct tsdl *t, const struct entry *e, struct meta_struct *to)
{
	if (!e->is_type || !e->type.is_struct)
		tsdl_fail(t, "`%s` must be a struct", e->name);
	else
		*to = e->type.st;
}

static void trace_entry(struct tsdl *t, const struct entry *e)
{
	struct meta *m = t->meta;

	if (strcmp(e->name, "uuid") == 0) {
		if (parse_uuid(e->text, m->uuid))
			tsdl_fail(t, "uuid \"%.40s\" is not one", e->text);
	} else if (strcmp(e->name, "byte_order") == 0) {
		if (strcmp(e->text, "le") != 0)
			tsdl_fail(t, "byte order `%.20s` is not supported", e->text);
	} else if (strcmp(e->name, "major") == 0) {
		if (e->number != 1)
			tsdl_fail(t, "CTF %lld is not supported, only CTF 1.8",
				  (long long)e->number);
	} else if (strcmp(e->name, "packet.header") == 0) {
		need_struct(t, e, &m->packet_header);
	}
}

static void keep(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

static void env_entry(struct tsdl *t, const struct entry *e)
{
	struct meta *m = t->meta;

	if (strcmp(e->name, "hostname") == 0 && !e->is_number) {
		keep(m->hostname, sizeof(m->hostname), e->text);
		m->has_hostname = 1;
	} else if (strcmp(e->name, "trace_name") == 0) {
		keep(m->trace_name, sizeof(m->trace_name), e->text);
	} else if (strcmp(e->name, "trace_creation_datetime") == 0) {
		keep(m->created, sizeof(m->created), e->text);
	}
}

static void clock_entry(struct tsdl *t, const struct entry *e)
{
	struct meta_clock *c = &t->meta->clock;

	if (strcmp(e->name, "freq") == 0) {
		if (!e->is_number || e->number <= 0)
			tsdl_fail(t, "frequency of the clock must not be 0");
		c->frequency = (uint64_t)e->number;
	} else if (strcmp(e->name, "offset_s") == 0) {
		c->offset_s = e->number;
	} else if (strcmp(e->name, "offset") == 0) {
		c->offset = (uint64_t)e->number;
	} else if (strcmp(e->name, "name") == 0) {
		keep(c->name, sizeof(c->name), e->text);
	} else if (strcmp(e->name, "uuid") == 0) {
		keep(c->uuid, sizeof(c->uuid), e->text);
	}
}

/* Entries up to the closing brace. */
static void parse_block(struct tsdl *t, void (*use)(struct tsdl *t, const struct entry *e))
{
	struct entry e;

	tsdl_next(t);
	tsdl_expect(t, '{');
	while (!t->failed && !tsdl_is(t, '}')) {
		parse_entry(t, &e);
		if (!t->failed)
			use(t, &e);
	}
	tsdl_expect(t, '}');
	tsdl_expect(t, ';');
}

static void parse_clock(struct tsdl *t)
{
	if (t->meta->clock.frequency)
		tsdl_fail(t, "a second clock");
	t->meta->clock.frequency = 1000000000;
	parse_block(t, clock_entry);
}

static void stream_entry(struct tsdl *t, struct meta_stream *s, const struct entry *e)
{
	if (strcmp(e->name, "event.header") == 0)
		need_struct(t, e, &s->header);
	else if (strcmp(e->name, "packet.context") == 0)
		need_struct(t, e, &s->packet);
	else if (strcmp(e->name, "event.context") == 0)
		need_struct(t, e, &s->context);
}

static void parse_stream(struct tsdl *t)
{
	struct meta_stream s = { .declared = 1 };
	struct entry e;
	int64_t id = 0;

	tsdl_next(t);
	tsdl_expect(t, '{');
	while (!t->failed && !tsdl_is(t, '}')) {
		parse_entry(t, &e);
		if (strcmp(e.name, "id") == 0)
			id = e.is_number ? e.number : -1;
		else if (!t->failed)
			stream_entry(t, &s, &e);
	}
	tsdl_expect(t, '}');
	tsdl_expect(t, ';');
	if (t->failed)
		return;
	if (id < 0 || id >= META_MAX_STREAMS)
		tsdl_fail(t, "stream id %lld: trbuf writes 0 and 1 only", (long long)id);
	else if (t->meta->stream[id].declared)
		tsdl_fail(t, "stream %lld is declared twice", (long long)id);
	else
		t->meta->stream[id] = s;
}

static void event_entry(struct tsdl *t, struct meta_event *ev, const struct entry *e)
{
	struct meta_struct context = { 0 };

	if (strcmp(e->name, "id") == 0) {
		if (!e->is_number || e->number < 0 || e->number > META_MAX_ID)
			tsdl_fail(t, "event id does not fit into 16 bits");
		ev->id = (uint32_t)e->number;
	} else if (strcmp(e->name, "name") == 0) {
		ev->name = e->text;
	} else if (strcmp(e->name, "stream_id") == 0) {
		if (!e->is_number || e->number < 0 || e->number >= META_MAX_STREAMS)
			tsdl_fail(t, "stream_id must be 0 or 1");
		ev->stream = (uint32_t)e->number;
	} else if (strcmp(e->name, "loglevel") == 0) {
		ev->level = e->number < 0 || e->number > 255 ? -1 : (int)e->number;
	} else if (strcmp(e->name, "model.emf.uri") == 0) {
		if (strcmp(e->text, "trbuf:span:begin") == 0)
			ev->span = META_SPAN_BEGIN;
		else if (strcmp(e->text, "trbuf:span:end") == 0)
			ev->span = META_SPAN_END;
	} else if (strcmp(e->name, "fields") == 0) {
		need_struct(t, e, &ev->fields);
	} else if (strcmp(e->name, "context") == 0) {
		need_struct(t, e, &context);
		if (context.nfields)
			tsdl_fail(t, "events with a context of their own are not supported");
	}
}

static void add_event(struct tsdl *t, struct meta_event *ev)
{
	struct meta *m = t->meta;

	if (m->nevents == t->room) {
		unsigned room = t->room ? t->room * 2 : 64;
		struct meta_event **more = tsdl_alloc(t, room * sizeof(struct meta_event *));

		if (m->nevents)
			memcpy(more, m->event, m->nevents * sizeof(struct meta_event *));
		m->event = more;
		t->room = room;
	}
	ev->index = m->nevents;
	m->event[m->nevents++] = ev;
}

static void parse_event(struct tsdl *t)
{
	struct meta_event *ev = tsdl_alloc(t, sizeof(*ev));
	struct entry e;

	ev->level = -1;
	ev->name = "";
	ev->fields.fixed = 1;
	tsdl_next(t);
	tsdl_expect(t, '{');
	while (!t->failed && !tsdl_is(t, '}')) {
		parse_entry(t, &e);
		if (!t->failed)
			event_entry(t, ev, &e);
	}
	tsdl_expect(t, '}');
	tsdl_expect(t, ';');
	if (t->failed || meta_plan_event(t, ev))
		return;
	add_event(t, ev);
}

static void parse_top(struct tsdl *t)
{
	if (tsdl_is_word(t, "trace"))
		parse_block(t, trace_entry);
	else if (tsdl_is_word(t, "env"))
		parse_block(t, env_entry);
	else if (tsdl_is_word(t, "clock"))
		parse_clock(t);
	else if (tsdl_is_word(t, "stream"))
		parse_stream(t);
	else if (tsdl_is_word(t, "event"))
		parse_event(t);
	else if (tsdl_is_word(t, "typealias"))
		tsdl_parse_alias(t);
	else if (tsdl_is_word(t, "struct"))
		tsdl_parse_named_struct(t);
	else if (tsdl_is(t, ';'))
		tsdl_next(t);
	else if (t->token == TSDL_WORD)
		tsdl_fail(t, "`%.40s` is not known here", t->text);
	else
		tsdl_fail(t, "trace, env, clock, stream or event expected");
}

struct meta *meta_parse(char *text, size_t size, char error[META_ERROR])
{
	struct tsdl t = { .p = text, .end = text + size, .line = 1, .error = error };
	struct meta *m = calloc(1, sizeof(*m));

	if (!m) {
		snprintf(error, META_ERROR, "out of memory");
		free(text);
		return NULL;
	}
	m->text = text;
	m->size = size;
	t.meta = m;
	if (size < 4 || strncmp(text, "/* CTF 1.8", size < 10 ? size : 10) != 0)
		tsdl_fail(&t, "this is not CTF 1.8 text (it must start with /* CTF 1.8 */)");
	tsdl_next(&t);
	while (t.token != TSDL_END)
		parse_top(&t);
	m->arena = t.arena;
	if (!t.failed && meta_plan_check(m, error))
		t.failed = 1;
	if (!t.failed)
		return m;
	meta_free(m);
	return NULL;
}

void meta_free(struct meta *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < META_MAX_STREAMS; i++)
		free(m->stream[i].by_id);
	tsdl_arena_free(m->arena);
	free(m->text);
	free(m);
}
