/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A buffer in front of a descriptor, for output of millions of lines: no stdio
 * per field. Callers reserve room, then put without checks.
 */
#ifndef TRACECTL_OUT_BUF_H
#define TRACECTL_OUT_BUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OUT_BUF_SIZE (256u << 10)

struct out_buf {
	int fd;
	int error; /* errno of the first failed write, 0 none */
	char *p, *end;
	char *mem;
	uint64_t written;
};

int out_buf_open(struct out_buf *b, int fd); /* 0 or -1 */
int out_buf_flush(struct out_buf *b);        /* 0 or -1 with b->error */
void out_buf_close(struct out_buf *b);       /* flushes; the descriptor stays open */
void out_buf_more(struct out_buf *b, size_t n);

/* Room for n bytes at b->p. */
static inline void out_reserve(struct out_buf *b, size_t n)
{
	if (__builtin_expect((size_t)(b->end - b->p) < n, 0))
		out_buf_more(b, n);
}

static inline void out_char(struct out_buf *b, char c)
{
	*b->p++ = c;
}

static inline void out_bytes(struct out_buf *b, const void *data, size_t n)
{
	memcpy(b->p, data, n);
	b->p += n;
}

/* The same for short pieces that are copied often: reads and writes up to 32
 * bytes whatever n is, so both sides need that room. */
static inline void out_short(struct out_buf *b, const char *data, size_t n)
{
	memcpy(b->p, data, 16);
	memcpy(b->p + 16, data + 16, 16);
	if (__builtin_expect(n > 32, 0))
		memcpy(b->p + 32, data + 32, n - 32);
	b->p += n;
}

/* With room for it. */
static inline void out_text(struct out_buf *b, const char *text)
{
	size_t n = strlen(text);

	out_reserve(b, n);
	out_bytes(b, text, n);
}

/* 20 digits at most; all want room for 32 bytes. */
void out_u64(struct out_buf *b, uint64_t v);
void out_s64(struct out_buf *b, int64_t v);
void out_hex(struct out_buf *b, uint64_t v, int upper); /* without 0x; 16 bytes at most */
void out_octal(struct out_buf *b, uint64_t v);          /* 22 */
void out_binary(struct out_buf *b, uint64_t v, unsigned bits);
void out_digits(struct out_buf *b, uint64_t v, unsigned digits); /* with leading zeros */
void out_nanoseconds(struct out_buf *b, uint32_t v);             /* 9 digits; v < 10^9 */
void out_double(struct out_buf *b, const char *fmt, double v);   /* 32 */

#endif
