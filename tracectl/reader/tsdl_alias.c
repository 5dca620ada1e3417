/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Names of types: typealias, `struct name`, and their use. Called by
 * tsdl_type.c and tsdl.c.
 */
#include <stdio.h>
#include <string.h>

#include "tracectl/reader/tsdl.h"

static const struct tsdl_type *find_alias(const struct tsdl *t, const char *name)
{
	for (const struct tsdl_alias *a = t->aliases; a; a = a->next) {
		if (strcmp(a->name, name) == 0)
			return &a->type;
	}
	return NULL;
}

void tsdl_add_alias(struct tsdl *t, const char *name, const struct tsdl_type *type)
{
	struct tsdl_alias *a = tsdl_alloc(t, sizeof(*a));

	a->name = name;
	a->type = *type;
	a->next = t->aliases;
	t->aliases = a;
}

void tsdl_use_alias(struct tsdl *t, struct tsdl_type *type, const char *name)
{
	const struct tsdl_type *found = find_alias(t, name);

	if (found)
		*type = *found;
	else
		tsdl_fail(t, "type `%s` is not known", name);
}

/* Names of types are one or more words: `unsigned long`. In front of a field's
 * name the longest known one is meant. */
void tsdl_parse_words(struct tsdl *t, struct tsdl_type *type, int declared)
{
	char name[TSDL_TYPE_NAME] = "";

	while (t->token == TSDL_WORD) {
		size_t n = strlen(name);

		if (declared && n && find_alias(t, name)) {
			char longer[2 * TSDL_TYPE_NAME];

			snprintf(longer, sizeof(longer), "%s %s", name, t->text);
			if (!find_alias(t, longer))
				break;
		}
		if (n + strlen(t->text) + 2 > sizeof(name)) {
			tsdl_fail(t, "name of a type is too long");
			return;
		}
		snprintf(name + n, sizeof(name) - n, "%s%s", n ? " " : "", t->text);
		tsdl_next(t);
	}
	tsdl_use_alias(t, type, name);
}

/* typealias TYPE := NAME; */
void tsdl_parse_alias(struct tsdl *t)
{
	struct tsdl_type type;
	char name[TSDL_TYPE_NAME] = "";

	tsdl_next(t);
	tsdl_parse_type(t, &type, 0);
	if (t->token != TSDL_ASSIGN)
		tsdl_fail(t, "`:=` expected");
	tsdl_next(t);
	while (t->token == TSDL_WORD) {
		size_t n = strlen(name);

		if (n + strlen(t->text) + 2 > sizeof(name))
			tsdl_fail(t, "name of a type is too long");
		else
			snprintf(name + n, sizeof(name) - n, "%s%s", n ? " " : "", t->text);
		tsdl_next(t);
	}
	tsdl_expect(t, ';');
	if (!t->failed)
		tsdl_add_alias(t, tsdl_copy(t, name, strlen(name)), &type);
}
