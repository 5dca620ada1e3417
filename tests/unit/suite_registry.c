/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: same class, name, level and fields are one event, all else is
 * another; a full class table refuses and counts; an entry that cannot be true
 * is skipped and counted, and no list in the region makes anybody loop.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtrbuf/registry.h"
#include "libtrbuf/trbuf.h"
#include "tests/unit/suites.h"

static char dir[64], path[80];
static struct region region;
static struct fault fault;
static struct registry_scan *scan;
static unsigned found;
static uint64_t last_off;

static const struct trbuf_label labels[] = { { -1, "minus" }, { INT64_MAX, "most" } };
static const struct trbuf_field fields[] = {
	{ "port", TRBUF_T_U16, 0, 0, 0, NULL },
	{ "state", TRBUF_T_ENUM, TRBUF_T_S64, 0, 2, labels },
	{ "list", TRBUF_T_ARRAY, TRBUF_T_U32, 7, 0, NULL },
};
static struct trbuf_event model = { .class_name = "net", .name = "rx", .fields = fields,
				    .nfields = 3, .level = 6, .abi = TRBUF_ABI };

static void setup(void)
{
	struct region_settings s = REGION_SETTINGS_DEFAULT;

	s.map_size = UINT64_C(256) << 20;
	strcpy(dir, "/tmp/trbuf-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/region", dir);
	ck_assert_msg(region_open(&region, path, REGION_CREATE, &s, &fault) == 0, "%s", fault.text);
	scan = calloc(1, sizeof(*scan));
	found = 0;
}

static void teardown(void)
{
	free(scan);
	region_close(&region);
	unlink(path);
	rmdir(dir);
}

static int t_found(struct registry_event *ev, void *arg)
{
	struct registry_event **keep = arg;

	found++;
	last_off = ev->off;
	if (keep && !*keep)
		*keep = ev;
	else
		free(ev);
	return 0;
}

static uint32_t t_add(const struct trbuf_event *like)
{
	struct trbuf_event ev = *like;

	return registry_add_event(&region, &ev) == 0 ? ev.id : 0;
}

START_TEST(same_and_different)
{
	struct trbuf_field other[3];
	struct trbuf_label relabelled[2] = { { -1, "minus" }, { INT64_MAX, "least" } };
	struct trbuf_event ev = model;
	uint32_t id = t_add(&model);

	ck_assert_uint_ge(id, LAYOUT_FIRST_EVENT);
	ck_assert_uint_eq(t_add(&model), id);
	ev.level = 5;
	ck_assert_uint_ne(t_add(&ev), id);
	ev = model;
	ev.nfields = 2;
	ck_assert_uint_ne(t_add(&ev), id);
	ev = model;
	ev.class_name = "disk";
	ck_assert_uint_ne(t_add(&ev), id);
	ev = model;
	ev.span = 1;
	ck_assert_uint_ne(t_add(&ev), id);
	ev = model;
	ev.fields = other;
	memcpy(other, fields, sizeof(other));
	ck_assert_uint_eq(t_add(&ev), id);
	other[0].type = TRBUF_T_X16;
	ck_assert_uint_ne(t_add(&ev), id);
	memcpy(other, fields, sizeof(other));
	other[2].count = 8;
	ck_assert_uint_ne(t_add(&ev), id);
	memcpy(other, fields, sizeof(other));
	other[1].labels = relabelled;
	ck_assert_uint_ne(t_add(&ev), id);
	registry_scan(&region, scan, t_found, NULL);
	ck_assert_uint_eq(found, 8);
	ck_assert_uint_eq(scan->bad, 0);
}
END_TEST

START_TEST(reads_what_was_written)
{
	struct registry_event *ev = NULL;
	uint32_t id = t_add(&model);

	ck_assert_int_eq(registry_scan(&region, scan, t_found, &ev), 1);
	ck_assert_uint_eq(ev->id, id);
	ck_assert_str_eq(ev->class_name, "net");
	ck_assert_str_eq(ev->name, "rx");
	ck_assert_uint_eq(ev->nfields, 3);
	ck_assert_str_eq(ev->field[0].name, "port");
	ck_assert_uint_eq(ev->field[1].nlabels, 2);
	ck_assert(ev->field[1].labels[0].value == -1 && ev->field[1].labels[1].value == INT64_MAX);
	ck_assert_str_eq(ev->field[1].labels[1].name, "most");
	ck_assert_uint_eq(ev->field[2].count, 7);
	free(ev);
	ck_assert_int_eq(registry_scan(&region, scan, t_found, NULL), 0); /* nothing new */
}
END_TEST

START_TEST(variable_takes_two_ids)
{
	struct trbuf_event ev = model;
	uint32_t id;

	ev.variable = 1;
	id = t_add(&ev);
	ev.name = "next";
	ck_assert_uint_eq(t_add(&ev), id + 2);
}
END_TEST

START_TEST(class_limit)
{
	struct trbuf_event ev = model;
	char name[16];

	ev.class_name = name;
	for (unsigned i = 0; i < LAYOUT_MAX_CLASSES; i++) {
		snprintf(name, sizeof(name), "class%u", i);
		ck_assert_uint_ne(t_add(&ev), 0);
	}
	snprintf(name, sizeof(name), "one_more");
	ck_assert_int_eq(registry_add_event(&region, &ev), -ENOSPC);
	ck_assert_uint_eq(region.hdr->classes_refused, 1);
	snprintf(name, sizeof(name), "class63");
	ck_assert_uint_ne(t_add(&ev), 0);
}
END_TEST

START_TEST(ids_used_up)
{
	struct trbuf_event ev = model;

	region.hdr->next_event = LAYOUT_MAX_EVENTS - 1;
	ev.variable = 1;
	ck_assert_uint_eq(t_add(&ev), 0); /* needs two */
	ev.variable = 0;
	ck_assert_uint_eq(t_add(&ev), LAYOUT_MAX_EVENTS - 1);
	ev.name = "other";
	ck_assert_uint_eq(t_add(&ev), 0);
	ck_assert_uint_eq(t_add(&model), LAYOUT_MAX_EVENTS - 1); /* is there already */
	ck_assert_uint_eq(region.hdr->events_refused, 2);
	region.hdr->next_event = UINT32_MAX;
	ck_assert_uint_eq(t_add(&ev), 0);
	region.hdr->next_event = 0;
	ck_assert_uint_eq(t_add(&ev), 0);
}
END_TEST

/* Ways to spoil the entry of `model`; text begins behind the struct: "rx" and
 * then the heads of fields. */
static void spoil(struct layout_event *e, int how)
{
	unsigned char *text = (unsigned char *)(e + 1);

	switch (how) {
	case 0: e->kind = LAYOUT_ENTRY_MODULE; break;
	case 1: e->size = 8; break;
	case 2: e->size = UINT32_MAX; break;
	case 3: e->text_size = UINT32_MAX; break;
	case 4: e->text_size--; break;
	case 5: e->id = 0; break;
	case 6: e->id = LAYOUT_MAX_EVENTS; break;
	case 7: e->id = UINT32_MAX; e->variable = 1; break;
	case 8: e->level = 8; break;
	case 9: e->class_index = 64; break;
	case 10: e->class_index = 5; break; /* a class that is not there */
	case 11: e->span = 3; break;
	case 12: e->variable = 2; break;
	case 13: e->nfields = 17; break;
	case 14: e->nfields = 4; break; /* more than there are */
	case 15: text[0] = '\0'; break;
	case 16: memset(text, 'x', e->text_size); break;
	case 17: text[3] = TRBUF_T_END; break;
	case 18: text[3] = 0; break;
	case 19: text[7] = 0xff; text[8] = 0xff; break; /* labels */
	case 20: text[11] = '\0'; break; /* a field without a name */
	case 21: text[3] = TRBUF_T_ARRAY; break; /* of nothing */
	case 22: text[3] = TRBUF_T_ENUM; break; /* without labels */
	case 23: text[3] = TRBUF_T_SEQ; text[4] = TRBUF_T_STR; break;
	}
}
#define SPOILS 24

START_TEST(malformed)
{
	struct registry_event *ev;
	struct trbuf_event second = model;

	ck_assert_uint_ne(t_add(&model), 0);
	registry_scan(&region, scan, t_found, NULL);
	spoil((struct layout_event *)(region.base + last_off), _i);
	ev = registry_event_at(&region, last_off);
	ck_assert_ptr_null(ev);
	second.name = "second";
	ck_assert_uint_ne(t_add(&second), 0); /* others still register, and are found */
	memset(scan, 0, sizeof(*scan));
	found = 0;
	registry_scan(&region, scan, t_found, NULL);
	ck_assert_uint_eq(found, 1);
	ck_assert_uint_eq(scan->bad, 1);
}
END_TEST

START_TEST(chains_that_cannot_be)
{
	static const uint64_t nexts[] = { 8, 1, UINT64_MAX, UINT64_MAX - 15, 0 };
	struct layout_event *e;

	ck_assert_uint_ne(t_add(&model), 0);
	registry_scan(&region, scan, t_found, NULL);
	e = (struct layout_event *)(region.base + last_off);
	for (unsigned i = 0; i < sizeof(nexts) / sizeof(nexts[0]); i++) {
		e->next = nexts[i] ? nexts[i] : last_off; /* a circle */
		memset(scan, 0, sizeof(*scan));
		registry_scan(&region, scan, t_found, NULL);
		ck_assert_uint_ge(scan->bad, 1);
		ck_assert_uint_ne(t_add(&model), 0);
	}
	for (unsigned b = 0; b < LAYOUT_BUCKETS; b++)
		region.hdr->event_bucket[b] = (uint64_t)b * 977;
	memset(scan, 0, sizeof(*scan));
	registry_scan(&region, scan, t_found, NULL);
	t_add(&model);
}
END_TEST

START_TEST(offsets_that_cannot_be)
{
	static const uint64_t offs[] = { 0, 1, 16, UINT64_MAX, UINT64_MAX - 15, UINT64_C(1) << 40 };
	struct registry_module m;
	char name[LAYOUT_NAME];

	for (unsigned i = 0; i < sizeof(offs) / sizeof(offs[0]); i++) {
		ck_assert_ptr_null(registry_event_at(&region, offs[i]));
		ck_assert_int_eq(registry_module_at(&region, offs[i], &m), -EBADMSG);
		region.hdr->class_name[3] = offs[i];
		registry_class_name(&region, 3, name);
		ck_assert_str_eq(name, "");
	}
	registry_class_name(&region, UINT32_MAX, name);
	ck_assert_str_eq(name, "");
}
END_TEST

START_TEST(modules)
{
	unsigned char id[32] = { 1, 2, 3 };
	struct registry_module m;
	uint64_t off = registry_add_module(&region, "/lib/a.so", 4096, id, 20);

	ck_assert_uint_ne(off, 0);
	ck_assert_uint_eq(registry_add_module(&region, "/lib/a.so", 4096, id, 20), off);
	ck_assert_uint_ne(registry_add_module(&region, "/lib/b.so", 4096, id, 20), off);
	ck_assert_int_eq(registry_module_at(&region, off, &m), 0);
	ck_assert_str_eq(m.path, "/lib/a.so");
	ck_assert_uint_eq(m.build_id_size, 20);
	((struct layout_module *)(region.base + off))->path_size = UINT32_MAX;
	ck_assert_int_eq(registry_module_at(&region, off, &m), -EBADMSG);
	((struct layout_module *)(region.base + off))->path_size = 3;
	((struct layout_module *)(region.base + off))->build_id_size = 33;
	ck_assert_int_eq(registry_module_at(&region, off, &m), -EBADMSG);
}
END_TEST

Suite *suite_registry(void)
{
	Suite *s = suite_create("registry");
	TCase *t = tcase_create("registry");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, same_and_different);
	tcase_add_test(t, reads_what_was_written);
	tcase_add_test(t, variable_takes_two_ids);
	tcase_add_test(t, class_limit);
	tcase_add_test(t, ids_used_up);
	tcase_add_loop_test(t, malformed, 0, SPOILS);
	tcase_add_test(t, chains_that_cannot_be);
	tcase_add_test(t, offsets_that_cannot_be);
	tcase_add_test(t, modules);
	suite_add_tcase(s, t);
	return s;
}
