/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Words and numbers of the region as people read them. */
#ifndef TRACECTL_TEXT_H
#define TRACECTL_TEXT_H

#include <stdint.h>
#include <stdio.h>

struct region;
struct registry_field;

/* A string from the region or from /proc, safe for a terminal: control
 * characters come out as \xNN. */
void text_put(FILE *out, const char *s);

/* "4.0 MiB"; rounded, for reading only. */
void text_size(uint64_t bytes, char *buf, size_t size);

/* "2026-12-01 02:10:19 UTC" of ns since the epoch. */
void text_time(uint64_t ns, char *buf, size_t size);

const char *text_rseq(uint32_t verdict); /* untested good bad */
const char *text_lost(unsigned cause);   /* no_ring too_large nested clock, NULL above */
const char *text_process_state(uint32_t state);

/* "u32[4] name", "enum u8 {IDLE, BUSY} name" */
void text_field(const struct registry_field *f, char *buf, size_t size);
const char *text_type(unsigned type); /* enum trbuf_type, "?" if unknown */

/* 32 hex digits of the region's id. */
void text_region_id(const struct region *r, char buf[33]);

#endif
