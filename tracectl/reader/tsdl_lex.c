/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Words of TSDL and the memory of the parser. Owns the position in the text;
 * knows no grammar. The text is untrusted: it may end anywhere and hold any
 * byte. Called by the other tsdl files.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracectl/reader/tsdl.h"

struct tsdl_arena_block {
	struct tsdl_arena_block *next;
	size_t used, size;
	_Alignas(16) unsigned char mem[];
};

void tsdl_fail(struct tsdl *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->failed)
		return;
	t->failed = 1;
	t->token = TSDL_END;
	t->p = t->end;
	n = snprintf(t->error, META_ERROR, "line %u: ", t->line);
	va_start(ap, fmt);
	vsnprintf(t->error + n, META_ERROR - (size_t)n, fmt, ap);
	va_end(ap);
}

void *tsdl_alloc(struct tsdl *t, size_t size)
{
	struct tsdl_arena_block *b = t->arena;
	void *mem;

	size = (size + 15) & ~(size_t)15;
	if (!b || b->size - b->used < size) {
		size_t room = size > 65536 ? size : 65536;

		b = calloc(1, sizeof(*b) + room);
		if (!b) {
			fputs("tracectl: out of memory\n", stderr);
			exit(1);
		}
		b->size = room;
		b->next = t->arena;
		t->arena = b;
	}
	mem = b->mem + b->used;
	b->used += size;
	return mem;
}

char *tsdl_copy(struct tsdl *t, const char *from, size_t size)
{
	char *to = tsdl_alloc(t, size + 1);

	memcpy(to, from, size);
	to[size] = '\0';
	return to;
}

void tsdl_arena_free(struct tsdl_arena_block *arena)
{
	while (arena) {
		struct tsdl_arena_block *next = arena->next;

		free(arena);
		arena = next;
	}
}

static void skip_comment(struct tsdl *t)
{
	if (t->p[1] == '/') {
		while (t->p < t->end && *t->p != '\n')
			t->p++;
		return;
	}
	for (t->p += 2; t->end - t->p >= 2; t->p++) {
		if (t->p[0] == '*' && t->p[1] == '/') {
			t->p += 2;
			return;
		}
		t->line += *t->p == '\n';
	}
	tsdl_fail(t, "comment without end");
}

static void skip_space(struct tsdl *t)
{
	while (t->p < t->end) {
		char c = *t->p;

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			t->line += c == '\n';
			t->p++;
		} else if (c == '/' && t->end - t->p > 1 && (t->p[1] == '*' || t->p[1] == '/')) {
			skip_comment(t);
		} else {
			return;
		}
	}
}

static int word_char(char c, int first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!first && c >= '0' && c <= '9');
}

static void lex_word(struct tsdl *t)
{
	const char *from = t->p;

	while (t->p < t->end && word_char(*t->p, 0))
		t->p++;
	t->token = TSDL_WORD;
	t->text = tsdl_copy(t, from, (size_t)(t->p - from));
}

static void lex_number(struct tsdl *t)
{
	uint64_t v = 0;
	unsigned base = 10;
	const char *from = t->p;

	if (*t->p == '0' && t->end - t->p > 1 && (t->p[1] == 'x' || t->p[1] == 'X')) {
		base = 16;
		t->p += 2;
	} else if (*t->p == '0') {
		base = 8;
	}
	for (; t->p < t->end; t->p++) {
		char c = *t->p;
		unsigned d = c >= '0' && c <= '9' ? (unsigned)(c - '0') :
			     c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 :
			     c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 99;

		if (d >= base)
			break;
		if (v > (UINT64_MAX - d) / base)
			tsdl_fail(t, "number does not fit into 64 bits");
		v = v * base + d;
	}
	while (t->p < t->end && strchr("uUlL", *t->p) && *t->p)
		t->p++;
	if (t->failed)
		return;
	if (t->p < t->end && word_char(*t->p, 0))
		tsdl_fail(t, "`%.12s` is not a number", from);
	t->token = TSDL_NUMBER;
	t->number = (int64_t)v;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* What follows a backslash, as in C. */
static char lex_escape(struct tsdl *t)
{
	static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	char c = *t->p++;
	const char *at = c ? strchr(names, c) : NULL;
	unsigned v = 0, n = 0;

	if (at)
		return values[at - names];
	if (c == 'x') {
		while (n++ < 2 && t->p < t->end && hex_digit(*t->p) >= 0)
			v = v * 16 + (unsigned)hex_digit(*t->p++);
		return (char)v;
	}
	if (c < '0' || c > '7')
		return c;
	v = (unsigned)(c - '0');
	while (++n < 3 && t->p < t->end && *t->p >= '0' && *t->p <= '7')
		v = v * 8 + (unsigned)(*t->p++ - '0');
	return (char)v;
}

static void lex_string(struct tsdl *t)
{
	const char *stop = ++t->p;
	char *to, *text;

	while (stop < t->end && *stop != '"' && *stop != '\n')
		stop += *stop == '\\' && t->end - stop > 1 ? 2 : 1;
	if (stop >= t->end || *stop != '"') {
		tsdl_fail(t, "string without end");
		return;
	}
	text = to = tsdl_alloc(t, (size_t)(stop - t->p) + 1);
	while (t->p < stop) {
		char c = *t->p++;

		*to++ = c == '\\' ? lex_escape(t) : c;
	}
	t->p = stop + 1;
	t->token = TSDL_STRING;
	t->text = text;
}

void tsdl_next(struct tsdl *t)
{
	skip_space(t);
	t->token = TSDL_END;
	t->punct = 0;
	if (t->failed || t->p >= t->end)
		return;
	if (word_char(*t->p, 1)) {
		lex_word(t);
	} else if (*t->p >= '0' && *t->p <= '9') {
		lex_number(t);
	} else if (*t->p == '"') {
		lex_string(t);
	} else if (t->end - t->p > 1 && t->p[0] == ':' && t->p[1] == '=') {
		t->token = TSDL_ASSIGN;
		t->p += 2;
	} else if (t->end - t->p > 2 && memcmp(t->p, "...", 3) == 0) {
		t->token = TSDL_DOTS;
		t->p += 3;
	} else if (*t->p && strchr("{}[]()<>;:=,.+-", *t->p)) {
		t->token = TSDL_PUNCT;
		t->punct = *t->p++;
	} else {
		tsdl_fail(t, "byte 0x%02x has no place here", (unsigned char)*t->p);
	}
}

int tsdl_is(const struct tsdl *t, char punct)
{
	return t->token == TSDL_PUNCT && t->punct == punct;
}

int tsdl_is_word(const struct tsdl *t, const char *word)
{
	return t->token == TSDL_WORD && strcmp(t->text, word) == 0;
}

void tsdl_expect(struct tsdl *t, char punct)
{
	if (!tsdl_is(t, punct)) {
		tsdl_fail(t, "`%c` expected", punct);
		return;
	}
	tsdl_next(t);
}

int64_t tsdl_number(struct tsdl *t)
{
	int minus = tsdl_is(t, '-');
	int64_t v;

	if (minus || tsdl_is(t, '+'))
		tsdl_next(t);
	if (t->token != TSDL_NUMBER) {
		tsdl_fail(t, "number expected");
		return 0;
	}
	v = t->number;
	tsdl_next(t);
	return minus ? (int64_t)(0 - (uint64_t)v) : v;
}
