/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: a record holds exactly the bytes of doc/ctf.md; what is larger than
 * a record is cut, longest first, whole elements, and says by how much. Built
 * with libtrbuf/record.c and copy_string.c; the producer is this file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/record.h"

TRBUF_EVENT(rec, fixed, TRBUF_INFO, (u8, a), (s64, b), (f32, c), (array, u16, 3, d), (bool, e));
TRBUF_EVENT(rec, strings, TRBUF_INFO, (str, a), (u32, mid), (str, b), (u8, last));
TRBUF_EVENT(rec, mixed, TRBUF_INFO, (seq, u64, a), (str, b), (blob, c));
TRBUF_EVENT(rec, wide, TRBUF_INFO, (array, u64, 100, a), (str, b));
TRBUF_EVENT(rec, huge, TRBUF_INFO, (array, u64, 2000, a), (u8, b));

static unsigned char on = 1;
static unsigned room = TRBUF_RECORD_MAX - 16;
static unsigned lost, commits, number;
static uint32_t id;
static size_t size;
static unsigned char payload[TRBUF_RECORD_MAX];

void trbuf_register(struct trbuf_event *event)
{
	static uint32_t next = 16;

	if (event->id)
		return;
	event->id = next;
	next += 2;
	event->gate = &on;
}

unsigned trbuf_record_max(void)
{
	return room;
}

void trbuf_commit_too_large(const struct trbuf_event *event)
{
	(void)event;
	lost++;
}

void trbuf_commit_id(const struct trbuf_event *event, uint32_t as, unsigned char *record, size_t n)
{
	(void)event;
	commits++;
	if (n > room) {
		lost++;
		return;
	}
	id = as;
	size = n;
	memcpy(payload, record + TRBUF_RECORD_HEADROOM, n);
	memset(record, 0, TRBUF_RECORD_HEADROOM);
	errno = 0;
}

void trbuf_commit(const struct trbuf_event *event, unsigned char *record, size_t n)
{
	trbuf_commit_id(event, event->id, record, n);
}

static void check(int good, const char *what)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++number, what);
	if (!good)
		exit(1);
}

static uint32_t cut_of(void)
{
	uint32_t cut;

	memcpy(&cut, payload + size - 4, 4);
	return cut;
}

static void check_fixed(void)
{
	static const uint16_t d[3] = { 0x1122, 0x3344, 0x5566 };
	static const unsigned char want[] = { 0x81, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff,
					      0xff, 0xff, 0,    0,    0xc0, 0x3f, 0x22,
					      0x11, 0x44, 0x33, 0x66, 0x55, 1 };

	trbuf_trace(rec, fixed, 0x81, -2, 1.5f, d, 1);
	check(size == sizeof(want) && memcmp(payload, want, size) == 0, "bytes of fixed fields");
	trbuf_trace(rec, fixed, 0x81, -2, 1.5f, NULL, 1);
	check(size == sizeof(want) && payload[13] == 0 && payload[18] == 0, "no array: zeros");
}

/* Strings a and b of all lengths about the borders of the two ways to build a record. */
static void check_strings(void)
{
	static char a[600], b[600];
	int good = 1;

	for (size_t n = 0; n < 600; n += 1 + (n > 20 && n < 480) * 13) {
		for (size_t m = 0; m < 600; m += 1 + (m > 20 && m < 480) * 17) {
			memset(a, 'a', n);
			a[n] = 0;
			memset(b, 'b', m);
			b[m] = 0;
			trbuf_trace(rec, strings, a, 0x01020304, b, 0x77);
			good &= size == n + m + 7 && id == trbuf_e_rec_dot_strings.id &&
				memcmp(payload, a, n + 1) == 0 && payload[n + 1] == 4 &&
				memcmp(payload + n + 5, b, m + 1) == 0 && payload[size - 1] == 0x77;
		}
	}
	check(good, "two strings of all lengths");
	trbuf_trace(rec, strings, NULL, 1, NULL, 2);
	check(size == 19 && memcmp(payload, "(null)\0\1\0\0\0(null)\0\2", 19) == 0, "NULL strings");
}

static void check_cut(void)
{
	static char big[20000];
	static uint64_t numbers[3000];
	uint16_t count;
	size_t n;

	memset(big, 'x', sizeof(big) - 1);
	trbuf_trace(rec, strings, big, 1, "short", 2);
	check(id == trbuf_e_rec_dot_strings.id + 1 && size == room, "a long string is cut");
	n = strlen((char *)payload);
	check(cut_of() == sizeof(big) - 1 - n && memcmp(payload + n + 5, "short", 6) == 0,
	      "it says how much; the short string is whole");
	trbuf_trace(rec, mixed, numbers, 3000, big, big, 10);
	memcpy(&count, payload, 2);
	n = strlen((char *)payload + 2 + count * 8u);
	check(size <= room && size > room - 8 && count * 8u <= n && count * 8u + 8 > n &&
	      cut_of() == (3000u - count) * 8 + sizeof(big) - 1 - n, "the longest are cut alike");
	memset(big, 0, sizeof(big));
	for (n = 0; n + 3 < sizeof(big); n += 3)
		memcpy(big + n, "\xe2\x82\xac", 3);
	trbuf_trace(rec, strings, big, 1, "", 2);
	check(strlen((char *)payload) % 3 == 0 && cut_of() == n - strlen((char *)payload),
	      "cut between characters");
}

static void check_small_records(void)
{
	static uint64_t a[2000];
	static char text[400];
	unsigned before = lost;

	room = 1008;
	memset(text, 't', sizeof(text) - 1);
	trbuf_trace(rec, wide, a, text);
	check(id == trbuf_e_rec_dot_wide.id + 1 && size == room && lost == before,
	      "large fixed part: the string is cut");
	trbuf_trace(rec, wide, a, "fits");
	check(id == trbuf_e_rec_dot_wide.id && size == 805, "large fixed part and a short string");
	room = 700;
	trbuf_trace(rec, wide, a, text);
	check(lost == before + 1, "fixed part too large: counted");
	trbuf_trace(rec, huge, a, 1);
	check(lost == before + 2, "no variable part, too large: counted");
	room = TRBUF_RECORD_MAX - 16;
	trbuf_trace(rec, huge, a, 1);
	check(size == 16001, "16 KB of fixed fields");
}

static void check_printf(void)
{
	static char big[5000];

	memset(big, 'p', sizeof(big) - 1);
	trbuf_printf(rec, TRBUF_INFO, "%d %s", 42, "x");
	check(size == 5 && memcmp(payload, "42 x", 5) == 0, "printf");
	trbuf_printf(rec, TRBUF_INFO, "%s", big);
	check(size == 1028 && cut_of() == 4999 - 1023 && strlen((char *)payload) == 1023,
	      "a long printf is cut");
	room = 1008;
	trbuf_printf(rec, TRBUF_INFO, "%s", big);
	check(size == 1008 && cut_of() == 4999 - 1003, "and once more for small pages");
	trbuf_printf(rec, TRBUF_INFO, "ab%ccd", 0);
	check(size == 3, "a NUL ends the text");
	errno = ENOENT;
	trbuf_printf(rec, TRBUF_INFO, "%m");
	check(strcmp((char *)payload, strerror(ENOENT)) == 0 && errno == ENOENT, "%m and errno");
}

static void check_limits(void)
{
	unsigned before = commits;

	trbuf_trace(rec, mixed, NULL, 5, "", NULL, (size_t)-1);
	check(size == 5 && commits == before + 1, "NULL sequences are empty");
	static uint64_t one[1];
	trbuf_trace(rec, mixed, one, 1, "", one, 8);
	check(size == 21, "a sequence of one");
}

int main(void)
{
	printf("1..20\n");
	check_fixed();
	check_strings();
	check_cut();
	check_small_records();
	check_printf();
	check_limits();
	return 0;
}
