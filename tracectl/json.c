/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The JSON writer. Owns commas, nesting and escaping; knows nothing of what is
 * written. Called by every verb that has --json. Output is one line a value.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tracectl/json.h"

/* Bytes of the well-formed UTF-8 character at p, 0 if it is not one. Overlong
 * forms, surrogates and values above U+10FFFF are not. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t n;

	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		n = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		n = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (left < n)
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

static void put_ascii(FILE *out, unsigned char c)
{
	switch (c) {
	case '"':
		fputs("\\\"", out);
		break;
	case '\\':
		fputs("\\\\", out);
		break;
	case '\n':
		fputs("\\n", out);
		break;
	case '\t':
		fputs("\\t", out);
		break;
	default:
		/* DEL is legal JSON, but no terminal should see it. */
		if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
}

void json_quote(FILE *out, const void *data, size_t size)
{
	const unsigned char *p = data;
	size_t i = 0;

	putc('"', out);
	while (i < size) {
		size_t n;

		if (p[i] < 0x80) {
			put_ascii(out, p[i++]);
			continue;
		}
		n = utf8_length(p + i, size - i);
		if (n)
			fwrite(p + i, 1, n, out);
		else
			fputs("\xef\xbf\xbd", out);
		i += n ? n : 1;
	}
	putc('"', out);
}

void json_start(struct json *j, FILE *out)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
}

void json_end(struct json *j)
{
	putc('\n', j->out);
}

/* What stands before each value: a comma and the key. */
static void prefix(struct json *j, const char *key)
{
	if (j->filled[j->depth])
		putc(',', j->out);
	j->filled[j->depth] = 1;
	if (key) {
		json_quote(j->out, key, strlen(key));
		putc(':', j->out);
	}
}

static void open_level(struct json *j, const char *key, char bracket)
{
	prefix(j, key);
	putc(bracket, j->out);
	if (j->depth < JSON_DEPTH - 1)
		j->depth++;
	j->filled[j->depth] = 0;
}

static void close_level(struct json *j, char bracket)
{
	if (j->depth > 0)
		j->depth--;
	putc(bracket, j->out);
}

void json_object(struct json *j, const char *key)
{
	open_level(j, key, '{');
}

void json_object_end(struct json *j)
{
	close_level(j, '}');
}

void json_array(struct json *j, const char *key)
{
	open_level(j, key, '[');
}

void json_array_end(struct json *j)
{
	close_level(j, ']');
}

void json_bytes(struct json *j, const char *key, const void *data, size_t size)
{
	prefix(j, key);
	json_quote(j->out, data, size);
}

void json_string(struct json *j, const char *key, const char *value)
{
	if (value)
		json_bytes(j, key, value, strlen(value));
	else
		json_null(j, key);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	prefix(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_s64(struct json *j, const char *key, int64_t value)
{
	prefix(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void json_hex(struct json *j, const char *key, uint64_t value)
{
	prefix(j, key);
	fprintf(j->out, "\"0x%" PRIx64 "\"", value);
}

void json_double(struct json *j, const char *key, double value)
{
	if (!isfinite(value)) {
		json_null(j, key);
		return;
	}
	prefix(j, key);
	fprintf(j->out, "%.17g", value);
}

void json_bool(struct json *j, const char *key, int value)
{
	prefix(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	prefix(j, key);
	fputs("null", j->out);
}
