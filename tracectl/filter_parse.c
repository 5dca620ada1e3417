/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The parser of filter expressions: operator precedence, one pass, bounded
 * depth and size. Knows no events. Called by filter.c.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracectl/filter_expr.h"

struct parser {
	const char *text, *p;
	struct filter_expr *x;
	char *error;
	int failed;
	unsigned depth;
};

static const struct {
	const char *text;
	uint8_t op, level;
} operators[] = {
	/* longer ones first */
	{ "||", OP_OR, 1 },  { "&&", OP_AND, 2 }, { "==", OP_EQ, 6 },     { "!=", OP_NE, 6 },
	{ "!~", OP_NOMATCH, 6 }, { "<<", OP_SHL, 8 }, { ">>", OP_SHR, 8 }, { "<=", OP_LE, 7 },
	{ ">=", OP_GE, 7 },  { "|", OP_BITOR, 3 }, { "^", OP_XOR, 4 },    { "&", OP_BITAND, 5 },
	{ "~", OP_MATCH, 6 }, { "<", OP_LT, 7 },  { ">", OP_GT, 7 },      { "+", OP_ADD, 9 },
	{ "-", OP_SUB, 9 },  { "*", OP_MUL, 10 }, { "/", OP_DIV, 10 },    { "%", OP_MOD, 10 },
};

static __attribute__((format(printf, 3, 4))) void fail(struct parser *ps, const char *at,
						      const char *fmt, ...)
{
	va_list ap;
	int n;

	if (ps->failed)
		return;
	ps->failed = 1;
	n = snprintf(ps->error, FILTER_ERROR, "column %u: ", (unsigned)(at - ps->text) + 1);
	va_start(ap, fmt);
	vsnprintf(ps->error + n, FILTER_ERROR - (size_t)n, fmt, ap);
	va_end(ap);
}

static void skip_space(struct parser *ps)
{
	while (*ps->p == ' ' || *ps->p == '\t' || *ps->p == '\n')
		ps->p++;
}

static uint16_t add(struct parser *ps, enum filter_op op, const char *at)
{
	struct filter_node *n;

	if (ps->x->n >= FILTER_NODES) {
		fail(ps, at, "expression is too long");
		return 0;
	}
	n = &ps->x->node[ps->x->n];
	n->op = (uint8_t)op;
	n->column = (uint16_t)(at - ps->text + 1);
	return (uint16_t)ps->x->n++;
}

static char *copy(struct parser *ps, const char *from, size_t n)
{
	char *to = strndup(from, n);

	if (!to)
		fail(ps, from, "out of memory");
	return to;
}

static uint16_t parse_number(struct parser *ps)
{
	const char *at = ps->p;
	char *end_int, *end_real;
	uint16_t n = add(ps, OP_INT, at);
	struct filter_node *node = &ps->x->node[n];

	errno = 0;
	node->magnitude = strtoull(at, &end_int, 0);
	if (errno)
		fail(ps, at, "number does not fit into 64 bits");
	node->real = strtod(at, &end_real);
	if (end_real > end_int && (at[0] != '0' || (at[1] != 'x' && at[1] != 'X'))) {
		node->op = OP_FLOAT;
		end_int = end_real;
	}
	ps->p = end_int;
	if ((*ps->p >= 'a' && *ps->p <= 'z') || (*ps->p >= 'A' && *ps->p <= 'Z') || *ps->p == '_')
		fail(ps, ps->p, "`%c` does not belong in a number", *ps->p);
	return n;
}

static uint16_t parse_string(struct parser *ps)
{
	const char *at = ps->p++;
	uint16_t n = add(ps, OP_TEXT, at);
	char *to;

	to = ps->x->node[n].text = copy(ps, ps->p, strlen(ps->p));
	while (to && *ps->p && *ps->p != '"') {
		/* only \" and \\ are resolved: the rest is for the glob */
		if (*ps->p == '\\' && (ps->p[1] == '"' || ps->p[1] == '\\'))
			ps->p++;
		*to++ = *ps->p++;
	}
	if (to)
		*to = '\0';
	if (*ps->p != '"')
		fail(ps, at, "string without end");
	else
		ps->p++;
	return n;
}

static int name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static uint16_t parse_name(struct parser *ps)
{
	static const char *const names[] = { "", "pid", "tid", "cpu", "event", "class", "level" };
	const char *at = ps->p, *from;
	uint16_t n = add(ps, OP_NAME, at);
	struct filter_node *node = &ps->x->node[n];

	node->no_field = *ps->p == '$';
	from = ps->p += node->no_field;
	while (name_char(*ps->p))
		ps->p++;
	node->text = copy(ps, from, (size_t)(ps->p - from));
	for (uint8_t i = 1; node->text && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(node->text, names[i]) == 0)
			node->builtin = i;
	}
	if (node->no_field && !node->builtin)
		fail(ps, at, "$%s is not known: $pid, $tid, $cpu, $event, $class, $level", node->text);
	return n;
}

static uint16_t parse_level(struct parser *ps, unsigned level);

static uint16_t parse_parens(struct parser *ps, char close)
{
	const char *at = ps->p++;
	uint16_t n = parse_level(ps, 1);

	skip_space(ps);
	if (*ps->p != close)
		fail(ps, ps->p, "`%c` expected for the one in column %u", close,
		     (unsigned)(at - ps->text) + 1);
	else
		ps->p++;
	return n;
}

static uint16_t parse_primary(struct parser *ps)
{
	uint16_t n, index, inner;

	skip_space(ps);
	if (*ps->p == '(')
		return parse_parens(ps, ')');
	if (*ps->p == '"')
		return parse_string(ps);
	if ((*ps->p >= '0' && *ps->p <= '9') || (*ps->p == '.' && ps->p[1] >= '0' && ps->p[1] <= '9'))
		return parse_number(ps);
	if (!name_char(*ps->p) && *ps->p != '$') {
		if (*ps->p)
			fail(ps, ps->p, "a field, number or string expected, not `%c`", *ps->p);
		else
			fail(ps, ps->p, "a field, number or string expected at the end");
		return 0;
	}
	n = parse_name(ps);
	skip_space(ps);
	if (*ps->p != '[')
		return n;
	index = add(ps, OP_INDEX, ps->p);
	inner = parse_parens(ps, ']');
	ps->x->node[index].left = n;
	ps->x->node[index].right = inner;
	return index;
}

static uint16_t parse_unary(struct parser *ps)
{
	const char *at;
	uint16_t n, operand;
	enum filter_op op;

	skip_space(ps);
	at = ps->p;
	if (*at == '!' && at[1] != '~' && at[1] != '=')
		op = OP_NOT;
	else if (*at == '~')
		op = OP_INVERT;
	else if (*at == '-')
		op = OP_MINUS;
	else
		return parse_primary(ps);
	if (++ps->depth > FILTER_DEPTH) {
		fail(ps, at, "expression is nested too deeply");
		return 0;
	}
	ps->p++;
	n = add(ps, op, at);
	operand = parse_unary(ps);
	ps->depth--;
	ps->x->node[n].left = operand;
	return n;
}

/* The operator at the current place, if it binds at least as tightly. */
static int peek_operator(struct parser *ps, unsigned level)
{
	skip_space(ps);
	for (unsigned i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (strncmp(ps->p, operators[i].text, strlen(operators[i].text)) == 0)
			return operators[i].level >= level ? (int)i : -1;
	}
	return -1;
}

static uint16_t parse_level(struct parser *ps, unsigned level)
{
	uint16_t left;
	int i;

	if (++ps->depth > FILTER_DEPTH) {
		fail(ps, ps->p, "expression is nested too deeply");
		return 0;
	}
	left = parse_unary(ps);
	while (!ps->failed && (i = peek_operator(ps, level)) >= 0) {
		uint16_t n = add(ps, operators[i].op, ps->p), right;

		ps->p += strlen(operators[i].text);
		right = parse_level(ps, operators[i].level + 1u);
		ps->x->node[n].left = left;
		ps->x->node[n].right = right;
		left = n;
	}
	ps->depth--;
	return left;
}

struct filter_expr *filter_parse(const char *text, char error[FILTER_ERROR])
{
	struct parser ps = { .text = text, .p = text, .error = error };

	ps.x = calloc(1, sizeof(*ps.x));
	if (!ps.x) {
		snprintf(error, FILTER_ERROR, "out of memory");
		return NULL;
	}
	if (strlen(text) > 60000)
		fail(&ps, text, "expression is too long");
	else
		ps.x->root = parse_level(&ps, 1);
	skip_space(&ps);
	if (*ps.p == '=' && ps.p[1] != '=')
		fail(&ps, ps.p, "`=` is not an operator here; use ==");
	else if (*ps.p)
		fail(&ps, ps.p, "operator expected, not `%c`", *ps.p);
	if (!ps.failed)
		return ps.x;
	filter_expr_free(ps.x);
	return NULL;
}

void filter_expr_free(struct filter_expr *x)
{
	for (unsigned i = 0; x && i < x->n; i++)
		free(x->node[i].text);
	free(x);
}
