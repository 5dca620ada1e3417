/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Checks of the doctor about rings, CPUs, rseq, the daemon and what was
 * refused. Reads only. Called by cmd_doctor.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libtrbuf/process.h"
#include "libtrbuf/sync.h"
#include "tracectl/doctor.h"
#include "tracectl/text.h"

static void check_quarantined(struct doctor *d)
{
	for (uint32_t i = 0; i < d->r->geo.nr_rings; i++) {
		char name[32];

		if (!d->rings[i].bad)
			continue;
		ring_state_name(d->r, &d->rings[i], name, sizeof(name));
		doctor_found(d, DOCTOR_CAUSE, "quarantined",
			     "stop the programs, remove the region file and start them again",
			     "the ring of %s is quarantined: %s", name, d->rings[i].why);
	}
}

/* A ring without a page that is free, in discard mode, only counts. */
static void check_full(struct doctor *d)
{
	int overwrite = sync_load(&d->r->hdr->mode) == LAYOUT_OVERWRITE;
	unsigned full = 0;

	for (uint32_t i = 0; i < d->r->geo.nr_rings; i++) {
		const struct ring_totals *t = &d->rings[i].totals;

		full += d->rings[i].ready && t->missed && t->pages && t->full_pages + 1 >= t->pages;
	}
	if (!full || overwrite)
		return;
	if (!d->daemon)
		doctor_found(d, DOCTOR_CAUSE, "ring_full",
			     "start tracerd and `tracectl start`, or `tracectl mode overwrite`",
			     "%u ring%s full and nobody reads: %" PRIu64
			     " events were missed so far",
			     full, full == 1 ? " is" : "s are", d->sum.missed);
	else
		doctor_found(d, DOCTOR_CAUSE, "daemon_behind",
			     "tracectl resize 64M, or look at the log and disk of the daemon",
			     "%u ring%s full: the daemon is behind; %" PRIu64
			     " events were missed so far",
			     full, full == 1 ? " is" : "s are", d->sum.missed);
}

void doctor_check_rings(struct doctor *d)
{
	const struct layout_region *h = d->r->hdr;

	if (!sync_load(&h->rings_ready) || !d->sum.ready)
		doctor_found(d, DOCTOR_CAUSE, "no_rings", "tracectl on",
			     "the rings have no memory yet");
	check_quarantined(d);
	check_full(d);
	if (d->sum.lost[LAYOUT_LOST_NO_RING])
		doctor_found(d, DOCTOR_REMARK, "lost_no_ring", "tracectl on",
			     "%" PRIu64
			     " events came on a CPU that had no ring (`on` gives memory to new "
			     "CPUs)",
			     d->sum.lost[LAYOUT_LOST_NO_RING]);
	if (d->sum.lost[LAYOUT_LOST_TOO_LARGE])
		doctor_found(d, DOCTOR_REMARK, "lost_too_large",
			     "make the region with larger pages (--page-size)",
			     "%" PRIu64 " events were larger than a record may be",
			     d->sum.lost[LAYOUT_LOST_TOO_LARGE]);
	if (d->sum.lost[LAYOUT_LOST_NESTED])
		doctor_found(d, DOCTOR_REMARK, "lost_nested",
			     "tracectl doctor --all says who has no rseq",
			     "%" PRIu64 " events found every locked ring taken",
			     d->sum.lost[LAYOUT_LOST_NESTED]);
	if (d->sum.lost[LAYOUT_LOST_CLOCK])
		doctor_found(d, DOCTOR_REMARK, "lost_clock", "use a region with --clock monotonic",
			     "%" PRIu64 " events found no usable clock value",
			     d->sum.lost[LAYOUT_LOST_CLOCK]);
}

void doctor_check_cpus(struct doctor *d)
{
	uint32_t denied = 0, usable = 0;

	for (uint32_t i = 0; i < d->r->geo.nr_cpus; i++) {
		denied += d->rings[i].denied != 0;
		usable += d->rings[i].ready && !d->rings[i].denied;
	}
	if (denied && !usable && d->sum.ready)
		doctor_found(d, DOCTOR_CAUSE, "cpus_denied", "tracectl cpus all",
			     "no CPU that has a ring may trace; %" PRIu64 " events were filtered",
			     d->sum.filtered);
	else if (denied && d->sum.filtered)
		doctor_found(d, DOCTOR_REMARK, "cpus_filtered", "tracectl cpus all",
			     "%u CPU%s may not trace; %" PRIu64 " events were filtered there",
			     denied, denied == 1 ? "" : "s", d->sum.filtered);
}

void doctor_check_rseq(struct doctor *d)
{
	uint32_t verdict = sync_load(&d->r->hdr->rseq_verdict);
	char who[300] = "";
	size_t used = 0;
	unsigned locked = 0;

	if (verdict == LAYOUT_RSEQ_BAD)
		doctor_found(d, DOCTOR_REMARK, "rseq_bad", "use a kernel without that fault",
			     "rseq does not work as it should on this kernel: all programs use the "
			     "locked "
			     "rings, which are slower and no less exact");
	for (uint32_t i = 0; i < LAYOUT_MAX_PROCESSES; i++) {
		struct process_info p;

		if (!process_get(d->r, i, &p) || p.state != LAYOUT_PROCESS_LIVE || !p.locked ||
		    process_dead(&p))
			continue;
		if (locked++ < 5) {
			int n = snprintf(who + used, sizeof(who) - used, "%s%s (%u)",
					 used ? ", " : "", p.comm, p.pid);

			used += n > 0 && used + (size_t)n < sizeof(who) ? (size_t)n : 0;
		}
	}
	if (locked)
		doctor_found(
			d, DOCTOR_REMARK, "rseq_absent",
			"libc without rseq, glibc.pthread.rseq=0, valgrind, a static program: "
			"start "
			"it otherwise",
			"%u process%s without rseq use%s the locked rings (slower, no less exact): "
			"%s%s",
			locked, locked == 1 ? "" : "es", locked == 1 ? "s" : "", who,
			locked > 5 ? ", ..." : "");
}

/* Stopped by a signal or a debugger: it holds the lock and does nothing. */
static int is_stopped(int pid)
{
	char path[64], text[512], *p;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	p = strrchr(text, ')'); /* the name before it may hold anything */
	return p && p[1] == ' ' && (p[2] == 'T' || p[2] == 't');
}

void doctor_check_daemon(struct doctor *d)
{
	const struct layout_region *h = d->r->hdr;

	if (!d->daemon)
		doctor_found(d, DOCTOR_CAUSE, "no_daemon",
			     "start tracerd (systemctl start tracerd), or use `tracectl record`",
			     "no daemon reads this region: events stay in the rings, nothing goes "
			     "to disk");
	else if (d->daemon > 0 && is_stopped(d->daemon))
		doctor_found(d, DOCTOR_CAUSE, "daemon_stopped",
			     "kill -CONT, or end it and start another",
			     "the daemon (pid %d) is stopped by a signal: nothing goes to disk",
			     d->daemon);
	else if (!sync_load(&h->recording))
		doctor_found(d, DOCTOR_CAUSE, "no_recording", "tracectl start",
			     "the daemon is there, but no recording runs: nothing goes to disk");
	if (sync_load(&h->recording) && sync_load(&h->paused))
		doctor_found(d, DOCTOR_CAUSE, "paused",
			     "free some room on the disk; it goes on by itself",
			     "the recording is paused: the disk is full up to the reserve");
}

void doctor_check_refused(struct doctor *d)
{
	const struct layout_region *h = d->r->hdr;

	if (sync_load(&h->classes_refused))
		doctor_found(d, d->event && !d->set.count ? DOCTOR_CAUSE : DOCTOR_REMARK,
			     "classes_refused",
			     "use fewer classes, or a region of their own for some programs",
			     "%u events were refused: a region has room for %u classes",
			     sync_load(&h->classes_refused), LAYOUT_MAX_CLASSES);
	if (sync_load(&h->events_refused))
		doctor_found(d, DOCTOR_REMARK, "events_refused",
			     "free memory where the region lies, or use another region",
			     "%u events were refused: no memory or no number left",
			     sync_load(&h->events_refused));
	if (sync_load(&h->processes_refused))
		doctor_found(
			d, DOCTOR_REMARK, "processes_refused",
			"start a daemon: it clears the table",
			"%u processes found no room in the table; they trace, but the trace has no "
			"name for them",
			sync_load(&h->processes_refused));
}
