/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * From the rings into the files: takes full pages, has them planned by
 * packets.c, writes, moves the ledger, posts the pages again, in this order, so
 * that a crash at any point leaves each event in exactly one place. A page
 * whose write failed stays held and is the first of the next try.
 */
#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/sync.h"
#include "tracerd/recording.h"

#define PARTIAL_TRIES 64

void drain_quarantine(struct session *s, struct ring_state *rs, const char *why)
{
	if (rs->condition == RING_QUARANTINED)
		return;
	rs->condition = RING_QUARANTINED;
	sync_store(&region_ring(s->r, rs->reader.index)->quarantined, 1);
	session_log(s, LOG_ERR, "%s; it is left alone from now on", why);
	statedump_quarantine(s, rs->reader.index, why);
}

static void ledger_fault(struct session *s, struct ring_state *rs, uint64_t page)
{
	char why[160];

	snprintf(why, sizeof(why), "ring %u: counters of page %llu contradict what came before it",
		 rs->reader.index, (unsigned long long)page);
	drain_quarantine(s, rs, why);
}

void drain_init_rings(struct session *s)
{
	for (unsigned i = 0; i < s->nrings; i++) {
		struct ring_state *rs = &s->ring[i];
		int err;

		if (rs->condition != RING_NEW)
			continue;
		err = ring_reader_init(&rs->reader, s->r, i);
		rs->reader.r = s->r;
		rs->reader.index = i;
		if (err == 0) {
			rs->condition = RING_GOOD;
			ring_disk_get(&rs->reader, &rs->disk);
		} else if (err == -EBADMSG) {
			drain_quarantine(s, rs, rs->reader.fault.text);
		}
	}
}

static int open_stream(struct session *s, struct ring_state *rs)
{
	struct ctf_stream_id id = { .stream_id = CTF_STREAM_RING,
				    .instance = rs->reader.index,
				    .cpu = rs->reader.index };

	if (rs->stream.fd >= 0)
		return 0;
	memcpy(id.uuid, s->meta.uuid, sizeof(id.uuid));
	if (rs->reader.index >= s->r->geo.nr_cpus)
		id.flags = CTF_PACKET_LOCKED;
	return ctf_stream_create(&rs->stream, s->dirfd, &id);
}

/* Posts the first n held pages: their data are in the file. */
static void post_held(struct ring_state *rs, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ring_reader_post(&rs->reader, rs->held[i].slot);
	rs->nheld -= n;
	memmove(rs->held, rs->held + n, rs->nheld * sizeof(rs->held[0]));
}

/* The metadata with all events that pages in hand may use are written before a
 * plan is made. Writes the plan; *done is the number of its pages that are dealt with. 0, or
 * -errno as write said, with the ledger where the file stands. */
static int carry_out(struct session *s, struct ring_state *rs, struct plan *plan, unsigned *done)
{
	struct ring_disk ledger = plan->last;
	int n = 0, err;

	*done = 0;
	err = plan->n ? open_stream(s, rs) : 0;
	if (!err && plan->n) {
		n = ctf_stream_append(&rs->stream, plan->block, plan->n);
		err = n < 0 ? n : 0;
	}
	if (err)
		return err;
	*done = plan->done;
	if ((unsigned)n < plan->n) {
		ledger = plan->disk[n - 1];
		*done = plan->pages[n - 1];
	} else {
		s->damaged += plan->damaged;
	}
	rs->disk = ledger;
	ring_disk_set(&rs->reader, &ledger);
	return 0;
}

static int take_pages(struct session *s, struct ring_state *rs)
{
	unsigned max = s->set.check_records ? 1 : HELD_MAX;

	while (rs->nheld < max) {
		int got = ring_reader_take(&rs->reader, &rs->held[rs->nheld]);

		if (got == 0)
			break;
		if (got < 0) {
			drain_quarantine(s, rs, rs->reader.fault.text);
			break;
		}
		rs->nheld++;
	}
	return rs->nheld > 0;
}

/* The held pages into the file. Pages written, -errno if the recording ended,
 * 0 if it is paused now. */
static int write_held(struct session *s, struct ring_state *rs)
{
	struct plan plan;
	unsigned done, n = rs->nheld;
	int err;

	if (s->set.check_records && n > 1)
		n = 1; /* there is one private copy */
	err = output_metadata(s);
	if (err)
		return output_failed(s, err, "metadata");
	packets_begin(&plan, rs);
	for (unsigned i = 0; i < n; i++)
		if (packets_page(&plan, s, rs, &rs->held[i])) {
			ledger_fault(s, rs, rs->held[i].number);
			break;
		}
	err = carry_out(s, rs, &plan, &done);
	post_held(rs, done);
	return err ? output_failed(s, err, "a page") : (int)done;
}

int drain_ring(struct session *s, struct ring_state *rs)
{
	/* No more than a ring of pages at once: the others wait too. */
	unsigned pages = 0, limit = s->r->geo.max_slots;

	if (rs->condition == RING_GOOD && rs->recover)
		recover_pages(s, rs);
	while (rs->condition == RING_GOOD && !rs->recover && pages < limit) {
		int ready = output_ready(s), n;

		if (ready <= 0)
			return ready ? ready : (int)pages;
		if (!take_pages(s, rs))
			break;
		n = write_held(s, rs);
		if (n < 0)
			return n;
		if (n == 0)
			break;
		pages += (unsigned)n;
	}
	return (int)pages;
}

int drain_recovered(struct session *s, struct ring_state *rs, const struct ring_page *p)
{
	struct plan plan;
	unsigned done;
	int err = output_metadata(s);

	if (err) {
		output_failed(s, err, "metadata");
		return err;
	}
	packets_begin(&plan, rs);
	if (packets_page(&plan, s, rs, p)) {
		ledger_fault(s, rs, p->number);
		return -EBADMSG;
	}
	err = carry_out(s, rs, &plan, &done);
	if (err)
		output_failed(s, err, "a page");
	return err ? err : done ? 0 : -EAGAIN;
}

/* ------------------------------------------------------------ open page */

static int copy_partial(struct session *s, struct ring_state *rs, struct ring_page *p)
{
	for (unsigned i = 0; i < PARTIAL_TRIES; i++) {
		int got = ring_reader_partial(&rs->reader, &rs->disk, s->copy, p);

		if (got != -EAGAIN)
			return got;
	}
	return 0; /* it moves too fast to have only a part */
}

int drain_partial(struct session *s, struct ring_state *rs)
{
	struct ring_page p;
	struct plan plan;
	unsigned done;
	int got, err;

	if (rs->condition != RING_GOOD || rs->nheld || rs->recover)
		return 0;
	got = output_ready(s);
	if (got > 0)
		got = copy_partial(s, rs, &p);
	if (got == -EBADMSG)
		drain_quarantine(s, rs, rs->reader.fault.text);
	if (got <= 0)
		return got == -EBADMSG ? 0 : got;
	/* Full pages may have come before it since they were drained. */
	if (p.number != rs->disk.page && ring_reader_waiting(&rs->reader))
		return 1;
	err = output_metadata(s);
	if (err)
		return output_failed(s, err, "metadata");
	packets_begin(&plan, rs);
	if (packets_page(&plan, s, rs, &p)) {
		ledger_fault(s, rs, p.number);
		return 0;
	}
	err = carry_out(s, rs, &plan, &done);
	return err ? output_failed(s, err, "part of a page") : (int)done;
}

int drain_last_misses(struct session *s, struct ring_state *rs)
{
	struct ring_totals t;
	struct ring_disk upto = rs->disk;
	struct plan plan;
	unsigned done;
	int err;

	if (rs->condition != RING_GOOD || rs->nheld || rs->recover ||
	    ring_reader_totals(&rs->reader, &t))
		return 0;
	/* Events lie between the ledger and head: those misses come after them,
	 * in the next recording. */
	if (t.events != rs->disk.events)
		return 0;
	upto.missed = t.missed;
	if (upto.missed == rs->disk.missed || (int64_t)(upto.missed - rs->disk.missed) < 0)
		return 0;
	packets_begin(&plan, rs);
	packets_misses(&plan, s, rs, &upto, t.last, session_clock(s));
	err = carry_out(s, rs, &plan, &done);
	return err ? output_failed(s, err, "the last misses") : 0;
}
