/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Turns the words at the start of a region file into checked numbers. */
#ifndef TRBUF_LAYOUT_CHECK_H
#define TRBUF_LAYOUT_CHECK_H

#include "libtrbuf/region.h"

/* *g from a private copy of the header's start; file_size as fstat says.
 * 0, -EPROTO (not ours, other version or boot) or -EBADMSG (spoilt). */
int layout_check(const struct layout_region *copy, uint64_t file_size, struct geometry *g,
		 struct fault *f);

/* Sizes of the tables for a page size. */
void layout_tables(uint32_t page_size, uint32_t *table_cap, uint32_t *max_slots);

/* Geometry that may change until rings_ready, read again from a live region.
 * 0 or -EBADMSG. */
int layout_refresh(const struct layout_region *hdr, struct geometry *g);

/* 16 bytes; zeros if the kernel does not say. */
void layout_boot_id(unsigned char id[16]);

#endif
