/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Counts events by type, process and CPU; spans by kind; values of a field.
 * Memory is bounded by caps, not by the trace. Called by cmd_stat.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracectl/out_run.h"
#include "tracectl/stat.h"

static struct stat_type *type_of(struct stat *s, const struct trace_event *ev)
{
	struct stat_type *t = ev->type->user[META_USER_STAT];

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		exit(1);
	t->type = ev->type;
	t->next = s->types;
	s->types = t;
	ev->type->user[META_USER_STAT] = t;
	return t;
}

static void count(struct counters *c, uint64_t key, uint64_t bytes)
{
	struct counter *n = counters_get(c, key);

	if (!n) {
		c->more++;
		return;
	}
	n->count++;
	n->bytes += bytes;
}

void stat_count(struct stat *s, const struct trace_event *ev)
{
	struct stat_type *t = type_of(s, ev);
	uint64_t bytes = (uint64_t)(ev->end - ev->context) + CTF_RECORD_HEADER;
	int32_t pid;

	if (!s->events++)
		s->first = ev->ns;
	s->last = ev->ns;
	s->bytes += bytes;
	t->count++;
	t->bytes += bytes;
	if (ev->type->stream != CTF_STREAM_RING)
		return;
	count(&s->cpus, ev->cpu, bytes);
	if (event_pid(ev, &pid) == 0)
		count(&s->processes, (uint32_t)pid, bytes);
}

void stat_miss(struct stat *s, const struct trace_event *ev)
{
	const struct meta_clock *c = &ev->trace->meta->clock;
	struct field_value v;
	struct stat_miss *m;
	const char *label = NULL;

	s->missed += out_missed(ev);
	if (s->nmisses++ >= STAT_MISSES)
		return;
	m = &s->miss[s->nmisses - 1];
	m->ns = ev->ns;
	m->count = out_missed(ev);
	m->first_ns = meta_ns(c, event_number(ev, "first", 0));
	m->last_ns = meta_ns(c, event_number(ev, "last", 0));
	m->cpu = ev->cpu;
	m->daemon = ev->type->stream == CTF_STREAM_DAEMON;
	if (event_field(ev, "reason", &v) && v.field->nlabels)
		label = meta_label(v.field, v.number);
	snprintf(m->reason, sizeof(m->reason), "%s", label ? label : "unknown");
}

/* -------------------------------------------------------------- spans */

static struct stat_span *span_kind(struct stat *s, const struct span *span)
{
	struct stat_span *k;

	for (unsigned i = 0; i < s->nspans; i++) {
		k = s->span[i];
		if (k->name_len == span->name_len &&
		    memcmp(k->name, span->type->name, k->name_len) == 0)
			return k;
	}
	k = s->nspans < STAT_SPANS ? calloc(1, sizeof(*k)) : NULL;
	if (!k)
		return NULL;
	k->name = span->type->name;
	k->name_len = span->name_len;
	s->span[s->nspans++] = k;
	return k;
}

static void span_ended(void *arg, const struct span_thread *t, const struct span *span, int64_t ns,
		       int closed)
{
	struct stat_span *k = span_kind(arg, span);

	(void)t;
	if (!k)
		return;
	/* without its end a span's duration is not known */
	if (closed)
		k->closed++;
	else
		hist_add(&k->hist, ns > span->begin_ns ? (uint64_t)(ns - span->begin_ns) : 0);
}

int stat_spans_init(struct stat *s)
{
	s->spans.arg = s;
	s->spans.end = span_ended;
	return spans_init(&s->spans);
}

void stat_span_event(struct stat *s, const struct trace_event *ev)
{
	if (ev->type->span == META_SPAN_BEGIN)
		spans_begin(&s->spans, ev);
	else
		spans_end(&s->spans, ev);
}

/* -------------------------------------------------------------- field */

static uint64_t text_hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h ^ h >> 32;
}

static void count_text(struct stat_field *f, const char *text)
{
	uint32_t at;

	if (!f->slot) {
		f->slot = calloc(2 * STAT_VALUES, sizeof(*f->slot));
		f->value = calloc(STAT_VALUES, sizeof(*f->value));
		if (!f->slot || !f->value)
			exit(1);
	}
	at = (uint32_t)(text_hash(text) % (2 * STAT_VALUES));
	while (f->slot[at] && strcmp(f->value[f->slot[at] - 1].text, text) != 0)
		at = (at + 1) % (2 * STAT_VALUES);
	if (!f->slot[at]) {
		/* 64 bytes of each are enough to know it by */
		if (f->nvalues == STAT_VALUES || strlen(text) > 256) {
			f->more++;
			return;
		}
		f->value[f->nvalues].text = strdup(text);
		if (!f->value[f->nvalues].text)
			exit(1);
		f->slot[at] = ++f->nvalues;
	}
	f->value[f->slot[at] - 1].count++;
}

static double real_value(const struct field_value *v)
{
	double d;
	float f;

	memcpy(&f, v->data, 4);
	if (v->field->size == 4)
		return (double)f;
	memcpy(&d, v->data, 8);
	return d;
}

static void count_number(struct stat_field *f, const struct field_value *v)
{
	const char *label = v->field->nlabels ? meta_label(v->field, v->number) : NULL;

	if (label) {
		count_text(f, label);
		return;
	}
	if (v->field->kind == META_SINT && (int64_t)v->number < 0) {
		f->negative++;
		if ((int64_t)v->number < f->least)
			f->least = (int64_t)v->number;
		return;
	}
	hist_add(&f->hist, v->number);
}

void stat_field_event(struct stat_field *f, const struct trace_event *ev)
{
	struct field_value v;

	if (!event_field(ev, f->name, &v))
		return;
	if (v.field->kind == META_STRING) {
		count_text(f, (const char *)v.data);
	} else if (v.field->kind == META_FLOAT) {
		f->reals++;
		f->real_sum += real_value(&v);
	} else if (v.field->kind <= META_SINT) {
		count_number(f, &v);
	} else {
		hist_add(&f->hist, v.count); /* how many elements */
	}
}

void stat_field_free(struct stat_field *f)
{
	for (unsigned i = 0; i < f->nvalues; i++)
		free(f->value[i].text);
	free(f->value);
	free(f->slot);
}

/* --------------------------------------------------------------- rows */

static int by_count(const void *a, const void *b)
{
	const struct stat_row *l = a, *m = b;

	if (l->count != m->count)
		return l->count > m->count ? -1 : 1;
	return l->key < m->key ? -1 : l->key > m->key;
}

static struct stat_row *row_named(struct stat_row *row, unsigned n, const char *name, unsigned len)
{
	for (unsigned i = 0; i < n; i++) {
		if (row[i].name_len == len && memcmp(row[i].name, name, len) == 0)
			return &row[i];
	}
	return NULL;
}

struct stat_row *stat_event_rows(const struct stat *s, int by_class, unsigned *n)
{
	struct stat_row *row, *r;
	unsigned types = 0;

	for (const struct stat_type *t = s->types; t; t = t->next)
		types++;
	row = calloc(types + 1, sizeof(*row));
	*n = 0;
	for (const struct stat_type *t = s->types; t && row; t = t->next) {
		const char *name = t->type->name;
		unsigned len = by_class ? t->type->class_len : (unsigned)strlen(name);

		r = row_named(row, *n, name, len);
		if (!r) {
			r = &row[(*n)++];
			*r = (struct stat_row){ .name = name, .name_len = len, .key = *n };
		}
		r->count += t->count;
		r->bytes += t->bytes;
	}
	if (row)
		qsort(row, *n, sizeof(*row), by_count);
	return row;
}

struct stat_row *stat_counter_rows(const struct counters *c, unsigned *n)
{
	struct stat_row *row = calloc(c->n + 1u, sizeof(*row));

	*n = 0;
	for (unsigned i = 0; i < c->n && row; i++)
		row[(*n)++] = (struct stat_row){ .key = c->entry[i].key,
						 .count = c->entry[i].count,
						 .bytes = c->entry[i].bytes };
	if (row)
		qsort(row, *n, sizeof(*row), by_count);
	return row;
}

void stat_free(struct stat *s)
{
	while (s->types) {
		struct stat_type *next = s->types->next;

		free(s->types);
		s->types = next;
	}
	for (unsigned i = 0; i < s->nspans; i++)
		free(s->span[i]);
	spans_free(&s->spans);
	counters_free(&s->processes);
	counters_free(&s->cpus);
	stat_field_free(&s->field);
	filter_free(&s->filter);
}
