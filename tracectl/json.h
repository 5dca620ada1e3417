/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A small JSON writer. Commas and nesting are kept here, strings are escaped
 * and made valid UTF-8 (a byte that is not becomes U+FFFD), integers of 64
 * bits are written whole: readers that use doubles above 2^53 are warned in
 * tracectl(1). A float that is not finite becomes null.
 *
 * `key` is NULL inside an array and for the outermost value.
 */
#ifndef TRACECTL_JSON_H
#define TRACECTL_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 32

struct json {
	FILE *out;
	int depth;
	unsigned char filled[JSON_DEPTH]; /* something stands before at this depth */
};

void json_start(struct json *j, FILE *out);
/* Ends the outermost value with a newline. */
void json_end(struct json *j);

void json_object(struct json *j, const char *key); /* opens {...} */
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key); /* opens [...] */
void json_array_end(struct json *j);

void json_string(struct json *j, const char *key, const char *value); /* NULL: null */
void json_bytes(struct json *j, const char *key, const void *data, size_t size);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_s64(struct json *j, const char *key, int64_t value);
void json_hex(struct json *j, const char *key, uint64_t value); /* "0x..." as a string */
void json_double(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, int value);
void json_null(struct json *j, const char *key);

/* The string alone, with quotes. For writers that lay out lines themselves. */
void json_quote(FILE *out, const void *data, size_t size);

#endif
