/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Events as lines of text. The default form is byte for byte what babeltrace2
 * prints; the compact form leaves out what is the same on every line, the wide
 * form adds names of processes. What does not change between two events of a
 * type is prepared once per type. Called through struct out_format.
 */
#include <stdlib.h>

#include "tracectl/out_names.h"
#include "tracectl/out_time.h"

/* Sequences of a terminal; all empty without colours. */
struct colours {
	int on;
	const char *time, *name, *field, *number, *string, *label, *unknown, *off;
};

static const struct colours no_colours = { 0, "", "", "", "", "", "", "", "" };
static const struct colours some_colours = {
	1, "\x1b[33m", "\x1b[1m\x1b[35m", "\x1b[36m", "\x1b[1m", "\x1b[1m\x1b[32m",
	"\x1b[1m\x1b[32m", "\x1b[1m\x1b[31m", "\x1b[0m",
};

struct piece {
	char *text; /* in front of the value: ", port = " */
	unsigned size;
};

/* What is known of a type before its first event. */
struct plan {
	struct plan *next;
	struct piece head;     /* "host net:rx: { cpu_id = " */
	struct piece *context; /* one per field, and one for the end */
	struct piece *field;
	struct piece tail;
	size_t fixed;          /* room for all but values of variable size */
};

struct text {
	struct out_clock clock;
	const struct colours *c;
	struct plan *plans;
};

/* The pieces are built in a scratch buffer of the same kind as the output. */
static void keep(struct piece *to, struct out_buf *scratch)
{
	to->size = (unsigned)(scratch->p - scratch->mem);
	to->text = calloc(1, to->size + 32u); /* for out_short */
	if (to->text)
		memcpy(to->text, scratch->mem, to->size);
	else
		exit(1);
	scratch->p = scratch->mem;
}

static inline void put_piece(struct out_buf *b, const struct piece *p)
{
	out_short(b, p->text, p->size);
}

static inline void put_colour(struct out_buf *b, const struct colours *c, const char *sequence)
{
	if (__builtin_expect(c->on, 0))
		out_bytes(b, sequence, strlen(sequence));
}

/* Names come from a file: no control characters to the terminal. */
static void put_name(struct out_buf *b, const char *name)
{
	for (; *name; name++) {
		out_reserve(b, 1);
		out_char(b, (unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name);
	}
}

static void plan_fields(const struct text *t, struct piece *to, const struct meta_struct *st,
			struct out_buf *s)
{
	for (unsigned i = 0; i < st->nfields; i++) {
		out_text(s, i ? ", " : " ");
		out_text(s, t->c->field);
		put_name(s, st->field[i].name);
		out_text(s, t->c->off);
		out_text(s, " = ");
		keep(&to[i], s);
	}
}

static size_t fixed_room(const struct meta_struct *st, const struct piece *p)
{
	size_t room = 64;

	for (unsigned i = 0; i < st->nfields; i++)
		room += p[i].size + 96;
	return room;
}

static void plan_head(const struct out *out, struct plan *p, const struct trace_event *ev,
		      struct out_buf *s)
{
	const struct text *t = out->state;
	const struct meta *m = ev->trace->meta;

	if (out->o.form == OUT_FORM_BABELTRACE && m->has_hostname) {
		put_name(s, m->hostname);
		out_text(s, " ");
	}
	out_text(s, t->c->name);
	put_name(s, ev->type->name);
	out_text(s, t->c->off);
	if (out->o.form == OUT_FORM_BABELTRACE) {
		out_text(s, ": { ");
		out_text(s, t->c->field);
		out_text(s, "cpu_id");
		out_text(s, t->c->off);
		out_text(s, " = ");
	} else {
		out_text(s, ":");
	}
	keep(&p->head, s);
}

static struct plan *make_plan(struct out *out, const struct trace_event *ev)
{
	struct text *t = out->state;
	const struct meta_struct *ctx = &ev->trace->meta->stream[ev->type->stream].context;
	const struct meta_struct *fields = &ev->type->fields;
	struct plan *p = calloc(1, sizeof(*p));
	struct out_buf s;

	if (!p || out_buf_open(&s, -1))
		exit(1);
	p->context = calloc(ctx->nfields + 1, sizeof(*p->context));
	p->field = calloc(fields->nfields + 1, sizeof(*p->field));
	if (!p->context || !p->field)
		exit(1);
	plan_head(out, p, ev, &s);
	plan_fields(t, p->context, ctx, &s);
	plan_fields(t, p->field, fields, &s);
	p->fixed = p->head.size + fixed_room(ctx, p->context) + fixed_room(fields, p->field) + 512;
	s.p = s.mem;
	out_buf_close(&s);
	p->next = t->plans;
	t->plans = p;
	ev->type->user[META_USER_OUT] = p;
	return p;
}

/* ------------------------------------------------------------- values */

static void put_hex(struct out_buf *b, uint64_t v, unsigned size)
{
	out_bytes(b, "0x", 2);
	out_hex(b, size < 8 ? v & ((UINT64_C(1) << (8 * size)) - 1) : v, 1);
}

static void put_float(struct out_buf *b, const unsigned char *p, unsigned size)
{
	float f;
	double d;

	if (size == 4) {
		memcpy(&f, p, 4);
		d = (double)f;
	} else {
		memcpy(&d, p, 8);
	}
	out_double(b, "%g", d);
}

static void put_odd_base(struct out_buf *b, uint64_t v, unsigned kind, unsigned size, unsigned base)
{
	unsigned bits = 8 * size, rounded = (bits + 2) / 3 * 3;

	if (base == 8) {
		if (kind == META_SINT && rounded < 64)
			v &= (UINT64_C(1) << rounded) - 1;
		out_char(b, '0');
		out_octal(b, v);
		return;
	}
	out_bytes(b, "0b", 2);
	out_binary(b, v, bits);
}

static inline void put_number(const struct colours *c, struct out_buf *b,
			      const struct meta_field *f, unsigned kind, const unsigned char *p)
{
	uint64_t v;

	put_colour(b, c, c->number);
	if (kind == META_FLOAT) {
		put_float(b, p, f->size);
	} else {
		v = meta_load(p, f->size, kind);
		if (f->base == 16)
			put_hex(b, v, f->size);
		else if (f->base != 10)
			put_odd_base(b, v, kind, f->size, f->base);
		else if (kind == META_SINT)
			out_s64(b, (int64_t)v);
		else
			out_u64(b, v);
	}
	put_colour(b, c, c->off);
}

static void put_label(const struct colours *c, struct out_buf *b, const struct field_value *v)
{
	const struct meta_field *f = v->field;
	unsigned n = 0;

	out_reserve(b, 128);
	out_bytes(b, "( ", 2);
	for (uint32_t i = 0; i < f->nlabels; i++) {
		struct meta_field one = *f;

		one.labels = &f->labels[i];
		one.nlabels = 1;
		if (!meta_label(&one, v->number))
			continue;
		if (n++)
			out_text(b, ", ");
		out_text(b, c->label);
		out_escaped(b, f->labels[i].name, strlen(f->labels[i].name));
		out_text(b, c->off);
	}
	if (!n) {
		out_text(b, c->unknown);
		out_text(b, "<unknown>");
		out_text(b, c->off);
	}
	out_reserve(b, 128);
	out_bytes(b, " : container = ", 15);
	put_number(c, b, f, f->kind, v->data);
	out_bytes(b, " )", 2);
}

static void put_elements(const struct colours *c, struct out_buf *b, const struct field_value *v)
{
	const struct meta_field *f = v->field;

	out_char(b, '[');
	for (uint32_t i = 0; i < v->count; i++) {
		out_reserve(b, 160);
		out_bytes(b, i ? ", [" : " [", i ? 3 : 2);
		out_u64(b, i);
		out_bytes(b, "] = ", 4);
		put_number(c, b, f, f->elem, v->data + (size_t)i * f->size);
	}
	out_reserve(b, 2);
	out_bytes(b, " ]", 2);
}

static void put_variable(const struct colours *c, struct out_buf *b, const struct field_value *v)
{
	if (v->field->kind == META_STRING) {
		out_text(b, c->string);
		out_escaped(b, (const char *)v->data, v->count);
		out_text(b, c->off);
	} else if (v->field->nlabels && v->field->kind <= META_SINT) {
		put_label(c, b, v);
	} else {
		put_elements(c, b, v);
	}
}

static void put_fields(const struct text *t, struct out_buf *b, const struct plan *p,
		       const struct trace_event *ev)
{
	struct field_walk w;
	struct field_value v;
	const struct piece *piece = p->field;

	field_start(&w, ev);
	while (field_next(&w, &v)) {
		put_piece(b, piece++);
		if (v.field->kind <= META_FLOAT && !v.field->nlabels) {
			put_number(t->c, b, v.field, v.field->kind, v.data);
			continue;
		}
		put_variable(t->c, b, &v);
		out_reserve(b, p->fixed);
	}
}

static void put_context(const struct text *t, struct out_buf *b, const struct plan *p,
			const struct trace_event *ev)
{
	const struct meta_struct *ctx = &ev->trace->meta->stream[ev->type->stream].context;
	const unsigned char *at = ev->context;

	if (!ctx->nfields)
		return;
	out_bytes(b, "{", 1);
	for (unsigned i = 0; i < ctx->nfields; i++) {
		const struct meta_field *f = &ctx->field[i];

		put_piece(b, &p->context[i]);
		if (f->kind <= META_FLOAT) {
			put_number(t->c, b, f, f->kind, at);
			at += f->size;
		} else {
			struct field_value v = { .field = f, .data = at, .count = f->count };

			put_elements(t->c, b, &v);
			out_reserve(b, p->fixed);
			at += (size_t)f->size * f->count;
		}
	}
	out_bytes(b, " }, ", 4);
}

/* -------------------------------------------------------------- lines */

static void put_line(struct out *out, const struct plan *p, const struct trace_event *ev)
{
	struct text *t = out->state;
	struct out_buf *b = out->buf;

	out_char(b, '[');
	put_colour(b, t->c, t->c->time);
	out_clock_put(&t->clock, b, ev);
	put_colour(b, t->c, t->c->off);
	out_bytes(b, "] (", 3);
	out_clock_delta(&t->clock, b, ev);
	out_bytes(b, ") ", 2);
	put_piece(b, &p->head);
	put_colour(b, t->c, t->c->number);
	out_u64(b, ev->cpu);
	put_colour(b, t->c, t->c->off);
	out_bytes(b, " }, ", 4);
	put_context(t, b, p, ev);
	out_char(b, '{');
	put_fields(t, b, p, ev);
	out_bytes(b, " }\n", 3);
}

/* "1000/1001", in the wide form "worker[1000]/1001", padded to make columns. */
static void put_process(struct out *out, const struct trace_event *ev)
{
	struct out_buf *b = out->buf;
	const char *comm = NULL, *from = b->p; /* room has been reserved: no flush here */
	int32_t pid, tid;
	int have_pid = event_pid(ev, &pid) == 0, wide = out->o.form == OUT_FORM_WIDE;

	if (have_pid && out->names && wide)
		comm = names_comm(out->names, pid, ev->clock);
	for (; comm && *comm; comm++)
		out_char(b, (unsigned char)*comm < 0x20 || *comm == 0x7f ? '?' : *comm);
	if (comm)
		out_char(b, '[');
	if (have_pid)
		out_s64(b, pid);
	if (comm)
		out_char(b, ']');
	if (event_tid(ev, &tid) == 0) {
		out_char(b, '/');
		out_s64(b, tid);
	}
	while (b->p - from < (wide ? 28 : 15))
		out_char(b, ' ');
}

static void put_short_line(struct out *out, const struct plan *p, const struct trace_event *ev)
{
	struct text *t = out->state;
	struct out_buf *b = out->buf;

	put_colour(b, t->c, t->c->time);
	out_clock_put(&t->clock, b, ev);
	put_colour(b, t->c, t->c->off);
	out_char(b, ' ');
	if (!out->o.no_delta) {
		out_clock_delta(&t->clock, b, ev);
		out_char(b, ' ');
	}
	out_char(b, '[');
	if (ev->cpu < 100)
		out_digits(b, ev->cpu, 2);
	else
		out_u64(b, ev->cpu);
	out_bytes(b, "] ", 2);
	put_process(out, ev);
	out_reserve(b, p->fixed);
	out_char(b, ' ');
	put_piece(b, &p->head);
	put_fields(t, b, p, ev);
	out_char(b, '\n');
}

static void text_event(struct out *out, const struct trace_event *ev)
{
	const struct plan *p = ev->type->user[META_USER_OUT];

	if (!p)
		p = make_plan(out, ev);
	out_reserve(out->buf, p->fixed);
	if (out->o.form == OUT_FORM_BABELTRACE)
		put_line(out, p, ev);
	else
		put_short_line(out, p, ev);
}

static int text_begin(struct out *out)
{
	struct text *t = calloc(1, sizeof(*t));

	if (!t)
		return -1;
	out_clock_init(&t->clock, &out->o);
	t->c = out->o.colour ? &some_colours : &no_colours;
	out->state = t;
	return 0;
}

static void text_end(struct out *out)
{
	free(out->state);
}

const struct out_format out_format_text = { "text", text_begin, text_event, text_end };
