/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The trace_event JSON that Perfetto and chrome://tracing read. Spans are B and
 * E, all other events instants, misses a counter. "ts" is microseconds since
 * the first event with three decimals: exact nanoseconds that survive a
 * reader's doubles. B and E balance: a span without an end is closed, an end
 * without a begin left out; the last line of notes counts both. Called through
 * struct out_format.
 */
#include <stdlib.h>

#include "tracectl/out_names.h"
#include "tracectl/out_run.h"
#include "tracectl/out_span.h"
#include "tracectl/out_time.h"

struct chrome {
	struct spans spans;
	struct out *out;
	int64_t first, last;
	uint64_t missed;
	int started;
};

static void put_time(struct out_buf *b, const struct chrome *c, int64_t ns)
{
	uint64_t t = ns > c->first ? (uint64_t)(ns - c->first) : 0;

	out_bytes(b, ",\"ts\":", 6);
	out_u64(b, t / 1000);
	out_char(b, '.');
	out_digits(b, t % 1000, 3);
}

static void put_who(struct out_buf *b, int32_t pid, int32_t tid)
{
	out_bytes(b, ",\"pid\":", 7);
	out_s64(b, pid);
	out_bytes(b, ",\"tid\":", 7);
	out_s64(b, tid);
}

/* {"name":"..","ph":"X" of the next element. */
static void put_open(struct out_buf *b, const char *name, size_t n, char phase)
{
	out_reserve(b, 64);
	out_bytes(b, ",\n{\"name\":", 10);
	out_json_string(b, name, n);
	out_reserve(b, 256);
	out_bytes(b, ",\"ph\":\"", 7);
	out_char(b, phase);
	out_char(b, '"');
}

static void put_name(struct out_buf *b, const char *what, const struct names_entry *e)
{
	put_open(b, what, strlen(what), 'M');
	put_who(b, e->pid, e->pid);
	out_bytes(b, ",\"args\":{\"name\":", 16);
	out_json_string(b, e->comm, strlen(e->comm));
	out_reserve(b, 2);
	out_bytes(b, "}}", 2);
}

static void put_head(struct out *out)
{
	struct chrome *c = out->state;
	struct out_buf *b = out->buf;
	char iso[64];

	out_iso_time(c->first, iso, sizeof(iso));
	out_text(b, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"start_ns\":\"");
	out_reserve(b, 32);
	out_s64(b, c->first);
	out_text(b, "\",\"start\":\"");
	out_text(b, iso);
	out_text(b, "\"},\"traceEvents\":[\n"
		    "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"tid\":0,"
		    "\"args\":{\"name\":\"trbuf\"}}");
	for (unsigned i = 0; out->names && i < names_count(out->names); i++) {
		put_name(b, "process_name", names_at(out->names, i));
		put_name(b, "thread_name", names_at(out->names, i));
	}
}

static void put_args(struct out_buf *b, const struct trace_event *ev)
{
	struct field_walk w;
	struct field_value v;
	int n = 0;

	out_text(b, ",\"args\":{");
	field_start(&w, ev);
	while (field_next(&w, &v)) {
		out_text(b, n++ ? ",\"" : "\"");
		/* a field's name is an identifier: nothing to escape */
		out_text(b, v.field->name);
		out_text(b, "\":");
		out_json_value(b, &v);
	}
	out_text(b, "}}");
}

static size_t category(struct out_buf *b, const struct meta_event *type)
{
	if (!type->class_len)
		return 0;
	out_reserve(b, 16);
	out_bytes(b, ",\"cat\":", 7);
	out_json_string(b, type->name, type->class_len);
	out_reserve(b, 256);
	return type->class_len + 1u;
}

static size_t base_skip(const struct meta_event *type)
{
	return type->class_len ? type->class_len + 1u : 0;
}

static void put_end(void *arg, const struct span_thread *t, const struct span *s, int64_t ns,
		    int closed)
{
	struct chrome *c = arg;
	struct out_buf *b = c->out->buf;
	size_t skip = base_skip(s->type);

	put_open(b, s->type->name + skip, s->name_len - skip, 'E');
	category(b, s->type);
	put_who(b, t->pid, t->tid);
	put_time(b, c, ns);
	if (closed)
		out_bytes(b, ",\"args\":{\"trbuf_no_end\":1}", 26);
	out_char(b, '}');
}

static void put_instant(struct chrome *c, struct out_buf *b, const struct trace_event *ev)
{
	size_t skip = base_skip(ev->type);
	int32_t pid, tid;

	spans_who(ev, &pid, &tid);
	if (ev->type->stream == CTF_STREAM_DAEMON)
		tid = 0;
	put_open(b, ev->type->name + skip, strlen(ev->type->name) - skip, 'i');
	category(b, ev->type);
	put_who(b, pid, tid);
	put_time(b, c, ev->ns);
	out_bytes(b, ",\"s\":\"t\"", 8);
	put_args(b, ev);
}

static void put_begin(struct chrome *c, struct out_buf *b, const struct trace_event *ev)
{
	size_t skip = base_skip(ev->type);
	const struct span *s = spans_begin(&c->spans, ev);
	int32_t pid, tid;

	if (!s)
		return;
	spans_who(ev, &pid, &tid);
	put_open(b, ev->type->name + skip, s->name_len - skip, 'B');
	category(b, ev->type);
	put_who(b, pid, tid);
	put_time(b, c, ev->ns);
	put_args(b, ev);
}

static void put_missed(struct chrome *c, struct out_buf *b, const struct trace_event *ev)
{
	c->missed += out_missed(ev);
	put_open(b, "missed events", 13, 'C');
	put_who(b, 0, 0);
	put_time(b, c, ev->ns);
	out_bytes(b, ",\"args\":{\"missed\":", 18);
	out_u64(b, c->missed);
	out_bytes(b, "}}", 2);
}

static void chrome_event(struct out *out, const struct trace_event *ev)
{
	struct chrome *c = out->state;

	if (!c->started) {
		c->started = 1;
		c->first = ev->ns;
		put_head(out);
	}
	c->last = ev->ns;
	if (ev->type->own == META_OWN_MISSED)
		put_missed(c, out->buf, ev);
	if (ev->type->span == META_SPAN_BEGIN)
		put_begin(c, out->buf, ev);
	else if (ev->type->span == META_SPAN_END)
		spans_end(&c->spans, ev);
	else
		put_instant(c, out->buf, ev);
}

static int chrome_begin(struct out *out)
{
	struct chrome *c = calloc(1, sizeof(*c));

	if (!c || spans_init(&c->spans)) {
		free(c);
		return -1;
	}
	c->out = out;
	c->spans.arg = c;
	c->spans.end = put_end;
	out->state = c;
	return 0;
}

static void chrome_end(struct out *out)
{
	struct chrome *c = out->state;
	const struct spans *s = &c->spans;

	if (!c->started)
		put_head(out);
	spans_finish(&c->spans, c->last);
	out_text(out->buf, "\n]}\n");
	if (s->closed || s->no_begin || s->too_deep)
		fprintf(out->notes,
			"tracectl: spans: %llu had no end and were closed, %llu ends had no begin "
			"and %llu spans were too many at once: left out\n",
			(unsigned long long)s->closed, (unsigned long long)s->no_begin,
			(unsigned long long)s->too_deep);
	spans_free(&c->spans);
	free(c);
}

const struct out_format out_format_chrome = { "chrome", chrome_begin, chrome_event, chrome_end };
