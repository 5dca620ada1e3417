/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The text of `metadata` (TSDL, CTF 1.8), section by section, in the order in
 * which they must stand: ctf_meta_head, then one ctf_meta_event per event.
 */
#ifndef TRBUF_CTF_META_H
#define TRBUF_CTF_META_H

#include <stdint.h>
#include <stdio.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/registry.h"

#define CTF_META_FILE "metadata"
#define CTF_META_TMP ".metadata.tmp"

struct ctf_meta {
	unsigned char uuid[16];   /* of the trace */
	unsigned char region[16]; /* of the region; the clock's uuid too */
	char name[LAYOUT_NAME];   /* of the recording */
	uint64_t created;         /* ns since the epoch */
	struct clock_map clock;
	uint32_t clock_kind; /* enum layout_clock */
	uint32_t page_size;
	uint32_t context; /* enum layout_context */
	uint32_t rings;
};

/* A new random UUID (version 4). 0 or -errno. */
int ctf_uuid_new(unsigned char uuid[16]);
/* 36 characters and a NUL. */
void ctf_uuid_text(const unsigned char uuid[16], char text[37]);
int ctf_uuid_parse(const char *text, unsigned char uuid[16]);

/* Everything before the first event of a program: trace, env, clock, streams,
 * trbuf's own events. */
void ctf_meta_head(FILE *out, const struct ctf_meta *m);

/* One event and, if it has fields of variable size, its cut form. */
void ctf_meta_event(FILE *out, const struct registry_event *ev);

/* "..." as TSDL wants it; bytes that are not UTF-8 or are control characters
 * become \xHH in plain sight. */
void ctf_meta_string(FILE *out, const char *text);

/* Name of a clock or context for people. */
const char *ctf_clock_name(uint32_t clock);
const char *ctf_context_name(uint32_t context);

/* Replace `metadata` in directory dirfd by these bytes: at every moment there
 * is a whole one. 0 or -errno. */
int ctf_meta_write(int dirfd, const char *text, size_t size);

#endif
