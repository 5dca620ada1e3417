/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Tortures the rings without the daemon: processes and threads emit numbered
 * events, are killed at random, the ring is resized, its mode is flipped, the
 * consumer pauses, or "dies" (forgets what it holds and recovers). In the end,
 * for every ring and in total:
 *
 *   emitted = received + lost by overwriting + missed + lost without a ring
 *
 * with each (thread, number) received at most once and undamaged. A killed
 * thread may have one event more than its own count, never less.
 *
 * Emitters are this same program, run again, so that the environment
 * ($GLIBC_TUNABLES, $TRBUF_INJECT) decides how they write.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/control.h"
#include "libtrbuf/region_create.h"
#include "libtrbuf/registry.h"
#include "libtrbuf/ring_read.h"
#include "libtrbuf/ring_setup.h"
#include "libtrbuf/sync.h"
#include "libtrbuf/trbuf.h"

#define NUMBERS (1u << 24) /* most events a thread may emit */
#define MAGIC 0x5bd1e995u

TRBUF_EVENT(torture, tick, TRBUF_INFO, (u32, who), (u32, number), (u64, check), (str, text));
TRBUF_EVENT(torture, signal, TRBUF_INFO, (u32, who), (u32, number), (u64, check), (str, text));

struct tally {
	uint32_t started; /* events whose emit was begun */
	uint32_t done;    /* events whose emit returned */
};

struct shared {
	uint32_t stop;
	struct tally tally[4096];
};

static struct options {
	unsigned processes, threads, seconds, kills, signals, crash, resize, flip, stall, limit;
	uint64_t ring, page;
	const char *inject; /* $TRBUF_INJECT of the emitters */
	int overwrite, wrap;
} opt = { .processes = 4, .threads = 2, .seconds = 2, .ring = 1 << 18, .page = 4096,
	  .limit = NUMBERS };

static struct shared *shared;

/* -------------------------------------------------------------- emitters */

static __thread uint32_t my_who;

static uint64_t check_of(uint32_t who, uint32_t number)
{
	return ((uint64_t)who << 32 | number) * MAGIC;
}

static void emit(uint32_t who, int handler)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	struct tally *t = &shared->tally[who];
	uint32_t number = t->started++;
	const char *tail = text + number % 37;

	if (number >= opt.limit) {
		t->started--;
		return;
	}
	if (handler)
		trbuf_trace(torture, signal, who, number, check_of(who, number), tail);
	else
		trbuf_trace(torture, tick, who, number, check_of(who, number), tail);
	t->done++;
}

/* The handler has a tally of its own, so that numbers stay in one hand. */
static void on_alarm(int sig)
{
	(void)sig;
	emit(my_who + 2048, 1);
}

static void *emitter(void *arg)
{
	my_who = (uint32_t)(uintptr_t)arg;
	while (!sync_load(&shared->stop))
		emit(my_who, 0);
	return NULL;
}

static int child_main(uint32_t first)
{
	pthread_t thread[64];
	struct itimerval it = { { 0, 200 }, { 0, 200 } };

	if (opt.signals) {
		signal(SIGALRM, on_alarm);
		opt.threads = 1;
	}
	my_who = first;
	if (opt.signals)
		setitimer(ITIMER_REAL, &it, NULL);
	for (unsigned i = 1; i < opt.threads; i++)
		pthread_create(&thread[i], NULL, emitter, (void *)(uintptr_t)(first + i));
	emitter((void *)(uintptr_t)first);
	if (opt.signals)
		signal(SIGALRM, SIG_IGN);
	for (unsigned i = 1; i < opt.threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

/* -------------------------------------------------------------- consumer */

struct ledger {
	struct ring_reader rd;
	struct ring_disk disk;
	int open;
	uint64_t received, overwritten;
};

static struct region region;
static struct ledger *ledgers;
static unsigned char *seen[4096]; /* one bit a number */
static uint32_t tick_id, signal_id;
static unsigned damaged;

static void damage(const char *what, uint32_t ring, uint64_t page)
{
	if (damaged++ < 10)
		fprintf(stderr, "ring_torture: ring %u page %llu: %s\n", ring,
			(unsigned long long)page, what);
}

static uint32_t note_record(const struct ring_page *p, const unsigned char *at, uint32_t left)
{
	uint32_t who, number, id, len;
	uint64_t check, word;
	const unsigned char *nul;

	if (left < 33) {
		damage("record too short", p->ring, p->number);
		return left;
	}
	memcpy(&word, at, 8);
	id = (uint32_t)word & 0xffff;
	memcpy(&who, at + 16, 4);
	memcpy(&number, at + 20, 4);
	memcpy(&check, at + 24, 8);
	nul = memchr(at + 32, 0, left - 32);
	if (!nul || (id != tick_id && id != signal_id) || who >= 4096 || number >= NUMBERS ||
	    check != check_of(who, number)) {
		damage("damaged record", p->ring, p->number);
		return left;
	}
	len = (uint32_t)(nul - at) + 1;
	if (!seen[who])
		seen[who] = calloc(1, NUMBERS / 8);
	if (seen[who][number / 8] >> number % 8 & 1)
		damage("event twice", p->ring, p->number);
	seen[who][number / 8] |= (unsigned char)(1u << number % 8);
	return len;
}

static int consume(const struct ring_page *p, void *arg)
{
	struct ledger *l = arg;
	uint64_t before = p->events_before, upto = before + p->events;
	uint32_t off = LAYOUT_PAGE_HEADER, n = 0;

	if ((int64_t)(upto - l->disk.events) < 0 ||
	    (upto == l->disk.events && p->number <= l->disk.page))
		return 0; /* handed over before */
	if ((int64_t)(before - l->disk.events) > 0) {
		l->overwritten += before - l->disk.events;
		l->disk.events = before;
	}
	if ((int64_t)(p->missed_before - l->disk.missed) < 0)
		damage("misses went back", p->ring, p->number);
	for (; off < p->end_offset; n++) {
		uint32_t len;

		if ((int64_t)(before + n - l->disk.events) < 0) { /* part of it was handed over */
			const unsigned char *nul = memchr(p->mem + off + 32, 0, p->end_offset - off - 32);

			if (!nul)
				break;
			off = (uint32_t)(nul - p->mem) + 1;
			continue;
		}
		len = note_record(p, p->mem + off, p->end_offset - off);
		l->received++;
		off += len;
	}
	if (n != p->events)
		damage("number of records is not the page's", p->ring, p->number);
	l->disk.events = upto;
	l->disk.missed = p->missed_before;
	l->disk.page = p->number;
	l->disk.offset = p->end_offset;
	ring_disk_set(&l->rd, &l->disk);
	return 0;
}

static void open_ledgers(void)
{
	for (uint32_t i = 0; i < region.geo.nr_rings; i++) {
		struct ledger *l = &ledgers[i];

		if (l->open || ring_reader_init(&l->rd, &region, i) != 0)
			continue;
		l->open = 1;
		ring_disk_get(&l->rd, &l->disk);
	}
}

static void drain(int partial)
{
	static unsigned char copy[LAYOUT_MAX_PAGE];
	struct ring_page p;

	for (uint32_t i = 0; i < region.geo.nr_rings; i++) {
		struct ledger *l = &ledgers[i];
		int err;

		if (!l->open)
			continue;
		while ((err = ring_reader_take(&l->rd, &p)) == 1) {
			consume(&p, l);
			if (opt.crash && rand() % 50 == 0) {
				/* Dies here: what it holds is found again. */
				ring_reader_init(&l->rd, &region, i);
				if (ring_reader_recover(&l->rd, consume, l) < 0)
					damage("recovery failed", i, p.number);
				break;
			}
			ring_reader_post(&l->rd, p.slot);
		}
		if (err == -EBADMSG)
			damage(l->rd.fault.text, i, 0);
		if (partial && ring_reader_partial(&l->rd, &l->disk, copy, &p) == 1)
			consume(&p, l);
	}
}

/* ------------------------------------------------------------------ run */

static pid_t spawn(char **argv, uint32_t first)
{
	char number[16], *args[64];
	unsigned n = 0;
	pid_t pid;

	for (; argv[n] && n < 60; n++)
		args[n] = argv[n];
	snprintf(number, sizeof(number), "%u", first);
	args[n++] = (char *)"--child";
	args[n++] = number;
	args[n] = NULL;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (opt.inject)
			setenv("TRBUF_INJECT", opt.inject, 1);
		execv("/proc/self/exe", args);
		_exit(127);
	}
	return pid;
}

static void disturb(unsigned round)
{
	struct fault f;

	if (opt.resize && round % 20 == 0) {
		static const uint64_t sizes[] = { 64 << 10, 16 << 20, 1 << 20 };

		ring_setup_want(&region, -1, sizes[round / 20 % 3]);
	}
	if (opt.resize)
		for (uint32_t i = 0; i < region.geo.nr_rings; i++)
			ring_setup_apply(&region, i, &f);
	if (opt.flip && round % 30 == 0)
		sync_store(&region.hdr->mode, round / 30 % 2);
}

/* Emitters that ended by themselves, at an injection point, are replaced. */
static unsigned replace_dead(char **argv, pid_t *pid, uint32_t *next)
{
	unsigned dead = 0;

	for (unsigned i = 0; i < opt.processes && *next + opt.threads < 2000; i++) {
		int status;

		if (waitpid(pid[i], &status, WNOHANG | WUNTRACED) != pid[i])
			continue;
		if (WIFSTOPPED(status)) { /* for a moment: the others go on */
			kill(pid[i], SIGCONT);
			continue;
		}
		pid[i] = spawn(argv, *next);
		*next += opt.threads;
		dead++;
	}
	return dead;
}

static void run(char **argv)
{
	pid_t pid[64];
	uint32_t next = 0;
	uint64_t end = clock_monotonic_ns() + opt.seconds * UINT64_C(1000000000);
	unsigned kills = opt.kills, injected = 0;
	struct timespec tick = { 0, 2000000 };

	for (unsigned i = 0; i < opt.processes; i++, next += opt.threads)
		pid[i] = spawn(argv, next);
	for (unsigned round = 0; clock_monotonic_ns() < end || kills; round++) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &tick, NULL);
		disturb(round);
		if (kills && next + opt.threads < 2000) {
			unsigned k = (unsigned)rand() % opt.processes;

			kill(pid[k], SIGKILL);
			waitpid(pid[k], NULL, 0);
			pid[k] = spawn(argv, next);
			next += opt.threads;
			kills--;
		} else if (kills) {
			kills = 0;
		}
		if (opt.inject && round % 4 == 0)
			injected += replace_dead(argv, pid, &next);
		ring_free_dead_owners(&region);
		if (!opt.stall || round % 100 < 10)
			drain(round % 7 == 0);
	}
	sync_store(&shared->stop, 1);
	if (opt.inject) {
		for (unsigned i = 0; i < opt.processes; i++)
			kill(pid[i], SIGCONT);
		printf("ended at an injection point: %u\n", injected);
	}
	for (unsigned i = 0; i < opt.processes; i++)
		waitpid(pid[i], NULL, 0);
}

static int report(void)
{
	uint64_t started = 0, done = 0, received = 0, overwritten = 0, missed = 0, lost = 0, found = 0;

	opt.crash = 0; /* the last consumer lives */
	for (unsigned i = 0; i < 2; i++)
		drain(1);
	for (uint32_t i = 0; i < region.geo.nr_rings; i++) {
		struct ring_totals t;
		struct ledger *l = &ledgers[i];

		if (!l->open || ring_reader_totals(&l->rd, &t))
			continue;
		received += l->received;
		overwritten += l->overwritten;
		missed += t.missed - (opt.wrap ? UINT64_MAX - 100 : 0);
		if (t.events != l->disk.events)
			damage("events of the ring are not all accounted for", i, t.events - l->disk.events);
	}
	for (unsigned i = 0; i < LAYOUT_LOST_KINDS; i++)
		lost += region.hdr->lost[i];
	for (unsigned i = 0; i < 4096; i++) {
		started += shared->tally[i].started;
		done += shared->tally[i].done;
		for (uint32_t k = 0; seen[i] && k < NUMBERS / 8; k++)
			found += (unsigned)__builtin_popcount(seen[i][k]);
	}
	printf("emitted %llu..%llu received %llu overwritten %llu missed %llu lost %llu damaged %u\n",
	       (unsigned long long)done, (unsigned long long)started, (unsigned long long)received,
	       (unsigned long long)overwritten, (unsigned long long)missed, (unsigned long long)lost,
	       damaged);
	started -= done;
	done = received + overwritten + missed + lost - done; /* events more than counted */
	if (damaged || received != found || done > started) {
		printf("NOT EXACT: off by %lld, %llu may be killed ones, found %llu\n", (long long)done,
		       (unsigned long long)started, (unsigned long long)found);
		return 1;
	}
	return 0;
}

static int find_ids(struct registry_event *ev, void *arg)
{
	(void)arg;
	if (strcmp(ev->name, "tick") == 0)
		tick_id = ev->id;
	else if (strcmp(ev->name, "signal") == 0)
		signal_id = ev->id;
	free(ev);
	return 0;
}

static int setup(const char *path)
{
	struct region_settings s = REGION_SETTINGS_DEFAULT;
	struct registry_scan *scan = calloc(1, sizeof(*scan));
	struct layout_control *c = calloc(1, sizeof(*c));
	struct ring_seed seed = { UINT32_MAX - 40, UINT64_MAX - 1000, UINT64_MAX - 100,
				  UINT32_MAX - 7 };
	struct fault f;

	s.page_size = (uint32_t)opt.page;
	s.ring_size = opt.ring;
	s.mode = opt.overwrite ? LAYOUT_OVERWRITE : LAYOUT_DISCARD;
	if (opt.wrap)
		ring_setup_seed(&seed);
	if (region_open(&region, path, REGION_CREATE, &s, &f) ||
	    region_lock(&region, REGION_LOCK_CONSUMER, 1000) ||
	    region_adjust(&region, &s, &f) || ring_setup_all(&region, &f) < 0) {
		fprintf(stderr, "ring_torture: %s\n", f.text);
		return 1;
	}
	sync_store(&region.hdr->mode, s.mode);
	registry_scan(&region, scan, find_ids, NULL);
	control_get(&region, c);
	c->on = 1;
	control_publish(&region, c);
	free(c);
	free(scan);
	ledgers = calloc(region.geo.nr_rings, sizeof(*ledgers));
	open_ledgers();
	return 0;
}

static int parse(int argc, char **argv, const char **child)
{
	static const struct option names[] = {
		{ "processes", 1, 0, 'p' }, { "threads", 1, 0, 't' },  { "seconds", 1, 0, 's' },
		{ "kills", 1, 0, 'k' },	    { "ring", 1, 0, 'r' },     { "page", 1, 0, 'g' },
		{ "overwrite", 0, 0, 'o' }, { "signals", 0, 0, 'i' },  { "crash", 0, 0, 'c' },
		{ "resize", 0, 0, 'z' },    { "flip", 0, 0, 'f' },     { "stall", 0, 0, 'l' },
		{ "wrap", 0, 0, 'w' },	    { "inject", 1, 0, 'j' },   { "child", 1, 0, 'C' },
		{ 0, 0, 0, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		unsigned long v = optarg ? strtoul(optarg, NULL, 10) : 1;

		switch (c) {
		case 'p': opt.processes = (unsigned)(v < 64 ? v : 64); break;
		case 't': opt.threads = (unsigned)(v < 64 ? v : 64); break;
		case 's': opt.seconds = (unsigned)v; break;
		case 'k': opt.kills = (unsigned)v; break;
		case 'r': opt.ring = v; break;
		case 'g': opt.page = v; break;
		case 'o': opt.overwrite = 1; break;
		case 'i': opt.signals = 1; opt.threads = 1; break;
		case 'c': opt.crash = 1; break;
		case 'z': opt.resize = 1; break;
		case 'f': opt.flip = 1; break;
		case 'l': opt.stall = 1; break;
		case 'w': opt.wrap = 1; break;
		case 'j': opt.inject = optarg; break;
		case 'C': *child = optarg; break;
		default: return 2;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *child = NULL, *path = getenv("TRBUF_REGION");
	int fd, err = parse(argc, argv, &child);

	if (err || !path) {
		fprintf(stderr, "usage: TRBUF_REGION=PATH ring_torture [options]\n");
		return 2;
	}
	fd = child ? 9 : memfd_create("tally", 0);
	if (!child && (fd < 0 || ftruncate(fd, sizeof(*shared)) != 0 || dup2(fd, 9) != 9))
		return 1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, 9, 0);
	if (shared == MAP_FAILED)
		return 1;
	if (child)
		return child_main((uint32_t)strtoul(child, NULL, 10));
	srand(1);
	if (setup(path))
		return 1;
	run(argv);
	return report();
}
