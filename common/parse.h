/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Strict parsers of what people write. Each takes the whole string, returns 0,
 * or -EINVAL with *f saying what was written and what is allowed (f may be
 * NULL); *out is only changed on success. No locale, no leading blanks.
 */
#ifndef TRBUF_PARSE_H
#define TRBUF_PARSE_H

#include <stdint.h>

#include "libtrbuf/region.h"

/* "64K", "1.5M", "2G", "1T", "4096"; binary multiples, an optional "B" or "iB". */
int parse_size(const char *s, uint64_t *out, struct fault *f);

/* Whole decimal or 0x number in [min, max]. */
int parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out, struct fault *f);

/* "1s", "250ms", "1.5s", "2min", "1h", "0"; a bare number is seconds. At most 24 days. */
int parse_duration_ms(const char *s, uint32_t *out, struct fault *f);

/* "50" or "50%", 1 to 100. */
int parse_percent(const char *s, uint32_t *out, struct fault *f);

/* emerg alert crit err warning notice info debug, or 0 to 7. */
int parse_level(const char *s, unsigned *out, struct fault *f);
const char *parse_level_name(unsigned level); /* "?" above 7 */

/* yes no true false on off 1 0. */
int parse_bool(const char *s, int *out, struct fault *f);

/* "0,3-7" or "all": set[cpu] becomes 1, all others of the ncpus 0. Numbers
 * must be below ncpus, ranges go upwards, no number stands twice. */
int parse_cpus(const char *s, uint32_t ncpus, unsigned char *set, struct fault *f);

/* discard overwrite: enum layout_mode. */
int parse_mode(const char *s, uint32_t *out, struct fault *f);
const char *parse_mode_name(uint32_t mode);
/* none tid pid,tid: enum layout_context. */
int parse_context(const char *s, int *out, struct fault *f);
const char *parse_context_name(uint32_t context);
/* auto (0) tsc arm monotonic coarse: enum layout_clock. */
int parse_clock(const char *s, uint32_t *out, struct fault *f);
const char *parse_clock_name(uint32_t clock);

/* Name of a recording: 1 to 64 bytes, no '/', no control character, no '.' in front. */
int parse_trace_name(const char *s, struct fault *f);

/* "64K", "4M", "1.5M" if exact, else plain bytes. parse_size() reads it back. */
void parse_print_size(uint64_t bytes, char *buf, size_t size);

#endif
