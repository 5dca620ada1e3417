/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Expressions over the fields of an event, with the operators and precedence
 * of C; ~ and !~ between two strings match a glob, at the level of ==.
 *
 *	port == 80 && iface ~ "eth*" || pid == 12
 *
 * Names are fields of the event, else pid, tid, cpu, event, class, level; with
 * a $ in front ($pid) never a field. Integers are exact: both signs, 64 bits.
 * What needs a field that the event does not have is false.
 */
#ifndef TRACECTL_FILTER_EXPR_H
#define TRACECTL_FILTER_EXPR_H

#include "tracectl/reader/reader.h"

#define FILTER_ERROR 256
#define FILTER_NODES 512
#define FILTER_DEPTH 64

enum filter_op {
	OP_INT, OP_FLOAT, OP_TEXT, OP_NAME, OP_INDEX, /* leaves; a[b] */
	OP_NOT, OP_INVERT, OP_MINUS,                  /* one operand */
	OP_OR, OP_AND, OP_BITOR, OP_XOR, OP_BITAND, OP_EQ, OP_NE, OP_MATCH, OP_NOMATCH,
	OP_LT, OP_LE, OP_GT, OP_GE, OP_SHL, OP_SHR, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD,
};

enum filter_name {
	NAME_FIELD, NAME_PID, NAME_TID, NAME_CPU, NAME_EVENT, NAME_CLASS, NAME_LEVEL,
};

struct filter_node {
	uint8_t op;
	uint8_t builtin;  /* OP_NAME: enum filter_name if it is no field */
	uint8_t no_field; /* OP_NAME: written with a $ */
	uint16_t left, right;
	uint16_t column; /* from 1 */
	uint64_t magnitude; /* OP_INT */
	double real;
	char *text; /* OP_TEXT, OP_NAME */
};

struct filter_expr {
	unsigned n;
	uint16_t root;
	struct filter_node node[FILTER_NODES];
};

/* NULL and "column N: what" in error. */
struct filter_expr *filter_parse(const char *text, char error[FILTER_ERROR]);
void filter_expr_free(struct filter_expr *x);

int filter_eval(const struct filter_expr *x, const struct trace_event *ev);

/* A name that no event of the trace has: its node, or NULL. */
const struct filter_node *filter_unknown(const struct filter_expr *x, const struct reader *r);

#endif
