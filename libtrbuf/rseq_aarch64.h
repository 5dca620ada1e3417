/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * arm64. The weak memory order asks for stlr at the commit, so that a consumer
 * that loads head with acquire sees record, `last` and slot entries [O1]. Used
 * only where the region's verdict says that this kernel aborts sections on
 * preemption (rseq_verdict). The generic timer is read behind an isb, so the
 * stamp is not taken before the section began.
 */
#ifndef TRBUF_RSEQ_H
#error "include libtrbuf/rseq.h"
#endif

#define RSEQ_HAVE 1
#define RSEQ_READS_CLOCK LAYOUT_CLOCK_ARM /* read by rseq_commit_clock() */

_Static_assert(__builtin_offsetof(struct layout_ring, last) == 8, "ring");
_Static_assert(__builtin_offsetof(struct layout_ring, page) + 8 == 72, "ring");
_Static_assert(__builtin_offsetof(struct layout_ring, limit) == 256, "ring");
_Static_assert(__builtin_offsetof(struct layout_region, coarse_clock) == 192, "region");
_Static_assert(sizeof(struct layout_page_words) == 32 && HEAD_PAGE_SHIFT == 40, "ring");

#define RSEQ_TABLE \
	".pushsection __rseq_cs, \"aw\"\n\t" \
	".balign 32\n" \
	"3:\n\t" \
	".long 0, 0\n\t" \
	".quad 1f, 2f - 1f, 4f\n\t" \
	".popsection\n\t" \
	".pushsection __rseq_cs_ptr_array, \"aw\"\n\t" \
	".quad 3b\n\t" \
	".popsection\n\t"

#define RSEQ_ENTER \
	"adrp x9, 3b\n\t" \
	"add x9, x9, :lo12:3b\n\t" \
	"str x9, [%[area], #8]\n" \
	"1:\n\t"

/* The signature is a trapping instruction, and stands before the abort label. */
#define RSEQ_ABORT_PAD \
	"b 9f\n\t" \
	".inst 0xd428bc00\n" \
	"4:\n\t" \
	"b %l[aborted]\n" \
	"9:\n\t"

/* x10 ring, x11 head, x12 offset, x13 destination, x14 now. */
#define RSEQ_COMMIT(read_clock) \
	__asm__ goto( \
		RSEQ_TABLE RSEQ_ENTER \
		"ldr w10, [%[area], #4]\n\t" \
		"ldr w9, %[nr_cpus]\n\t" \
		"cmp w10, w9\n\t" \
		"b.hs %l[other_cpu]\n\t" \
		"ldr x9, %[rings]\n\t" \
		"add x10, x9, x10, lsl #9\n\t" \
		"ldr x11, [x10]\n\t" \
		"and x12, x11, #0x3fffff\n\t" \
		"sub w9, %w[len], #1\n\t" \
		"and w9, w9, #0xfffffff8\n\t" \
		"add w9, w9, w12\n\t" \
		"add w9, w9, #8\n\t" \
		"ldr w13, [x10, #256]\n\t" \
		"cmp w9, w13\n\t" \
		"b.hi %l[no_room]\n\t" \
		"ubfx x13, x11, #40, #1\n\t" \
		"add x13, x10, x13, lsl #5\n\t" \
		"ldr x13, [x13, #72]\n\t" \
		"add x13, x13, x12\n\t" \
		"ldr x9, %[base]\n\t" \
		"add x13, x13, x9\n\t" \
		read_clock \
		"ldr x9, [x10, #8]\n\t" \
		"sub x9, x14, x9\n\t" \
		"lsr x9, x9, #48\n\t" \
		"cbnz x9, %l[bad_clock]\n\t" \
		"orr x9, %[id], x14, lsl #16\n\t" \
		"str x9, [x13], #8\n\t" \
		"sub w12, %w[len], #1\n\t" \
		"and w12, w12, #0xfffffff8\n\t" \
		"mov x15, %[src]\n\t" \
		"cbz x12, 6f\n" \
		"5:\n\t" \
		"ldr x9, [x15], #8\n\t" \
		"str x9, [x13], #8\n\t" \
		"subs x12, x12, #8\n\t" \
		"b.ne 5b\n" \
		"6:\n\t" \
		"str x14, [x10, #8]\n\t" \
		"add x11, x11, %[len]\n\t" \
		"add x11, x11, #0x400, lsl #12\n\t" \
		"stlr x11, [x10]\n" /* commit [O1] */ \
		"2:\n\t" \
		RSEQ_ABORT_PAD \
		: \
		: [area] "r"(area), [rings] "m"(g->rings), [base] "m"(g->base), \
		  [nr_cpus] "m"(g->nr_cpus), [src] "r"(c->src), \
		  [id] "r"(c->id), [len] "r"(c->len), [now] "r"(c->now) \
		: "memory", "cc", "x9", "x10", "x11", "x12", "x13", "x14", "x15" \
		: aborted, no_room, bad_clock, other_cpu); \
	return RSEQ_DONE; \
no_room: \
	return RSEQ_NO_ROOM; \
bad_clock: \
	return RSEQ_CLOCK; \
other_cpu: \
	return RSEQ_CPU; \
aborted: \
	return RSEQ_ABORT

static inline __attribute__((always_inline)) enum rseq_result
rseq_commit_clock(struct rseq_area *area, const struct rseq_rings *g, const struct rseq_record *c)
{
	RSEQ_COMMIT("isb\n\tmrs x14, cntvct_el0\n\t");
}

/* The word is 0 when nobody refreshes it: RSEQ_CLOCK. */
static inline __attribute__((always_inline)) enum rseq_result
rseq_commit_coarse(struct rseq_area *area, const struct rseq_rings *g, const struct rseq_record *c)
{
	RSEQ_COMMIT("ldr x14, %[base]\n\t"
		    "ldr x14, [x14, #192]\n\t"
		    "cbz x14, %l[bad_clock]\n\t");
}

static inline enum rseq_result rseq_commit_given(struct rseq_area *area, const struct rseq_rings *g,
						 const struct rseq_record *c)
{
	RSEQ_COMMIT("mov x14, %[now]\n\t");
}

#define RSEQ_COMPARE_ALL \
	"ldr w9, [%[area], #4]\n\t" \
	"cmp w9, %w[cpu]\n\t" \
	"b.ne %l[other_cpu]\n\t" \
	"mov x10, %[cmp]\n\t" \
	"mov w11, %w[n]\n\t" \
	"cbz w11, 6f\n" \
	"5:\n\t" \
	"ldp x12, x13, [x10], #16\n\t" \
	"ldr x12, [x12]\n\t" \
	"cmp x12, x13\n\t" \
	"b.ne %l[changed]\n\t" \
	"subs w11, w11, #1\n\t" \
	"b.ne 5b\n" \
	"6:\n\t"

static inline enum rseq_result rseq_stores(struct rseq_area *area, uint32_t cpu,
					   const struct rseq_word *cmp, unsigned n,
					   const struct rseq_word *set, unsigned m)
{
	const struct rseq_word *end = set + (m - 1);

	__asm__ goto(
		RSEQ_TABLE RSEQ_ENTER RSEQ_COMPARE_ALL
		"mov x10, %[set]\n"
		"7:\n\t"
		"cmp x10, %[end]\n\t"
		"b.eq 8f\n\t"
		"ldp x12, x13, [x10], #16\n\t"
		"str x13, [x12]\n\t"
		"b 7b\n"
		"8:\n\t"
		"ldp x12, x13, [x10]\n\t"
		"stlr x13, [x12]\n" /* commit [O1] */
		"2:\n\t"
		RSEQ_ABORT_PAD
		:
		: [area] "r"(area), [cpu] "r"(cpu), [cmp] "r"(cmp), [n] "r"(n), [set] "r"(set),
		  [end] "r"(end)
		: "memory", "cc", "x9", "x10", "x11", "x12", "x13"
		: aborted, changed, other_cpu);
	return RSEQ_DONE;
changed:
	return RSEQ_CHANGED;
other_cpu:
	return RSEQ_CPU;
aborted:
	return RSEQ_ABORT;
}

/* Exclusive pair: the store-exclusive is the commit; if another CPU was in
 * between it fails, nothing happened, and the caller looks again. */
static inline enum rseq_result rseq_swap(struct rseq_area *area, uint32_t cpu,
					 const struct rseq_word *cmp, unsigned n,
					 const struct rseq_word *swap, uint64_t to)
{
	__asm__ goto(
		RSEQ_TABLE RSEQ_ENTER RSEQ_COMPARE_ALL
		"ldp x10, x12, [%[swap]]\n\t"
		"ldaxr x13, [x10]\n\t"
		"cmp x13, x12\n\t"
		"b.ne %l[changed]\n\t"
		"stlxr w9, %[to], [x10]\n" /* commit [O3] */
		"2:\n\t"
		RSEQ_ABORT_PAD
		:
		: [area] "r"(area), [cpu] "r"(cpu), [cmp] "r"(cmp), [n] "r"(n), [swap] "r"(swap),
		  [to] "r"(to)
		: "memory", "cc", "x9", "x10", "x11", "x12", "x13"
		: aborted, changed, other_cpu);
	return RSEQ_DONE;
changed:
	return RSEQ_CHANGED;
other_cpu:
	return RSEQ_CPU;
aborted:
	return RSEQ_ABORT;
}
