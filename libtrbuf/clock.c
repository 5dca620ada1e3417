/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The clock of a region. Chosen once by whoever creates the region; read by
 * everybody. Frequency is measured by tools, never by a producer.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/region.h"
#include "libtrbuf/sync.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define NS UINT64_C(1000000000)
#define MEASURE_NS UINT64_C(50000000)

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) != 0)
		return 0;
	return (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_realtime_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

#if defined(__x86_64__)
/* A counter that runs at one rate in all power states. */
static int tsc_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

/* The kernel keeps time with the counter itself, or with a paravirtual clock
 * that is the counter scaled: in both cases it found it the same on all CPUs. */
static int tsc_trusted(void)
{
	char name[32] = "";
	ssize_t n;
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	n = read(fd, name, sizeof(name) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	name[strcspn(name, "\n")] = '\0';
	return strcmp(name, "tsc") == 0 || strcmp(name, "kvm-clock") == 0 ||
	       strcmp(name, "hyperv_clocksource_tsc_page") == 0;
}
#endif

uint32_t clock_choose(void)
{
#if defined(__x86_64__)
	if (tsc_invariant() && tsc_trusted())
		return LAYOUT_CLOCK_TSC;
#elif defined(__aarch64__)
	return LAYOUT_CLOCK_ARM;
#endif
	return LAYOUT_CLOCK_MONOTONIC;
}

uint64_t clock_read(uint32_t clock, const struct layout_region *hdr)
{
	switch (clock) {
#if defined(__x86_64__)
	case LAYOUT_CLOCK_TSC:
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	case LAYOUT_CLOCK_ARM: {
		uint64_t v;

		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
		return v;
	}
#endif
	case LAYOUT_CLOCK_COARSE: {
		uint64_t v = sync_load(&hdr->coarse_clock);

		return v ? v : clock_monotonic_ns();
	}
	default:
		return clock_monotonic_ns();
	}
}

/* The three clocks as close together as can be had: the best of some tries. */
static void read_together(const struct layout_region *hdr, uint32_t clock, uint64_t *cycles,
			  uint64_t *mono, uint64_t *real)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t m0 = clock_monotonic_ns();
		uint64_t c = clock == LAYOUT_CLOCK_COARSE ? m0 : clock_read(clock, hdr);
		uint64_t t = clock_realtime_ns();
		uint64_t m1 = clock_monotonic_ns();

		if (m1 - m0 < best) {
			best = m1 - m0;
			*cycles = c;
			*mono = m0 + (m1 - m0) / 2;
			*real = t;
		}
	}
}

void clock_stamp(struct layout_region *hdr)
{
	read_together(hdr, hdr->clock, &hdr->created_cycles, &hdr->created_monotonic,
		      &hdr->created_realtime);
}

static int counts_ns(uint32_t clock)
{
	return clock == LAYOUT_CLOCK_MONOTONIC || clock == LAYOUT_CLOCK_COARSE;
}

/* From the birth of the region if that is long ago, else wait a little. */
static uint64_t measure(const struct region *r)
{
	uint64_t c0 = sync_load(&r->hdr->created_cycles), m0 = sync_load(&r->hdr->created_monotonic);
	uint64_t c1 = 0, m1 = 0, t1;

	for (;;) {
		read_together(r->hdr, r->geo.clock, &c1, &m1, &t1);
		if (m1 < m0 || c1 < c0)
			return NS; /* spoilt words: any number will do */
		if (m1 - m0 >= MEASURE_NS)
			break;
		struct timespec ts = { 0, (long)(MEASURE_NS - (m1 - m0)) };
		clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	}
	return (uint64_t)((unsigned __int128)(c1 - c0) * NS / (m1 - m0));
}

uint64_t clock_frequency(struct region *r)
{
	uint64_t f;

	if (counts_ns(r->geo.clock))
		return NS;
#if defined(__aarch64__)
	if (r->geo.clock == LAYOUT_CLOCK_ARM) {
		__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(f));
		return f;
	}
#endif
	f = sync_load(&r->hdr->clock_frequency);
	if (f >= 1000000 && f < 100 * NS)
		return f;
	f = measure(r);
	/* The first to measure decides: one rate for the life of the region. */
	if (!sync_cas64(&r->hdr->clock_frequency, 0, f))
		f = sync_load(&r->hdr->clock_frequency);
	return f >= 1000000 && f < 100 * NS ? f : NS;
}

void clock_map_get(struct region *r, struct clock_map *m)
{
	m->frequency = clock_frequency(r);
	m->cycles = sync_load(&r->hdr->created_cycles);
	m->realtime = sync_load(&r->hdr->created_realtime);
}

uint64_t clock_to_ns(const struct clock_map *m, uint64_t cycles)
{
	if (cycles >= m->cycles)
		return m->realtime +
		       (uint64_t)((unsigned __int128)(cycles - m->cycles) * NS / m->frequency);
	return m->realtime -
	       (uint64_t)((unsigned __int128)(m->cycles - cycles) * NS / m->frequency);
}
