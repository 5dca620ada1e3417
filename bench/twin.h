/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The same events with different tracers. trbuf's are linked in (twin_trbuf.c);
 * the peers' are plug-ins (twins/), as not every machine has them.
 */
#ifndef TRBUF_BENCH_TWIN_H
#define TRBUF_BENCH_TWIN_H

#include <stdint.h>

enum twin_kind {
	TWIN_NONE,    /* no field */
	TWIN_U64,     /* u64 */
	TWIN_FOUR,    /* four u64 */
	TWIN_STR11,   /* a string of 11 bytes, NUL not counted */
	TWIN_STR100,  /* of 100 bytes */
	TWIN_SIXTEEN, /* 16 fields: all integers, both floats, a bool, a pointer */
	TWIN_OFF,     /* u64, an event that nobody switches on */
	TWIN_KINDS
};
#define TWIN_NAMES { "no field", "u64", "four u64", "11-byte string", "100-byte string", \
		     "16 fields", "off" }

#define TWIN_TEXT11 "hello world"
#define TWIN_TEXT100 \
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567" \
	"890123456789"

struct twin {
	const char *name;
	int (*start)(void);             /* 0, or it cannot be used */
	int (*has)(enum twin_kind kind); /* can it record this kind? */
	int (*on)(enum twin_kind kind);  /* is the event switched on now? */
	void (*burst)(enum twin_kind kind, uint64_t n);
};

extern const struct twin twin_trbuf;
/* A plug-in exports `const struct twin *twin_get(void)`. NULL if it cannot be used: says why. */
const struct twin *twin_load(const char *path);

/* The values of event i, the same with every tracer. */
#define TWIN_SIXTEEN_VALUES(i) \
	(uint8_t)(i), (uint16_t)(i), (uint32_t)(i), (i), (int8_t)(i), (int16_t)(i), (int32_t)(i), \
	(int64_t)(i), (uint32_t)~(i), ~(i), (float)1.5f, 2.5, 1, (void *)(uintptr_t)(i), (i) + 1, \
	(uint32_t)(i) + 1

/* The same as one struct, for a tracer that wants few arguments. */
struct twin_sixteen {
	uint8_t a;
	uint16_t b;
	uint32_t c;
	uint64_t d;
	int8_t e;
	int16_t f;
	int32_t g;
	int64_t h;
	uint32_t i;
	uint64_t j;
	float k;
	double l;
	uint8_t m;
	void *n;
	uint64_t o;
	uint32_t p;
};

#endif
