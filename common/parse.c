/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What people write, to numbers. Owns the grammar of sizes, times, levels and
 * the like; changes nothing but its output. strtoull() is not used: it takes
 * blanks, signs and half of "12x". Called by settings, tracerd and tracectl.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/parse.h"

#define FRACTION_MAX 9 /* digits behind the point: 10^9 * 2^40 would overflow, see scale() */
#define DURATION_MAX_MS UINT64_C(2073600000)

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits at *p into *v, moving *p. 0, or -ERANGE. */
static int digits(const char **p, uint64_t *v)
{
	*v = 0;
	for (; is_digit(**p); (*p)++) {
		unsigned d = (unsigned)(**p - '0');

		if (*v > (UINT64_MAX - d) / 10)
			return -ERANGE;
		*v = *v * 10 + d;
	}
	return 0;
}

/* A decimal number with an optional fraction, the latter in billionths. */
struct decimal {
	uint64_t whole;
	uint32_t nano;
};

static int decimal_read(const char **p, struct decimal *d)
{
	uint32_t unit = 100000000;
	int n = 0;

	if (!is_digit(**p))
		return -EINVAL;
	if (digits(p, &d->whole) != 0)
		return -ERANGE;
	d->nano = 0;
	if (**p != '.')
		return 0;
	(*p)++;
	for (; is_digit(**p); (*p)++, n++) {
		if (n == FRACTION_MAX)
			return -EINVAL;
		d->nano += (uint32_t)(**p - '0') * unit;
		unit /= 10;
	}
	return n ? 0 : -EINVAL;
}

/* d * unit, rounded down. 0 or -ERANGE. */
static int scale(const struct decimal *d, uint64_t unit, uint64_t *out)
{
	unsigned __int128 v = (unsigned __int128)d->whole * unit;

	v += (unsigned __int128)d->nano * unit / 1000000000u;
	if (v > UINT64_MAX)
		return -ERANGE;
	*out = (uint64_t)v;
	return 0;
}

static int bad(struct fault *f, const char *s, const char *allowed)
{
	return fault_set(f, EINVAL, "\"%.60s\" is not allowed; use %s", s, allowed);
}

static int size_unit(const char *p, uint64_t *unit)
{
	static const char letters[] = "KMGTP";
	const char *at = *p ? strchr(letters, *p >= 'a' ? *p - 'a' + 'A' : *p) : NULL;

	*unit = 1;
	if (at) {
		*unit = UINT64_C(1024) << 10 * (at - letters);
		p++;
		if (p[0] == 'i' && p[1] == 'B')
			p++;
	}
	return *p == '\0' || strcmp(p, "B") == 0 ? 0 : -EINVAL;
}

int parse_size(const char *s, uint64_t *out, struct fault *f)
{
	static const char allowed[] = "a size such as 65536, 64K, 1.5M or 2G";
	const char *p = s;
	struct decimal d;
	uint64_t unit, v;
	int err = decimal_read(&p, &d);

	if (!err && size_unit(p, &unit) != 0)
		err = -EINVAL;
	if (!err)
		err = scale(&d, unit, &v);
	if (err == -ERANGE)
		return bad(f, s, "a size below 16 EiB");
	if (err || (unit == 1 && d.nano))
		return bad(f, s, allowed);
	*out = v;
	return 0;
}

static int hex_digits(const char *p, uint64_t *v)
{
	static const char hex[] = "0123456789abcdef";

	if (!*p || strlen(p) > 16)
		return -EINVAL;
	for (*v = 0; *p; p++) {
		const char *at = strchr(hex, *p >= 'A' && *p <= 'F' ? *p - 'A' + 'a' : *p);

		if (!at)
			return -EINVAL;
		*v = *v << 4 | (uint64_t)(at - hex);
	}
	return 0;
}

int parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out, struct fault *f)
{
	const char *p = s;
	uint64_t v = 0;
	int err;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		err = hex_digits(s + 2, &v);
	else
		err = !is_digit(*p) || digits(&p, &v) != 0 || *p ? -EINVAL : 0;
	if (err || v < min || v > max)
		return fault_set(f, EINVAL,
				 "\"%.60s\" is not allowed; use a whole number from %llu to %llu",
				 s, (unsigned long long)min, (unsigned long long)max);
	*out = v;
	return 0;
}

int parse_duration_ms(const char *s, uint32_t *out, struct fault *f)
{
	static const struct {
		const char *name;
		uint32_t ms;
	} units[] = {
		{ "", 1000 }, { "ms", 1 }, { "s", 1000 }, { "min", 60000 }, { "h", 3600000 },
	};
	const char *p = s;
	struct decimal d;
	uint64_t v = 0;
	int err = decimal_read(&p, &d);
	unsigned i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(p, units[i].name) == 0)
			break;
	if (err || i == sizeof(units) / sizeof(units[0]) || scale(&d, units[i].ms, &v) != 0 ||
	    v > DURATION_MAX_MS || (v == 0 && (d.whole || d.nano)))
		return bad(f, s, "a time such as 250ms, 1s, 1.5s or 2min, at most 24 days");
	*out = (uint32_t)v;
	return 0;
}

int parse_percent(const char *s, uint32_t *out, struct fault *f)
{
	const char *p = s;
	uint64_t v = 0;

	if (!is_digit(*p) || digits(&p, &v) != 0 || (*p && strcmp(p, "%") != 0) || v < 1 || v > 100)
		return bad(f, s, "a percentage from 1 to 100");
	*out = (uint32_t)v;
	return 0;
}

/* --------------------------------------------------------------- words */

struct word {
	const char *name;
	uint32_t value;
};

static int word_find(const struct word *w, size_t n, const char *s, uint32_t *out)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(w[i].name, s) == 0) {
			*out = w[i].value;
			return 0;
		}
	}
	return -EINVAL;
}

static const char *word_name(const struct word *w, size_t n, uint32_t value)
{
	for (size_t i = 0; i < n; i++)
		if (w[i].value == value)
			return w[i].name;
	return "?";
}

#define WORDS(w) (w), sizeof(w) / sizeof((w)[0])

static const struct word levels[] = {
	{ "emerg", 0 },  { "alert", 1 }, { "crit", 2 },  { "err", 3 },   { "warning", 4 },
	{ "notice", 5 }, { "info", 6 },  { "debug", 7 }, { "error", 3 }, { "warn", 4 },
};
static const struct word modes[] = {
	{ "discard", LAYOUT_DISCARD },
	{ "overwrite", LAYOUT_OVERWRITE },
};
static const struct word contexts[] = {
	{ "none", LAYOUT_CONTEXT_NONE },
	{ "tid", LAYOUT_CONTEXT_TID },
	{ "pid,tid", LAYOUT_CONTEXT_PID_TID },
};
static const struct word clocks[] = {
	{ "auto", LAYOUT_CLOCK_NONE },     { "tsc", LAYOUT_CLOCK_TSC },
	{ "arm", LAYOUT_CLOCK_ARM },       { "monotonic", LAYOUT_CLOCK_MONOTONIC },
	{ "coarse", LAYOUT_CLOCK_COARSE },
};
static const struct word bools[] = {
	{ "yes", 1 }, { "no", 0 },  { "true", 1 }, { "false", 0 },
	{ "on", 1 },  { "off", 0 }, { "1", 1 },    { "0", 0 },
};

int parse_level(const char *s, unsigned *out, struct fault *f)
{
	uint32_t v;

	if (is_digit(s[0]) && s[0] <= '7' && !s[1])
		v = (uint32_t)(s[0] - '0');
	else if (word_find(WORDS(levels), s, &v) != 0)
		return bad(f, s, "emerg, alert, crit, err, warning, notice, info, debug or 0 to 7");
	*out = v;
	return 0;
}

const char *parse_level_name(unsigned level)
{
	return word_name(WORDS(levels), level);
}

int parse_bool(const char *s, int *out, struct fault *f)
{
	uint32_t v;

	if (word_find(WORDS(bools), s, &v) != 0)
		return bad(f, s, "yes or no");
	*out = (int)v;
	return 0;
}

int parse_mode(const char *s, uint32_t *out, struct fault *f)
{
	if (word_find(WORDS(modes), s, out) != 0)
		return bad(f, s, "discard or overwrite");
	return 0;
}

const char *parse_mode_name(uint32_t mode)
{
	return word_name(WORDS(modes), mode);
}

int parse_context(const char *s, int *out, struct fault *f)
{
	uint32_t v;

	if (word_find(WORDS(contexts), s, &v) != 0)
		return bad(f, s, "none, tid or pid,tid");
	*out = (int)v;
	return 0;
}

const char *parse_context_name(uint32_t context)
{
	return word_name(WORDS(contexts), context);
}

int parse_clock(const char *s, uint32_t *out, struct fault *f)
{
	if (word_find(WORDS(clocks), s, out) != 0)
		return bad(f, s, "auto, tsc, arm, monotonic or coarse");
	return 0;
}

const char *parse_clock_name(uint32_t clock)
{
	return word_name(WORDS(clocks), clock);
}

int parse_trace_name(const char *s, struct fault *f)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if (s[i] == '/' || (unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			n = 0;
	if (n == 0 || n > 64 || s[0] == '.')
		return bad(f, s, "a name of 1 to 64 bytes without '/' and without '.' in front");
	return 0;
}

void parse_print_size(uint64_t bytes, char *buf, size_t size)
{
	static const char letters[] = "KMGT";
	int i = -1;

	while (i < 3 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		i++;
	}
	if (i < 0)
		snprintf(buf, size, "%llu", (unsigned long long)bytes);
	else
		snprintf(buf, size, "%llu%c", (unsigned long long)bytes, letters[i]);
}
