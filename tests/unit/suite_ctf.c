/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: what the CTF writer puts down, stock readers take. Headers come back
 * as they went out, and metadata with the worst names there are is read by
 * babeltrace2 without a word.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/ctf_meta.h"
#include "common/ctf_packet.h"
#include "common/ctf_stream.h"
#include "libtrbuf/trbuf.h"
#include "tests/unit/suites.h"

START_TEST(ctf_header_comes_back)
{
	unsigned char buf[CTF_HEADER_SIZE];
	struct ctf_packet a, b;

	memset(&a, 0, sizeof(a));
	memcpy(a.uuid, "0123456789abcdef", 16);
	a.stream_id = 1;
	a.instance = UINT64_C(0x1122334455667788);
	a.page = UINT64_MAX - 3;
	a.events_before = UINT64_MAX - 5;
	a.missed_before = UINT64_C(1) << 40;
	a.clock_backwards = 7;
	a.page_offset = 1 << 20;
	a.event_count = 131072;
	a.flags = 5;
	a.begin = UINT64_C(1) << 50;
	a.end = UINT64_C(1) << 51;
	a.content = 4097;
	a.size = 8192;
	a.seq = 99;
	a.discarded = UINT64_C(1) << 33;
	a.cpu = 70000;
	ctf_packet_encode(buf, &a);
	ck_assert_int_eq(ctf_packet_decode(buf, &b), 0);
	ck_assert_mem_eq(a.uuid, b.uuid, 16);
	ck_assert_uint_eq(a.stream_id, b.stream_id);
	ck_assert_uint_eq(a.instance, b.instance);
	ck_assert_uint_eq(a.page, b.page);
	ck_assert_uint_eq(a.events_before, b.events_before);
	ck_assert_uint_eq(a.missed_before, b.missed_before);
	ck_assert_uint_eq(a.clock_backwards, b.clock_backwards);
	ck_assert_uint_eq(a.page_offset, b.page_offset);
	ck_assert_uint_eq(a.event_count, b.event_count);
	ck_assert_uint_eq(a.flags, b.flags);
	ck_assert_uint_eq(a.begin, b.begin);
	ck_assert_uint_eq(a.end, b.end);
	ck_assert_uint_eq(a.content, b.content);
	ck_assert_uint_eq(a.size, b.size);
	ck_assert_uint_eq(a.seq, b.seq);
	ck_assert_uint_eq(a.discarded, b.discarded);
	ck_assert_uint_eq(a.cpu, b.cpu);
}
END_TEST

START_TEST(ctf_header_refuses)
{
	unsigned char buf[CTF_HEADER_SIZE], bad[CTF_HEADER_SIZE];
	struct ctf_packet a = { .begin = 5, .end = 9, .content = 200, .size = 4096 }, b;

	ctf_packet_encode(buf, &a);
	ck_assert_int_eq(ctf_packet_decode(buf, &b), 0);
	memcpy(bad, buf, sizeof(bad));
	bad[0] ^= 1; /* magic */
	ck_assert_int_ne(ctf_packet_decode(bad, &b), 0);
	a.end = 4; /* before begin */
	ctf_packet_encode(bad, &a);
	ck_assert_int_ne(ctf_packet_decode(bad, &b), 0);
	a.end = 9;
	a.content = 4097; /* more than size */
	ctf_packet_encode(bad, &a);
	ck_assert_int_ne(ctf_packet_decode(bad, &b), 0);
	a.content = 127; /* less than the header */
	ctf_packet_encode(bad, &a);
	ck_assert_int_ne(ctf_packet_decode(bad, &b), 0);
	memset(bad, 0, sizeof(bad));
	ck_assert_int_ne(ctf_packet_decode(bad, &b), 0);
	memset(bad, 0xff, sizeof(bad));
	ck_assert_int_ne(ctf_packet_decode(bad, &b), 0);
}
END_TEST

START_TEST(ctf_clock_extends)
{
	uint64_t wrap = UINT64_C(1) << 48;

	ck_assert_uint_eq(ctf_extend(5, 5), 5);
	ck_assert_uint_eq(ctf_extend(5, 4), wrap + 4);
	ck_assert_uint_eq(ctf_extend(3 * wrap - 1, 0), 3 * wrap);
	ck_assert_uint_eq(ctf_extend(3 * wrap + 9, 10), 3 * wrap + 10);
}
END_TEST

START_TEST(ctf_uuids)
{
	unsigned char a[16], b[16], c[16];
	char text[37];

	ck_assert_int_eq(ctf_uuid_new(a), 0);
	ck_assert_int_eq(ctf_uuid_new(b), 0);
	ck_assert_mem_ne(a, b, 16);
	ctf_uuid_text(a, text);
	ck_assert_uint_eq(strlen(text), 36);
	ck_assert_int_eq(ctf_uuid_parse(text, c), 0);
	ck_assert_mem_eq(a, c, 16);
	text[8] = '0';
	ck_assert_int_ne(ctf_uuid_parse(text, c), 0);
	ck_assert_int_ne(ctf_uuid_parse("12", c), 0);
}
END_TEST

/* ---------------------------------------------------- metadata, by babeltrace2 */

static const char *const names[] = {
	"align",
	"const",
	"char",
	"clock",
	"double",
	"enum",
	"env",
	"event",
	"floating_point",
	"float",
	"integer",
	"int",
	"long",
	"short",
	"signed",
	"stream",
	"string",
	"struct",
	"trace",
	"callsite",
	"typealias",
	"typedef",
	"unsigned",
	"variant",
	"void",
	"_Bool",
	"_Complex",
	"_Imaginary",
	"a.b",
	"p->q",
	"x[3]",
	"9x",
	" ",
	"\xc3\xa4",
	"\xff\xfe",
	"\"\\\n\t\x1b[2J",
	"_x",
	"x",
	"__x",
	"x_length",
	"_x_length",
	"trbuf_cut",
	"timestamp",
	"id",
	"magic",
	"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg",
};
#define NAMES (sizeof(names) / sizeof(names[0]))

static struct registry_label labels[] = {
	{ 0, "zero" },           { 1, "a\"b\\c\nd" }, { -1, "\xff" },
	{ 255, "\xe2\x82\xac" }, { INT64_MIN, "" },
};

static struct registry_event one(unsigned id, const char *class_name, const char *name)
{
	struct registry_event ev;

	memset(&ev, 0, sizeof(ev));
	ev.id = id;
	ev.level = id % 8;
	ev.span = id % 3;
	snprintf(ev.class_name, sizeof(ev.class_name), "%s", class_name);
	snprintf(ev.name, sizeof(ev.name), "%s", name);
	return ev;
}

static void add_field(struct registry_event *ev, unsigned type, unsigned elem, const char *name)
{
	struct registry_field *f = &ev->field[ev->nfields++];

	f->type = (uint8_t)type;
	f->elem = (uint8_t)elem;
	f->count = 3;
	f->name = name;
	if (type == TRBUF_T_ENUM) {
		f->labels = labels;
		f->nlabels = 5;
	}
	ev->variable |= type == TRBUF_T_STR || type == TRBUF_T_SEQ || type == TRBUF_T_BLOB;
}

/* Every type, every name, 16 fields an event. Returns the number of events. */
static unsigned put_events(FILE *out)
{
	unsigned id = 16, type = TRBUF_T_U8, elem = TRBUF_T_U8, n = 0;

	for (unsigned i = 0; i < 12 * NAMES; i += LAYOUT_MAX_FIELDS) {
		struct registry_event ev = one(id, names[i % NAMES], names[(i + 1) % NAMES]);

		for (unsigned k = 0; k < LAYOUT_MAX_FIELDS; k++) {
			if (type == TRBUF_T_END)
				type = TRBUF_T_U8;
			if (elem > TRBUF_T_PTR)
				elem = TRBUF_T_U8;
			add_field(&ev, type, type == TRBUF_T_ENUM ? elem % TRBUF_T_S64 + 1 : elem,
				  names[(i * 7 + k) % NAMES]);
			type++;
			elem++;
		}
		ctf_meta_event(out, &ev);
		id += 2;
		n++;
	}
	return n;
}

static char *directory(void)
{
	static char path[64];

	strcpy(path, "/tmp/trbuf-ctf-"
		     "XX"
		     "XX"
		     "XX");
	ck_assert_ptr_nonnull(mkdtemp(path));
	return path;
}

static void write_metadata(int dirfd, const struct ctf_meta *m, int with_events)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	ctf_meta_head(out, m);
	if (with_events)
		ck_assert_uint_gt(put_events(out), 20);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_int_eq(ctf_meta_write(dirfd, text, size), 0);
	free(text);
}

/* An empty first packet, and one that reports `count` misses. */
static void write_stream(int dirfd, const struct ctf_meta *m, uint64_t count)
{
	static unsigned char mem[2][CTF_PACKET_ALIGN];
	struct ctf_stream_id id = { .stream_id = CTF_STREAM_RING, .instance = 70000, .cpu = 70000 };
	struct ctf_block b[2];
	struct ctf_stream s;
	unsigned char *p = mem[1] + CTF_HEADER_SIZE;

	memset(b, 0, sizeof(b));
	memcpy(id.uuid, m->uuid, 16);
	ck_assert_int_eq(ctf_stream_create(&s, dirfd, &id), 0);
	for (unsigned i = 0; i < 2; i++) {
		b[i].mem = mem[i];
		b[i].packet.page = CTF_NO_PAGE;
		b[i].packet.begin = b[i].packet.end = m->clock.cycles + 1000 * i;
		b[i].packet.size = CTF_PACKET_ALIGN;
		b[i].packet.content = CTF_HEADER_SIZE;
	}
	ctf_record_encode(p, 0, b[1].packet.begin);
	p += CTF_RECORD_HEADER + m->context;
	ctf_put(p, 8, count);
	ctf_put(p + 24, 1, 2);
	b[1].packet.content += CTF_RECORD_HEADER + m->context + 25;
	b[1].misses = count;
	ck_assert_int_eq(ctf_stream_append(&s, b, 2), 2);
	ck_assert_int_eq(ctf_stream_close(&s), 0);
}

static char *slurp(const char *path)
{
	static char text[65536];
	FILE *f = fopen(path, "r");
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

/* Runs babeltrace2 on a trace of this metadata; its text is returned. */
static char *read_back(const struct ctf_meta *m, int with_events)
{
	char *dir = directory(), cmd[512], path[128];
	int dirfd = open(dir, O_RDONLY | O_DIRECTORY), status;
	char *text;

	ck_assert_int_ge(dirfd, 0);
	write_metadata(dirfd, m, with_events);
	write_stream(dirfd, m, 5);
	close(dirfd);
	snprintf(cmd, sizeof(cmd),
		 "timeout 60 babeltrace2 --clock-gmt --clock-date %s >%s/.out 2>%s/.err", dir, dir,
		 dir);
	status = system(cmd);
	snprintf(path, sizeof(path), "%s/.err", dir);
	text = slurp(path);
	ck_assert_msg(status == 0, "babeltrace2: %s", text);
	ck_assert_msg(strncmp(text, "WARNING: Tracer discarded 5 events", 34) == 0 &&
			      strchr(text, '\n') == strrchr(text, '\n'),
		      "babeltrace2 says: %s", text);
	snprintf(path, sizeof(path), "%s/.out", dir);
	text = slurp(path);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	ck_assert_int_eq(system(cmd), 0);
	return text;
}

static struct ctf_meta sample(void)
{
	struct ctf_meta m = { .name = "t",
			      .clock = { 2400000000, 7200000000000, 0 },
			      .clock_kind = LAYOUT_CLOCK_TSC,
			      .page_size = 65536,
			      .context = LAYOUT_CONTEXT_PID_TID,
			      .rings = 4 };

	m.clock.realtime = UINT64_C(1700000000123456789);
	ck_assert_int_eq(ctf_uuid_new(m.uuid), 0);
	ck_assert_int_eq(ctf_uuid_new(m.region), 0);
	return m;
}

static int no_babeltrace(void)
{
	return system("babeltrace2 --version >/dev/null 2>&1") != 0;
}

START_TEST(ctf_metadata_any_name)
{
	struct ctf_meta m = sample();

	if (no_babeltrace())
		return;
	ck_assert_ptr_nonnull(strstr(read_back(&m, 1), "trbuf:missed"));
}
END_TEST

START_TEST(ctf_metadata_contexts)
{
	static const uint32_t contexts[] = { LAYOUT_CONTEXT_NONE, LAYOUT_CONTEXT_TID,
					     LAYOUT_CONTEXT_PID_TID };
	struct ctf_meta m = sample();
	const char *text;

	if (no_babeltrace())
		return;
	m.context = contexts[_i];
	text = read_back(&m, 0);
	ck_assert_ptr_nonnull(strstr(text, "{ cpu_id = 70000 }"));
	ck_assert_int_eq(!!strstr(text, "tid = "), _i > 0);
	ck_assert_int_eq(!!strstr(text, "pid = "), _i > 1);
	ck_assert_ptr_nonnull(strstr(text, "count = 5"));
	ck_assert_ptr_nonnull(strstr(text, "\"discarded\""));
}
END_TEST

/* The moment of the region's birth reads as that date whatever the cycles are. */
START_TEST(ctf_metadata_dates)
{
	static const uint64_t cycles[] = { 0, 1, 7200000000000, UINT64_C(1) << 53,
					   UINT64_C(1) << 61 };
	static const uint64_t freqs[] = { 1000000, 19200000, 1000000000, 2399999999, 5000000000 };
	struct ctf_meta m = sample();

	if (no_babeltrace())
		return;
	m.clock.cycles = cycles[_i];
	m.clock.frequency = freqs[_i];
	/* The event is 1000 cycles after it: a millisecond at most. */
	ck_assert_ptr_nonnull(strstr(read_back(&m, 0), "[2023-11-14 22:13:20.12"));
}
END_TEST

Suite *suite_ctf(void)
{
	Suite *s = suite_create("ctf");
	TCase *c = tcase_create("ctf");

	tcase_set_timeout(c, 120);
	tcase_add_test(c, ctf_header_comes_back);
	tcase_add_test(c, ctf_header_refuses);
	tcase_add_test(c, ctf_clock_extends);
	tcase_add_test(c, ctf_uuids);
	tcase_add_test(c, ctf_metadata_any_name);
	tcase_add_loop_test(c, ctf_metadata_contexts, 0, 3);
	tcase_add_loop_test(c, ctf_metadata_dates, 0, 5);
	suite_add_tcase(s, c);
	return s;
}
