/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Copies a string into a record in a single pass: what is stored and what is
 * looked at for the NUL is the same loaded value, so a string that another
 * thread changes meanwhile can make a strange text, but never a record whose
 * strings do not end where the next field begins.
 *
 * Owns nothing. Called by the emit functions of trbuf.h through trbuf_put_str.
 */
#include "libtrbuf/record.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define NULL_TEXT "(null)"
#define WIDE 16u
/* The smallest page of any machine: a wide load must not cross into the next. */
#define PAGE_SMALLEST 4096u

int trbuf_plain_copies;

/* One byte, loaded once, whatever the optimiser thinks of it. */
static inline unsigned char load_byte(const char *s)
{
	return *(const volatile unsigned char *)s;
}

unsigned char *copy_string_plain(unsigned char *p, const unsigned char *end, const char *s)
{
	while (p < end) {
		unsigned char c = load_byte(s++);

		*p++ = c;
		if (c == 0)
			return p;
	}
	return NULL;
}

#if defined(__SSE2__)

/* The loads go beyond the end of the object, by design. */
__attribute__((no_sanitize("address", "thread", "undefined")))
unsigned char *copy_string_wide(unsigned char *p, const unsigned char *end, const char *s)
{
	const __m128i zero = _mm_setzero_si128();

	while ((size_t)(end - p) >= WIDE) {
		__m128i v;
		unsigned nul;

		if (((uintptr_t)s & (PAGE_SMALLEST - 1)) > PAGE_SMALLEST - WIDE) {
			unsigned char c = load_byte(s++);

			*p++ = c;
			if (c == 0)
				return p;
			continue;
		}
		v = _mm_loadu_si128((const __m128i *)(const void *)s);
		/* [S1] the value tested is the value stored: keep it in its register */
		__asm__ volatile("" : "+x"(v));
		_mm_storeu_si128((__m128i *)(void *)p, v);
		nul = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, zero));
		if (nul)
			return p + __builtin_ctz(nul) + 1;
		s += WIDE;
		p += WIDE;
	}
	return copy_string_plain(p, end, s);
}

#else

unsigned char *copy_string_wide(unsigned char *p, const unsigned char *end, const char *s)
{
	return copy_string_plain(p, end, s);
}

#endif

unsigned char *trbuf_put_str(unsigned char *p, unsigned char *end, const char *s)
{
	if (!s)
		s = NULL_TEXT;
	if (__builtin_expect(trbuf_plain_copies, 0))
		return copy_string_plain(p, end, s);
	return copy_string_wide(p, end, s);
}
