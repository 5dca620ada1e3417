/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Building records on the caller's stack (record.c, copy_string.c), and what
 * they need of the producer. All hidden; the public half is in trbuf.h.
 *
 * Everything here is async-signal-safe, keeps errno and allocates nothing.
 */
#ifndef TRBUF_RECORD_H
#define TRBUF_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "libtrbuf/trbuf.h"

#define RECORD_CUT_SIZE 4u /* uint32 trbuf_cut, last field of the cut form */
#define RECORD_PRINTF_MAX 1024u /* text of a trbuf_printf with its NUL */

/* ---- given by the producer */

/* Payload bytes that one record may have; at most TRBUF_RECORD_MAX - 16, 0 if
 * there is no region. */
unsigned trbuf_record_max(void);
/* trbuf_commit under another id: the cut form is event->id + 1. */
void trbuf_commit_id(const struct trbuf_event *event, uint32_t id, unsigned char *record,
		     size_t payload);
/* The event is lost because it is too large: count it. */
void trbuf_commit_too_large(const struct trbuf_event *event);

/* ---- record.c */

/* Bytes of a scalar in a record; 0 for what is no scalar. */
unsigned record_scalar_size(unsigned type);

/* ---- copy_string.c */

/* Set when only plain byte accesses are wanted (valgrind). W: the producer, at attach. */
extern int trbuf_plain_copies;

unsigned char *copy_string_plain(unsigned char *p, const unsigned char *end, const char *s);
/* Reads beyond the NUL, but never beyond its page. */
unsigned char *copy_string_wide(unsigned char *p, const unsigned char *end, const char *s);

#endif
