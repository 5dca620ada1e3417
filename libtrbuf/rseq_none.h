/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* No restartable sequences: every emit uses the locked rings. */
#ifndef TRBUF_RSEQ_H
#error "include libtrbuf/rseq.h"
#endif

#define RSEQ_HAVE 0
#define RSEQ_READS_CLOCK LAYOUT_CLOCK_NONE /* read by rseq_commit_clock() */

static inline enum rseq_result rseq_commit_clock(struct rseq_area *a, const struct rseq_rings *g,
						 const struct rseq_record *c)
{
	(void)a;
	(void)g;
	(void)c;
	return RSEQ_CPU;
}

static inline enum rseq_result rseq_commit_coarse(struct rseq_area *a, const struct rseq_rings *g,
						  const struct rseq_record *c)
{
	(void)a;
	(void)g;
	(void)c;
	return RSEQ_CPU;
}

static inline enum rseq_result rseq_commit_given(struct rseq_area *a, const struct rseq_rings *g,
						 const struct rseq_record *c)
{
	(void)a;
	(void)g;
	(void)c;
	return RSEQ_CPU;
}

static inline enum rseq_result rseq_stores(struct rseq_area *a, uint32_t cpu,
					   const struct rseq_word *cmp, unsigned n,
					   const struct rseq_word *set, unsigned m)
{
	(void)a, (void)cpu, (void)cmp, (void)n, (void)set, (void)m;
	return RSEQ_CPU;
}

static inline enum rseq_result rseq_swap(struct rseq_area *a, uint32_t cpu,
					 const struct rseq_word *cmp, unsigned n,
					 const struct rseq_word *swap, uint64_t to)
{
	(void)a, (void)cpu, (void)cmp, (void)n, (void)swap, (void)to;
	return RSEQ_CPU;
}
