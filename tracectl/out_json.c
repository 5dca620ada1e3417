/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * One JSON object per event and line. Integers are whole (64 bits), strings
 * reversible (out_value.c). "ns" is nanoseconds since 1970.
 * Called through struct out_format.
 *
 *	{"ns":..,"cycles":..,"event":"net:rx","cpu":0,"context":{"pid":1,"tid":1},
 *	 "fields":{"port":80}}
 */
#include <stdlib.h>

#include "tracectl/out.h"

struct plan {
	struct plan *next;
	char *head; /* ,"event":"net:rx","level":6,"cpu": */
	size_t size;
	char **field; /* "port": */
	size_t *field_size;
	char **context;
	size_t *context_size;
	size_t room;
};

struct json_state {
	struct plan *plans;
};

static char *keep(struct out_buf *s, size_t *size)
{
	char *text;

	*size = (size_t)(s->p - s->mem);
	text = malloc(*size + 1);
	if (!text)
		exit(1);
	memcpy(text, s->mem, *size);
	s->p = s->mem;
	return text;
}

/* The keys of a struct: "port": with a comma in front of all but the first. A
 * name that occurs twice keeps its place: readers take the last. */
static char **plan_keys(const struct meta_struct *st, struct out_buf *s, size_t **sizes, size_t *room)
{
	char **keys = calloc(st->nfields + 1, sizeof(*keys));

	*sizes = calloc(st->nfields + 1, sizeof(**sizes));
	if (!keys || !*sizes)
		exit(1);
	for (unsigned i = 0; i < st->nfields; i++) {
		if (i)
			out_text(s, ",");
		out_json_string(s, st->field[i].name, strlen(st->field[i].name));
		out_text(s, ":");
		keys[i] = keep(s, &(*sizes)[i]);
		*room += (*sizes)[i] + 64;
	}
	return keys;
}

static struct plan *make_plan(struct out *out, const struct trace_event *ev)
{
	struct json_state *st = out->state;
	const struct meta_event *type = ev->type;
	struct plan *p = calloc(1, sizeof(*p));
	struct out_buf s;

	if (!p || out_buf_open(&s, -1))
		exit(1);
	out_text(&s, ",\"event\":");
	out_json_string(&s, type->name, strlen(type->name));
	if (type->level >= 0) {
		out_text(&s, ",\"level\":");
		out_u64(&s, (uint64_t)type->level);
	}
	out_text(&s, ",\"cpu\":");
	p->head = keep(&s, &p->size);
	p->room = p->size + 256;
	p->context = plan_keys(&ev->trace->meta->stream[type->stream].context, &s, &p->context_size,
			       &p->room);
	p->field = plan_keys(&type->fields, &s, &p->field_size, &p->room);
	out_buf_close(&s);
	p->next = st->plans;
	st->plans = p;
	ev->type->user[META_USER_OUT] = p;
	return p;
}

static void put_context(struct out_buf *b, const struct plan *p, const struct trace_event *ev)
{
	const struct meta_struct *ctx = &ev->trace->meta->stream[ev->type->stream].context;
	struct trace_event inner = *ev;
	struct meta_event type = { .fields = *ctx };
	struct field_walk w;
	struct field_value v;
	unsigned i = 0;

	if (!ctx->nfields)
		return;
	out_bytes(b, ",\"context\":{", 12);
	inner.type = &type;
	inner.payload = ev->context;
	field_start(&w, &inner);
	while (field_next(&w, &v)) {
		out_bytes(b, p->context[i], p->context_size[i]);
		i++;
		out_json_value(b, &v);
		out_reserve(b, p->room);
	}
	out_char(b, '}');
}

static void json_event(struct out *out, const struct trace_event *ev)
{
	const struct plan *p = ev->type->user[META_USER_OUT];
	struct out_buf *b = out->buf;
	struct field_walk w;
	struct field_value v;
	unsigned i = 0;

	if (!p)
		p = make_plan(out, ev);
	out_reserve(b, p->room);
	out_bytes(b, "{\"ns\":", 6);
	out_s64(b, ev->ns);
	out_bytes(b, ",\"cycles\":", 10);
	out_u64(b, ev->clock);
	out_bytes(b, p->head, p->size);
	out_u64(b, ev->cpu);
	put_context(b, p, ev);
	out_bytes(b, ",\"fields\":{", 11);
	field_start(&w, ev);
	while (field_next(&w, &v)) {
		out_bytes(b, p->field[i], p->field_size[i]);
		i++;
		out_json_value(b, &v);
		out_reserve(b, p->room);
	}
	out_bytes(b, "}}\n", 3);
}

static int json_begin(struct out *out)
{
	out->state = calloc(1, sizeof(struct json_state));
	return out->state ? 0 : -1;
}

static void json_end_output(struct out *out)
{
	free(out->state);
}

const struct out_format out_format_json = { "json", json_begin, json_event, json_end_output };
