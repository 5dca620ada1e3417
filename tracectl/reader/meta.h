/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What a `metadata` file says, in the form in which events are decoded.
 *
 * A struct meta is made by meta_parse from text that anybody may have written:
 * all numbers in it are checked, and it is constant afterwards.
 */
#ifndef TRACECTL_META_H
#define TRACECTL_META_H

#include <stddef.h>
#include <stdint.h>

#define META_MAX_SIZE (64u << 20) /* of the text */
#define META_MAX_FIELDS 128u      /* of one struct */
#define META_MAX_LABELS 65536u    /* of one enumeration */
#define META_MAX_ID 65535u
#define META_MAX_STREAMS 2u
#define META_ERROR 512u

enum meta_kind {
	META_UINT,
	META_SINT,
	META_FLOAT,
	META_STRING,
	META_ARRAY, /* `count` elements */
	META_SEQ,   /* the field before it says how many */
};

struct meta_label {
	int64_t low, high; /* of unsigned containers the same bits */
	const char *name;
};

struct meta_field {
	const char *name; /* without the first underscore */
	uint8_t kind;     /* enum meta_kind */
	uint8_t elem;     /* kind of the elements of an array or sequence */
	uint8_t size;     /* bytes of the number, or of an element */
	uint8_t base;     /* 2, 8, 10, 16 */
	uint8_t length;   /* META_SEQ: bytes of the number before it */
	uint8_t align;    /* bytes; 0 and 1 are the same */
	uint8_t hidden;   /* the count of a sequence */
	uint32_t count;   /* META_ARRAY */
	uint32_t nlabels; /* > 0: an enumeration */
	const struct meta_label *labels;
};

struct meta_struct {
	unsigned nfields;
	struct meta_field *field;
	uint32_t size; /* bytes if `fixed` */
	int fixed;     /* no field of variable size */
};

/* How to find the end of a record: skip bytes, then a thing of variable size. */
struct meta_step {
	uint32_t skip;
	uint8_t kind;   /* META_STRING, META_SEQ, or META_UINT: the end */
	uint8_t size;   /* META_SEQ: bytes of an element */
	uint8_t length; /* META_SEQ: bytes of the count that ends the skipped part */
};

enum meta_user { META_USER_OUT, META_USER_FILTER, META_USER_STAT, META_USERS };

enum meta_span { META_SPAN_NONE = 0, META_SPAN_BEGIN = 1, META_SPAN_END = 2 };

struct meta_event {
	uint32_t id;
	uint32_t stream; /* class */
	uint32_t index;  /* dense, from 0, in struct meta */
	int level;       /* -1 none */
	uint8_t span;    /* enum meta_span */
	uint8_t own;     /* one of trbuf's own: enum meta_own */
	const char *name;
	unsigned class_len; /* bytes of `name` before the colon */
	struct meta_struct fields;
	unsigned nsteps;
	struct meta_step *steps;
	void *user[META_USERS]; /* what the program keeps per event, NULL at first */
};

enum meta_own { META_OWN_NONE, META_OWN_MISSED, META_OWN_PROCESS, META_OWN_EXIT };

struct meta_stream {
	int declared;
	struct meta_struct header, packet, context;
	int pid_at, tid_at; /* offset in the context, -1 not there */
	unsigned nids;      /* size of by_id */
	struct meta_event **by_id;
};

struct meta_clock {
	uint64_t frequency;
	int64_t offset_s;
	uint64_t offset; /* cycles */
	int64_t base_ns; /* both offsets */
	char name[64];
	char uuid[40];
};

struct meta {
	void *arena;
	unsigned char uuid[16];
	char hostname[256];
	char trace_name[256];
	char created[64];
	int has_hostname;
	struct meta_clock clock;
	struct meta_struct packet_header;
	struct meta_stream stream[META_MAX_STREAMS];
	unsigned nevents;
	struct meta_event **event;
	char *text; /* as read, for copies */
	size_t size;
};

/* NULL and a reason with the line in `error`. Takes over `text` (malloced). */
struct meta *meta_parse(char *text, size_t size, char error[META_ERROR]);
void meta_free(struct meta *m);

/* Nanoseconds since the epoch; the same rounding as babeltrace2's. What does not
 * fit into 64 bits stops at the end. */
static inline int64_t meta_ns(const struct meta_clock *c, uint64_t cycles)
{
	double real = 1e9 * (double)cycles / (double)c->frequency;
	int64_t ns = real < 9e18 ? (int64_t)real : INT64_MAX;

	if (c->frequency == 1000000000)
		ns = cycles < (uint64_t)INT64_MAX ? (int64_t)cycles : INT64_MAX;
	return __builtin_add_overflow(c->base_ns, ns, &ns) ? INT64_MAX : ns;
}

/* The first clock value that is at or behind this time; 0 if before all. */
uint64_t meta_cycles(const struct meta_clock *c, int64_t ns);

/* A number of 1 to 8 bytes, little endian. Bits of a signed one are extended. */
static inline uint64_t meta_load(const unsigned char *p, unsigned size, unsigned kind)
{
	uint64_t v = 0;

	switch (size) {
	case 1:
		return kind == META_SINT ? (uint64_t)(int64_t)(int8_t)*p : *p;
	case 2:
		__builtin_memcpy(&v, p, 2);
		return kind == META_SINT ? (uint64_t)(int64_t)(int16_t)v : v;
	case 4:
		__builtin_memcpy(&v, p, 4);
		return kind == META_SINT ? (uint64_t)(int64_t)(int32_t)v : v;
	case 8:
		__builtin_memcpy(&v, p, 8);
		return v;
	default:
		for (unsigned i = 0; i < size; i++)
			v |= (uint64_t)p[i] << (8 * i);
		if (kind == META_SINT && size < 8 && (v >> (8 * size - 1)) & 1)
			v |= ~UINT64_C(0) << (8 * size);
		return v;
	}
}

/* The first label that fits, or NULL. */
const char *meta_label(const struct meta_field *f, uint64_t value);

#endif
