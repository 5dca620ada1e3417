/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The state of the rings for those who look: status, top, resize, doctor.
 * Reads through ring_read.h, which checks; takes no page and no lock.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/sync.h"
#include "tracectl/ring_state.h"

void ring_state_one(struct region *r, uint32_t index, struct ring_state *s)
{
	const struct layout_ring *ring = region_ring(r, index);
	struct ring_reader rd = { .r = r };
	int err;

	memset(s, 0, sizeof(*s));
	s->index = index;
	s->locked = index >= r->geo.nr_cpus;
	s->denied = sync_load(&ring->denied) != 0;
	s->owner = sync_load(&ring->owner);
	err = ring_reader_init(&rd, r, index);
	if (err == -EAGAIN)
		return;
	s->ready = 1;
	if (!err) {
		struct ring_disk disk;

		err = ring_reader_totals(&rd, &s->totals);
		ring_disk_get(&rd, &disk);
		s->overwritten = disk.lost;
	}
	if (err || sync_load(&ring->quarantined)) {
		s->bad = 1;
		snprintf(s->why, sizeof(s->why), "%s",
			 rd.fault.text[0] ? rd.fault.text : "its words cannot be true");
	}
}

struct ring_state *ring_state_load(struct region *r)
{
	struct ring_state *s = calloc(r->geo.nr_rings, sizeof(*s));

	for (uint32_t i = 0; s && i < r->geo.nr_rings; i++)
		ring_state_one(r, i, &s[i]);
	return s;
}

void ring_state_sum(const struct region *r, const struct ring_state *s, struct ring_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = 0; i < r->geo.nr_rings; i++) {
		sum->ready += s[i].ready != 0;
		sum->quarantined += s[i].bad != 0;
		sum->events += s[i].totals.events;
		sum->missed += s[i].totals.missed;
		sum->filtered += s[i].totals.filtered;
		sum->clock_backwards += s[i].totals.clock_backwards;
		sum->switches += s[i].totals.switches;
		sum->bytes += s[i].totals.bytes;
		sum->pages += s[i].totals.pages;
		sum->full_pages += s[i].totals.full_pages;
		sum->overwritten += s[i].overwritten;
	}
	for (unsigned i = 0; i < LAYOUT_LOST_KINDS; i++) {
		sum->lost[i] = sync_load(&r->hdr->lost[i]);
		sum->lost_sum += sum->lost[i];
	}
}

double ring_state_fill(const struct ring_state *s)
{
	uint32_t full = s->totals.full_pages, most;

	if (!s->totals.pages)
		return 0;
	/* One page is always the one being filled: a ring is full without it. */
	most = s->totals.pages > 1 ? s->totals.pages - 1 : 1;
	return full >= most ? 100.0 : 100.0 * full / most;
}

void ring_state_name(const struct region *r, const struct ring_state *s, char *buf, size_t size)
{
	if (s->locked)
		snprintf(buf, size, "locked %u", s->index - r->geo.nr_cpus);
	else
		snprintf(buf, size, "cpu %u", s->index);
}
