/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: no word of a region file is believed. Each field of the header is
 * spoilt in turn; what passes the check is safe to compute with. Regions of
 * machines with many CPUs can be made, and lists of CPUs are read strictly.
 */
#include <check.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libtrbuf/layout_check.h"
#include "libtrbuf/region_create.h"
#include "libtrbuf/ring_read.h"
#include "libtrbuf/ring_setup.h"
#include "tests/unit/suites.h"

static char dir[64], path[80];
static struct region region;
static struct layout_region good;
static uint64_t file_size;
static struct fault fault;

static void t_open(const struct region_settings *s)
{
	struct stat st;

	strcpy(dir, "/tmp/trbuf-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/region", dir);
	ck_assert_msg(region_open(&region, path, REGION_CREATE, s, &fault) == 0, "%s", fault.text);
	ck_assert_int_eq(fstat(region.fd, &st), 0);
	file_size = (uint64_t)st.st_size;
	ck_assert_int_eq(pread(region.fd, &good, sizeof(good), 0), sizeof(good));
}

static void setup(void)
{
	struct region_settings s = REGION_SETTINGS_DEFAULT;

	s.map_size = UINT64_C(256) << 20;
	s.nr_cpus = 4;
	s.nr_locked = 2;
	t_open(&s);
}

static void teardown(void)
{
	region_close(&region);
	unlink(path);
	rmdir(dir);
}

static int t_check(const struct layout_region *h)
{
	struct geometry g;

	fault.text[0] = '\0';
	return layout_check(h, file_size, &g, &fault);
}

START_TEST(good_passes)
{
	ck_assert_int_eq(t_check(&good), 0);
}
END_TEST

START_TEST(identity)
{
	static struct layout_region h;

	for (unsigned bit = 0; bit < 64; bit++) {
		h = good;
		h.magic ^= UINT64_C(1) << bit;
		ck_assert_int_eq(t_check(&h), -EPROTO);
	}
	h = good;
	h.version++;
	ck_assert_int_eq(t_check(&h), -EPROTO);
	h = good;
	h.boot_id[7] ^= 1;
	ck_assert_int_eq(t_check(&h), -EPROTO);
	ck_assert_ptr_nonnull(strstr(fault.text, "boot"));
}
END_TEST

/* A value in a field of 4 or 8 bytes, and what it is for. */
#define F32(f) offsetof(struct layout_region, f), 4
#define F64(f) offsetof(struct layout_region, f), 8

static const struct {
	size_t offset, size;
	uint64_t value;
} spoilt[] = {
	{ F32(header_size), 0 }, { F32(header_size), sizeof(struct layout_region) + 8 },
	{ F64(map_size), 0 }, { F64(map_size), (1 << 20) - 1 },
	{ F64(map_size), (UINT64_C(1) << 40) + 1 }, { F64(map_size), UINT64_MAX },
	{ F64(off_gates), 0 }, { F64(off_gates), sizeof(struct layout_region) - 64 },
	{ F64(off_gates), UINT64_MAX - 63 }, { F64(off_gates), sizeof(struct layout_region) + 1 },
	{ F64(off_rings), 0 }, { F64(off_rings), UINT64_MAX - 63 },
	{ F64(off_rings), UINT64_C(1) << 39 },
	{ F64(off_pool), 0 }, { F64(off_pool), UINT64_MAX - 65535 }, { F64(off_pool), 65536 },
	{ F64(off_pool), UINT64_C(1) << 39 },
	{ F32(nr_cpus), 0 }, { F32(nr_cpus), LAYOUT_MAX_CPUS + 1 }, { F32(nr_cpus), UINT32_MAX },
	{ F32(nr_cpus), LAYOUT_MAX_CPUS },
	{ F32(nr_locked), 0 }, { F32(nr_locked), LAYOUT_MAX_LOCKED + 1 },
	{ F32(nr_locked), UINT32_MAX },
	{ F32(page_size), 0 }, { F32(page_size), 2048 }, { F32(page_size), 4097 },
	{ F32(page_size), 12288 }, { F32(page_size), 1 << 21 }, { F32(page_size), UINT32_MAX },
	{ F32(context), 1 }, { F32(context), 5 }, { F32(context), 16 }, { F32(context), UINT32_MAX },
	{ F32(clock), 0 }, { F32(clock), LAYOUT_CLOCK_COARSE + 1 }, { F32(clock), UINT32_MAX },
};

START_TEST(geometry)
{
	static struct layout_region h;

	h = good;
	memcpy((char *)&h + spoilt[_i].offset, &spoilt[_i].value, spoilt[_i].size);
	ck_assert_msg(t_check(&h) == -EBADMSG, "offset %zu value %llu", spoilt[_i].offset,
		      (unsigned long long)spoilt[_i].value);
	ck_assert_uint_gt(strlen(fault.text), 20);
}
END_TEST

START_TEST(any_word_is_safe)
{
	static struct layout_region h;
	struct geometry g;

	srand(1);
	for (unsigned i = 0; i < 50000; i++) {
		uint64_t value = (uint64_t)rand() << (rand() % 40);
		size_t at = offsetof(struct layout_region, map_size) + 4 * (size_t)(rand() % 15);

		h = good;
		memcpy((char *)&h + at, &value, rand() % 2 ? 4 : 8);
		if (layout_check(&h, file_size, &g, NULL))
			continue;
		ck_assert_uint_le(file_size, g.map_size);
		ck_assert_uint_le(g.off_gates + LAYOUT_MAX_EVENTS, g.off_rings);
		ck_assert_uint_le(g.off_rings + (uint64_t)g.nr_rings * sizeof(struct layout_ring),
				  g.off_pool);
		ck_assert_uint_le(g.off_pool, file_size);
		ck_assert_uint_eq(g.nr_rings, g.nr_cpus + g.nr_locked);
		ck_assert_uint_eq(g.page_size & (g.page_size - 1), 0);
	}
}
END_TEST

START_TEST(file_size_counts)
{
	struct geometry g;

	ck_assert_int_eq(layout_check(&good, good.off_pool - 1, &g, &fault), -EBADMSG);
	ck_assert_int_eq(layout_check(&good, good.map_size + 1, &g, &fault), -EBADMSG);
	ck_assert_int_eq(layout_check(&good, good.off_pool, &g, &fault), 0);
}
END_TEST

START_TEST(in_pool)
{
	uint64_t pool = region.geo.off_pool, size = region.geo.map_size;

	ck_assert(!region_in_pool(&region, 0, 8));
	ck_assert(!region_in_pool(&region, pool - 8, 8));
	ck_assert(!region_in_pool(&region, pool, size));
	ck_assert(!region_in_pool(&region, UINT64_MAX - 7, 8));
	ck_assert(!region_in_pool(&region, pool, UINT64_MAX));
	ck_assert(!region_in_pool(&region, UINT64_MAX, UINT64_MAX));
}
END_TEST

START_TEST(cpu_lists)
{
	static const struct {
		const char *list;
		uint32_t count;
	} right[] = { { "0\n", 1 }, { "0-3\n", 4 }, { "0,2-7,9", 10 }, { "255", 256 },
		      { "0-255", 256 }, { "4095", 4096 }, { "0-65536", 65537 }, { "131071", 131072 } };
	static const char *const wrong[] = { "", "\n", "-1", "a", "0x3", "1 2", "131072", "1-b", ",1",
					     "99999999999999999999", "0--3", "0-3;5" };
	uint32_t count;

	for (unsigned i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		ck_assert_int_eq(region_parse_cpus(right[i].list, &count), 0);
		ck_assert_uint_eq(count, right[i].count);
	}
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(region_parse_cpus(wrong[i], &count) == -EINVAL, "%s", wrong[i]);
	ck_assert_uint_ge(region_possible_cpus(), 1);
}
END_TEST

/* Machines of other sizes: the region is made, opened again, and has rings. */
START_TEST(many_cpus)
{
	static const uint32_t cpus[] = { 1, 255, 256, 257, 4096, 65537 };
	struct region_settings s = REGION_SETTINGS_DEFAULT;
	struct ring_reader rd;
	struct region again;

	s.nr_cpus = cpus[_i];
	s.nr_locked = 2;
	s.page_size = 4096;
	s.ring_size = 16384;
	t_open(&s);
	ck_assert_uint_eq(region.geo.nr_cpus, cpus[_i]);
	ck_assert_uint_eq(region.geo.nr_rings, cpus[_i] + 2);
	ck_assert_msg(ring_setup_all(&region, &fault) >= 0, "%s", fault.text);
	ck_assert_int_eq(ring_reader_init(&rd, &region, 0), 0);
	ck_assert_int_eq(ring_reader_init(&rd, &region, cpus[_i] + 1), 0);
	ck_assert_int_lt(ring_reader_init(&rd, &region, cpus[_i] + 2), 0);
	ck_assert_int_eq(region_open(&again, path, 0, NULL, &fault), 0);
	ck_assert_uint_eq(again.geo.nr_cpus, cpus[_i]);
	ck_assert_int_eq((unsigned char *)region_ring(&again, cpus[_i] + 1) - again.base,
			 (unsigned char *)region_ring(&region, cpus[_i] + 1) - region.base);
	region_close(&again);
	teardown();
}
END_TEST

START_TEST(rounding)
{
	uint64_t page = region.geo.page_size, most = (uint64_t)region.geo.max_slots * page;

	ck_assert_uint_eq(ring_setup_round(&region, 0), 4 * page);
	ck_assert_uint_eq(ring_setup_round(&region, 1), 4 * page);
	ck_assert_uint_eq(ring_setup_round(&region, 4 * page), 4 * page);
	ck_assert_uint_eq(ring_setup_round(&region, 4 * page + 1), 5 * page);
	ck_assert_uint_eq(ring_setup_round(&region, 10 * page - 1), 10 * page);
	ck_assert_uint_eq(ring_setup_round(&region, most), most);
	ck_assert_uint_eq(ring_setup_round(&region, most + 1), most);
	ck_assert_uint_eq(ring_setup_round(&region, UINT64_MAX), most);
	ck_assert_uint_eq(ring_setup_round(&region, UINT64_MAX - page), most);
}
END_TEST

START_TEST(tables)
{
	uint32_t cap, slots;

	for (uint32_t page = LAYOUT_MIN_PAGE; page <= LAYOUT_MAX_PAGE; page *= 2) {
		layout_tables(page, &cap, &slots);
		ck_assert_uint_eq(cap & (cap - 1), 0);
		ck_assert_uint_lt(slots, cap);
		ck_assert_uint_lt(slots, T_NO_SLOT);
		ck_assert_uint_le(slots, 64 * LAYOUT_SLOT_BLOCK);
	}
}
END_TEST

Suite *suite_region(void)
{
	Suite *s = suite_create("region");
	TCase *t = tcase_create("region"), *many = tcase_create("many_cpus");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, good_passes);
	tcase_add_test(t, identity);
	tcase_add_loop_test(t, geometry, 0, sizeof(spoilt) / sizeof(spoilt[0]));
	tcase_add_test(t, any_word_is_safe);
	tcase_add_test(t, file_size_counts);
	tcase_add_test(t, in_pool);
	tcase_add_test(t, cpu_lists);
	tcase_add_test(t, rounding);
	tcase_add_test(t, tables);
	suite_add_tcase(s, t);
	tcase_set_timeout(many, 60);
	tcase_add_loop_test(many, many_cpus, 0, 6);
	suite_add_tcase(s, many);
	return s;
}
