/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Comma-separated values (RFC 4180): a header, then a line per event. After
 * ns, cycles, cpu, pid, tid, event comes a column for each field name that any
 * event of the trace has; events leave the others empty. Elements of arrays
 * are separated by spaces. Called through struct out_format.
 */
#include <stdlib.h>

#include "tracectl/out.h"

#define MAX_COLUMNS 4096u

struct csv {
	unsigned n;
	const char **column;
	struct plan *plans;
};

/* Of a type: which column each field goes to, in the order of columns. */
struct plan {
	struct plan *next;
	unsigned n;
	struct slot {
		unsigned column, field;
	} *slot;
};

static int column_of(const struct csv *c, const char *name)
{
	for (unsigned i = 0; i < c->n; i++) {
		if (strcmp(c->column[i], name) == 0)
			return (int)i;
	}
	return -1;
}

static void add_columns(struct csv *c, const struct meta *m)
{
	for (unsigned i = 0; i < m->nevents; i++) {
		const struct meta_struct *st = &m->event[i]->fields;

		for (unsigned k = 0; k < st->nfields; k++) {
			if (!st->field[k].hidden && c->n < MAX_COLUMNS &&
			    column_of(c, st->field[k].name) < 0)
				c->column[c->n++] = st->field[k].name;
		}
	}
}

static void put_quoted(struct out_buf *b, const char *text, size_t n)
{
	size_t i = 0;

	while (i < n && text[i] != ',' && text[i] != '"' && text[i] != '\n' && text[i] != '\r')
		i++;
	out_reserve(b, 2 * n + 2);
	if (i == n && n && text[0] != ' ' && text[n - 1] != ' ') {
		out_bytes(b, text, n);
		return;
	}
	out_char(b, '"');
	for (i = 0; i < n; i++) {
		if (text[i] == '"')
			out_char(b, '"');
		out_char(b, text[i]);
	}
	out_char(b, '"');
}

static void put_number(struct out_buf *b, unsigned kind, unsigned base, const unsigned char *p,
		       unsigned size)
{
	double d;
	float f;

	if (kind == META_FLOAT) {
		memcpy(&f, p, 4);
		if (size == 8)
			memcpy(&d, p, 8);
		else
			d = (double)f;
		out_double(b, size == 8 ? "%.17g" : "%.9g", d);
	} else if (kind == META_SINT) {
		out_s64(b, (int64_t)meta_load(p, size, kind));
	} else if (base == 16) {
		out_bytes(b, "0x", 2);
		out_hex(b, meta_load(p, size, kind), 0);
	} else {
		out_u64(b, meta_load(p, size, kind));
	}
}

static void put_cell(struct out_buf *b, const struct field_value *v)
{
	const struct meta_field *f = v->field;
	const char *label = f->nlabels && f->kind <= META_SINT ? meta_label(f, v->number) : NULL;

	if (f->kind == META_STRING) {
		put_quoted(b, (const char *)v->data, v->count);
		return;
	}
	if (label) {
		put_quoted(b, label, strlen(label));
		return;
	}
	if (f->kind != META_ARRAY && f->kind != META_SEQ) {
		out_reserve(b, 64);
		put_number(b, f->kind, f->base, v->data, f->size);
		return;
	}
	for (uint32_t i = 0; i < v->count; i++) {
		out_reserve(b, 64);
		if (i)
			out_char(b, ' ');
		put_number(b, f->elem, f->base, v->data + (size_t)i * f->size, f->size);
	}
}

static int by_column(const void *a, const void *b)
{
	const struct slot *l = a, *m = b;

	return l->column < m->column ? -1 : l->column > m->column;
}

static struct plan *make_plan(struct csv *c, const struct trace_event *ev)
{
	const struct meta_struct *st = &ev->type->fields;
	struct plan *p = calloc(1, sizeof(*p));

	if (!p)
		exit(1);
	p->slot = calloc(st->nfields + 1, sizeof(*p->slot));
	if (!p->slot)
		exit(1);
	for (unsigned i = 0; i < st->nfields; i++) {
		int column = st->field[i].hidden ? -1 : column_of(c, st->field[i].name);

		if (column >= 0)
			p->slot[p->n++] = (struct slot){ (unsigned)column, i };
	}
	qsort(p->slot, p->n, sizeof(*p->slot), by_column);
	p->next = c->plans;
	c->plans = p;
	ev->type->user[META_USER_OUT] = p;
	return p;
}

static void put_ids(struct out_buf *b, const struct trace_event *ev)
{
	int32_t id;

	out_s64(b, ev->ns);
	out_char(b, ',');
	out_u64(b, ev->clock);
	out_char(b, ',');
	out_u64(b, ev->cpu);
	out_char(b, ',');
	if (event_pid(ev, &id) == 0)
		out_s64(b, id);
	out_char(b, ',');
	if (event_tid(ev, &id) == 0)
		out_s64(b, id);
	out_char(b, ',');
}

static void csv_event(struct out *out, const struct trace_event *ev)
{
	struct csv *c = out->state;
	struct out_buf *b = out->buf;
	const struct plan *p = ev->type->user[META_USER_OUT];
	struct field_value value[META_MAX_FIELDS];
	struct field_walk w;
	unsigned n = 0, at = 0;

	if (!p)
		p = make_plan(c, ev);
	out_reserve(b, 256);
	put_ids(b, ev);
	put_quoted(b, ev->type->name, strlen(ev->type->name));
	field_start(&w, ev);
	while (n < META_MAX_FIELDS && field_next(&w, &value[n]))
		n++;
	for (unsigned i = 0; i < p->n; i++) {
		unsigned commas = p->slot[i].column + 1 - at;

		out_reserve(b, commas);
		memset(b->p, ',', commas);
		b->p += commas;
		at = p->slot[i].column + 1;
		put_cell(b, &value[p->slot[i].field]);
	}
	out_reserve(b, c->n - at + 2);
	memset(b->p, ',', c->n - at);
	b->p += c->n - at;
	out_bytes(b, "\r\n", 2);
}

static int csv_begin(struct out *out)
{
	struct csv *c = calloc(1, sizeof(*c));

	if (!c)
		return -1;
	c->column = calloc(MAX_COLUMNS, sizeof(*c->column));
	if (!c->column) {
		free(c);
		return -1;
	}
	for (unsigned i = 0; i < reader_traces(out->reader); i++)
		add_columns(c, reader_trace(out->reader, i)->meta);
	out_text(out->buf, "ns,cycles,cpu,pid,tid,event");
	for (unsigned i = 0; i < c->n; i++) {
		out_text(out->buf, ",");
		put_quoted(out->buf, c->column[i], strlen(c->column[i]));
	}
	out_text(out->buf, "\r\n");
	out->state = c;
	return 0;
}

static void csv_end(struct out *out)
{
	struct csv *c = out->state;

	while (c->plans) {
		struct plan *next = c->plans->next;

		free(c->plans->slot);
		free(c->plans);
		c->plans = next;
	}
	free(c->column);
	free(c);
}

const struct out_format out_format_csv = { "csv", csv_begin, csv_event, csv_end };
