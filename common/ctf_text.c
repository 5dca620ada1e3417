/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Text inside metadata: string literals, UUIDs, names of clocks and contexts.
 * Any bytes may come in; what goes out is always accepted by a TSDL lexer.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "common/ctf_meta.h"

static int continuation(const unsigned char *s, unsigned n)
{
	for (unsigned i = 1; i <= n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return 1;
}

/* Bytes of the UTF-8 character at s, 0 if it is none. s ends in a NUL. */
static unsigned utf8_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return continuation(s, 1) ? 2 : 0;
	if (s[0] >= 0xe0 && s[0] <= 0xef) {
		int overlong = s[0] == 0xe0 && s[1] < 0xa0;
		int surrogate = s[0] == 0xed && s[1] > 0x9f;

		return continuation(s, 2) && !overlong && !surrogate ? 3 : 0;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		int outside = (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);

		return continuation(s, 3) && !outside ? 4 : 0;
	}
	return 0;
}

void ctf_meta_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', out);
	while (*s) {
		unsigned n = utf8_length(s);

		if (*s == '"' || *s == '\\') {
			fputc('\\', out);
			fputc(*s, out);
		} else if (n == 0 || *s < 0x20 || *s == 0x7f) {
			fprintf(out, "\\\\x%02x", *s);
			n = 1;
		} else {
			fwrite(s, 1, n, out);
		}
		s += n;
	}
	fputc('"', out);
}

int ctf_uuid_new(unsigned char uuid[16])
{
	if (getrandom(uuid, 16, 0) != 16)
		return -EIO;
	uuid[6] = (unsigned char)((uuid[6] & 0x0f) | 0x40); /* version 4, RFC 4122 */
	uuid[8] = (unsigned char)((uuid[8] & 0x3f) | 0x80);
	return 0;
}

void ctf_uuid_text(const unsigned char uuid[16], char text[37])
{
	static const char hex[] = "0123456789abcdef";
	char *p = text;

	for (unsigned i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		*p++ = hex[uuid[i] >> 4];
		*p++ = hex[uuid[i] & 15];
	}
	*p = '\0';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int ctf_uuid_parse(const char *text, unsigned char uuid[16])
{
	for (unsigned i = 0; i < 16; i++) {
		int hi, lo;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && *text++ != '-')
			return -EINVAL;
		hi = hex_digit(text[0]);
		lo = hi < 0 ? -1 : hex_digit(text[1]);
		if (lo < 0)
			return -EINVAL;
		uuid[i] = (unsigned char)(hi << 4 | lo);
		text += 2;
	}
	return 0;
}

const char *ctf_clock_name(uint32_t clock)
{
	static const char *const names[] = { "none", "tsc", "arm", "monotonic", "coarse" };

	return clock < sizeof(names) / sizeof(names[0]) ? names[clock] : "unknown";
}

const char *ctf_context_name(uint32_t context)
{
	switch (context) {
	case LAYOUT_CONTEXT_NONE:
		return "none";
	case LAYOUT_CONTEXT_TID:
		return "tid";
	default:
		return "pid,tid";
	}
}
