/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The fixed part of `metadata`, and putting the file in its place. The order
 * of the sections is part of the format: trace, env, clock, streams, events.
 */
#include "common/ctf_meta.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/ctf_packet.h"
#include "common/ctf_types.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.0.0"
#endif

#define NS INT64_C(1000000000)

static void member(FILE *out, unsigned bits, const char *name)
{
	fputs("\t\t", out);
	ctf_type_integer(out, bits, 0, 10);
	fprintf(out, " %s;\n", name);
}

static void section_trace(FILE *out, const struct ctf_meta *m)
{
	char uuid[37];

	ctf_uuid_text(m->uuid, uuid);
	fprintf(out,
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = le;\n"
		"\tpacket.header := struct {\n",
		uuid);
	member(out, 32, "magic");
	fputs("\t\t", out);
	ctf_type_integer(out, 8, 0, 16);
	fputs(" uuid[16];\n", out);
	member(out, 32, "stream_id");
	member(out, 64, "stream_instance_id");
	fputs("\t};\n};\n\n", out);
}

static void env_text(FILE *out, const char *name, const char *value)
{
	fprintf(out, "\t%s = ", name);
	ctf_meta_string(out, value);
	fputs(";\n", out);
}

static void env_number(FILE *out, const char *name, unsigned value)
{
	fprintf(out, "\t%s = %u;\n", name, value);
}

static void section_env(FILE *out, const struct ctf_meta *m)
{
	char host[256] = "", when[64] = "", region[37];
	time_t t = (time_t)(m->created / (uint64_t)NS);
	unsigned v[3] = { 0, 0, 0 };
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	if (gmtime_r(&t, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	ctf_uuid_text(m->region, region);
	sscanf(PACKAGE_VERSION, "%u.%u.%u", &v[0], &v[1], &v[2]);
	fputs("env {\n", out);
	env_text(out, "hostname", host);
	env_text(out, "domain", "ust");
	env_text(out, "tracer_name", "trbuf");
	env_number(out, "tracer_major", v[0]);
	env_number(out, "tracer_minor", v[1]);
	env_number(out, "tracer_patch", v[2]);
	env_text(out, "trace_name", m->name);
	env_text(out, "trace_creation_datetime", when);
	env_text(out, "trbuf_region", region);
	env_number(out, "trbuf_page_size", m->page_size);
	env_text(out, "trbuf_context", ctf_context_name(m->context));
	env_number(out, "trbuf_rings", m->rings);
	env_text(out, "trbuf_clock", ctf_clock_name(m->clock_kind));
	fputs("};\n\n", out);
}

/* Clock value 0 as seconds and cycles from the epoch. Seconds may be negative;
 * cycles are in [0, frequency), so that nothing a reader adds overflows. */
static void clock_origin(const struct clock_map *c, uint64_t freq, int64_t *s, uint64_t *cycles)
{
	__int128 ns = (__int128)c->realtime - (__int128)c->cycles * NS / freq;
	__int128 rest = ns % NS;

	if (rest < 0)
		rest += NS;
	*s = (int64_t)((ns - rest) / NS);
	*cycles = (uint64_t)(rest * (__int128)freq / NS);
}

static void section_clock(FILE *out, const struct ctf_meta *m)
{
	uint64_t freq = m->clock.frequency ? m->clock.frequency : (uint64_t)NS, offset;
	char uuid[37];
	int64_t s;

	clock_origin(&m->clock, freq, &s, &offset);
	ctf_uuid_text(m->region, uuid);
	fprintf(out,
		"clock {\n\tname = \"trbuf\";\n\tuuid = \"%s\";\n"
		"\tdescription = \"clock of a trbuf region: %s\";\n"
		"\tfreq = %llu;\n\toffset_s = %lld;\n\toffset = %llu;\n\tabsolute = true;\n};\n\n",
		uuid, ctf_clock_name(m->clock_kind), (unsigned long long)freq, (long long)s,
		(unsigned long long)offset);
}

static void clock_member(FILE *out, unsigned bits, unsigned align, const char *name)
{
	fprintf(out,
		"\t\tinteger { size = %u; align = %u; signed = false; base = 10; "
		"map = clock.trbuf.value; } %s;\n",
		bits, align, name);
}

static void signed_member(FILE *out, const char *name)
{
	fputs("\t\t", out);
	ctf_type_integer(out, 32, 1, 10);
	fprintf(out, " %s;\n", name);
}

static void section_stream(FILE *out, unsigned id, uint32_t context)
{
	fprintf(out, "stream {\n\tid = %u;\n\tpacket.context := struct {\n", id);
	/* The alignments leave two gaps for what only trbuf's own tools read:
	 * babeltrace2 warns of fields of a packet header that it does not know,
	 * and shows those of a context in every line. */
	member(out, 32, "cpu_id");
	clock_member(out, 64, 256, "timestamp_begin");
	clock_member(out, 64, 8, "timestamp_end");
	fputs("\t\tinteger { size = 64; align = 256; signed = false; base = 10; } content_size;\n",
	      out);
	member(out, 64, "packet_size");
	member(out, 64, "packet_seq_num");
	member(out, 64, "events_discarded");
	fputs("\t};\n\tevent.header := struct {\n", out);
	member(out, 16, "id");
	clock_member(out, 48, 8, "timestamp");
	fputs("\t};\n", out);
	if (context != LAYOUT_CONTEXT_NONE) {
		fputs("\tevent.context := struct {\n", out);
		if (context == LAYOUT_CONTEXT_PID_TID)
			signed_member(out, "_pid");
		signed_member(out, "_tid");
		fputs("\t};\n", out);
	}
	fputs("};\n\n", out);
}

void ctf_meta_head(FILE *out, const struct ctf_meta *m)
{
	fputs("/* CTF 1.8 */\n\n", out);
	section_trace(out, m);
	section_env(out, m);
	section_clock(out, m);
	section_stream(out, CTF_STREAM_RING, m->context);
	section_stream(out, CTF_STREAM_DAEMON, LAYOUT_CONTEXT_NONE);
	ctf_meta_own_events(out);
}

static int write_whole(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		text += n;
		size -= (size_t)n;
	}
	return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

int ctf_meta_write(int dirfd, const char *text, size_t size)
{
	int fd, err;

	unlinkat(dirfd, CTF_META_TMP, 0); /* left by one who was killed here */
	fd = openat(dirfd, CTF_META_TMP, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0640);
	if (fd < 0)
		return -errno;
	err = write_whole(fd, text, size);
	if (close(fd) < 0 && !err)
		err = -errno;
	if (!err && renameat(dirfd, CTF_META_TMP, dirfd, CTF_META_FILE) < 0)
		err = -errno;
	if (err)
		unlinkat(dirfd, CTF_META_TMP, 0);
	return err;
}
