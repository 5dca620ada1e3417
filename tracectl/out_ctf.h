/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Writing a trace again: records into packets, packets into stream files. Used
 * by convert -t ctf and by repair. */
#ifndef TRACECTL_OUT_CTF_H
#define TRACECTL_OUT_CTF_H

#include "tracectl/reader/reader.h"

#define OUT_CTF_PACKET 32768u /* holds the largest record */

/* One stream file that is being written. No descriptor stays open, so that any
 * number of them can be written with few descriptors. */
struct ctf_file {
	char *path;
	int error;           /* errno of the first failure */
	struct ctf_packet p; /* of the packet being filled; seq and discarded go on */
	unsigned char *mem;
	size_t at, room;
	uint64_t last; /* clock at the end of the last packet */
};

/* A new file. Packets take ids, cpu and flags from `like`. 0 or -1. */
int ctf_file_open(struct ctf_file *f, const char *path, const struct ctf_packet *like,
		  const unsigned char uuid[16]);
/* Record header, context and fields of an event, as they are, into the packet. */
void ctf_file_record(struct ctf_file *f, const struct trace_event *ev);
/* End the packet and write it; f->p.end is raised to what records need. */
void ctf_file_flush(struct ctf_file *f);
/* 0, or the errno of the first failure. */
int ctf_file_close(struct ctf_file *f);

/* A directory for a copy, with metadata. `uuid`: another one for the copy, or
 * NULL. 0, or -1 with a reason. */
int ctf_copy_dir(const char *dir, const struct meta *m, const unsigned char *uuid,
		 char error[META_ERROR]);

/* convert -t ctf: events of one trace, merged, into a new directory. */
struct ctf_copy;
struct ctf_copy *ctf_copy_new(const char *dir, const struct trace *t, char error[META_ERROR]);
/* 0 or an errno. */
int ctf_copy_event(struct ctf_copy *c, const struct trace_event *ev);
int ctf_copy_end(struct ctf_copy *c);

#endif
