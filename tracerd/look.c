/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Following the control words: whoever holds the consumer lock gives rings
 * their memory and makes wanted sizes true; what changed is written down in the
 * trace. Part of session.c's object; called at each drain, flush and command.
 */
#include <errno.h>
#include <stdlib.h>

#include "libtrbuf/control.h"
#include "libtrbuf/layout_check.h"
#include "libtrbuf/ring_setup.h"
#include "libtrbuf/sync.h"
#include "tracerd/recording.h"

/* A tool that was killed half-way left gates behind the control words. One that
 * is at work holds the lock: then there is nothing to mend. */
static void repair_gates(struct session *s)
{
	struct layout_region *hdr = s->r->hdr;

	if (sync_load(&hdr->gates_seq) == sync_load(&hdr->control_seq) ||
	    region_lock(s->r, REGION_LOCK_CONTROL, 0))
		return;
	control_repair(s->r, 0);
	region_unlock(s->r, REGION_LOCK_CONTROL);
}

static void note_number(struct session *s, const char *what, int hex, uint64_t v)
{
	char text[32];

	if (hex)
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)v);
	else
		snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	statedump_note(s, what, "", text);
}

/* The words as they are now; what differs from the last look is noted. */
static void compare(struct session *s, const struct layout_control *c)
{
	uint32_t mode = sync_load(&s->r->hdr->mode);
	uint64_t wanted = sync_load(&s->r->hdr->wanted_size);

	if (s->looked && s->recording) {
		if (!!c->on != s->on)
			statedump_note(s, c->on ? "on" : "off", "", "");
		if (c->mask != s->mask)
			note_number(s, "mask", 1, c->mask);
		if (c->nrules != s->nrules)
			note_number(s, "rules", 0, c->nrules);
		if (mode != s->mode)
			statedump_note(s, "mode", "",
				       mode == LAYOUT_OVERWRITE ? "overwrite" : "discard");
		if (wanted != s->wanted_size)
			note_number(s, "resize", 0, wanted);
	}
	if (s->on != !!c->on)
		s->quiet = 0;
	s->on = !!c->on;
	s->mask = c->mask;
	s->nrules = c->nrules;
	s->mode = mode;
	s->wanted_size = wanted;
}

static uint64_t size_key(const struct session *s, uint32_t ring)
{
	const struct layout_region *hdr = s->r->hdr;
	uint64_t own = sync_load(&region_ring(s->r, ring)->wanted_size);
	/* Locked rings grow when the first producer needs them. */
	uint64_t locked = ring >= s->r->geo.nr_cpus && sync_load(&hdr->locked_users) != 0;

	return ((own ? own : sync_load(&hdr->wanted_size)) << 1 | locked) +
	       ((uint64_t)sync_load(&hdr->watermark) << 56) + 1;
}

/* Wanted sizes: tried when they change, and again while a shrink waits for
 * pages to come back. A size that there is no memory for is told once. */
static int follow_sizes(struct session *s, struct fault *f)
{
	int result = 0;

	for (uint32_t i = 0; i < s->nrings; i++) {
		struct ring_state *rs = &s->ring[i];
		uint64_t key = size_key(s, i);
		int n;

		if (rs->condition != RING_GOOD || rs->sizes_key == key)
			continue;
		n = ring_setup_apply(s->r, i, f);
		if (n != 1)
			rs->sizes_key = key;
		if (n < 0)
			result = n;
	}
	return result;
}

int session_look(struct session *s, struct fault *f)
{
	struct layout_region *hdr = s->r->hdr;
	uint32_t seq = sync_load_acquire(&hdr->control_seq);
	struct layout_control *c;
	int made = 0, err;

	f->text[0] = '\0';
	if (sync_load(&hdr->rings_ready))
		layout_refresh(hdr, &s->r->geo);
	repair_gates(s);
	/* A CPU that came online since, or a tool that is about to switch on. */
	if (sync_load(&hdr->lost[LAYOUT_LOST_NO_RING]) != s->no_ring_seen ||
	    (sync_load(&hdr->rings_wanted) && !sync_load(&hdr->rings_ready))) {
		s->no_ring_seen = sync_load(&hdr->lost[LAYOUT_LOST_NO_RING]);
		made = ring_setup_all(s->r, f);
	}
	if (!s->looked || seq != s->control_seq || sync_load(&hdr->mode) != s->mode ||
	    sync_load(&hdr->wanted_size) != s->wanted_size) {
		c = malloc(sizeof(*c));
		if (!c)
			return fault_set(f, ENOMEM, "no memory");
		control_get(s->r, c);
		compare(s, c);
		free(c);
		if (s->on)
			made = ring_setup_all(s->r, f);
		s->looked = 1;
		s->control_seq = seq;
	}
	drain_init_rings(s);
	err = follow_sizes(s, f);
	return made < 0 ? made : err < 0 ? err : made;
}
