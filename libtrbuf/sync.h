/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The whole memory model of trbuf. This is the only file that uses the
 * compiler's atomic builtins; everything else names one of these.
 *
 * Words in the region are shared with processes that may be hostile, so a
 * reader loads a word once (sync_load*), checks the copy and uses the copy.
 *
 * Pairs that carry meaning have a tag, e.g. [O1], at both sides; the list is
 * in doc/ring.md.
 */
#ifndef TRBUF_SYNC_H
#define TRBUF_SYNC_H

#include <stdint.h>

#define sync_load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define sync_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define sync_store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define sync_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define sync_fetch_add(p, v) __atomic_fetch_add((p), (v), __ATOMIC_ACQ_REL)
#define sync_fetch_or(p, v) __atomic_fetch_or((p), (v), __ATOMIC_ACQ_REL)
#define sync_fetch_and(p, v) __atomic_fetch_and((p), (v), __ATOMIC_ACQ_REL)

/* Full fence: the store-load case that acquire and release do not cover. */
#define sync_fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define sync_fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define sync_fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)
/* Orders against a signal handler or a section of the same thread only. */
#define sync_compiler_barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* True when *p was `old` and is now `val`. */
static inline int sync_cas64(uint64_t *p, uint64_t old, uint64_t val)
{
	return __atomic_compare_exchange_n(p, &old, val, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static inline int sync_cas32(uint32_t *p, uint32_t old, uint32_t val)
{
	return __atomic_compare_exchange_n(p, &old, val, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

#endif
