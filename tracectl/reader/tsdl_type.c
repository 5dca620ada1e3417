/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Types of TSDL: integer, floating_point, string, enum, struct of these,
 * arrays and sequences, and names for them. What trbuf never writes (bit
 * fields, variants, big endian numbers, structs in structs) is refused with
 * the line. Called by tsdl.c.
 */
#include <stdio.h>
#include <string.h>

#include "tracectl/reader/tsdl.h"

/* A word, number or string behind `name =`, as text. */
static const char *attribute_value(struct tsdl *t)
{
	char number[24];
	const char *text;

	if (t->token == TSDL_WORD || t->token == TSDL_STRING) {
		text = t->text;
		tsdl_next(t);
		while (tsdl_is(t, '.')) { /* clock.trbuf.value */
			tsdl_next(t);
			tsdl_next(t);
		}
		return text;
	}
	snprintf(number, sizeof(number), "%lld", (long long)tsdl_number(t));
	return t->failed ? "" : tsdl_copy(t, number, strlen(number));
}

static int one_of(const char *text, const char *a, const char *b)
{
	return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

static void set_base(struct tsdl *t, struct meta_field *f, const char *v)
{
	if (one_of(v, "10", "decimal") || one_of(v, "dec", "d") || one_of(v, "u", "i"))
		f->base = 10;
	else if (one_of(v, "16", "hexadecimal") || one_of(v, "hex", "x") || one_of(v, "X", "p"))
		f->base = 16;
	else if (one_of(v, "8", "octal") || one_of(v, "oct", "o"))
		f->base = 8;
	else if (one_of(v, "2", "binary") || strcmp(v, "b") == 0)
		f->base = 2;
	else
		tsdl_fail(t, "base `%s` is not known", v);
}

static long small_number(const char *v)
{
	long n = 0;

	for (; *v >= '0' && *v <= '9' && n < 100000; v++)
		n = n * 10 + (*v - '0');
	return *v ? -1 : n;
}

/* Only packet contexts have alignments beyond a byte; meta_plan.c sees to it. */
static void set_align(struct tsdl *t, struct meta_field *f, long n, const char *v)
{
	if (n < 1 || n > 1024 || (n & (n - 1)) || (n < 8 && n != 1))
		tsdl_fail(t, "align = %s is not supported", v);
	f->align = (uint8_t)(n < 8 ? 1 : n / 8);
}

static void integer_attribute(struct tsdl *t, struct meta_field *f, const char *name, const char *v)
{
	long n = small_number(v);

	if (strcmp(name, "size") == 0) {
		if (n < 8 || n > 64 || n % 8)
			tsdl_fail(t, "an integer of %s bits is not supported", v);
		f->size = (uint8_t)(n / 8);
	} else if (strcmp(name, "align") == 0) {
		set_align(t, f, n, v);
	} else if (strcmp(name, "signed") == 0) {
		f->kind = one_of(v, "1", "true") || one_of(v, "TRUE", "yes") ? META_SINT : META_UINT;
	} else if (strcmp(name, "base") == 0) {
		set_base(t, f, v);
	} else if (strcmp(name, "byte_order") == 0) {
		if (!one_of(v, "le", "native"))
			tsdl_fail(t, "byte order `%s` is not supported", v);
	} else if (strcmp(name, "encoding") == 0) {
		if (!one_of(v, "none", "NONE"))
			tsdl_fail(t, "integers with an encoding are not supported");
	} else if (strcmp(name, "map") != 0) {
		tsdl_fail(t, "attribute `%s` of an integer is not known", name);
	}
}

static void float_attribute(struct tsdl *t, struct meta_field *f, const char *name, const char *v)
{
	long n = small_number(v);

	if (strcmp(name, "exp_dig") == 0) {
		if (n != 8 && n != 11)
			tsdl_fail(t, "exp_dig = %s is not supported", v);
		f->base = (uint8_t)n; /* checked and overwritten at the end */
	} else if (strcmp(name, "mant_dig") == 0) {
		if (n != 24 && n != 53)
			tsdl_fail(t, "mant_dig = %s is not supported", v);
		f->size = n == 24 ? 4 : 8;
	} else {
		integer_attribute(t, f, name, v);
		f->kind = META_FLOAT;
	}
}

static void parse_attributes(struct tsdl *t, struct meta_field *f)
{
	tsdl_expect(t, '{');
	while (t->token == TSDL_WORD) {
		const char *name = t->text, *value;

		tsdl_next(t);
		tsdl_expect(t, '=');
		value = attribute_value(t);
		tsdl_expect(t, ';');
		if (t->failed)
			return;
		if (f->kind == META_FLOAT)
			float_attribute(t, f, name, value);
		else if (f->kind != META_STRING)
			integer_attribute(t, f, name, value);
	}
	tsdl_expect(t, '}');
}

static void parse_basic(struct tsdl *t, struct meta_field *f, enum meta_kind kind)
{
	tsdl_next(t);
	f->kind = (uint8_t)kind;
	f->base = 10;
	if (kind == META_STRING && !tsdl_is(t, '{'))
		return;
	parse_attributes(t, f);
	if (kind == META_FLOAT && f->base != (f->size == 4 ? 8 : 11))
		tsdl_fail(t, "floating_point: exp_dig and mant_dig do not belong together");
	if (kind == META_FLOAT)
		f->base = 10;
	if (kind != META_STRING && !f->size)
		tsdl_fail(t, "a number without a size");
}

static void parse_label(struct tsdl *t, struct meta_label *l, int64_t next)
{
	if (t->token != TSDL_WORD && t->token != TSDL_STRING) {
		tsdl_fail(t, "label of an enumeration expected");
		return;
	}
	l->name = t->text;
	l->low = next;
	tsdl_next(t);
	if (tsdl_is(t, '=')) {
		tsdl_next(t);
		l->low = tsdl_number(t);
	}
	l->high = l->low;
	if (t->token == TSDL_DOTS) {
		tsdl_next(t);
		l->high = tsdl_number(t);
	}
}

static void parse_labels(struct tsdl *t, struct meta_field *f)
{
	struct meta_label *label = NULL;
	uint32_t n = 0, room = 0;
	int64_t next = 0;

	tsdl_expect(t, '{');
	while (!t->failed && !tsdl_is(t, '}')) {
		if (n == room) {
			struct meta_label *more;

			room = room ? room * 2 : 8;
			more = tsdl_alloc(t, room * sizeof(*more));
			if (n)
				memcpy(more, label, n * sizeof(*more));
			label = more;
		}
		if (n == META_MAX_LABELS) {
			tsdl_fail(t, "more than %u labels", META_MAX_LABELS);
			return;
		}
		parse_label(t, &label[n], next);
		next = (int64_t)((uint64_t)label[n].high + 1);
		n++;
		if (!tsdl_is(t, ','))
			break;
		tsdl_next(t);
	}
	tsdl_expect(t, '}');
	f->labels = label;
	f->nlabels = n;
}

static void parse_enum(struct tsdl *t, struct tsdl_type *type)
{
	tsdl_next(t);
	if (t->token == TSDL_WORD) /* its own name */
		tsdl_next(t);
	tsdl_expect(t, ':');
	tsdl_parse_type(t, type, 0);
	if (type->is_struct || type->field.kind > META_SINT) {
		tsdl_fail(t, "an enumeration is of integers");
		return;
	}
	parse_labels(t, &type->field);
}

/* [4] or [_name_length] behind the name. */
static void parse_dimension(struct tsdl *t, struct meta_struct *st, struct meta_field *f,
			    const char **previous)
{
	tsdl_next(t);
	if (f->kind == META_STRING) {
		tsdl_fail(t, "arrays of strings are not supported");
		return;
	}
	f->elem = f->kind;
	if (t->token == TSDL_NUMBER) {
		f->kind = META_ARRAY;
		if (t->number < 0 || t->number > 1 << 24)
			tsdl_fail(t, "array too long");
		f->count = (uint32_t)t->number;
	} else if (t->token == TSDL_WORD && st->nfields && *previous &&
		   strcmp(t->text, *previous) == 0) {
		struct meta_field *length = &st->field[st->nfields - 1];

		if (length->kind != META_UINT || length->size > 4)
			tsdl_fail(t, "the length of a sequence must be an unsigned integer");
		f->kind = META_SEQ;
		f->length = length->size;
		length->hidden = 1;
	} else {
		tsdl_fail(t, "length of `%s`: a number, or the field just before it", f->name);
	}
	tsdl_next(t);
	tsdl_expect(t, ']');
}

/* `type name;`. *previous is the whole name of the field before. */
static void parse_member(struct tsdl *t, struct meta_struct *st, const char **previous)
{
	struct meta_field *f = &st->field[st->nfields];
	struct tsdl_type type;
	const char *name;

	tsdl_parse_type(t, &type, 1);
	if (type.is_struct)
		tsdl_fail(t, "a struct within a struct is not supported");
	if (t->token != TSDL_WORD) {
		tsdl_fail(t, "name of a field expected");
		return;
	}
	name = t->text;
	*f = type.field;
	f->name = name[0] == '_' ? name + 1 : name;
	tsdl_next(t);
	if (tsdl_is(t, '['))
		parse_dimension(t, st, f, previous);
	tsdl_expect(t, ';');
	*previous = name;
	st->nfields++;
}

static void parse_align(struct tsdl *t)
{
	int64_t n;

	if (!tsdl_is_word(t, "align"))
		return;
	tsdl_next(t);
	tsdl_expect(t, '(');
	n = tsdl_number(t);
	if (n != 1 && n != 8)
		tsdl_fail(t, "align(%lld): only byte-packed traces are supported", (long long)n);
	tsdl_expect(t, ')');
}

static void measure(struct meta_struct *st)
{
	st->fixed = 1;
	for (unsigned i = 0; i < st->nfields; i++) {
		const struct meta_field *f = &st->field[i];

		if (f->kind == META_STRING || f->kind == META_SEQ)
			st->fixed = 0;
		else
			st->size += f->kind == META_ARRAY ? f->size * f->count : f->size;
	}
}

/* Behind the word struct and its name. */
static void parse_struct_body(struct tsdl *t, struct tsdl_type *type)
{
	struct meta_field all[META_MAX_FIELDS] = { 0 };
	struct meta_struct st = { .field = all };
	const char *previous = NULL;

	tsdl_expect(t, '{');
	while (!t->failed && !tsdl_is(t, '}')) {
		if (st.nfields == META_MAX_FIELDS)
			tsdl_fail(t, "more than %u fields", META_MAX_FIELDS);
		else
			parse_member(t, &st, &previous);
	}
	tsdl_expect(t, '}');
	parse_align(t);
	st.field = tsdl_alloc(t, (st.nfields + 1) * sizeof(all[0]));
	memcpy(st.field, all, st.nfields * sizeof(all[0]));
	measure(&st);
	type->is_struct = 1;
	type->st = st;
}

static void parse_struct(struct tsdl *t, struct tsdl_type *type)
{
	char name[TSDL_TYPE_NAME] = "";

	tsdl_next(t);
	if (t->token == TSDL_WORD) {
		snprintf(name, sizeof(name), "struct %s", t->text);
		tsdl_next(t);
	}
	if (!tsdl_is(t, '{') && name[0]) {
		tsdl_use_alias(t, type, name);
		return;
	}
	parse_struct_body(t, type);
	if (name[0] && !t->failed)
		tsdl_add_alias(t, tsdl_copy(t, name, strlen(name)), type);
}

void tsdl_parse_type(struct tsdl *t, struct tsdl_type *type, int declared)
{
	memset(type, 0, sizeof(*type));
	if (tsdl_is_word(t, "integer"))
		parse_basic(t, &type->field, META_UINT);
	else if (tsdl_is_word(t, "floating_point"))
		parse_basic(t, &type->field, META_FLOAT);
	else if (tsdl_is_word(t, "string"))
		parse_basic(t, &type->field, META_STRING);
	else if (tsdl_is_word(t, "enum"))
		parse_enum(t, type);
	else if (tsdl_is_word(t, "struct"))
		parse_struct(t, type);
	else if (t->token == TSDL_WORD)
		tsdl_parse_words(t, type, declared);
	else
		tsdl_fail(t, "type expected");
}

/* struct NAME { ... }; */
void tsdl_parse_named_struct(struct tsdl *t)
{
	struct tsdl_type type;

	memset(&type, 0, sizeof(type));
	parse_struct(t, &type);
	tsdl_expect(t, ';');
}
