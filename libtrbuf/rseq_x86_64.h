/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * x86-64. Stores become visible in program order, so no fence stands between
 * the record, `last` and `head`. The lock prefix of rseq_swap() is for the
 * other side (another CPU), not for this one.
 */
#ifndef TRBUF_RSEQ_H
#error "include libtrbuf/rseq.h"
#endif

#define RSEQ_HAVE 1
#define RSEQ_READS_CLOCK LAYOUT_CLOCK_TSC /* read by rseq_commit_clock() */

_Static_assert(__builtin_offsetof(struct rseq_area, cpu_id) == 4, "rseq area");
_Static_assert(__builtin_offsetof(struct rseq_area, rseq_cs) == 8, "rseq area");
_Static_assert(__builtin_offsetof(struct layout_ring, last) == 8, "ring");
_Static_assert(__builtin_offsetof(struct layout_ring, page) + 8 == 72, "ring");
_Static_assert(__builtin_offsetof(struct layout_ring, limit) == 256, "ring");
_Static_assert(__builtin_offsetof(struct layout_region, coarse_clock) == 192, "region");
_Static_assert(sizeof(struct layout_page_words) == 32 && HEAD_PAGE_SHIFT == 40, "ring");

/* Descriptor: {version, flags, start, length, abort}, found by tools through
 * __rseq_cs_ptr_array. The trapping signature stands before the abort label. */
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
	"leaq 3b(%%rip), %%rax\n\t" \
	"movq %%rax, 8(%[area])\n" \
	"1:\n\t"

#define RSEQ_ABORT_PAD \
	".pushsection __rseq_failure, \"ax\"\n\t" \
	".byte 0x0f, 0xb9, 0x3d\n\t" \
	".long 0x53053053\n" \
	"4:\n\t" \
	"jmp %l[aborted]\n\t" \
	".popsection\n\t"

/* rcx ring, r8 head, r9 offset, then destination, rax now, rdx left to copy. What
 * is the same for all records is read from memory, the record is in registers:
 * so no caller-saved register is needed beyond these, and nothing is stored
 * and loaded again. */
#define RSEQ_COMMIT(read_clock, ...) \
	__asm__ goto( \
		RSEQ_TABLE RSEQ_ENTER \
		"movl 4(%[area]), %%ecx\n\t" \
		"cmpl %[nr_cpus], %%ecx\n\t" \
		"jae %l[other_cpu]\n\t" \
		"shlq $9, %%rcx\n\t" \
		"addq %[rings], %%rcx\n\t" \
		"movq (%%rcx), %%r8\n\t" \
		"movl %%r8d, %%r9d\n\t" \
		"andl $0x3fffff, %%r9d\n\t" \
		"leal -1(%[len]), %%edx\n\t" \
		"andl $-8, %%edx\n\t" \
		"leal 8(%%r9, %%rdx), %%eax\n\t" \
		"cmpl 256(%%rcx), %%eax\n\t" \
		"ja %l[no_room]\n\t" \
		"movq %%r8, %%rax\n\t" \
		"shrq $35, %%rax\n\t" \
		"andl $32, %%eax\n\t" \
		"addq 72(%%rcx, %%rax), %%r9\n\t" \
		"addq %[base], %%r9\n\t" \
		read_clock \
		"movq %%rax, %%rdx\n\t" \
		"subq 8(%%rcx), %%rdx\n\t" \
		"shrq $48, %%rdx\n\t" \
		"jnz %l[bad_clock]\n\t" \
		"movq %%rax, 8(%%rcx)\n\t" \
		"shlq $16, %%rax\n\t" \
		"orq %[id], %%rax\n\t" \
		"movq %%rax, (%%r9)\n\t" \
		"leal -1(%[len]), %%edx\n\t" \
		"andl $-8, %%edx\n\t" \
		"jz 6f\n" \
		"5:\n\t" \
		"movq -8(%[src], %%rdx), %%rax\n\t" \
		"movq %%rax, (%%r9, %%rdx)\n\t" \
		"subq $8, %%rdx\n\t" \
		"jnz 5b\n" \
		"6:\n\t" \
		"leaq 0x400000(%%r8, %[len]), %%r8\n\t" \
		"movq %%r8, (%%rcx)\n" /* commit [O1] */ \
		"2:\n\t" \
		RSEQ_ABORT_PAD \
		: \
		: [area] "r"(area), [rings] "m"(g->rings), [base] "m"(g->base), \
		  [nr_cpus] "m"(g->nr_cpus), [src] "r"(c->src), \
		  [id] "r"(c->id), [len] "r"(c->len) __VA_ARGS__ \
		: "memory", "cc", "rax", "rcx", "rdx", "r8", "r9" \
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
	RSEQ_COMMIT("rdtsc\n\t"
		    "shlq $32, %%rdx\n\t"
		    "orq %%rdx, %%rax\n\t", );
}

/* The word is 0 when nobody refreshes it: RSEQ_CLOCK. */
static inline __attribute__((always_inline)) enum rseq_result
rseq_commit_coarse(struct rseq_area *area, const struct rseq_rings *g, const struct rseq_record *c)
{
	RSEQ_COMMIT("movq %[base], %%rax\n\t"
		    "movq 192(%%rax), %%rax\n\t"
		    "testq %%rax, %%rax\n\t"
		    "jz %l[bad_clock]\n\t", );
}

static inline enum rseq_result rseq_commit_given(struct rseq_area *area, const struct rseq_rings *g,
						 const struct rseq_record *c)
{
	RSEQ_COMMIT("movq %[now], %%rax\n\t", , [now] "r"(c->now));
}

/* Compare all of cmp[0..n). rsi walks, r8 counts. */
#define RSEQ_COMPARE_ALL \
	"movl 4(%[area]), %%ecx\n\t" \
	"cmpl %[cpu], %%ecx\n\t" \
	"jne %l[other_cpu]\n\t" \
	"movq %[cmp], %%rsi\n\t" \
	"movl %[n], %%r8d\n\t" \
	"testl %%r8d, %%r8d\n\t" \
	"jz 6f\n" \
	"5:\n\t" \
	"movq (%%rsi), %%rax\n\t" \
	"movq (%%rax), %%rax\n\t" \
	"cmpq 8(%%rsi), %%rax\n\t" \
	"jne %l[changed]\n\t" \
	"addq $16, %%rsi\n\t" \
	"decl %%r8d\n\t" \
	"jnz 5b\n" \
	"6:\n\t"

static inline enum rseq_result rseq_stores(struct rseq_area *area, uint32_t cpu,
					   const struct rseq_word *cmp, unsigned n,
					   const struct rseq_word *set, unsigned m)
{
	/* The last store is an instruction of its own, as it ends the section. */
	const struct rseq_word *end = set + (m - 1);

	__asm__ goto(
		RSEQ_TABLE RSEQ_ENTER RSEQ_COMPARE_ALL
		"movq %[set], %%rsi\n"
		"7:\n\t"
		"cmpq %[end], %%rsi\n\t"
		"je 8f\n\t"
		"movq (%%rsi), %%rax\n\t"
		"movq 8(%%rsi), %%rdx\n\t"
		"movq %%rdx, (%%rax)\n\t"
		"addq $16, %%rsi\n\t"
		"jmp 7b\n"
		"8:\n\t"
		"movq (%%rsi), %%rax\n\t"
		"movq 8(%%rsi), %%rdx\n\t"
		"movq %%rdx, (%%rax)\n" /* commit [O1] */
		"2:\n\t"
		RSEQ_ABORT_PAD
		:
		: [area] "r"(area), [cpu] "r"(cpu), [cmp] "r"(cmp), [n] "r"(n), [set] "r"(set),
		  [end] "r"(end)
		: "memory", "cc", "rax", "rcx", "rdx", "rsi", "r8"
		: aborted, changed, other_cpu);
	return RSEQ_DONE;
changed:
	return RSEQ_CHANGED;
other_cpu:
	return RSEQ_CPU;
aborted:
	return RSEQ_ABORT;
}

static inline enum rseq_result rseq_swap(struct rseq_area *area, uint32_t cpu,
					 const struct rseq_word *cmp, unsigned n,
					 const struct rseq_word *swap, uint64_t to)
{
	__asm__ goto(
		RSEQ_TABLE RSEQ_ENTER RSEQ_COMPARE_ALL
		"movq (%[swap]), %%rsi\n\t"
		"movq 8(%[swap]), %%rax\n\t"
		"lock cmpxchgq %[to], (%%rsi)\n" /* commit [O3] */
		"2:\n\t"
		RSEQ_ABORT_PAD
		:
		: [area] "r"(area), [cpu] "r"(cpu), [cmp] "r"(cmp), [n] "r"(n), [swap] "r"(swap),
		  [to] "r"(to)
		: "memory", "cc", "rax", "rcx", "rsi", "r8"
		: aborted, changed, other_cpu);
	return RSEQ_DONE;
changed:
	return RSEQ_CHANGED;
other_cpu:
	return RSEQ_CPU;
aborted:
	return RSEQ_ABORT;
}
