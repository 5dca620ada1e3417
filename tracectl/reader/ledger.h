/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The ledger of a stream, from its packet headers: events emitted = events in
 * packets + misses reported, continuous from packet to packet.
 *
 * A ring's missed packet stands behind what it reports in events_before and
 * missed_before. The daemon's stream counts all its events in events_before,
 * the reports of misses included.
 */
#ifndef TRACECTL_LEDGER_H
#define TRACECTL_LEDGER_H

#include "common/ctf_packet.h"

struct ledger {
	int started;
	uint64_t events, missed; /* where the next packet must go on */
	uint64_t first_events, first_missed;
};

/* What lies between the ledger and this packet without a report, modulo 2^64:
 * 0 in order, small: lost, huge: it went back. `reported` is the sum of the
 * packet's own trbuf:missed events. */
uint64_t ledger_gap(const struct ledger *l, const struct ctf_packet *p, uint64_t reported);

/* Go on behind the packet. */
void ledger_advance(struct ledger *l, const struct ctf_packet *p);

/* Emitted since the first packet: events and misses. */
uint64_t ledger_emitted(const struct ledger *l);

#endif
