/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The producer's door: attaching the process, and the functions that trace
 * points call. Everything here is quiet: what fails leaves tracing off, and
 * says why only with TRBUF_DEBUG=1. Nothing is ever unmapped or closed again.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "libtrbuf/layout_check.h"
#include "libtrbuf/process.h"
#include "libtrbuf/producer.h"
#include "libtrbuf/record.h"
#include "libtrbuf/registry.h"
#include "libtrbuf/ring_write.h"
#include "libtrbuf/sync.h"
#include "libtrbuf/trbuf.h"

#define RECORD_HEADER 8u

/* Until attached nothing is fast: this is no pid. */
static uint32_t no_pid;
struct producer producer = { .pid_word = &no_pid };

static void debug_line(const char *text)
{
	const char *want = getauxval(AT_SECURE) ? NULL : getenv("TRBUF_DEBUG");
	char line[640];
	int n;

	if (!want || strcmp(want, "1") != 0)
		return;
	n = snprintf(line, sizeof(line), "trbuf[%d]: %s\n", (int)getpid(), text);
	if (n > 0 && write(STDERR_FILENO, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line)) < 0)
		return;
}

/* A page that is all zero in a forked child: how a child is told from its
 * parent without asking the kernel at each event. */
static uint32_t *make_pid_word(void)
{
	long size = sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (madvise(p, (size_t)size, MADV_WIPEONFORK) != 0) {
		munmap(p, (size_t)size);
		return NULL;
	}
	return p;
}

/* Under valgrind there is no rseq, and partial reads of strings are reported. */
static int want_rseq(const struct region *r)
{
#if defined(__aarch64__)
	if (sync_load(&r->hdr->rseq_verdict) != LAYOUT_RSEQ_GOOD)
		return 0;
#else
	if (sync_load(&r->hdr->rseq_verdict) == LAYOUT_RSEQ_BAD)
		return 0;
#endif
	return rseq_self() != NULL;
}

static uint32_t record_max(const struct geometry *g)
{
	return g->page_size / 4 < TRBUF_RECORD_MAX ? g->page_size / 4 : TRBUF_RECORD_MAX;
}

/* Page size, context and clock may change until the rings exist, and no gate is
 * open before that. So whoever emits first sees the change, alone. */
static void fill_geometry(void)
{
	struct region *r = &producer.region;
	struct geometry g = r->geo;

	if (layout_refresh(r->hdr, &g) ||
	    (producer.record_max && memcmp(&g, &r->geo, sizeof(g)) == 0))
		return;
	r->geo = g;
	producer.clock = g.clock;
	producer.context = g.context;
	producer.record_max = record_max(&g);
}

/* Under a seccomp filter gettid() may end the program, so the libc is asked: the
 * clock id of a thread is made of its tid (kernel ABI), without a system call.
 * Compared with the kernel once, at attach. */
static int libc_knows_tid;

static uint32_t libc_tid(void)
{
	clockid_t clock;

	return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? ~((uint32_t)clock >> 3) & 0x1fffffff
								  : 0;
}

static int attach(struct fault *f)
{
	struct region *r = &producer.region;
	char path[4096];
	int err = region_path(NULL, path, sizeof(path));

	if (err)
		return fault_set(f, -err, "the path of the region is too long");
	err = region_open(r, path, REGION_CREATE | REGION_PRODUCER, NULL, f);
	if (err)
		return err;
	producer.pid_word = make_pid_word();
	if (!producer.pid_word) {
		producer.pid_word = &no_pid;
		region_close(r);
		return fault_set(f, ENOMEM, "no memory that is wiped on fork; tracing stays off");
	}
	*producer.pid_word = (uint32_t)getpid();
	libc_knows_tid = libc_tid() == (uint32_t)gettid();
	producer.g.base = r->base;
	producer.g.rings = region_ring(r, 0);
	producer.g.nr_cpus = r->geo.nr_cpus;
	producer.nr_locked = r->geo.nr_locked;
	producer.use_rseq = want_rseq(r);
	trbuf_plain_copies = !producer.use_rseq;
	fill_geometry();
	if (!producer.use_rseq)
		sync_fetch_add(&r->hdr->locked_users, 1);
	producer.process = process_attach(r, 0, !producer.use_rseq);
	producer.attached = 1;
	return 0;
}

/* Before the constructors of everything that is linked with this library. */
static __attribute__((constructor(102))) void attach_at_start(void)
{
	struct fault f;
	int saved = errno;

	if (!producer.attached && attach(&f) != 0)
		debug_line(f.text);
	errno = saved;
}

__attribute__((destructor)) static void producer_detach(void)
{
	int saved = errno;

	if (producer.attached && *producer.pid_word == (uint32_t)getpid())
		process_detach(&producer.region, producer.process);
	errno = saved;
}

void producer_after_fork(uint32_t pid)
{
	(void)pid;
	producer.process = process_attach(&producer.region, producer.process, !producer.use_rseq);
}

/* ------------------------------------------------------------- threads */

__thread struct thread thread_own __attribute__((tls_model("initial-exec")));

static uint32_t own_tid(void)
{
	return libc_knows_tid ? libc_tid() : (uint32_t)gettid();
}

__attribute__((noinline, cold)) struct thread *thread_enter(void)
{
	struct thread *t = &thread_own;
	uint32_t pid;
	int saved = errno;

	if (!producer.attached)
		return NULL;
	pid = sync_load(producer.pid_word);
	if (pid == 0) {
		pid = (uint32_t)getpid();
		if (sync_cas32(producer.pid_word, 0, pid))
			producer_after_fork(pid);
	}
	/* Before the first event of a thread the gates were opened, before that
	 * the rings were made and the geometry became final. */
	fill_geometry();
	t->tid = own_tid();
	t->pid = pid;
	t->hint = t->tid % producer.nr_locked;
	t->area = producer.use_rseq ? rseq_self() : NULL;
	process_emits(&producer.region, producer.process);
	sync_compiler_barrier(); /* against a handler that traces */
	t->not_pid = ~pid;
	t->fast = t->area && producer.clock == RSEQ_READS_CLOCK ? ~pid : 0;
	t->coarse = t->area && producer.clock == LAYOUT_CLOCK_COARSE ? ~pid : 0;
	errno = saved;
	return t;
}

/* ------------------------------------------------------------- exported */

void trbuf_register(struct trbuf_event *ev)
{
	int saved = errno;

	if (producer.attached && ev && ev->abi == TRBUF_ABI && sync_load(&ev->id) == 0) {
		registry_add_event(&producer.region, ev);
		if (!ev->reserved[0]) /* in a constructor, so perhaps of a new library */
			process_modules(&producer.region, producer.process);
	}
	if (producer.attached && ev && ev->abi != TRBUF_ABI)
		debug_line("an event was declared by a header of another version; it stays off");
	errno = saved;
}

unsigned trbuf_record_max(void)
{
	return !producer.attached ? 0 : producer.record_max - RECORD_HEADER - producer.context;
}

void trbuf_commit_too_large(const struct trbuf_event *ev)
{
	(void)ev;
	if (producer.attached)
		ring_lost(LAYOUT_LOST_TOO_LARGE);
}

static uint64_t record_size(size_t payload)
{
	return RECORD_HEADER + producer.context + payload;
}

/* A thread's first event, the child's first after a fork, no room, other clocks,
 * locked rings. All is computed again: only after thread_self() the geometry is
 * certain, and the context this thread's. */
static __attribute__((noinline)) void commit_slow(uint32_t id, unsigned char *record,
						  size_t payload)
{
	struct thread *t = thread_self();

	if (!t)
		return;
	if (record_size(payload) > producer.record_max) {
		ring_lost(LAYOUT_LOST_TOO_LARGE);
		return;
	}
	memcpy(record + 8, &t->pid, 8);
	ring_emit(t, id, record + TRBUF_RECORD_HEADROOM - producer.context, record_size(payload));
}

/* In a function of its own, so that the other clock need not jump over it. */
static __attribute__((noinline)) void commit_other(uint32_t id, unsigned char *record,
						   size_t payload)
{
	size_t len = record_size(payload);

	if (!thread_is_coarse() || len > producer.record_max ||
	    !ring_emit_coarse(id, record + TRBUF_RECORD_HEADROOM - producer.context, len))
		commit_slow(id, record, payload);
}

static inline __attribute__((always_inline)) void commit_as(uint32_t id, unsigned char *record,
							    size_t payload)
{
	size_t len = record_size(payload);

	memcpy(record + 8, &thread_own.pid, 8);
	if (__builtin_expect(!thread_is_fast() || len > producer.record_max, 0))
		commit_other(id, record, payload);
	else if (__builtin_expect(!ring_emit_fast(id, record + TRBUF_RECORD_HEADROOM - producer.context,
						  len), 0))
		commit_slow(id, record, payload);
}

void trbuf_commit_id(const struct trbuf_event *ev, uint32_t id, unsigned char *record,
		     size_t payload)
{
	(void)ev;
	commit_as(id, record, payload);
}

void trbuf_commit(const struct trbuf_event *ev, unsigned char *record, size_t payload)
{
	commit_as(ev->id, record, payload);
}
