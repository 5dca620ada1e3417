/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Strings and values in the two ways that several formats need: with C escapes
 * as babeltrace2 prints them, and as JSON. Called by out_*.c.
 *
 * JSON strings are valid UTF-8 and one to one: a byte that is not part of a
 * well-formed character becomes U+DC80 + (byte - 0x80), a lone surrogate, as
 * an escape (Python's "surrogateescape"), which no well-formed text contains.
 */
#include <math.h>

#include "tracectl/out.h"

#define ESCAPE_C 1
#define ESCAPE_JSON 2

static unsigned char classes[256];

static void set_classes(void)
{
	for (unsigned c = 0; c < 256; c++) {
		classes[c] = c < 0x20 || c == 0x7f ? ESCAPE_C | ESCAPE_JSON : 0;
		if (c == '\\' || c == '"')
			classes[c] = ESCAPE_C | ESCAPE_JSON;
		if (c == '\'' || c == '?')
			classes[c] = ESCAPE_C;
		if (c >= 0x80)
			classes[c] = ESCAPE_JSON;
	}
	classes[0] |= 0x80; /* done */
}

/* How many bytes from p on need no escape. */
static size_t plain_run(const unsigned char *p, size_t n, unsigned char kind)
{
	size_t i = 0;

	while (i < n && !(classes[p[i]] & kind))
		i++;
	return i;
}

static void escape_c(struct out_buf *b, unsigned char c)
{
	static const char codes[] = "\a\b\x1b\f\n\r\t\v\\'\"?", names[] = "abefnrtv\\'\"?";
	const char *at = c ? strchr(codes, c) : NULL;

	out_char(b, '\\');
	if (at) {
		out_char(b, names[at - codes]);
		return;
	}
	out_char(b, 'x');
	out_char(b, "0123456789abcdef"[c >> 4]);
	out_char(b, "0123456789abcdef"[c & 15]);
}

void out_escaped(struct out_buf *b, const char *text, size_t n)
{
	const unsigned char *p = (const unsigned char *)text;

	if (!(classes[0] & 0x80))
		set_classes();
	out_reserve(b, 4 * n + 2);
	out_char(b, '"');
	while (n) {
		size_t run = plain_run(p, n, ESCAPE_C);

		out_bytes(b, p, run);
		p += run;
		n -= run;
		if (n) {
			escape_c(b, *p++);
			n--;
		}
	}
	out_char(b, '"');
}

/* Bytes of the well-formed UTF-8 character at p, 0 if it is not one. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
	unsigned c = p[0], second = left > 1 ? p[1] : 0;
	size_t n = c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;

	if (!n || left < n || (second & 0xc0) != 0x80)
		return 0;
	if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) ||
	    (c == 0xf0 && second < 0x90) || (c == 0xf4 && second > 0x8f))
		return 0;
	for (size_t i = 2; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

static void unicode_escape(struct out_buf *b, unsigned v)
{
	out_bytes(b, "\\u", 2);
	for (int shift = 12; shift >= 0; shift -= 4)
		out_char(b, "0123456789abcdef"[(v >> shift) & 15]);
}

/* One character or byte that needs care; how many bytes it was. */
static size_t escape_json(struct out_buf *b, const unsigned char *p, size_t left)
{
	static const char codes[] = "\b\f\n\r\t\\\"", names[] = "bfnrt\\\"";
	const char *at = *p ? strchr(codes, *p) : NULL;
	size_t n;

	if (at) {
		out_char(b, '\\');
		out_char(b, names[at - codes]);
		return 1;
	}
	if (*p < 0x80) {
		unicode_escape(b, *p);
		return 1;
	}
	n = utf8_length(p, left);
	if (n == 2 && p[0] == 0xc2 && p[1] < 0xa0) { /* C1 controls: no terminal should see them */
		unicode_escape(b, p[1]);
		return 2;
	}
	if (n) {
		out_bytes(b, p, n);
		return n;
	}
	unicode_escape(b, 0xdc00u + *p);
	return 1;
}

void out_json_string(struct out_buf *b, const char *text, size_t n)
{
	const unsigned char *p = (const unsigned char *)text;

	if (!(classes[0] & 0x80))
		set_classes();
	out_reserve(b, 6 * n + 2);
	out_char(b, '"');
	while (n) {
		size_t run = plain_run(p, n, ESCAPE_JSON);

		out_bytes(b, p, run);
		p += run;
		n -= run;
		if (n) {
			size_t used = escape_json(b, p, n);

			p += used;
			n -= used;
		}
	}
	out_char(b, '"');
}

/* JSON has no NaN and no infinity: strings say which. */
static void json_float(struct out_buf *b, const unsigned char *p, unsigned size)
{
	double d;
	float f;

	memcpy(&f, p, 4);
	if (size == 8)
		memcpy(&d, p, 8);
	else
		d = (double)f;
	if (isnan(d))
		out_bytes(b, "\"nan\"", 5);
	else if (isinf(d))
		out_bytes(b, d < 0 ? "\"-inf\"" : "\"inf\"", d < 0 ? 6 : 5);
	else
		out_double(b, size == 8 ? "%.17g" : "%.9g", d);
}

static void json_number(struct out_buf *b, unsigned kind, const unsigned char *p, unsigned size)
{
	if (kind == META_FLOAT)
		json_float(b, p, size);
	else if (kind == META_SINT)
		out_s64(b, (int64_t)meta_load(p, size, kind));
	else
		out_u64(b, meta_load(p, size, kind));
}

void out_json_value(struct out_buf *b, const struct field_value *v)
{
	const struct meta_field *f = v->field;
	const char *label;

	switch (f->kind) {
	case META_STRING:
		out_json_string(b, (const char *)v->data, v->count);
		return;
	case META_ARRAY:
	case META_SEQ:
		out_reserve(b, (size_t)v->count * 34 + 2);
		out_char(b, '[');
		for (uint32_t i = 0; i < v->count; i++) {
			if (i)
				out_char(b, ',');
			json_number(b, f->elem, v->data + (size_t)i * f->size, f->size);
		}
		out_char(b, ']');
		return;
	}
	label = f->nlabels ? meta_label(f, v->number) : NULL;
	out_reserve(b, 64);
	if (!f->nlabels) {
		json_number(b, f->kind, v->data, f->size);
		return;
	}
	out_bytes(b, "{\"value\":", 9);
	json_number(b, f->kind, v->data, f->size);
	out_bytes(b, ",\"label\":", 9);
	if (label)
		out_json_string(b, label, strlen(label));
	else
		out_bytes(b, "null", 4);
	out_reserve(b, 1);
	out_char(b, '}');
}
