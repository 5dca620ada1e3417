/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Many short-lived processes that trace into the same rings: they start at
 * random, work with a few threads, and end by exit(), _exit() or SIGKILL. Each
 * thread counts the events it emitted; the sum, printed at the end, is what a trace
 * of the run must hold, as events or as events reported missed.
 *
 *	cc workers.c -o workers -pthread $(pkg-config --cflags --libs trbuf)
 *	tracectl record -o traces -- ./workers --seconds 2 --processes 8
 */
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <trbuf.h>

#define MAX_PROCESSES 1024
#define MAX_THREADS 4
#define MAX_JOBS 5000

enum death { BY_EXIT, BY_UNDERSCORE_EXIT, BY_KILL, DEATHS };

TRBUF_ENUM(death, { BY_EXIT, "exit" }, { BY_UNDERSCORE_EXIT, "_exit" }, { BY_KILL, "kill" });
TRBUF_EVENT(workers, start, TRBUF_INFO, (u32, number), (u8, threads), (enum, u8, death, how));
TRBUF_EVENT(workers, job, TRBUF_DEBUG, (u32, number), (u8, thread), (u32, job), (str, what));
TRBUF_EVENT(workers, data, TRBUF_DEBUG, (seq, u16, values), (f64, mean));
TRBUF_EVENT(workers, ended, TRBUF_INFO, (s32, pid), (s32, status));

/* Seen by all processes. Added to by those who live on and by those about to die. */
struct totals {
	atomic_ullong emitted;
};
static struct totals *totals;

struct worker {
	pthread_t thread;
	uint32_t number; /* of the process */
	uint8_t index;   /* of the thread */
	uint32_t jobs;
	uint64_t seed;
	uint64_t emitted;
};

static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void do_job(struct worker *w, uint32_t job)
{
	static const char *const what[] = { "fetch", "parse", "compute the mean of", "store" };
	uint64_t r = random_next(&w->seed);
	uint16_t values[16];
	double sum = 0;
	size_t n = 1 + r % 16;

	trbuf_trace(workers, job, w->number, w->index, job, what[r / 16 % 4]);
	w->emitted++;
	for (size_t i = 0; i < n; i++) {
		values[i] = (uint16_t)random_next(&w->seed);
		sum += values[i];
	}
	trbuf_trace(workers, data, values, n, sum / (double)n);
	w->emitted++;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (uint32_t job = 0; job < w->jobs; job++)
		do_job(w, job);
	return NULL;
}

/* The life of one process. Does not return. */
static void live(uint32_t number, uint64_t seed)
{
	struct worker worker[MAX_THREADS];
	unsigned threads = 1 + (unsigned)(random_next(&seed) % MAX_THREADS);
	unsigned started;
	enum death how = (enum death)(random_next(&seed) % DEATHS);

	trbuf_trace(workers, start, number, (uint8_t)threads, how);
	atomic_fetch_add(&totals->emitted, 1);
	for (started = 0; started < threads; started++) {
		struct worker *w = &worker[started];

		*w = (struct worker){ .number = number, .index = (uint8_t)started };
		w->jobs = (uint32_t)(random_next(&seed) % MAX_JOBS);
		w->seed = random_next(&seed);
		if (pthread_create(&w->thread, NULL, work, w))
			break; /* work with those that there are */
	}
	for (unsigned i = 0; i < started; i++) {
		pthread_join(worker[i].thread, NULL);
		atomic_fetch_add(&totals->emitted, worker[i].emitted);
	}
	if (how == BY_KILL)
		raise(SIGKILL);
	if (how == BY_UNDERSCORE_EXIT)
		_exit(0);
	exit(0);
}

static void start(uint32_t number, uint64_t seed)
{
	pid_t pid = fork();

	if (pid == 0)
		live(number, seed);
	if (pid < 0) {
		perror("workers: cannot start a process: use fewer --processes: fork");
		exit(1);
	}
}

/* Waits until one has ended. */
static void reap(void)
{
	int status;
	pid_t pid = wait(&status);

	trbuf_trace(workers, ended, pid, status);
	atomic_fetch_add(&totals->emitted, 1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double number_option(const char *option, const char *text, double low, double high)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= low && value <= high)) {
		fprintf(stderr, "workers: --%s: \"%s\" is not a number from %g to %g\n", option,
			text, low, high);
		exit(2);
	}
	return value;
}

static uint32_t run(double seconds, uint32_t processes, uint64_t seed)
{
	double end = now() + seconds;
	uint32_t started = 0, alive = 0;

	do {
		while (alive < processes) {
			start(started++, random_next(&seed));
			alive++;
		}
		reap();
		alive--;
	} while (now() < end);
	for (; alive; alive--)
		reap();
	return started;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "seconds", required_argument, NULL, 's' },
						 { "processes", required_argument, NULL, 'p' },
						 { "seed", required_argument, NULL, 'r' },
						 { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	double seconds = 1;
	uint32_t processes = 4, started;
	uint64_t seed = (uint64_t)time(NULL);
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 's')
			seconds = number_option("seconds", optarg, 0, 1e6);
		else if (c == 'p')
			processes = (uint32_t)number_option("processes", optarg, 1, MAX_PROCESSES);
		else if (c == 'r')
			seed = (uint64_t)number_option("seed", optarg, 0, 9e15);
		else if (c == 'h')
			return puts("usage: workers [--seconds N] [--processes N] [--seed N]") < 0;
		else
			return 2;
	}
	if (optind < argc) {
		fprintf(stderr, "workers: \"%s\" is one argument too many\n", argv[optind]);
		return 2;
	}
	totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (totals == MAP_FAILED) {
		perror("workers: no memory for the counters: mmap");
		return 1;
	}
	started = run(seconds, processes, seed);
	printf("processes %u emitted %llu\n", (unsigned)started,
	       (unsigned long long)atomic_load(&totals->emitted));
	return 0;
}
