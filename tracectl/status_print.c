/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* `tracectl status` on paper: text for people, JSON for programs. Pure output. */
#include <inttypes.h>

#include "common/parse.h"
#include "libtrbuf/sync.h"
#include "tracectl/json.h"
#include "tracectl/status_print.h"
#include "tracectl/text.h"

static void text_header(const struct region *r, const struct status_report *s)
{
	char id[33], when[64], memory[32], page[32];

	text_region_id(r, id);
	text_time(r->hdr->created_realtime, when, sizeof(when));
	text_size(s->memory, memory, sizeof(memory));
	text_size(r->geo.page_size, page, sizeof(page));
	printf("region      ");
	text_put(stdout, r->path);
	printf("%s\n", s->in_place ? "" : "  (file was removed or replaced: an orphan)");
	printf("id          %s, layout %u, made %s\n", id, sync_load(&r->hdr->version), when);
	printf("clock       %s, %" PRIu64 " Hz; rseq %s\n", parse_clock_name(r->geo.clock),
	       s->frequency, text_rseq(sync_load(&r->hdr->rseq_verdict)));
	printf("tracing     %s; mask 0x%016" PRIx64 "; %u rule%s%s\n", s->control.on ? "on" : "off",
	       s->control.mask, s->control.nrules, s->control.nrules == 1 ? "" : "s",
	       s->stale ? "; a change was left half-way (any change mends it)" : "");
	printf("mode        %s; context %s; pages of %s; doorbell at %u %%; flush %u ms\n",
	       parse_mode_name(sync_load(&r->hdr->mode)), parse_context_name(r->geo.context), page,
	       sync_load(&r->hdr->watermark), sync_load(&r->hdr->flush_ms));
	printf("memory      %s\n", memory);
}

static void text_who(const struct region *r, const struct status_report *s)
{
	if (s->daemon > 0)
		printf("daemon      pid %d\n", s->daemon);
	else
		printf("daemon      %s\n", s->daemon ? "another reader holds the rings" : "none");
	printf("recording   ");
	if (s->recording) {
		text_put(stdout, s->recording_path);
		printf("%s%s\n", s->paused ? "  (paused: disk reserve reached)" : "",
		       s->daemon ? "" : "  (its daemon is gone; the next one goes on)");
	} else {
		printf("none\n");
	}
	printf("processes   %u attached", s->processes);
	if (s->processes_locked)
		printf(", %u on locked rings (no rseq)", s->processes_locked);
	if (s->processes_dead)
		printf(", %u died without leaving", s->processes_dead);
	printf("; refused %u\n", sync_load(&r->hdr->processes_refused));
	printf("events      %zu registered in %zu class%s, %zu on; refused %u, "
	       "for want of a class %u\n",
	       s->events, s->classes, s->classes == 1 ? "" : "es", s->events_on,
	       sync_load(&r->hdr->events_refused), sync_load(&r->hdr->classes_refused));
	if (s->same_name)
		printf("            %zu of them share a name but not the fields "
		       "(`tracectl list`)\n",
		       s->same_name);
	if (s->events_bad)
		printf("            %" PRIu64 " entries are damaged\n", s->events_bad);
}

static void text_ring(const struct region *r, const struct ring_state *s)
{
	const struct ring_totals *t = &s->totals;
	char name[32], size[32];

	ring_state_name(r, s, name, sizeof(name));
	text_size(t->bytes, size, sizeof(size));
	printf("%-10s %10s %6u %4.0f%% %14" PRIu64 " %12" PRIu64 " %12" PRIu64 " %10" PRIu64 "%s",
	       name, size, t->pages, ring_state_fill(s), t->events, t->missed, t->filtered,
	       t->switches, s->denied ? "  may not trace" : "");
	if (s->bad) {
		printf("  quarantined: ");
		text_put(stdout, s->why);
	}
	putchar('\n');
}

static void text_rings(const struct region *r, const struct status_report *s)
{
	uint32_t unused = 0;

	printf("\n%-10s %10s %6s %5s %14s %12s %12s %10s\n", "ring", "size", "pages", "full",
	       "events", "missed", "filtered", "switches");
	for (uint32_t i = 0; i < r->geo.nr_rings; i++) {
		const struct ring_state *ring = &s->rings[i];
		int idle = !ring->totals.events && !ring->totals.missed && !ring->totals.filtered;

		/* Locked rings are many and mostly untouched. */
		if (!ring->bad && !ring->denied && (!ring->ready || (ring->locked && idle)))
			unused++;
		else
			text_ring(r, ring);
	}
	if (unused)
		printf("(%u ring%s without memory or never used)\n", unused,
		       unused == 1 ? "" : "s");
}

static void text_totals(const struct status_report *s)
{
	const struct ring_sum *sum = &s->sum;

	printf("\nemitted %" PRIu64 " = events %" PRIu64 " + missed %" PRIu64,
	       sum->events + sum->missed + sum->lost_sum, sum->events, sum->missed);
	for (unsigned i = 0; text_lost(i); i++)
		printf(" + %s %" PRIu64, text_lost(i), sum->lost[i]);
	putchar('\n');
	if (sum->overwritten)
		printf("of the events, %" PRIu64 " were overwritten before they were read\n",
		       sum->overwritten);
	if (sum->clock_backwards)
		printf("the clock stepped back %" PRIu64 " times\n", sum->clock_backwards);
}

void status_print_text(const struct region *r, const struct status_report *s)
{
	text_header(r, s);
	text_who(r, s);
	text_rings(r, s);
	text_totals(s);
}

static void json_header(struct json *j, const struct region *r, const struct status_report *s)
{
	char id[33];

	text_region_id(r, id);
	json_string(j, "region", r->path);
	json_string(j, "id", id);
	json_u64(j, "version", sync_load(&r->hdr->version));
	json_bool(j, "in_place", s->in_place);
	json_u64(j, "created_ns", r->hdr->created_realtime);
	json_string(j, "clock", parse_clock_name(r->geo.clock));
	json_u64(j, "frequency", s->frequency);
	json_string(j, "rseq", text_rseq(sync_load(&r->hdr->rseq_verdict)));
	json_bool(j, "on", s->control.on != 0);
	json_hex(j, "mask", s->control.mask);
	json_u64(j, "rules", s->control.nrules);
	json_bool(j, "stale", s->stale);
	json_string(j, "mode", parse_mode_name(sync_load(&r->hdr->mode)));
	json_string(j, "context", parse_context_name(r->geo.context));
	json_u64(j, "page_size", r->geo.page_size);
	json_u64(j, "wanted_size", sync_load(&r->hdr->wanted_size));
	json_u64(j, "watermark", sync_load(&r->hdr->watermark));
	json_u64(j, "flush_ms", sync_load(&r->hdr->flush_ms));
	json_bool(j, "rings_ready", sync_load(&r->hdr->rings_ready) != 0);
	json_u64(j, "memory", s->memory);
}

static void json_who(struct json *j, const struct region *r, const struct status_report *s)
{
	json_object(j, "daemon");
	json_bool(j, "running", s->daemon != 0);
	if (s->daemon > 0)
		json_s64(j, "pid", s->daemon);
	else
		json_null(j, "pid");
	json_object_end(j);
	json_object(j, "recording");
	json_bool(j, "running", s->recording);
	json_bool(j, "paused", s->paused);
	json_string(j, "path", s->recording ? s->recording_path : NULL);
	json_object_end(j);
	json_object(j, "processes");
	json_u64(j, "attached", s->processes);
	json_u64(j, "locked", s->processes_locked);
	json_u64(j, "dead", s->processes_dead);
	json_u64(j, "refused", sync_load(&r->hdr->processes_refused));
	json_object_end(j);
	json_object(j, "events");
	json_u64(j, "registered", s->events);
	json_u64(j, "classes", s->classes);
	json_u64(j, "on", s->events_on);
	json_u64(j, "same_name", s->same_name);
	json_u64(j, "damaged", s->events_bad);
	json_u64(j, "refused", sync_load(&r->hdr->events_refused));
	json_u64(j, "class_refused", sync_load(&r->hdr->classes_refused));
	json_object_end(j);
}

static void json_ring(struct json *j, const struct region *r, const struct ring_state *s)
{
	const struct ring_totals *t = &s->totals;

	json_object(j, NULL);
	json_u64(j, "ring", s->index);
	json_bool(j, "locked", s->locked);
	if (s->locked)
		json_null(j, "cpu");
	else
		json_u64(j, "cpu", s->index);
	json_bool(j, "ready", s->ready);
	json_bool(j, "allowed", !s->denied);
	json_u64(j, "bytes", t->bytes);
	json_u64(j, "wanted", t->wanted ? t->wanted : sync_load(&r->hdr->wanted_size));
	json_u64(j, "pages", t->pages);
	json_u64(j, "full_pages", t->full_pages);
	json_double(j, "fill", ring_state_fill(s));
	json_u64(j, "events", t->events);
	json_u64(j, "missed", t->missed);
	json_u64(j, "filtered", t->filtered);
	json_u64(j, "overwritten", s->overwritten);
	json_u64(j, "clock_backwards", t->clock_backwards);
	json_u64(j, "switches", t->switches);
	json_string(j, "quarantined", s->bad ? s->why : NULL);
	json_object_end(j);
}

static void json_totals(struct json *j, const struct ring_sum *sum)
{
	json_object(j, "totals");
	json_u64(j, "emitted", sum->events + sum->missed + sum->lost_sum);
	json_u64(j, "events", sum->events);
	json_u64(j, "missed", sum->missed);
	json_object(j, "lost");
	for (unsigned i = 0; text_lost(i); i++)
		json_u64(j, text_lost(i), sum->lost[i]);
	json_object_end(j);
	json_u64(j, "overwritten", sum->overwritten);
	json_u64(j, "filtered", sum->filtered);
	json_u64(j, "clock_backwards", sum->clock_backwards);
	json_u64(j, "switches", sum->switches);
	json_u64(j, "bytes", sum->bytes);
	json_u64(j, "quarantined", sum->quarantined);
	json_object_end(j);
}

void status_print_json(const struct region *r, const struct status_report *s)
{
	struct json j;

	json_start(&j, stdout);
	json_object(&j, NULL);
	json_header(&j, r, s);
	json_who(&j, r, s);
	json_array(&j, "rings");
	for (uint32_t i = 0; i < r->geo.nr_rings; i++) {
		const struct ring_state *ring = &s->rings[i];

		/* A machine may have a thousand possible CPUs that never come. */
		if (ring->ready || ring->bad || ring->denied)
			json_ring(&j, r, ring);
	}
	json_array_end(&j);
	json_totals(&j, &s->sum);
	json_object_end(&j);
	json_end(&j);
}
