/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Bytes and numbers into a buffer, the buffer into a descriptor. Knows nothing
 * of events. Called by all out_*.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracectl/out_buf.h"

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

int out_buf_open(struct out_buf *b, int fd)
{
	memset(b, 0, sizeof(*b));
	b->fd = fd;
	b->mem = b->p = malloc(OUT_BUF_SIZE);
	b->end = b->mem ? b->mem + OUT_BUF_SIZE : NULL;
	return b->mem ? 0 : -1;
}

int out_buf_flush(struct out_buf *b)
{
	char *from = b->mem;

	while (!b->error && from < b->p) {
		ssize_t n = write(b->fd, from, (size_t)(b->p - from));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			b->error = errno;
			break;
		}
		from += n;
		b->written += (uint64_t)n;
	}
	b->p = b->mem;
	return b->error ? -1 : 0;
}

void out_buf_close(struct out_buf *b)
{
	out_buf_flush(b);
	free(b->mem);
	b->mem = b->p = b->end = NULL;
}

void out_buf_more(struct out_buf *b, size_t n)
{
	size_t size = (size_t)(b->end - b->mem);

	out_buf_flush(b);
	if (size >= n)
		return;
	free(b->mem);
	b->mem = b->p = malloc(n);
	if (!b->mem) {
		fputs("tracectl: out of memory\n", stderr);
		exit(1);
	}
	b->end = b->mem + n;
}

/* Eight decimal digits of v < 10^8 as eight bytes, the first digit lowest: one
 * number is split into two, four, eight in parallel within a word. */
static inline uint64_t eight_digits(uint32_t v)
{
	uint64_t q, x = v / 10000 | (uint64_t)(v % 10000) << 32;

	q = (x * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
	x = q | (x - q * 100) << 16;
	q = (x * 103 >> 10) & UINT64_C(0x000f000f000f000f);
	return q | (x - q * 10) << 8;
}

#define ASCII_ZEROS UINT64_C(0x3030303030303030)

static inline void put_eight(struct out_buf *b, uint32_t v)
{
	uint64_t x = eight_digits(v) | ASCII_ZEROS;

	memcpy(b->p, &x, 8);
	b->p += 8;
}

/* Without leading zeros; writes eight bytes, of which some are not kept. */
static inline void put_first(struct out_buf *b, uint32_t v)
{
	uint64_t x = eight_digits(v);
	unsigned zeros = v ? (unsigned)__builtin_ctzll(x) / 8 : 7;

	x = (x | ASCII_ZEROS) >> (8 * zeros);
	memcpy(b->p, &x, 8);
	b->p += 8 - zeros;
}

void out_u64(struct out_buf *b, uint64_t v)
{
	const uint64_t unit = 100000000;

	if (v < 10) {
		out_char(b, (char)('0' + v));
	} else if (v < unit) {
		put_first(b, (uint32_t)v);
	} else if (v < unit * unit) {
		put_first(b, (uint32_t)(v / unit));
		put_eight(b, (uint32_t)(v % unit));
	} else {
		put_first(b, (uint32_t)(v / (unit * unit)));
		put_eight(b, (uint32_t)(v / unit % unit));
		put_eight(b, (uint32_t)(v % unit));
	}
}

void out_s64(struct out_buf *b, int64_t v)
{
	if (v < 0)
		out_char(b, '-');
	out_u64(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void out_hex(struct out_buf *b, uint64_t v, int upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned n = v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1;

	for (unsigned i = n; i-- > 0; v >>= 4)
		b->p[i] = digits[v & 15];
	b->p += n;
}

void out_octal(struct out_buf *b, uint64_t v)
{
	unsigned n = 1;

	while (n < 22 && v >> (3 * n))
		n++;
	for (unsigned i = n; i-- > 0; v >>= 3)
		b->p[i] = (char)('0' + (v & 7));
	b->p += n;
}

void out_binary(struct out_buf *b, uint64_t v, unsigned bits)
{
	while (bits-- > 0)
		out_char(b, (char)('0' + ((v >> bits) & 1)));
}

void out_digits(struct out_buf *b, uint64_t v, unsigned digits)
{
	char *t = b->p + digits;

	b->p = t;
	while (digits >= 2) {
		t -= 2;
		digits -= 2;
		memcpy(t, pairs + (v % 100) * 2, 2);
		v /= 100;
	}
	if (digits)
		*--t = (char)('0' + v % 10);
}

void out_nanoseconds(struct out_buf *b, uint32_t v)
{
	out_char(b, (char)('0' + v / 100000000));
	put_eight(b, v % 100000000);
}

void out_double(struct out_buf *b, const char *fmt, double v)
{
	char text[64];
	int n;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	n = snprintf(text, sizeof(text), fmt, v);
#pragma GCC diagnostic pop
	out_bytes(b, text, n > 0 ? (size_t)n : 0);
}
