/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Times to text and back. Owns no event; the only user of the C library's time
 * zones. Called by out_text.c and by the verbs for --begin and --end.
 */
#include <stdlib.h>
#include <time.h>

#include "tracectl/out_time.h"

#define SECOND INT64_C(1000000000)

void out_clock_init(struct out_clock *c, const struct out_options *o)
{
	memset(c, 0, sizeof(*c));
	c->form = o->time;
	c->utc = o->utc || o->time == OUT_TIME_UTC;
}

/* Text of a whole second, anew when it changes. */
static void new_second(struct out_clock *c, int64_t second)
{
	time_t t = (time_t)second;
	struct tm tm;
	int n = 0;

	c->second = second;
	c->have = 1;
	if (c->form == OUT_TIME_SECONDS || second < 0 ||
	    !(c->utc ? gmtime_r(&t, &tm) : localtime_r(&t, &tm))) {
		n = snprintf(c->text, sizeof(c->text), "%lld.", (long long)second);
	} else {
		if (c->form == OUT_TIME_DATE)
			n = (int)strftime(c->text, sizeof(c->text), "%Y-%m-%d ", &tm);
		n += snprintf(c->text + n, sizeof(c->text) - (size_t)n, "%02d:%02d:%02d.",
			      tm.tm_hour, tm.tm_min, tm.tm_sec);
	}
	c->size = (size_t)n;
}

void out_clock_put(struct out_clock *c, struct out_buf *b, const struct trace_event *ev)
{
	int64_t second, ns = ev->ns;

	if (c->form == OUT_TIME_CYCLES) {
		out_digits(b, ev->clock, 20);
		return;
	}
	if (ns < 0) { /* before 1970: seconds with a sign */
		out_char(b, '-');
		out_u64(b, (uint64_t)(-(ns + 1)) / SECOND);
		out_char(b, '.');
		out_digits(b, ((uint64_t)(-(ns + 1)) % SECOND) + 1, 9);
		return;
	}
	if (c->have && (uint64_t)(ns - c->second * SECOND) < SECOND) {
		second = c->second;
	} else {
		second = ns / SECOND;
		new_second(c, second);
	}
	out_short(b, c->text, c->size);
	out_nanoseconds(b, (uint32_t)(ns - second * SECOND));
}

void out_clock_delta(struct out_clock *c, struct out_buf *b, const struct trace_event *ev)
{
	uint64_t now = c->form == OUT_TIME_CYCLES ? ev->clock : (uint64_t)ev->ns;
	uint64_t delta = now - c->last;
	int first = !c->have_last;

	c->last = now;
	c->have_last = 1;
	out_char(b, '+');
	if (c->form == OUT_TIME_CYCLES) {
		if (first)
			out_bytes(b, "????????????", 12);
		else if (delta < UINT64_C(1000000000000))
			out_digits(b, delta, 12);
		else
			out_u64(b, delta);
	} else if (first) {
		out_bytes(b, "?.?????????", 11);
	} else if (delta < SECOND) {
		out_bytes(b, "0.", 2);
		out_nanoseconds(b, (uint32_t)delta);
	} else {
		out_u64(b, delta / SECOND);
		out_char(b, '.');
		out_digits(b, delta % SECOND, 9);
	}
}

void out_iso_time(int64_t ns, char *text, size_t size)
{
	time_t t = (time_t)(ns / SECOND - (ns % SECOND < 0));
	struct tm tm;
	size_t n;

	if (!gmtime_r(&t, &tm)) {
		snprintf(text, size, "%lld", (long long)ns);
		return;
	}
	n = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, size - n, ".%09lldZ", (long long)(ns - (int64_t)t * SECOND));
}

int out_time_is_relative(const char *text)
{
	return text[0] == '+' || (text[0] && !strchr(text, '-') && strchr(text, ':'));
}

/* .123 as nanoseconds, at most 9 digits. NULL if there is no digit. */
static const char *parse_fraction(const char *p, int64_t *ns)
{
	int64_t unit = SECOND / 10;
	const char *from = ++p;

	for (; *p >= '0' && *p <= '9'; p++) {
		*ns += (*p - '0') * unit;
		unit /= 10;
	}
	return p > from ? p : NULL;
}

static const char *parse_whole(const char *p, int64_t *v)
{
	const char *from = p;

	for (*v = 0; *p >= '0' && *p <= '9'; p++) {
		if (*v > 100000000000)
			return NULL;
		*v = *v * 10 + (*p - '0');
	}
	return p > from ? p : NULL;
}

static int64_t unit_of(const char *unit)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "", SECOND },        { "s", SECOND },           { "ms", 1000000 },
		{ "us", 1000 },        { "ns", 1 },               { "m", 60 * SECOND },
		{ "min", 60 * SECOND }, { "h", 3600 * SECOND },
	};

	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, unit) == 0)
			return units[i].ns;
	}
	return 0;
}

/* 1.5ms, 20s: nanoseconds. */
static int parse_span(const char *text, int64_t *ns)
{
	int64_t whole, fraction = 0, unit;
	const char *p = parse_whole(text, &whole);

	if (p && *p == '.')
		p = parse_fraction(p, &fraction);
	unit = p ? unit_of(p) : 0;
	if (!unit || whole > INT64_MAX / unit / 2)
		return -1;
	*ns = whole * unit + (int64_t)((__int128)fraction * unit / SECOND);
	return 0;
}

/* Date and time of day, or time of day on the first event's day. */
static int parse_calendar(const char *text, int64_t first, int utc, int64_t *ns)
{
	time_t t = (time_t)(first / SECOND);
	struct tm tm, day;
	const char *p, *colon = strchr(text, ':');
	int64_t fraction = 0;

	memset(&tm, 0, sizeof(tm));
	if (strchr(text, '-')) {
		p = strptime(text, "%Y-%m-%d", &tm);
		if (p && (*p == 'T' || *p == ' '))
			p = strptime(p + 1, "%H:%M:%S", &tm);
	} else {
		if (!colon || !(utc ? gmtime_r(&t, &day) : localtime_r(&t, &day)))
			return -1;
		p = strptime(text, "%H:%M:%S", &tm);
		tm.tm_year = day.tm_year;
		tm.tm_mon = day.tm_mon;
		tm.tm_mday = day.tm_mday;
	}
	if (p && *p == '.')
		p = parse_fraction(p, &fraction);
	if (p && *p == 'Z') {
		utc = 1;
		p++;
	}
	if (!p || *p)
		return -1;
	tm.tm_isdst = -1;
	t = utc ? timegm(&tm) : mktime(&tm);
	*ns = (int64_t)t * SECOND + fraction;
	return 0;
}

int out_parse_time(const char *text, int64_t first, int utc, int64_t *ns)
{
	int64_t span;

	if (text[0] == '+') {
		if (parse_span(text + 1, &span))
			return -1;
		*ns = first + span;
		return 0;
	}
	if (strchr(text, ':') || strchr(text, '-'))
		return parse_calendar(text, first, utc, ns);
	return parse_span(text, ns);
}
