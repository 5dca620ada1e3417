/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The parser of TSDL, inside only: words, types and blocks. */
#ifndef TRACECTL_TSDL_H
#define TRACECTL_TSDL_H

#include <stddef.h>
#include <stdint.h>

#include "tracectl/reader/meta.h"

enum tsdl_token {
	TSDL_END,
	TSDL_WORD,   /* identifiers and keywords */
	TSDL_STRING, /* text without quotes, escapes resolved */
	TSDL_NUMBER,
	TSDL_PUNCT,  /* one character, in `punct` */
	TSDL_ASSIGN, /* := */
	TSDL_DOTS,   /* ... */
};

struct tsdl_arena_block;

struct tsdl {
	const char *p, *end;
	unsigned line;
	enum tsdl_token token;
	char punct;
	const char *text; /* in the arena */
	int64_t number;
	int failed;
	char *error;
	struct tsdl_arena_block *arena;
	struct tsdl_alias *aliases;
	struct meta *meta;
	unsigned room; /* of meta->event */
};

/* A type before it has a name. */
struct tsdl_type {
	int is_struct;
	struct meta_field field;
	struct meta_struct st;
};

struct tsdl_alias {
	struct tsdl_alias *next;
	const char *name; /* words with one space between */
	struct tsdl_type type;
};

/* Words (tsdl_lex.c). After an error all is TSDL_END. */
void tsdl_next(struct tsdl *t);
int tsdl_is(const struct tsdl *t, char punct);
int tsdl_is_word(const struct tsdl *t, const char *word);
void tsdl_expect(struct tsdl *t, char punct);
void tsdl_fail(struct tsdl *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *tsdl_alloc(struct tsdl *t, size_t size);
char *tsdl_copy(struct tsdl *t, const char *from, size_t size);
void tsdl_arena_free(struct tsdl_arena_block *arena);
int64_t tsdl_number(struct tsdl *t); /* of either sign; moves on */

/* Types (tsdl_type.c). `declared`: the last word is a field's name, not part
 * of the type. */
void tsdl_parse_type(struct tsdl *t, struct tsdl_type *type, int declared);
void tsdl_parse_alias(struct tsdl *t);
void tsdl_parse_named_struct(struct tsdl *t);

/* Names of types (tsdl_alias.c). */
#define TSDL_TYPE_NAME 128
void tsdl_add_alias(struct tsdl *t, const char *name, const struct tsdl_type *type);
void tsdl_use_alias(struct tsdl *t, struct tsdl_type *type, const char *name);
void tsdl_parse_words(struct tsdl *t, struct tsdl_type *type, int declared);

/* Checks and decode steps (meta_plan.c). 0 or a reason. */
int meta_plan_event(struct tsdl *t, struct meta_event *ev);
int meta_plan_check(struct meta *m, char error[META_ERROR]);

#endif
