/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
#ifndef TRBUF_RSEQ_TEST_H
#define TRBUF_RSEQ_TEST_H

#include "libtrbuf/region.h"

/* Does this kernel abort sections when a thread is preempted by another one of
 * the same CPU? Two threads try for about 100 ms; the verdict goes into the
 * region, once. For daemon and tools. enum layout_rseq_verdict. */
uint32_t rseq_test(struct region *r);

#endif
