/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * From what the metadata says to what the reader does: decode steps per event,
 * look-up by id, and the check that packets are laid out as doc/ctf.md says,
 * since everything behind it reads them at fixed offsets. Called by tsdl.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ctf_packet.h"
#include "tracectl/reader/tsdl.h"

struct place {
	const char *name;
	uint32_t at; /* from the start of the packet, or of the event header */
	uint8_t size;
	uint32_t count;
};

static const struct place packet_header[] = {
	{ "magic", 0, 4, 0 }, { "uuid", 4, 1, 16 }, { "stream_id", 20, 4, 0 },
	{ "stream_instance_id", 24, 8, 0 }, { NULL, 32, 0, 0 },
};

/* The gaps that alignments leave hold what babeltrace2 shall not see. */
static const struct place packet_context[] = {
	{ "cpu_id", 32, 4, 0 }, { "timestamp_begin", 64, 8, 0 }, { "timestamp_end", 72, 8, 0 },
	{ "content_size", 96, 8, 0 }, { "packet_size", 104, 8, 0 },
	{ "packet_seq_num", 112, 8, 0 }, { "events_discarded", 120, 8, 0 }, { NULL, 128, 0, 0 },
};

static const struct place event_header[] = {
	{ "id", 0, 2, 0 }, { "timestamp", 2, 6, 0 }, { NULL, 8, 0, 0 },
};

/* Is the struct, beginning at `at`, what `want` says? */
static int check_place(const struct meta_struct *st, uint32_t at, const struct place *want,
		       const char *what, char *error)
{
	for (unsigned i = 0; want[i].name || i < st->nfields; i++) {
		const struct meta_field *f = i < st->nfields ? &st->field[i] : NULL;
		uint32_t align = f && f->align ? f->align : 1;

		at = (at + align - 1) & ~(align - 1);
		if (f && want[i].name && strcmp(f->name, want[i].name) == 0 && at == want[i].at &&
		    f->size == want[i].size && f->count == want[i].count && f->kind != META_SEQ) {
			at += f->count ? f->size * f->count : f->size;
			continue;
		}
		snprintf(error, META_ERROR,
			 "%s: field %u is %s at byte %u, layout 1 of trbuf has %s there; "
			 "this version cannot read the trace",
			 what, i + 1, f ? f->name : "none", at, want[i].name ? want[i].name : "none");
		return -1;
	}
	return 0;
}

/* Records have no gaps. */
static int is_packed(const struct meta_struct *st)
{
	for (unsigned i = 0; i < st->nfields; i++) {
		if (st->field[i].align > 1)
			return 0;
	}
	return 1;
}

static int offset_of(const struct meta_struct *st, const char *name)
{
	uint32_t at = 0;

	for (unsigned i = 0; i < st->nfields; i++) {
		const struct meta_field *f = &st->field[i];

		if (strcmp(f->name, name) == 0)
			return f->kind <= META_SINT && f->size == 4 ? (int)at : -1;
		at += f->kind == META_ARRAY ? f->size * f->count : f->size;
	}
	return -1;
}

static int check_stream(struct meta_stream *s, unsigned id, char *error)
{
	if (check_place(&s->packet, 32, packet_context, "packet.context", error) ||
	    check_place(&s->header, 0, event_header, "event.header", error))
		return -1;
	if (!s->context.nfields)
		s->context.fixed = 1;
	if (!s->context.fixed || s->context.size > 256 || !is_packed(&s->context)) {
		snprintf(error, META_ERROR, "event.context of stream %u is not packed and of fixed size",
			 id);
		return -1;
	}
	s->pid_at = offset_of(&s->context, "pid");
	s->tid_at = offset_of(&s->context, "tid");
	return 0;
}

static int index_event(struct meta *m, struct meta_event *ev, char *error)
{
	struct meta_stream *s = &m->stream[ev->stream];

	if (!s->declared) {
		snprintf(error, META_ERROR, "event %s is of stream %u, which is not declared",
			 ev->name, ev->stream);
		return -1;
	}
	if (ev->id >= s->nids) {
		unsigned n = ev->id < 256 ? 256 : META_MAX_ID + 1;
		struct meta_event **more = realloc(s->by_id, n * sizeof(struct meta_event *));

		if (!more) {
			snprintf(error, META_ERROR, "out of memory");
			return -1;
		}
		memset(more + s->nids, 0, (n - s->nids) * sizeof(struct meta_event *));
		s->by_id = more;
		s->nids = n;
	}
	if (s->by_id[ev->id]) {
		snprintf(error, META_ERROR, "event id %u of stream %u is declared twice", ev->id,
			 ev->stream);
		return -1;
	}
	s->by_id[ev->id] = ev;
	return 0;
}

static uint64_t ns_of(uint64_t frequency, uint64_t cycles)
{
	if (frequency == 1000000000)
		return cycles;
	return (uint64_t)(1e9 * (double)cycles / (double)frequency);
}

static int check_clock(struct meta_clock *c, char *error)
{
	if (!c->frequency) {
		snprintf(error, META_ERROR, "there is no clock");
		return -1;
	}
	if (c->offset_s > 9000000000 || c->offset_s < -9000000000 ||
	    c->offset / c->frequency > 9000000000) {
		snprintf(error, META_ERROR, "the clock's offset is out of range");
		return -1;
	}
	c->base_ns = c->offset_s * 1000000000 + (int64_t)ns_of(c->frequency, c->offset);
	return 0;
}

int meta_plan_check(struct meta *m, char error[META_ERROR])
{
	if (check_clock(&m->clock, error) ||
	    check_place(&m->packet_header, 0, packet_header, "packet.header", error))
		return -1;
	for (unsigned i = 0; i < META_MAX_STREAMS; i++) {
		if (m->stream[i].declared && check_stream(&m->stream[i], i, error))
			return -1;
	}
	for (unsigned i = 0; i < m->nevents; i++) {
		if (index_event(m, m->event[i], error))
			return -1;
	}
	return 0;
}

static void name_own(struct meta_event *ev)
{
	if (strcmp(ev->name, "trbuf:missed") == 0 && ev->fields.nfields >= 3)
		ev->own = META_OWN_MISSED;
	else if (strcmp(ev->name, "trbuf:process") == 0)
		ev->own = META_OWN_PROCESS;
	else if (strcmp(ev->name, "trbuf:exit") == 0)
		ev->own = META_OWN_EXIT;
}

/* Decode steps: the fixed bytes in front of each string and sequence. */
int meta_plan_event(struct tsdl *t, struct meta_event *ev)
{
	const char *colon = strchr(ev->name, ':');
	uint32_t skip = 0;

	if (!is_packed(&ev->fields))
		tsdl_fail(t, "event %s: records with gaps are not supported", ev->name);
	ev->class_len = colon ? (unsigned)(colon - ev->name) : 0;
	ev->steps = tsdl_alloc(t, (ev->fields.nfields + 1) * sizeof(*ev->steps));
	for (unsigned i = 0; i < ev->fields.nfields; i++) {
		const struct meta_field *f = &ev->fields.field[i];
		struct meta_step *s = &ev->steps[ev->nsteps];

		if (f->kind != META_STRING && f->kind != META_SEQ) {
			skip += f->kind == META_ARRAY ? f->size * f->count : f->size;
			if (skip > CTF_MAX_PACKET)
				tsdl_fail(t, "event %s is too large", ev->name);
			continue;
		}
		*s = (struct meta_step){ .skip = skip, .kind = f->kind, .size = f->size,
					 .length = f->length };
		ev->nsteps++;
		skip = 0;
	}
	ev->steps[ev->nsteps] = (struct meta_step){ .skip = skip, .kind = META_UINT };
	name_own(ev);
	return t->failed;
}

const char *meta_label(const struct meta_field *f, uint64_t value)
{
	for (uint32_t i = 0; i < f->nlabels; i++) {
		const struct meta_label *l = &f->labels[i];
		uint64_t low = (uint64_t)l->low, high = (uint64_t)l->high;

		if (f->kind == META_SINT ? (int64_t)value >= l->low && (int64_t)value <= l->high :
					   value >= low && value <= high)
			return l->name;
	}
	return NULL;
}

uint64_t meta_cycles(const struct meta_clock *c, int64_t ns)
{
	uint64_t low = 0, high = UINT64_MAX >> 2;

	/* meta_ns never goes down, so halving finds the first one. */
	if (ns <= c->base_ns)
		return 0;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (meta_ns(c, mid) >= ns)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}
