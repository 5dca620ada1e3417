/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* TSDL types as text, shared by the parts of the metadata writer. */
#ifndef TRBUF_CTF_TYPES_H
#define TRBUF_CTF_TYPES_H

#include <stdint.h>
#include <stdio.h>

/* "integer { ... }" without a name behind. */
void ctf_type_integer(FILE *out, unsigned bits, int is_signed, int base);
/* A scalar of this enum trbuf_type. */
void ctf_type_scalar(FILE *out, unsigned type);
/* Bytes of a scalar, 0 for the others. */
unsigned ctf_scalar_size(unsigned type);
int ctf_scalar_signed(unsigned type);

/* trbuf's own events of both streams. */
void ctf_meta_own_events(FILE *out);

#endif
