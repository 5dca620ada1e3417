/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Evaluates a filter expression on one event. Integers are 128 bits wide
 * inside, so that every 64-bit value of either sign compares as in
 * mathematics. Called by filter.c for each event that other filters let
 * through.
 */
#include <stdio.h>
#include <string.h>

#include "libtrbuf/control.h"
#include "tracectl/filter_expr.h"

enum value_kind { VALUE_NONE, VALUE_INT, VALUE_FLOAT, VALUE_TEXT };

struct value {
	enum value_kind kind;
	__int128 i;
	double d;
	const char *text;
	size_t size;       /* of the text */
	const char *label; /* of an enumeration's value */
	int overflow;      /* text is not ended by a NUL at `size` */
};

static const struct value none = { .kind = VALUE_NONE };

static struct value of_int(__int128 i)
{
	return (struct value){ .kind = VALUE_INT, .i = i };
}

static struct value of_text(const char *text, size_t size)
{
	return (struct value){ .kind = VALUE_TEXT, .text = text, .size = size };
}

static struct value of_number(unsigned kind, const unsigned char *p, unsigned size)
{
	struct value v = { .kind = VALUE_FLOAT };
	float f;

	if (kind == META_SINT)
		return of_int((int64_t)meta_load(p, size, kind));
	if (kind == META_UINT)
		return of_int(meta_load(p, size, kind));
	if (size == 8) {
		memcpy(&v.d, p, 8);
	} else {
		memcpy(&f, p, 4);
		v.d = (double)f;
	}
	return v;
}

static struct value of_field(const struct field_value *fv, const struct value *index)
{
	const struct meta_field *f = fv->field;
	struct value v;

	if (f->kind == META_STRING)
		return index ? none : of_text((const char *)fv->data, fv->count);
	if (f->kind == META_ARRAY || f->kind == META_SEQ) {
		if (!index || index->kind != VALUE_INT || index->i < 0 || index->i >= fv->count)
			return none;
		return of_number(f->elem, fv->data + (size_t)index->i * f->size, f->size);
	}
	if (index)
		return none;
	v = of_number(f->kind, fv->data, f->size);
	if (f->nlabels)
		v.label = meta_label(f, fv->number);
	return v;
}

static struct value of_builtin(const struct filter_node *n, const struct trace_event *ev)
{
	const struct meta_event *type = ev->type;
	struct value v;
	int32_t id;

	switch (n->builtin) {
	case NAME_PID:
		return event_pid(ev, &id) ? none : of_int(id);
	case NAME_TID:
		return event_tid(ev, &id) ? none : of_int(id);
	case NAME_CPU:
		return of_int(ev->cpu);
	case NAME_EVENT:
		return of_text(type->name, strlen(type->name));
	case NAME_CLASS:
		v = of_text(type->name, type->class_len);
		v.overflow = 1;
		return v;
	case NAME_LEVEL:
		return type->level < 0 ? none : of_int(type->level);
	}
	return none;
}

static struct value of_name(const struct filter_node *n, const struct trace_event *ev,
			    const struct value *index)
{
	struct field_value fv;

	if (!n->no_field && event_field(ev, n->text, &fv))
		return of_field(&fv, index);
	return index ? none : of_builtin(n, ev);
}

static int truth(const struct value *v)
{
	switch (v->kind) {
	case VALUE_INT:
		return v->i != 0;
	case VALUE_FLOAT:
		return v->d < 0 || v->d > 0;
	case VALUE_TEXT:
		return v->size != 0;
	default:
		return 0;
	}
}

/* An enumeration against a string is compared by its label. */
static void use_label(struct value *v, const struct value *other)
{
	if (v->kind == VALUE_INT && other->kind == VALUE_TEXT && v->label)
		*v = of_text(v->label, strlen(v->label));
}

static int glob(const struct value *text, const struct value *pattern)
{
	char copy[128];

	if (!text->overflow)
		return control_glob(pattern->text, text->text);
	snprintf(copy, sizeof(copy), "%.*s", (int)(text->size < 127 ? text->size : 127), text->text);
	return control_glob(pattern->text, copy);
}

static int order(double a, double b, int op)
{
	switch (op) {
	case OP_EQ:
		return a <= b && a >= b;
	case OP_NE:
		return !(a <= b && a >= b);
	case OP_LT:
		return a < b;
	case OP_LE:
		return a <= b;
	case OP_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static int order_int(__int128 a, __int128 b, int op)
{
	int c = a < b ? -1 : a > b;

	switch (op) {
	case OP_EQ:
		return c == 0;
	case OP_NE:
		return c != 0;
	case OP_LT:
		return c < 0;
	case OP_LE:
		return c <= 0;
	case OP_GT:
		return c > 0;
	default:
		return c >= 0;
	}
}

static int compare_text(const struct value *a, const struct value *b, int op)
{
	size_t n = a->size < b->size ? a->size : b->size;
	int c = memcmp(a->text, b->text, n);

	if (op == OP_MATCH || op == OP_NOMATCH)
		return glob(a, b) == (op == OP_MATCH);
	if (!c)
		c = a->size < b->size ? -1 : a->size > b->size;
	return order_int(c, 0, op);
}

static struct value compare(struct value a, struct value b, int op)
{
	use_label(&a, &b);
	use_label(&b, &a);
	if (a.kind == VALUE_NONE || b.kind == VALUE_NONE)
		return none;
	if (a.kind == VALUE_TEXT && b.kind == VALUE_TEXT)
		return of_int(compare_text(&a, &b, op));
	if (a.kind == VALUE_TEXT || b.kind == VALUE_TEXT)
		return of_int(op == OP_NE || op == OP_NOMATCH);
	if (op == OP_MATCH || op == OP_NOMATCH)
		return none;
	if (a.kind == VALUE_INT && b.kind == VALUE_INT)
		return of_int(order_int(a.i, b.i, op));
	return of_int(order(a.kind == VALUE_INT ? (double)a.i : a.d,
			    b.kind == VALUE_INT ? (double)b.i : b.d, op));
}

/* Back into the range of 64-bit integers of both signs. */
static struct value wrap(__int128 i)
{
	if (i > (__int128)UINT64_MAX || i < (__int128)INT64_MIN)
		i = (uint64_t)i;
	return of_int(i);
}

static struct value int_arithmetic(__int128 a, __int128 b, int op)
{
	switch (op) {
	case OP_BITOR:
		return wrap(a | b);
	case OP_XOR:
		return wrap(a ^ b);
	case OP_BITAND:
		return wrap(a & b);
	case OP_SHL:
		return b < 0 || b > 63 ? of_int(0) : wrap((__int128)((uint64_t)a << (int)b));
	case OP_SHR:
		return b < 0 || b > 63 ? of_int(0) : wrap(a >> (int)b);
	case OP_ADD:
		return wrap(a + b);
	case OP_SUB:
		return wrap(a - b);
	case OP_MUL:
		return wrap((__int128)((unsigned __int128)a * (unsigned __int128)b));
	case OP_DIV:
		return b ? wrap(a / b) : none;
	default:
		return b ? wrap(a % b) : none;
	}
}

static struct value float_arithmetic(double a, double b, int op)
{
	struct value v = { .kind = VALUE_FLOAT };

	switch (op) {
	case OP_ADD:
		v.d = a + b;
		return v;
	case OP_SUB:
		v.d = a - b;
		return v;
	case OP_MUL:
		v.d = a * b;
		return v;
	case OP_DIV:
		v.d = a / b;
		return v;
	default:
		return none;
	}
}

static struct value arithmetic(const struct value *a, const struct value *b, int op)
{
	if (a->kind == VALUE_INT && b->kind == VALUE_INT)
		return int_arithmetic(a->i, b->i, op);
	if (a->kind == VALUE_NONE || b->kind == VALUE_NONE || a->kind == VALUE_TEXT ||
	    b->kind == VALUE_TEXT)
		return none;
	return float_arithmetic(a->kind == VALUE_INT ? (double)a->i : a->d,
				b->kind == VALUE_INT ? (double)b->i : b->d, op);
}

static struct value eval(const struct filter_expr *x, unsigned at, const struct trace_event *ev);

static struct value eval_one(const struct filter_expr *x, const struct filter_node *n,
			     const struct trace_event *ev)
{
	struct value v = eval(x, n->left, ev);

	if (n->op == OP_NOT)
		return of_int(!truth(&v));
	if (v.kind == VALUE_INT)
		return wrap(n->op == OP_MINUS ? -v.i : (__int128)~(uint64_t)v.i);
	if (v.kind == VALUE_FLOAT && n->op == OP_MINUS) {
		v.d = -v.d;
		return v;
	}
	return none;
}

static struct value eval_two(const struct filter_expr *x, const struct filter_node *n,
			     const struct trace_event *ev)
{
	struct value a = eval(x, n->left, ev), b;

	if (n->op == OP_OR && truth(&a))
		return of_int(1);
	if (n->op == OP_AND && !truth(&a))
		return of_int(0);
	b = eval(x, n->right, ev);
	if (n->op == OP_OR || n->op == OP_AND)
		return of_int(truth(&b));
	if (n->op >= OP_EQ && n->op <= OP_GE)
		return compare(a, b, n->op);
	return arithmetic(&a, &b, n->op);
}

static struct value eval(const struct filter_expr *x, unsigned at, const struct trace_event *ev)
{
	const struct filter_node *n = &x->node[at];
	struct value v;

	switch (n->op) {
	case OP_INT:
		return of_int(n->magnitude);
	case OP_FLOAT:
		return (struct value){ .kind = VALUE_FLOAT, .d = n->real };
	case OP_TEXT:
		return of_text(n->text, strlen(n->text));
	case OP_NAME:
		return of_name(n, ev, NULL);
	case OP_INDEX:
		v = eval(x, n->right, ev);
		return of_name(&x->node[n->left], ev, &v);
	case OP_NOT:
	case OP_INVERT:
	case OP_MINUS:
		return eval_one(x, n, ev);
	default:
		return eval_two(x, n, ev);
	}
}

int filter_eval(const struct filter_expr *x, const struct trace_event *ev)
{
	struct value v = eval(x, x->root, ev);

	return truth(&v);
}

static int known_name(const struct reader *r, const char *name)
{
	for (unsigned i = 0; i < reader_traces(r); i++) {
		const struct meta *m = reader_trace(r, i)->meta;

		for (unsigned k = 0; k < m->nevents; k++) {
			const struct meta_struct *st = &m->event[k]->fields;

			for (unsigned j = 0; j < st->nfields; j++) {
				if (strcmp(st->field[j].name, name) == 0)
					return 1;
			}
		}
	}
	return 0;
}

const struct filter_node *filter_unknown(const struct filter_expr *x, const struct reader *r)
{
	for (unsigned i = 0; i < x->n; i++) {
		const struct filter_node *n = &x->node[i];

		if (n->op == OP_NAME && !n->builtin && !known_name(r, n->text))
			return n;
	}
	return NULL;
}
