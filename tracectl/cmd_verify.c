/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl verify: is a trace whole? Structure (the reader's findings), packet
 * numbers, times, counts and the ledger, stream by stream. Changes nothing.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tracectl/json.h"
#include "tracectl/out_run.h"
#include "tracectl/reader/ledger.h"

#define SHOWN 200u

struct checked {
	struct ctf_packet last;
	int have_last;
	const char *file; /* of the packet before */
	struct ledger ledger;
	uint64_t reported; /* by trbuf:missed of this packet */
	uint64_t packets, events, missed;
};

struct verify {
	const struct cmd_env *env;
	struct json j;
	struct reader *reader;
	struct checked *now; /* the stream being read */
	uint64_t findings;
	uint64_t events, missed;
};

static __attribute__((format(printf, 4, 5))) void finding(struct verify *v, const char *file,
							 uint64_t offset, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (v->findings++ >= SHOWN)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!v->env->json) {
		printf("%s: at byte %" PRIu64 ": %s\n", file, offset, text);
		return;
	}
	json_object(&v->j, NULL);
	json_string(&v->j, "file", file);
	json_u64(&v->j, "offset", offset);
	json_string(&v->j, "what", text);
	json_object_end(&v->j);
}

static void on_damage(void *arg, const struct reader_damage *d)
{
	finding(arg, d->file, d->offset, "%s (%" PRIu64 " bytes skipped)", d->why, d->bytes);
}

static void check_first(struct verify *v, const struct stream *s, const struct ctf_packet *p)
{
	uint64_t at = stream_packet_offset(s);

	if (!(p->flags & CTF_PACKET_EMPTY))
		finding(v, stream_file(s), at, "the file does not begin with an empty packet");
	if (p->discarded)
		finding(v, stream_file(s), at, "events_discarded is %" PRIu64 " in the first packet",
			p->discarded);
	if (p->seq)
		finding(v, stream_file(s), at, "the first packet has number %" PRIu64, p->seq);
}

static void check_next(struct verify *v, const struct stream *s, const struct ctf_packet *p)
{
	const struct ctf_packet *l = &v->now->last;
	uint64_t at = stream_packet_offset(s);

	if (p->seq != l->seq + 1)
		finding(v, stream_file(s), at, "packet number %" PRIu64 " follows %" PRIu64, p->seq,
			l->seq);
	if (p->discarded < l->discarded)
		finding(v, stream_file(s), at, "events_discarded goes back from %" PRIu64 " to %" PRIu64,
			l->discarded, p->discarded);
	if (p->cpu != l->cpu)
		finding(v, stream_file(s), at, "CPU %u follows CPU %u", p->cpu, l->cpu);
}

static void on_packet(void *arg, const struct stream *s, const struct ctf_packet *p)
{
	struct verify *v = arg;
	struct checked *c = v->now;
	int first = !c->have_last || c->file != stream_file(s);

	if (first)
		check_first(v, s, p);
	else
		check_next(v, s, p);
	if (c->have_last && p->begin < c->last.end)
		finding(v, stream_file(s), stream_packet_offset(s),
			"begins %" PRIu64 " cycles before the end of the packet before it",
			c->last.end - p->begin);
	c->reported = 0;
}

static void on_packet_end(void *arg, const struct stream *s, const struct ctf_packet *p,
			  uint64_t events)
{
	struct verify *v = arg;
	struct checked *c = v->now;
	uint64_t at = stream_packet_offset(s), gap = ledger_gap(&c->ledger, p, c->reported);
	uint64_t before = c->have_last && c->file == stream_file(s) ? c->last.discarded : 0;

	if (events != p->event_count)
		finding(v, stream_file(s), at, "%" PRIu64 " events instead of %u", events,
			p->event_count);
	if (gap >> 63)
		finding(v, stream_file(s), at, "the ledger goes back by %" PRIu64 " events", -gap);
	else if (gap)
		finding(v, stream_file(s), at, "%" PRIu64 " events before this packet are neither "
			"there nor reported missed", gap);
	if (p->discarded - before != c->reported)
		finding(v, stream_file(s), at, "events_discarded rises by %" PRIu64
			", trbuf:missed says %" PRIu64, p->discarded - before, c->reported);
	ledger_advance(&c->ledger, p);
	c->packets++;
	c->missed += c->reported;
	c->events += events - (c->reported != 0 && s && stream_class(s) == CTF_STREAM_RING);
	c->last = *p;
	c->have_last = 1;
	c->file = stream_file(s);
}

static void print_stream(struct verify *v, const struct stream *s, const struct checked *c)
{
	uint64_t emitted = ledger_emitted(&c->ledger);
	const char *base = strrchr(stream_file(s), '/');
	int holds = emitted == c->events + c->missed;

	base = base ? base + 1 : stream_file(s);
	if (!holds)
		finding(v, stream_file(s), 0, "%" PRIu64 " events + %" PRIu64
			" missed is not the %" PRIu64 " that its packets say were emitted",
			c->events, c->missed, emitted);
	if (!v->env->json)
		printf("%-16s %10" PRIu64 " packets %14" PRIu64 " events + %" PRIu64 " missed %s %"
		       PRIu64 " emitted\n", base, c->packets, c->events, c->missed,
		       holds ? "=" : "is not", emitted);
	v->events += c->events;
	v->missed += c->missed;
}

static void check_stream(struct verify *v, unsigned i)
{
	struct checked c = { 0 };
	const struct trace_event *ev;

	v->now = &c;
	while ((ev = reader_stream_next(v->reader, i))) {
		if (ev->type->own == META_OWN_MISSED)
			c.reported += out_missed(ev);
	}
	print_stream(v, reader_stream(v->reader, i), &c);
}

static int finish(struct verify *v, const char *path)
{
	if (v->env->json) {
		json_array_end(&v->j);
		json_u64(&v->j, "count", v->findings);
		json_u64(&v->j, "events", v->events);
		json_u64(&v->j, "missed", v->missed);
		json_u64(&v->j, "skipped_bytes", reader_skipped(v->reader));
		json_object_end(&v->j);
		json_end(&v->j);
	} else if (v->findings) {
		printf("%s: %" PRIu64 " findings; `tracectl repair` makes a copy without them\n", path,
		       v->findings);
	} else {
		printf("%s: whole: %" PRIu64 " events, %" PRIu64 " missed\n", path, v->events,
		       v->missed);
	}
	return cmd_written(v->env, v->findings ? CMD_FAILED : CMD_DONE);
}

/* With --json the findings array must be open before the reader finds any. */
static void start_json(struct verify *v, const char *path)
{
	if (!v->env->json)
		return;
	json_start(&v->j, stdout);
	json_object(&v->j, NULL);
	json_string(&v->j, "trace", path);
	json_array(&v->j, "findings");
}

static int verify_path(struct cmd_env *env, const char *path)
{
	struct verify v = { .env = env };
	struct reader_options probe = { .begin_ns = INT64_MIN, .by_stream = 1 };
	struct reader_options o = { .arg = &v, .damage = on_damage, .packet = on_packet,
				    .packet_end = on_packet_end, .begin_ns = INT64_MIN,
				    .by_stream = 1 };
	char error[META_ERROR];
	int status;

	/* once without output: what cannot be opened at all is an error */
	v.reader = reader_open(path, &probe, error);
	if (!v.reader)
		return cmd_fail(env, CMD_FAILED, "%s", error);
	reader_close(v.reader);
	start_json(&v, path);
	v.reader = reader_open(path, &o, error);
	if (!v.reader)
		return cmd_fail(env, CMD_FAILED, "%s", error);
	for (unsigned i = 0; i < reader_streams(v.reader); i++)
		check_stream(&v, i);
	status = finish(&v, path);
	reader_close(v.reader);
	return status;
}

static int verify_run(struct cmd_env *env, int argc, char **argv)
{
	static const struct option none[] = { { NULL, 0, NULL, 0 } };
	int c;

	opterr = 0;
	c = getopt_long(argc, argv, ":", none, NULL);
	if (c != -1)
		return cmd_badopt(env, c, argv);
	if (argc - optind != 1)
		return cmd_usage(env, argc > optind ? "one trace, not several" : "which trace?");
	return verify_path(env, argv[optind]);
}

const struct cmd cmd_verify = {
	.name = "verify",
	.args = "TRACE",
	.summary = "Is a trace whole? Structure, numbers, times, and that nothing is lost unreported",
	.help = "For every stream: events in the files + events reported missed = events emitted, from\n"
		"packet to packet. Every finding is named with file and offset. Changes nothing.\n"
		"Exit status 0: whole, 1: findings.\n"
		"\n"
		"Examples:\n"
		"  tracectl verify trace-20261201T120000\n"
		"  tracectl --json verify t | jq .findings\n",
	.run = verify_run,
};
