/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: a string in a record is the string, whole, and nothing is read
 * beyond its page or written beyond the end given. Built with
 * libtrbuf/copy_string.c alone.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libtrbuf/record.h"

#define MAX_LEN 600u
#define OUT 1024u

typedef unsigned char *copy_fn(unsigned char *p, const unsigned char *end, const char *s);

static size_t page;
static char *edge; /* first byte of a page that may not be touched */

static void die(const char *what, size_t len, size_t align, size_t room)
{
	printf("Bail out! %s: length %zu, alignment %zu, room %zu\n", what, len, align, room);
	exit(1);
}

static void map_edge(void)
{
	char *m;

	page = (size_t)sysconf(_SC_PAGESIZE);
	m = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED || mprotect(m + 2 * page, page, PROT_NONE))
		die("no memory", 0, 0, 0);
	edge = m + 2 * page;
}

/* One copy of s[0..len] into `room` bytes at out. */
static void check_one(copy_fn *copy, const char *s, size_t len, size_t align, size_t room)
{
	static unsigned char out[OUT + 64];
	unsigned char *p = out + align % 16;
	unsigned char *end;

	memset(out, 0xaa, sizeof(out));
	end = copy(p, p + room, s);
	if (len + 1 <= room) {
		if (end != p + len + 1)
			die("wrong end", len, align, room);
		if (memcmp(p, s, len + 1) != 0)
			die("wrong bytes", len, align, room);
	} else if (end) {
		die("does not fit and says it does", len, align, room);
	}
	for (size_t i = 0; i < 16; i++)
		if (p[room + i] != 0xaa)
			die("wrote beyond the end", len, align, room);
}

static void check_room(copy_fn *copy, const char *s, size_t len, size_t align)
{
	check_one(copy, s, len, align, OUT - 32);
	check_one(copy, s, len, align, len + 1);
	check_one(copy, s, len, align, len);
	check_one(copy, s, len, align, len / 2);
}

static void check_lengths(copy_fn *copy)
{
	for (size_t len = 0; len <= MAX_LEN; len++) {
		char *s = edge - len - 1;

		for (size_t i = 0; i < len; i++)
			s[i] = (char)(1 + (i * 7 + len) % 255);
		s[len] = 0;
		check_room(copy, s, len, len); /* ends at the last byte before the edge */
		for (size_t align = 0; align < 64; align++) {
			char *t = edge - page - 32 + align - len / 2; /* around a page border */

			memset(t - 1, 0x55, len + 40);
			memcpy(t, s, len < 600 ? len : 600);
			t[len] = 0;
			check_room(copy, t, len, align);
			for (size_t i = 0; i < len; i++)
				s[i] = (char)(1 + (i * 7 + len) % 255);
			s[len] = 0;
		}
	}
}

struct shared {
	copy_fn *copy;
	volatile char text[128];
	volatile int stop;
};

static void *change(void *arg)
{
	struct shared *s = arg;

	for (unsigned n = 1; !s->stop; n++) {
		unsigned at = n * 2654435761u >> 25; /* 0 to 127 */

		if (at < 127)
			s->text[at] = n % 5 ? 'a' : 0;
	}
	return NULL;
}

/* While another thread changes the string: exactly one NUL, where the copy ends. */
static void check_changing(copy_fn *copy)
{
	struct shared s = { .copy = copy };
	unsigned char out[160];
	pthread_t thread;

	for (unsigned i = 0; i < sizeof(s.text) - 1; i++)
		s.text[i] = 'a';
	if (pthread_create(&thread, NULL, change, &s))
		die("no thread", 0, 0, 0);
	for (unsigned n = 0; n < 300000; n++) {
		unsigned char *end = copy(out, out + sizeof(out), (const char *)s.text);

		if (!end || memchr(out, 0, sizeof(out)) != end - 1)
			die("inconsistent copy of a changing string", n, 0, 0);
	}
	s.stop = 1;
	pthread_join(thread, NULL);
}

static void check_public(void)
{
	unsigned char out[16];

	for (trbuf_plain_copies = 0; trbuf_plain_copies < 2; trbuf_plain_copies++) {
		if (trbuf_put_str(out, out + 16, NULL) != out + 7 || memcmp(out, "(null)", 7) != 0)
			die("NULL is not (null)", 0, 0, 0);
		if (trbuf_put_str(out, out + 6, NULL) || trbuf_put_str(out, out, ""))
			die("no room and says it fits", 0, 0, 0);
	}
}

int main(void)
{
	map_edge();
	printf("1..5\n");
	check_lengths(copy_string_plain);
	printf("ok 1 - plain: all lengths, alignments, page borders\n");
	check_lengths(copy_string_wide);
	printf("ok 2 - wide: all lengths, alignments, page borders\n");
	check_changing(copy_string_plain);
	printf("ok 3 - plain: string changed meanwhile\n");
	check_changing(copy_string_wide);
	printf("ok 4 - wide: string changed meanwhile\n");
	check_public();
	printf("ok 5 - NULL, and no room\n");
	return 0;
}
