/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Repairing one stream: good packets as they are, cut ones cut, and a report of
 * each loss in the stream itself. */
#ifndef TRACECTL_REPAIR_H
#define TRACECTL_REPAIR_H

#include "tracectl/out_ctf.h"
#include "tracectl/reader/ledger.h"

struct repair {
	struct reader *reader;
	const char *from, *to; /* roots of the trace and of its copy */
	/* totals */
	uint64_t events, packets, lost, lost_packets;
	int error;
	char where[4352]; /* of the error */
	/* the stream and file at work */
	int open;
	const char *source;
	struct ctf_file file;
	struct ledger ledger;
	uint64_t reported;
};

/* Reader's hooks, with arg = struct repair. */
void repair_packet(void *arg, const struct stream *s, const struct ctf_packet *p);
void repair_packet_end(void *arg, const struct stream *s, const struct ctf_packet *p,
		       uint64_t events);
/* All of stream i. */
void repair_stream(struct repair *r, unsigned i);

/* The copy's path for a path of the trace. */
void repair_target(const struct repair *r, const char *source, char *to, size_t size);

#endif
