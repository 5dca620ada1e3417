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

_Static_assert(__builtin_offsetof(struct rseq_area, cpu_id) == 4, "rseq area");
_Static_assert(__builtin_offsetof(struct rseq_area, rseq_cs) == 8, "rseq area");
_Static_assert(__builtin_offsetof(struct rseq_record, now) == 56, "rseq record");
_Static_assert(__builtin_offsetof(struct layout_ring, last) == 8, "ring");
_Static_assert(__builtin_offsetof(struct layout_ring, page) + 8 == 72, "ring");
_Static_assert(__builtin_offsetof(struct layout_ring, limit) == 256, "ring");
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

/* rcx ring, r8 head, r9 offset, r10 destination, rax now. `clock` puts now in rax. */
#define RSEQ_COMMIT(read_clock) \
	__asm__ goto( \
		RSEQ_TABLE RSEQ_ENTER \
		"movl 4(%[area]), %%ecx\n\t" \
		"cmpl 48(%[c]), %%ecx\n\t" \
		"jae %l[other_cpu]\n\t" \
		"shlq $9, %%rcx\n\t" \
		"addq 0(%[c]), %%rcx\n\t" \
		"movq (%%rcx), %%r8\n\t" \
		"movl %%r8d, %%r9d\n\t" \
		"andl $0x3fffff, %%r9d\n\t" \
		"movl 52(%[c]), %%eax\n\t" \
		"addl %%r9d, %%eax\n\t" \
		"cmpl 256(%%rcx), %%eax\n\t" \
		"ja %l[no_room]\n\t" \
		"movq %%r8, %%r10\n\t" \
		"shrq $35, %%r10\n\t" \
		"andl $32, %%r10d\n\t" \
		"movq 72(%%rcx, %%r10), %%r10\n\t" \
		"addq %%r9, %%r10\n\t" \
		"addq 8(%[c]), %%r10\n\t" \
		read_clock \
		"movq %%rax, %%rdx\n\t" \
		"subq 8(%%rcx), %%rdx\n\t" \
		"shrq $48, %%rdx\n\t" \
		"jnz %l[bad_clock]\n\t" \
		"movq %%rax, %%rdx\n\t" \
		"shlq $16, %%rdx\n\t" \
		"orq 24(%[c]), %%rdx\n\t" \
		"movq %%rdx, (%%r10)\n\t" \
		"movq 32(%[c]), %%r9\n\t" \
		"movq 16(%[c]), %%rsi\n\t" \
		"addq %%r9, %%rsi\n\t" \
		"leaq 8(%%r10, %%r9), %%r10\n\t" \
		"negq %%r9\n\t" \
		"jz 6f\n" \
		"5:\n\t" \
		"movq (%%rsi, %%r9), %%rdx\n\t" \
		"movq %%rdx, (%%r10, %%r9)\n\t" \
		"addq $8, %%r9\n\t" \
		"jnz 5b\n" \
		"6:\n\t" \
		"movq %%rax, 8(%%rcx)\n\t" \
		"addq 40(%[c]), %%r8\n\t" \
		"addq $0x400000, %%r8\n\t" \
		"movq %%r8, (%%rcx)\n" /* commit [O1] */ \
		"2:\n\t" \
		RSEQ_ABORT_PAD \
		: \
		: [area] "r"(area), [c] "r"(c) \
		: "memory", "cc", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10" \
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

static inline enum rseq_result rseq_commit_clock(struct rseq_area *area,
						 const struct rseq_record *c)
{
	RSEQ_COMMIT("rdtsc\n\t"
		    "shlq $32, %%rdx\n\t"
		    "orq %%rdx, %%rax\n\t");
}

static inline enum rseq_result rseq_commit_given(struct rseq_area *area,
						 const struct rseq_record *c)
{
	RSEQ_COMMIT("movq 56(%[c]), %%rax\n\t");
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
