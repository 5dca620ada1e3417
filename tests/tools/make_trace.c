/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Writes a trace as doc/ctf.md describes it, without a region or a daemon, so
 * that the readers can be tested with any content and any length. The
 * metadata is its own text, in another order and spacing than ctf_meta.c's.
 *
 *	make_trace DIR [key=value]...
 *
 * streams=2 events=1000 (of each) page=65536 context=8|4|0 seed=1 step=100
 * (cycles between events, at most) freq=1000000000 kind=mixed|four|idle
 * pages=0 (number of the first) missed=0 (every n-th page) daemon=1 first=1000 uuid=1 instance=0 (first)
 * hostile=0|1|2 (1: texts full of quotes, controls and broken UTF-8; 2: empty ones)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/ctf_packet.h"

struct wanted {
	uint64_t streams, events, page, context, seed, step, freq, missed, daemon, first, uuid;
	uint64_t instance, hostile, pages;
	const char *kind;
};

struct ring {
	FILE *out;
	unsigned char *page;
	struct ctf_packet p;
	uint64_t at, clock, pages, emitted, lost, depth, random;
};

static const struct wanted *want;

static void die(const char *what)
{
	fprintf(stderr, "make_trace: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t next_random(struct ring *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random;
}

static void fill_uuid(unsigned char uuid[16])
{
	for (unsigned i = 0; i < 16; i++)
		uuid[i] = (unsigned char)(want->uuid * 16 + i);
}

/* ------------------------------------------------------------- metadata */

static const char types[] =
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"typealias integer { size = 8; align = 8; signed = true; } := s8;\n"
	"typealias integer { size = 16; align = 8; signed = true; } := s16;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := s32;\n"
	"typealias integer { align = 8; signed = true; size = 64; } := s64;\n"
	"typealias integer { size = 8; align = 8; signed = false; base = 16; } := x8;\n"
	"typealias integer { size = 16; align = 8; signed = false; base = 16; } := x16;\n"
	"typealias integer { size = 32; align = 8; signed = false; base = 16; } := x32;\n"
	"typealias integer { size = 64; align = 8; base = hex; } := x64;\n"
	"typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := f32;\n"
	"typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;\n";

static void put_trace_block(FILE *out)
{
	unsigned char u[16];

	fill_uuid(u);
	fprintf(out, "trace {\n\tmajor = 1; minor = 8;\n\tuuid = \"");
	for (unsigned i = 0; i < 16; i++)
		fprintf(out, "%02x%s", u[i], i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
	fprintf(out, "\";\n\tbyte_order = le;\n\tpacket.header := struct {\n"
		"\t\tu32 magic; u8 uuid[16]; u32 stream_id; u64 stream_instance_id;\n\t};\n};\n\n");
	fprintf(out, "env { hostname = \"testhost\"; domain = \"ust\"; tracer_name = \"trbuf\";\n"
		"\ttracer_major = 0; tracer_minor = 1; tracer_patch = 0; trace_name = \"t\"; };\n\n"
		"clock { name = trbuf; freq = %llu; offset_s = 1700000000; offset = 123456789; "
		"absolute = true; };\n\n", (unsigned long long)want->freq);
}

static void put_stream(FILE *out, int id, uint64_t context)
{
	fprintf(out, "stream {\n\tid = %d;\n\tevent.header := struct { u16 id; integer { size = 48; "
		"align = 8; signed = false; map = clock.trbuf.value; } timestamp; };\n"
		"\tpacket.context := struct {\n\t\tu32 cpu_id;\n"
		"\t\tinteger { size = 64; align = 256; map = clock.trbuf.value; } timestamp_begin;\n"
		"\t\tinteger { size = 64; align = 8; map = clock.trbuf.value; } timestamp_end;\n"
		"\t\tinteger { size = 64; align = 256; } content_size;\n"
		"\t\tu64 packet_size; u64 packet_seq_num; u64 events_discarded;\n\t};\n", id);
	if (context)
		fprintf(out, "\tevent.context := struct {%s s32 _tid; };\n",
			context == 8 ? " s32 _pid;" : "");
	fprintf(out, "};\n\n");
}

static void put_event(FILE *out, int stream, int id, const char *name, const char *more,
		      const char *fields)
{
	fprintf(out, "event { name = \"%s\"; id = %d; stream_id = %d; loglevel = 6; %s\n"
		"\tfields := struct { %s }; };\n", name, id, stream, more, fields);
}

#define NET_FIELDS "u16 _port; string { encoding = UTF8; } _iface; x64 _cookie;"
#define ALL_FIELDS \
	"u8 _u8; s8 _s8; x8 _x8; u16 _u16; s16 _s16; x16 _x16; u32 _u32; s32 _s32; x32 _x32; " \
	"u64 _u64; s64 _s64; x64 _x64; f32 _f32; f64 _f64; u8 _bool; x64 _ptr; string _str; " \
	"u16 _array[3]; u16 __seq_length; s32 _seq[__seq_length]; " \
	"u16 __blob_length; x8 _blob[__blob_length]; " \
	"enum : u8 { \"RED\" = 1, \"GREEN\" = 2, \"DARK GREEN\" = 2, \"MANY\" = 10 ... 20 } _colour; " \
	"enum : s32 { \"MINUS\" = -1, \"ZERO\" = 0 } _sign;"
#define MISSED(enums) \
	"u64 _count; u64 _first; u64 _last; enum : u8 { " enums " } _reason;"

static void put_metadata(const char *dir)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	out = fopen(path, "w");
	if (!out)
		die(path);
	fprintf(out, "/* CTF 1.8 */\n\n%s\n", types);
	put_trace_block(out);
	put_stream(out, 0, want->context);
	put_stream(out, 1, 0);
	put_event(out, 0, 0, "trbuf:missed", "",
		  MISSED("\"overwritten\" = 1, \"discarded\" = 2, \"both\" = 3, \"damaged\" = 4"));
	put_event(out, 1, 0, "trbuf:missed", "",
		  MISSED("\"no_ring\" = 16, \"too_large\" = 17, \"nested\" = 18"));
	put_event(out, 1, 1, "trbuf:process", "",
		  "u32 _index; u32 _use; u32 _pid; u64 _pid_ns; u32 _uid; u32 _parent; "
		  "u64 _start_time; u64 _attached; string _comm; string _exe;");
	put_event(out, 1, 4, "trbuf:state", "", "string _what; string _who; string _detail;");
	put_event(out, 0, 16, "app:idle", "", "");
	put_event(out, 0, 17, "net:rx", "", NET_FIELDS);
	put_event(out, 0, 18, "net:rx", "", NET_FIELDS " u32 _trbuf_cut;");
	put_event(out, 0, 19, "app:four", "", "u64 _a; u64 _b; u64 _c; u64 _d;");
	put_event(out, 0, 20, "app:all", "", ALL_FIELDS);
	put_event(out, 0, 21, "app:all", "", ALL_FIELDS " u32 _trbuf_cut;");
	put_event(out, 0, 22, "app:work_begin", "model.emf.uri = \"trbuf:span:begin\";",
		  "u32 _job;");
	put_event(out, 0, 23, "app:work_end", "model.emf.uri = \"trbuf:span:end\";", "");
	if (fclose(out))
		die(path);
}

/* -------------------------------------------------------------- packets */

static void write_packet(struct ring *r, uint64_t size)
{
	r->p.content = r->at;
	r->p.size = size;
	memset(r->page + r->at, 0, size - r->at);
	ctf_packet_encode(r->page, &r->p);
	if (fwrite(r->page, 1, size, r->out) != size)
		die("stream");
	r->p.seq++;
	r->at = CTF_HEADER_SIZE;
	r->p.event_count = 0;
}

static void put(struct ring *r, uint64_t v, unsigned bytes)
{
	ctf_put(r->page + r->at, bytes, v);
	r->at += bytes;
}

static void put_text(struct ring *r, const char *text)
{
	size_t n = strlen(text) + 1;

	memcpy(r->page + r->at, text, n);
	r->at += n;
}

static void put_head(struct ring *r, unsigned id)
{
	ctf_record_encode(r->page + r->at, id, r->clock);
	r->at += CTF_RECORD_HEADER;
	r->p.event_count++;
	r->p.end = r->clock;
}

static void put_context(struct ring *r)
{
	int pid = 1000 + (int)(next_random(r) % 3);

	if (want->context == 8)
		put(r, (uint64_t)pid, 4);
	if (want->context >= 4)
		put(r, (uint64_t)(pid + (int)(next_random(r) % 2)), 4);
}

static void empty_packet(struct ring *r)
{
	r->p.page = CTF_NO_PAGE;
	r->p.flags |= CTF_PACKET_EMPTY;
	r->p.begin = r->p.end = r->clock;
	write_packet(r, CTF_PACKET_ALIGN);
	r->p.flags &= ~(uint32_t)CTF_PACKET_EMPTY;
}

static void missed_packet(struct ring *r, uint64_t count)
{
	r->p.page = CTF_NO_PAGE;
	r->p.flags |= CTF_PACKET_MISSED;
	r->p.begin = r->clock;
	r->p.missed_before += count;
	r->p.events_before = r->emitted;
	r->p.discarded += count;
	put_head(r, 0);
	put_context(r);
	put(r, count, 8);
	put(r, r->clock - 10, 8);
	put(r, r->clock, 8);
	put(r, 1 + next_random(r) % 6, 1);
	write_packet(r, CTF_PACKET_ALIGN);
	r->p.flags &= ~(uint32_t)CTF_PACKET_MISSED;
}

static const char *text_of(struct ring *r)
{
	uint64_t n;

	static const char *const plain[] = { "eth0", "eth1", "lo", "", "wlan with space" };
	/* babeltrace2 2.0.4 shows an empty string as the last one it has read: only
	 * on request (hostile=2), where it is not the oracle. */
	static const char *const odd[] = {
		"a\"b'c?d\\e", "\x1b[2J", "tab\tnew\nline\r\a\b\f\v\x01\x7f", "</script>",
		"\xff\xfe\x80", "\xc0\xaf", "\xed\xa0\x80", "gr\xc3\xbc\xc3\x9f", "\xf0\x9f\x90\xa7",
		"\xe2\x82", "a,b;c", "=1+1",
	};

	if (want->hostile == 1)
		return odd[next_random(r) % (sizeof(odd) / sizeof(odd[0]))];
	n = next_random(r) % 5;
	return plain[n == 3 && want->hostile != 2 ? 0 : n];
}

static uint64_t float_bits(struct ring *r, int wide)
{
	static const double values[] = { 0.0, -0.0, 1.5, -1e300, 1.0 / 3, 1e-310, 123456789.0 };
	double d = values[next_random(r) % 7];
	float f = (float)(d > 1e38 || d < -1e38 ? 1e38 : d);
	uint64_t v = 0;

	if (next_random(r) % 10 == 0)
		d = __builtin_nan(""), f = __builtin_nanf("");
	else if (next_random(r) % 10 == 0)
		d = -__builtin_inf(), f = -__builtin_inff();
	memcpy(&v, wide ? (void *)&d : (void *)&f, wide ? 8 : 4);
	return v;
}

static void put_all(struct ring *r, int cut)
{
	static const uint8_t sizes[] = { 1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8 };
	unsigned n;

	for (unsigned i = 0; i < sizeof(sizes); i++) {
		uint64_t v = next_random(r);

		put(r, v % 5 == 0 ? 0 : v % 5 == 1 ? UINT64_MAX : v % 5 == 2 ? v >> 40 : v, sizes[i]);
	}
	put(r, float_bits(r, 0), 4);
	put(r, float_bits(r, 1), 8);
	put(r, next_random(r) & 1, 1);
	put(r, next_random(r), 8);
	put_text(r, text_of(r));
	for (unsigned i = 0; i < 3; i++)
		put(r, next_random(r), 2);
	n = (unsigned)(next_random(r) % 5);
	put(r, n, 2);
	while (n--)
		put(r, next_random(r), 4);
	n = (unsigned)(next_random(r) % 7);
	put(r, n, 2);
	while (n--)
		put(r, next_random(r), 1);
	put(r, next_random(r) % 22, 1);
	put(r, (uint64_t)-(int64_t)(next_random(r) % 3), 4);
	if (cut)
		put(r, 77, 4);
}

static void put_mixed(struct ring *r)
{
	switch (next_random(r) % 8) {
	case 0:
		put_head(r, 16);
		put_context(r);
		return;
	case 1:
		put_head(r, 20);
		put_context(r);
		put_all(r, 0);
		return;
	case 2:
		put_head(r, r->depth ? 23 : 22);
		put_context(r);
		if (!r->depth)
			put(r, next_random(r), 4);
		r->depth = !r->depth;
		return;
	case 3:
		put_head(r, 21);
		put_context(r);
		put_all(r, 1);
		return;
	default:
		put_head(r, 17);
		put_context(r);
		put(r, next_random(r) % 100, 2);
		put_text(r, text_of(r));
		put(r, next_random(r), 8);
	}
}

static void put_event_record(struct ring *r)
{
	if (strcmp(want->kind, "mixed") == 0) {
		put_mixed(r);
	} else if (strcmp(want->kind, "four") == 0) {
		put_head(r, 19);
		put_context(r);
		for (unsigned i = 0; i < 4; i++)
			put(r, next_random(r) >> (i * 16), 8);
	} else {
		put_head(r, 16);
		put_context(r);
	}
}

static void start_page(struct ring *r)
{
	if (want->missed && r->pages && r->pages % want->missed == 0)
		missed_packet(r, 1 + next_random(r) % 1000);
	r->p.page = r->pages++;
	r->p.page_offset = CTF_HEADER_SIZE;
	r->p.events_before = r->emitted;
	r->p.begin = r->clock;
}

static void one_stream(const char *dir, uint64_t index)
{
	struct ring r = { .at = CTF_HEADER_SIZE, .clock = want->first, .pages = want->pages };
	char path[4096];

	snprintf(path, sizeof(path), "%s/stream_%05llu", dir, (unsigned long long)index);
	r.out = fopen(path, "w");
	r.page = malloc(want->page + 65536);
	if (!r.out || !r.page)
		die(path);
	fill_uuid(r.p.uuid);
	r.p.instance = index;
	r.p.cpu = (uint32_t)index;
	r.random = want->seed * 1000003 + index * 7919 + 1;
	empty_packet(&r);
	start_page(&r);
	for (uint64_t i = 0; i < want->events; i++) {
		r.clock += want->step ? next_random(&r) % (want->step + 1) : 0;
		if (r.at + 400 > want->page) {
			r.p.end = r.clock;
			write_packet(&r, want->page);
			start_page(&r);
		}
		put_event_record(&r);
		r.emitted++;
	}
	write_packet(&r, ctf_pad(r.at));
	free(r.page);
	if (fclose(r.out))
		die(path);
}

static void daemon_stream(const char *dir)
{
	struct ring r = { .at = CTF_HEADER_SIZE, .clock = want->first, .random = want->seed + 99 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/stream_daemon", dir);
	r.out = fopen(path, "w");
	r.page = malloc(65536);
	if (!r.out || !r.page)
		die(path);
	fill_uuid(r.p.uuid);
	r.p.stream_id = CTF_STREAM_DAEMON;
	empty_packet(&r);
	r.p.begin = r.clock;
	for (unsigned i = 0; i < 3; i++) {
		put_head(&r, 1);
		put(&r, i, 4);
		put(&r, 1, 4);
		put(&r, 1000 + i, 4);
		put(&r, 4026531836u, 8);
		put(&r, 0, 4);
		put(&r, 0, 4);
		put(&r, 5555, 8);
		put(&r, r.clock, 8);
		put_text(&r, i == 1 ? "web server" : i == 2 ? text_of(&r) : "worker");
		put_text(&r, "/usr/bin/worker");
	}
	put_head(&r, 4);
	put_text(&r, "on");
	put_text(&r, "tracectl");
	put_text(&r, text_of(&r));
	write_packet(&r, ctf_pad(r.at));
	free(r.page);
	if (fclose(r.out))
		die(path);
}

static void set(struct wanted *w, const char *arg)
{
	static const char *const names[] = { "streams", "events", "page", "context", "seed", "step",
					     "freq", "missed", "daemon", "first", "uuid",
					     "instance", "hostile", "pages" };
	uint64_t *at[] = { &w->streams, &w->events, &w->page, &w->context, &w->seed, &w->step,
			   &w->freq, &w->missed, &w->daemon, &w->first, &w->uuid, &w->instance,
			   &w->hostile, &w->pages };
	const char *equal = strchr(arg, '=');

	for (unsigned i = 0; equal && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strncmp(arg, names[i], (size_t)(equal - arg)) == 0 &&
		    !names[i][equal - arg]) {
			*at[i] = strtoull(equal + 1, NULL, 0);
			return;
		}
	}
	if (equal && strncmp(arg, "kind=", 5) == 0) {
		w->kind = equal + 1;
		return;
	}
	fprintf(stderr, "make_trace: what is `%s`?\n", arg);
	exit(2);
}

int main(int argc, char **argv)
{
	struct wanted w = { .streams = 2, .events = 1000, .page = 65536, .context = 8, .seed = 1,
			    .step = 100, .freq = 1000000000, .daemon = 1, .first = 1000,
			    .uuid = 1, .kind = "mixed" };

	if (argc < 2) {
		fprintf(stderr, "usage: make_trace DIR [key=value]...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		set(&w, argv[i]);
	want = &w;
	if (mkdir(argv[1], 0777) && errno != EEXIST)
		die(argv[1]);
	put_metadata(argv[1]);
	for (uint64_t i = 0; i < w.streams; i++)
		one_stream(argv[1], w.instance + i);
	if (w.daemon)
		daemon_stream(argv[1]);
	return 0;
}
