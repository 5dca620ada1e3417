/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A pipeline with trace points: one thread makes pages of 1000 random 32-bit
 * numbers, the others test them for primality. Each function is a span, and
 * each number an event. Of all 32-bit numbers 4.733 % are primes.
 *
 *	cc primes.c -o primes -pthread $(pkg-config --cflags --libs trbuf)
 *	tracectl record -o traces -- ./primes --seconds 2
 *
 * Compiled with -DTRBUF_DISABLE it is the same program without trace points.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <trbuf.h>

#define PAGE_NUMBERS 1000
#define QUEUE_PAGES 8
#define MAX_THREADS 256

TRBUF_EVENT(primes, number, TRBUF_DEBUG, (u32, number), (bool, prime));
TRBUF_SPAN_EVENT(primes, fill_page, TRBUF_INFO, (u64, page));
TRBUF_SPAN_EVENT(primes, put_page, TRBUF_INFO, (u64, page));
TRBUF_SPAN_EVENT(primes, get_page, TRBUF_INFO);
TRBUF_SPAN_EVENT(primes, test_page, TRBUF_INFO, (u64, page), (str, worker));
TRBUF_SPAN_EVENT(primes, is_prime, TRBUF_DEBUG, (u32, number));

struct page {
	uint64_t index;
	uint32_t number[PAGE_NUMBERS];
};

/* Pages between the producer and the consumers; a ring of QUEUE_PAGES. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct page page[QUEUE_PAGES];
	unsigned first, used;
	bool closed;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static atomic_bool stop;
static atomic_ullong numbers, primes;

/* splitmix64: any seed will do, every 32-bit half is uniform. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* By trial division, as it stands in every book: most numbers are done after a
 * few divisions, a large prime takes some ten thousand. */
static bool is_prime(uint32_t n)
{
	TRBUF_SPAN(primes, is_prime, n);

	if (n < 2 || n % 2 == 0)
		return n == 2;
	for (uint32_t d = 3; (uint64_t)d * d <= n; d += 2)
		if (n % d == 0)
			return false;
	return true;
}

static void fill_page(struct page *page, uint64_t index, uint64_t *seed)
{
	TRBUF_SPAN(primes, fill_page, index);

	page->index = index;
	for (int i = 0; i < PAGE_NUMBERS; i++)
		page->number[i] = (uint32_t)(random_next(seed) >> 32);
}

static void put_page(const struct page *page)
{
	TRBUF_SPAN(primes, put_page, page->index);

	pthread_mutex_lock(&queue.lock);
	while (queue.used == QUEUE_PAGES)
		pthread_cond_wait(&queue.changed, &queue.lock);
	queue.page[(queue.first + queue.used++) % QUEUE_PAGES] = *page;
	pthread_cond_broadcast(&queue.changed);
	pthread_mutex_unlock(&queue.lock);
}

static void close_queue(void)
{
	pthread_mutex_lock(&queue.lock);
	queue.closed = true;
	pthread_cond_broadcast(&queue.changed);
	pthread_mutex_unlock(&queue.lock);
}

static bool get_page(struct page *page)
{
	bool got;

	TRBUF_SPAN(primes, get_page);

	pthread_mutex_lock(&queue.lock);
	while (queue.used == 0 && !queue.closed)
		pthread_cond_wait(&queue.changed, &queue.lock);
	got = queue.used > 0;
	if (got) {
		*page = queue.page[queue.first];
		queue.first = (queue.first + 1) % QUEUE_PAGES;
		queue.used--;
		pthread_cond_broadcast(&queue.changed);
	}
	pthread_mutex_unlock(&queue.lock);
	return got;
}

static void test_page(const struct page *page, const char *worker)
{
	unsigned found = 0;

	TRBUF_SPAN(primes, test_page, page->index, worker);

	for (int i = 0; i < PAGE_NUMBERS; i++) {
		bool prime = is_prime(page->number[i]);

		trbuf_trace(primes, number, page->number[i], prime);
		found += prime;
	}
	atomic_fetch_add(&numbers, PAGE_NUMBERS);
	atomic_fetch_add(&primes, found);
}

static void *producer(void *arg)
{
	uint64_t seed = (uint64_t)time(NULL) * 1000003 + (uint64_t)(uintptr_t)&seed;
	struct page page;

	(void)arg;
	for (uint64_t index = 0; !atomic_load(&stop); index++) {
		fill_page(&page, index, &seed);
		put_page(&page);
	}
	close_queue();
	return NULL;
}

static void *consumer(void *arg)
{
	struct page page;
	char name[32];

	snprintf(name, sizeof(name), "worker-%d", (int)(intptr_t)arg);
	while (get_page(&page))
		test_page(&page, name);
	return NULL;
}

static double number_option(const char *option, const char *text, double low, double high)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= low && value <= high)) {
		fprintf(stderr, "primes: --%s: \"%s\" is not a number from %g to %g\n", option,
			text, low, high);
		exit(2);
	}
	return value;
}

static void run(double seconds, int threads)
{
	struct timespec t = { .tv_sec = (time_t)seconds };
	pthread_t thread[MAX_THREADS + 1];

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	for (int i = 0; i <= threads; i++) {
		if (pthread_create(&thread[i], NULL, i ? consumer : producer, (void *)(intptr_t)i)) {
			fprintf(stderr, "primes: cannot start thread %d: use fewer --threads\n", i);
			exit(1);
		}
	}
	nanosleep(&t, NULL);
	atomic_store(&stop, true);
	for (int i = 0; i <= threads; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "seconds", required_argument, NULL, 's' },
						 { "threads", required_argument, NULL, 't' },
						 { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	double seconds = 1;
	int threads = 4, c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 's')
			seconds = number_option("seconds", optarg, 0, 1e6);
		else if (c == 't')
			threads = (int)number_option("threads", optarg, 1, MAX_THREADS);
		else if (c == 'h')
			return puts("usage: primes [--seconds N] [--threads N]") < 0;
		else
			return 2;
	}
	if (optind < argc) {
		fprintf(stderr, "primes: \"%s\" is one argument too many\n", argv[optind]);
		return 2;
	}
	run(seconds, threads);
	printf("numbers %llu primes %llu (%.3f %%)\n", (unsigned long long)numbers,
	       (unsigned long long)primes,
	       numbers ? 100.0 * (double)primes / (double)numbers : 0.0);
	return 0;
}
