/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The ledger. Pure arithmetic on packet headers. Called by verify and repair. */
#include "tracectl/reader/ledger.h"

uint64_t ledger_gap(const struct ledger *l, const struct ctf_packet *p, uint64_t reported)
{
	if (!l->started)
		return 0;
	return (p->events_before - l->events) + (p->missed_before - l->missed) - reported;
}

void ledger_advance(struct ledger *l, const struct ctf_packet *p)
{
	int counts = p->stream_id == CTF_STREAM_DAEMON || !(p->flags & CTF_PACKET_MISSED);

	if (!l->started) {
		l->started = 1;
		l->first_events = p->events_before;
		l->first_missed = p->missed_before;
	}
	l->events = p->events_before + (counts ? p->event_count : 0);
	l->missed = p->missed_before;
}

uint64_t ledger_emitted(const struct ledger *l)
{
	return (l->events - l->first_events) + (l->missed - l->first_missed);
}
