/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The trace reader: all events of a trace directory in the order of time.
 *
 * Memory is bounded by the number of streams, not by their length: a window
 * per stream. Nothing in the files is trusted; what cannot be read is passed
 * over and reported, and reading goes on at the next packet. Files may grow or
 * shrink meanwhile: they are read, not mapped, so that cannot be a SIGBUS.
 *
 * Events of the same nanosecond come in the order of trace UUID, stream class
 * and stream instance, which is babeltrace2's.
 */
#ifndef TRACECTL_READER_H
#define TRACECTL_READER_H

#include <stdint.h>

#include "common/ctf_packet.h"
#include "tracectl/reader/meta.h"

struct reader;
struct stream;

/* One trace: directories with the same UUID are one. */
struct trace {
	struct meta *meta;
	unsigned ndirs;
	char **dir;
	struct meta **old; /* replaced while following; events may still point there */
	unsigned nold;
	int64_t stamp; /* of the metadata file, to notice a change */
};

struct trace_event {
	struct meta_event *type;
	const struct stream *stream;
	const struct trace *trace;
	int64_t ns;     /* since the epoch */
	uint64_t clock; /* cycles */
	uint32_t cpu;
	const unsigned char *context; /* meta_stream.context.size bytes */
	const unsigned char *payload; /* until the next call of reader_next */
	const unsigned char *end;
};

struct reader_damage {
	const char *file;
	uint64_t offset, bytes; /* where, and how many were skipped */
	const char *why;
};

struct reader_options {
	void *arg;
	/* Each thing that could not be read. NULL: only counted. */
	void (*damage)(void *arg, const struct reader_damage *d);
	/* Each packet before its events, and after them with their number. */
	void (*packet)(void *arg, const struct stream *s, const struct ctf_packet *p);
	void (*packet_end)(void *arg, const struct stream *s, const struct ctf_packet *p,
			   uint64_t events);
	int only_daemon;  /* the streams of the daemon alone */
	int by_stream;    /* no merging: only reader_stream_next will be called */
	int live;         /* an incomplete end of a file is not damage */
	int64_t begin_ns; /* packets that end before may be passed over; INT64_MIN */
};

/* NULL and a reason in `error` if there is no trace at all. */
struct reader *reader_open(const char *path, const struct reader_options *o,
			   char error[META_ERROR]);
void reader_close(struct reader *r);

/* The next event, or NULL at the end (or, live, when there is none now). */
const struct trace_event *reader_next(struct reader *r);

/* With by_stream: the next event of that stream alone, or NULL. */
const struct trace_event *reader_stream_next(struct reader *r, unsigned i);

/* The event returned last comes again with the next call. */
void reader_unget(struct reader *r);

/* Live: look for new bytes, files, chunks and events. 1 if there may be more. */
int reader_refresh(struct reader *r);

uint64_t reader_damaged(const struct reader *r); /* findings so far */
uint64_t reader_skipped(const struct reader *r); /* bytes not read */
uint64_t reader_bytes(const struct reader *r);   /* of all stream files */
uint64_t reader_done(const struct reader *r);    /* bytes read so far */

unsigned reader_traces(const struct reader *r);
struct trace *reader_trace(const struct reader *r, unsigned i);
unsigned reader_streams(const struct reader *r);
const struct stream *reader_stream(const struct reader *r, unsigned i);

/* Of a stream. */
uint32_t stream_class(const struct stream *s);
uint64_t stream_instance(const struct stream *s);
const char *stream_file(const struct stream *s); /* being read */
uint64_t stream_packet_offset(const struct stream *s);
const struct ctf_packet *stream_packet(const struct stream *s);
unsigned stream_rank(const struct stream *s); /* index in reader_stream */

/* A context number of an event: 0, or -1 if the trace does not have it. */
static inline int event_context(const struct trace_event *ev, int at, int32_t *v)
{
	if (at < 0)
		return -1;
	__builtin_memcpy(v, ev->context + at, 4);
	return 0;
}

static inline int event_pid(const struct trace_event *ev, int32_t *v)
{
	return event_context(ev, ev->trace->meta->stream[ev->type->stream].pid_at, v);
}

static inline int event_tid(const struct trace_event *ev, int32_t *v)
{
	return event_context(ev, ev->trace->meta->stream[ev->type->stream].tid_at, v);
}

/* A walk over the fields of an event, in order. */
struct field_value {
	const struct meta_field *field;
	const unsigned char *data;
	uint32_t count; /* elements; of a string its bytes without the NUL */
	uint64_t number; /* of an integer */
};

struct field_walk {
	const struct meta_struct *st;
	const unsigned char *p, *end;
	unsigned next;
	uint64_t length;
};

static inline void field_start(struct field_walk *w, const struct trace_event *ev)
{
	w->st = &ev->type->fields;
	w->p = ev->payload;
	w->end = ev->end;
	w->next = 0;
	w->length = 0;
}

/* 0 behind the last field. The reader has checked that all of it is there. */
static inline int field_next(struct field_walk *w, struct field_value *v)
{
	const struct meta_field *f;

	if (w->next >= w->st->nfields)
		return 0;
	f = &w->st->field[w->next++];
	v->field = f;
	v->data = w->p;
	v->count = 1;
	switch (f->kind) {
	case META_STRING:
		v->count = (uint32_t)__builtin_strlen((const char *)w->p);
		w->p += v->count + 1;
		break;
	case META_ARRAY:
		v->count = f->count;
		w->p += (uint64_t)f->size * f->count;
		break;
	case META_SEQ:
		v->count = (uint32_t)w->length;
		w->p += f->size * w->length;
		break;
	case META_FLOAT:
		w->p += f->size;
		break;
	default:
		v->number = w->length = meta_load(w->p, f->size, f->kind);
		w->p += f->size;
	}
	return 1;
}

/* A field by name; 0 if the event has none. */
int event_field(const struct trace_event *ev, const char *name, struct field_value *v);
/* An integer field by name, else `none`. */
uint64_t event_number(const struct trace_event *ev, const char *name, uint64_t none);
/* A string field by name, else "". */
const char *event_string(const struct trace_event *ev, const char *name);

#endif
