/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: both halves of a ring agree, to the last event, whatever its
 * counters were before: page numbers, free-queue positions and cumulative
 * counts near each of their wraps, in both modes, with restartable sequences
 * and with locked rings; and a ring holds exactly what fits in it.
 */
#include <check.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtrbuf/producer.h"
#include "libtrbuf/region_create.h"
#include "libtrbuf/ring_read.h"
#include "libtrbuf/ring_setup.h"
#include "libtrbuf/sync.h"
#include "libtrbuf/trbuf.h"
#include "tests/unit/suites.h"

#define PAGE 4096u

static char dir[64], path[80];
static struct region region;
static struct fault fault;
static struct ring_reader reader;
static struct ring_seed start;
static uint32_t ring_index, pages;
static uint32_t emitted; /* events are numbered from 0 */
static uint64_t received, overwritten;
static int64_t newest; /* number of the newest event received */

/* This process produces into the region of the test, on one ring. */
static void t_produce(int locked)
{
	cpu_set_t one;
	uint32_t cpu = (uint32_t)sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	if (!producer.pid_word)
		producer.pid_word = malloc(4);
	*producer.pid_word = 0; /* as in a forked child: the thread looks again how it writes */
	producer.region = region;
	producer.g.base = region.base;
	producer.g.rings = region_ring(&region, 0);
	producer.g.nr_cpus = region.geo.nr_cpus;
	producer.nr_locked = region.geo.nr_locked;
	producer.clock = region.geo.clock;
	producer.context = region.geo.context;
	producer.record_max = PAGE / 4;
	producer.process = 0;
	producer.use_rseq = !locked && rseq_self() != NULL;
	producer.attached = 1;
	ring_index = producer.use_rseq ? cpu : region.geo.nr_cpus;
}

static void t_open(const struct ring_seed *seed, int overwrite, int locked)
{
	struct region_settings s = REGION_SETTINGS_DEFAULT;

	s.map_size = UINT64_C(256) << 20;
	s.page_size = PAGE;
	s.ring_size = PAGE * 4; /* becomes what a granule of the pool holds */
	s.nr_locked = 1;
	s.mode = overwrite ? LAYOUT_OVERWRITE : LAYOUT_DISCARD;
	start = *seed;
	ring_setup_seed(seed);
	strcpy(dir, "/tmp/trbuf-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/region", dir);
	ck_assert_msg(region_open(&region, path, REGION_CREATE, &s, &fault) == 0, "%s", fault.text);
	ck_assert_msg(ring_setup_all(&region, &fault) == 0, "%s", fault.text);
	t_produce(locked);
	ck_assert_int_eq(ring_reader_init(&reader, &region, ring_index), 0);
	pages = region_ring(&region, ring_index)->npages;
	emitted = 0;
	received = overwritten = 0;
	newest = -1;
}

static void teardown(void)
{
	producer.attached = 0;
	region_close(&region);
	unlink(path);
	rmdir(dir);
}

/* A record of 16 + payload bytes that begins with its number. */
static void t_emit(uint32_t payload)
{
	static const struct trbuf_event event = { .id = 100, .abi = TRBUF_ABI };
	unsigned char record[TRBUF_RECORD_HEADROOM * 2 + 1024] = { 0 };

	memcpy(record + TRBUF_RECORD_HEADROOM, &emitted, 4);
	memcpy(record + TRBUF_RECORD_HEADROOM + 4, &payload, 4);
	trbuf_commit(&event, record, payload);
	emitted++;
}

static void t_page(const struct ring_page *p)
{
	struct ring_disk disk;
	uint32_t off = LAYOUT_PAGE_HEADER, n = 0, had = 0;

	ring_disk_get(&reader, &disk);
	ck_assert_int_ge((int64_t)(p->missed_before - disk.missed), 0);
	if ((int64_t)(p->events_before - disk.events) >= 0)
		overwritten += p->events_before - disk.events;
	else /* a part of it was handed over before */
		had = (uint32_t)(disk.events - p->events_before);
	ck_assert(had == 0 || p->number == disk.page);
	ck_assert_uint_le(p->begin, p->end);
	for (; off < p->end_offset; n++) {
		uint32_t number, payload;
		uint64_t word;

		memcpy(&word, p->mem + off, 8);
		memcpy(&number, p->mem + off + 16, 4);
		memcpy(&payload, p->mem + off + 20, 4);
		ck_assert_uint_eq(word & 0xffff, 100);
		ck_assert(n < had || (int64_t)number > newest);
		newest = n < had ? newest : (int64_t)number;
		off += 16 + payload;
	}
	ck_assert_uint_eq(off, p->end_offset);
	ck_assert_uint_eq(n, p->events);
	received += n - had;
	disk.page = p->number;
	disk.offset = p->end_offset;
	disk.events = p->events_before + n;
	disk.missed = p->missed_before;
	ring_disk_set(&reader, &disk);
}

static unsigned t_drain(unsigned most)
{
	struct ring_page p;
	unsigned n = 0;
	int err = 0;

	while (n < most && (err = ring_reader_take(&reader, &p)) == 1) {
		t_page(&p);
		ring_reader_post(&reader, p.slot);
		n++;
	}
	ck_assert_msg(err >= 0, "%s", reader.fault.text);
	return n;
}

/* Everything that is there; then the equation. Returns the misses. */
static uint64_t t_end(void)
{
	static unsigned char copy[PAGE];
	struct ring_totals t;
	struct ring_disk disk;
	struct ring_page p;
	uint64_t missed;
	int err;

	t_drain(1000);
	ring_disk_get(&reader, &disk);
	err = ring_reader_partial(&reader, &disk, copy, &p);
	ck_assert_msg(err >= 0, "%s", reader.fault.text);
	if (err == 1)
		t_page(&p);
	ck_assert_int_eq(ring_reader_totals(&reader, &t), 0);
	missed = t.missed - start.missed;
	ck_assert_uint_eq(t.events - start.events + missed, emitted);
	ck_assert_uint_eq(received + overwritten + missed, emitted);
	for (unsigned i = 0; i < LAYOUT_LOST_KINDS; i++)
		ck_assert_uint_eq(region.hdr->lost[i], 0);
	return missed;
}

/* Just before each of these, for each counter. */
static const uint64_t wraps[] = { 0, UINT64_C(1) << 16, UINT64_C(1) << 24, UINT64_C(1) << 31,
				  UINT64_C(1) << 32, UINT64_C(1) << 40, UINT64_C(1) << 63, 0 };
#define WRAPS (sizeof(wraps) / sizeof(wraps[0]))

static struct ring_seed t_before(int i, unsigned back)
{
	uint64_t at = i == 0 ? 0 : wraps[i] - back;
	struct ring_seed seed = { .page = at, .events = at, .missed = at, .fa = (uint32_t)at };

	return seed;
}

static void t_through(int i, unsigned back, int flags)
{
	struct ring_seed seed = t_before(i, back);

	t_open(&seed, flags & 1, flags & 2);
	srand((unsigned)i);
	for (unsigned round = 0; round < 60; round++) {
		for (unsigned n = (unsigned)rand() % 400; n > 0; n--)
			t_emit(8 + (uint32_t)rand() % 200);
		t_drain((unsigned)rand() % 5);
	}
	t_end();
	ck_assert_uint_gt(received, 100);
	teardown();
}

START_TEST(wraps_within)
{
	for (int flags = 0; flags < 4; flags++)
		t_through(_i, 10, flags);
}
END_TEST

START_TEST(wraps_at)
{
	for (int flags = 0; flags < 4; flags++)
		for (unsigned back = 0; back <= 5; back++)
			t_through(_i, back, flags);
}
END_TEST

/* 124 records of 32 bytes are a page to its last byte. */
#define FITS ((PAGE - LAYOUT_PAGE_HEADER) / 32)

START_TEST(exactly_full)
{
	struct ring_seed seed = t_before(_i / 4, 2);
	int overwrite = _i & 1;

	ck_assert_uint_eq((PAGE - LAYOUT_PAGE_HEADER) % 32, 0);
	t_open(&seed, overwrite, _i & 2);
	for (unsigned i = 0; i < FITS * pages; i++)
		t_emit(16);
	ck_assert_uint_eq(sync_load(&region_ring(&region, ring_index)->missed), start.missed);
	ck_assert_uint_eq(ring_reader_waiting(&reader), pages - 1);
	t_emit(16); /* one more */
	ck_assert_uint_eq(t_end(), overwrite ? 0 : 1);
	ck_assert_uint_eq(overwritten, overwrite ? FITS : 0);
	ck_assert_uint_eq(received, overwrite ? FITS * (pages - 1) + 1 : FITS * pages);
	/* The misses do not stick: there is room again. */
	t_emit(16);
	ck_assert_uint_eq(t_end(), overwrite ? 0 : 1);
	ck_assert_int_eq(newest, emitted - 1);
	teardown();
}
END_TEST

START_TEST(page_of_one_size)
{
	struct ring_seed none = { 0, 0, 0, 0 };

	/* Every size of record up to the largest, through several pages each. */
	for (int locked = 0; locked < 2; locked++) {
		t_open(&none, 0, locked);
		for (uint32_t payload = 8; payload <= PAGE / 4 - 16; payload += payload < 64 ? 1 : 37)
			for (unsigned i = 0; i < 10; i++) {
				t_emit(payload);
				t_drain(1);
			}
		ck_assert_uint_eq(t_end(), 0);
		teardown();
	}
}
END_TEST

START_TEST(denied_cpu)
{
	struct ring_seed none = { 0, 0, 0, 0 };
	struct ring_totals t;

	t_open(&none, 0, 0);
	if (!producer.use_rseq) { /* locked rings belong to no CPU */
		teardown();
		return;
	}
	t_emit(16);
	ring_setup_allow(&region, ring_index, 0);
	for (unsigned i = 0; i < 10; i++)
		t_emit(16);
	ring_setup_allow(&region, ring_index, 1);
	t_emit(16);
	ck_assert_int_eq(ring_reader_totals(&reader, &t), 0);
	ck_assert_uint_eq(t.filtered, 10);
	ck_assert_uint_eq(t.missed, 0);
	ck_assert_uint_eq(t.events, 2);
	teardown();
}
END_TEST

Suite *suite_ring(void)
{
	Suite *s = suite_create("ring");
	TCase *t = tcase_create("ring");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, wraps_within, 0, WRAPS);
	tcase_add_loop_test(t, wraps_at, 0, WRAPS);
	tcase_add_loop_test(t, exactly_full, 0, WRAPS * 4);
	tcase_add_test(t, page_of_one_size);
	tcase_add_test(t, denied_cpu);
	suite_add_tcase(s, t);
	return s;
}
