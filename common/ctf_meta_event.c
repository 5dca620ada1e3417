/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The description of one event of a program. Names are made harmless here:
 * one underscore in front, other characters replaced, no name twice.
 */
#include <string.h>

#include "common/ctf_meta.h"
#include "common/ctf_types.h"
#include "libtrbuf/trbuf.h"

#define NAME_SIZE (LAYOUT_NAME + 16u)

/* The names of a struct so far; each field may need two. */
struct names {
	unsigned n;
	char name[2 * LAYOUT_MAX_FIELDS + 1][NAME_SIZE];
};

/* babeltrace2 compares names as written with names as shown, which lack the
 * first underscore: so _x and __x must not meet either. */
static int taken(const struct names *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++) {
		const char *other = t->name[i];

		if (strcmp(other, name) == 0 || strcmp(other + 1, name) == 0 ||
		    strcmp(other, name + 1) == 0)
			return 1;
	}
	return 0;
}

/* Identifier for `name`, [A-Za-z0-9_] behind a prefix of underscores, not yet used. */
static const char *unique(struct names *t, const char *prefix, const char *name, const char *suffix)
{
	char *out = t->name[t->n];
	size_t len;

	snprintf(out, NAME_SIZE, "%s%.63s%s", prefix, name, suffix);
	for (char *p = out; *p; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		      (*p >= '0' && *p <= '9')))
			*p = '_';
	len = strlen(out);
	if (len > LAYOUT_NAME + 11u)
		len = LAYOUT_NAME + 11u;
	for (unsigned i = 2; taken(t, out); i++)
		snprintf(out + len, NAME_SIZE - len, "_%u", i & 0xff);
	t->n++;
	return out;
}

static void label_value(FILE *out, unsigned type, int64_t value)
{
	unsigned bits = 8 * ctf_scalar_size(type);
	uint64_t v = (uint64_t)value;

	if (!ctf_scalar_signed(type)) {
		fprintf(out, "%llu",
			(unsigned long long)(bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v));
		return;
	}
	if (bits < 64) /* what a field of so many bits can hold */
		value = (int64_t)(v << (64 - bits)) >> (64 - bits);
	fprintf(out, "%lld", (long long)value);
}

static void enum_type(FILE *out, const struct registry_field *f)
{
	fputs("enum : ", out);
	ctf_type_scalar(out, f->elem);
	fputs(" {", out);
	for (unsigned i = 0; i < f->nlabels; i++) {
		fputs(i ? ", " : " ", out);
		ctf_meta_string(out, f->labels[i].name);
		fputs(" = ", out);
		label_value(out, f->elem, f->labels[i].value);
	}
	fputs(" }", out);
}

/* Count, then as many elements. */
static void sequence(FILE *out, struct names *t, const struct registry_field *f)
{
	const char *count = unique(t, "__", f->name, "_length");

	ctf_type_integer(out, 16, 0, 10);
	fprintf(out, " %s;\n\t\t", count);
	if (f->type == TRBUF_T_BLOB)
		ctf_type_integer(out, 8, 0, 16);
	else
		ctf_type_scalar(out, f->elem);
	fprintf(out, " %s[%s];\n", unique(t, "_", f->name, ""), count);
}

static void field(FILE *out, struct names *t, const struct registry_field *f)
{
	fputs("\t\t", out);
	switch (f->type) {
	case TRBUF_T_SEQ:
	case TRBUF_T_BLOB:
		sequence(out, t, f);
		return;
	case TRBUF_T_STR:
		fputs("string { encoding = UTF8; }", out);
		break;
	case TRBUF_T_ENUM:
		enum_type(out, f);
		break;
	case TRBUF_T_ARRAY:
		ctf_type_scalar(out, f->elem);
		fprintf(out, " %s[%u];\n", unique(t, "_", f->name, ""), f->count);
		return;
	default:
		ctf_type_scalar(out, f->type);
	}
	fprintf(out, " %s;\n", unique(t, "_", f->name, ""));
}

static void form(FILE *out, const struct registry_event *ev, int cut)
{
	static const char *const spans[] = { NULL, "trbuf:span:begin", "trbuf:span:end" };
	struct names t = { .n = 0 };
	char name[2 * LAYOUT_NAME + 1];

	snprintf(name, sizeof(name), "%.63s:%.63s", ev->class_name, ev->name);
	fputs("event {\n\tname = ", out);
	ctf_meta_string(out, name);
	fprintf(out, ";\n\tid = %u;\n\tstream_id = 0;\n\tloglevel = %u;\n", ev->id + (unsigned)cut,
		ev->level);
	if (ev->span == 1 || ev->span == 2)
		fprintf(out, "\tmodel.emf.uri = \"%s\";\n", spans[ev->span]);
	fputs("\tfields := struct {\n", out);
	for (unsigned i = 0; i < ev->nfields; i++)
		field(out, &t, &ev->field[i]);
	if (cut) {
		fputs("\t\t", out);
		ctf_type_integer(out, 32, 0, 10);
		fprintf(out, " %s;\n", unique(&t, "_", "trbuf_cut", ""));
	}
	fputs("\t};\n};\n\n", out);
}

void ctf_meta_event(FILE *out, const struct registry_event *ev)
{
	form(out, ev, 0);
	if (ev->variable)
		form(out, ev, 1);
}
