/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: a stream file ends on a packet boundary whatever happens, and the
 * next daemon finds that end and all numbers again.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/ctf_stream.h"
#include "tests/unit/suites.h"

#define PACKETS 4u

static char dir[64];
static int dirfd;
static const struct ctf_stream_id id = { .uuid = "0123456789abcde", .instance = 3, .cpu = 3 };
static unsigned char mem[CTF_STREAM_BATCH][2 * CTF_PACKET_ALIGN];

static void setup(void)
{
	/* In memory if that can be: one of the tests makes thousands of files. */
	strcpy(dir, access("/dev/shm", W_OK) == 0 ? "/dev/shm/trbuf-stream-"
						    "XX"
						    "XX"
						    "XX"
						  : "/tmp/trbuf-stream-"
						    "XX"
						    "XX"
						    "XX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dirfd, 0);
}

static void teardown(void)
{
	char cmd[128];

	close(dirfd);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	ck_assert_int_eq(system(cmd), 0);
}

/* n packets of 1 and 2 units, pages from `page` on, 10 events and 2 misses each. */
static void fill(struct ctf_block *b, unsigned n, uint64_t page)
{
	memset(b, 0, n * sizeof(*b));
	for (unsigned i = 0; i < n; i++) {
		b[i].mem = mem[i];
		b[i].misses = 2;
		b[i].packet = (struct ctf_packet){
			.page = page + i,
			.event_count = 10,
			.events_before = 10 * (page + i),
			.page_offset = 128,
			.begin = 100 * (page + i),
			.end = 100 * (page + i) + 50,
			.content = 200,
			.size = CTF_PACKET_ALIGN * (1 + i % 2),
		};
	}
}

static uint64_t file_size(void)
{
	struct stat st;

	ck_assert_int_eq(fstatat(dirfd, "stream_00003", &st, 0), 0);
	return (uint64_t)st.st_size;
}

static uint64_t make(void)
{
	struct ctf_block b[PACKETS];
	struct ctf_stream s;

	fill(b, PACKETS, 0);
	ck_assert_int_eq(ctf_stream_create(&s, dirfd, &id), 0);
	ck_assert_int_eq(ctf_stream_append(&s, b, PACKETS), PACKETS);
	ck_assert_int_eq(ctf_stream_close(&s), 0);
	ck_assert_uint_eq(file_size(), 6 * CTF_PACKET_ALIGN);
	return file_size();
}

START_TEST(stream_resume_whole)
{
	struct ctf_packet last, page;
	struct ctf_stream s;

	make();
	ck_assert_int_eq(ctf_stream_resume(&s, dirfd, &id, &last, &page), PACKETS);
	ck_assert_uint_eq(s.seq, PACKETS);
	ck_assert_uint_eq(s.discarded, 2 * PACKETS);
	ck_assert_uint_eq(s.events, 10 * PACKETS);
	ck_assert_uint_eq(s.end, 350);
	ck_assert_uint_eq(last.page, 3);
	ck_assert_uint_eq(page.page, 3);
	ck_assert_int_eq(ctf_stream_close(&s), 0);
}
END_TEST

/* The file as it was, but for what follows its first `size` bytes. */
static int restore(const unsigned char *image, uint64_t size)
{
	int fd = openat(dirfd, "stream_00003", O_WRONLY | O_TRUNC), ok;

	ok = fd >= 0 && write(fd, image, size) == (ssize_t)size;
	close(fd);
	return ok;
}

/* Cut at every byte of the last packet: it goes, the others stay, and the next
 * one takes its place. */
START_TEST(stream_repair_every_byte)
{
	uint64_t size = make(), whole = size - 2 * CTF_PACKET_ALIGN, cut;
	unsigned char *image = malloc(size);
	struct ctf_packet last, page;
	struct ctf_stream s;
	struct ctf_block b[1];
	int fd = openat(dirfd, "stream_00003", O_RDONLY);

	ck_assert_ptr_nonnull(image);
	ck_assert_int_eq(read(fd, image, size), (ssize_t)size);
	close(fd);
	for (cut = whole; cut < size; cut++) {
		int ok = restore(image, cut) &&
			 ctf_stream_resume(&s, dirfd, &id, &last, &page) == PACKETS - 1 &&
			 s.size == whole && last.page == 2;

		fill(b, 1, 3);
		ok = ok && ctf_stream_append(&s, b, 1) == 1 && b[0].packet.seq == 3 &&
		     b[0].packet.discarded == 8 && ctf_stream_close(&s) == 0;
		if (!ok)
			break;
	}
	ck_assert_msg(cut == size, "cut at %llu", (unsigned long long)cut);
	free(image);
}
END_TEST

START_TEST(stream_resume_refuses_others)
{
	struct ctf_stream_id other = id;
	struct ctf_packet last, page;
	struct ctf_stream s;

	ck_assert_int_eq(ctf_stream_resume(&s, dirfd, &id, &last, &page), -ENOENT);
	ck_assert_int_eq(symlinkat("/etc/passwd", dirfd, "stream_00003"), 0);
	ck_assert_int_lt(ctf_stream_resume(&s, dirfd, &id, &last, &page), 0);
	ck_assert_int_eq(unlinkat(dirfd, "stream_00003", 0), 0);
	make();
	other.uuid[0] ^= 1; /* packets of another trace are none of ours */
	ck_assert_int_eq(ctf_stream_resume(&s, dirfd, &other, &last, &page), 0);
	ck_assert_int_eq(ctf_stream_close(&s), 0);
}
END_TEST

/* Times never go back in a stream, whatever the caller says. */
START_TEST(stream_times_in_order)
{
	struct ctf_block b[3];
	struct ctf_stream s;

	fill(b, 3, 5);
	b[1].packet.begin = 1;
	b[1].packet.end = 2;
	b[2].packet.end = b[2].packet.begin - 1;
	ck_assert_int_eq(ctf_stream_create(&s, dirfd, &id), 0);
	ck_assert_int_eq(ctf_stream_append(&s, b, 3), 3);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_le(b[i].packet.begin, b[i].packet.end);
		if (i)
			ck_assert_uint_le(b[i - 1].packet.end, b[i].packet.begin);
	}
	ck_assert_int_eq(ctf_stream_close(&s), 0);
}
END_TEST

static void limit(uint64_t bytes)
{
	struct rlimit r;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &r), 0);
	r.rlim_cur = bytes;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &r), 0);
}

/* No room in the middle of a packet: the whole ones count, the torn one is cut
 * off, and later it goes on without a gap. */
START_TEST(stream_no_room)
{
	struct ctf_block b[PACKETS];
	struct ctf_packet last, page;
	struct ctf_stream s;
	uint64_t room = (uint64_t)_i * 1000 + 1;
	unsigned whole = 0;
	int n;

	while (whole < PACKETS && 4096 * (whole + 1 + (whole + 1) / 2) <= room)
		whole++;
	signal(SIGXFSZ, SIG_IGN);
	fill(b, PACKETS, 0);
	ck_assert_int_eq(ctf_stream_create(&s, dirfd, &id), 0);
	limit(room);
	n = ctf_stream_append(&s, b, PACKETS);
	ck_assert_int_eq(n, whole ? (int)whole : -EFBIG);
	ck_assert_uint_eq(s.seq, whole);
	ck_assert_uint_eq(s.size, file_size());
	ck_assert_uint_eq(s.discarded, 2 * whole);
	limit(RLIM_INFINITY);
	if (whole < PACKETS)
		ck_assert_int_eq(ctf_stream_append(&s, b + whole, PACKETS - whole),
				 (int)(PACKETS - whole));
	ck_assert_int_eq(ctf_stream_close(&s), 0);
	ck_assert_int_eq(ctf_stream_resume(&s, dirfd, &id, &last, &page), PACKETS);
	ck_assert_uint_eq(s.discarded, 2 * PACKETS);
	ck_assert_int_eq(ctf_stream_close(&s), 0);
}
END_TEST

Suite *suite_ctf_stream(void)
{
	Suite *s = suite_create("ctf_stream");
	TCase *c = tcase_create("ctf_stream");

	tcase_set_timeout(c, 120);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, stream_resume_whole);
	tcase_add_test(c, stream_repair_every_byte);
	tcase_add_test(c, stream_resume_refuses_others);
	tcase_add_test(c, stream_times_in_order);
	tcase_add_loop_test(c, stream_no_room, 0, 26);
	suite_add_tcase(s, c);
	return s;
}
