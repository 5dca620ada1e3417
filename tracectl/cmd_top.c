/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl top: live rates of the rings. Needs no daemon and no recording: it
 * looks at the counters of the region once a second. Owns the command line,
 * the terminal and the loop; the numbers are in top_sample.c. Reads only.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "common/parse.h"
#include "libtrbuf/clock.h"
#include "tracectl/cmd.h"
#include "tracectl/json.h"
#include "tracectl/region_tool.h"
#include "tracectl/text.h"
#include "tracectl/top_sample.h"

struct top {
	struct cmd_env *env;
	uint64_t rounds; /* -b N; 0: until q */
	int batch;
	uint32_t interval_ms;
	enum top_sort sort;
	struct top_sample *sample;
	struct region *r;
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static int parse_options(struct cmd_env *env, struct top *t, int argc, char **argv)
{
	static const struct option options[] = {
		{ "batch", required_argument, NULL, 'b' },
		{ "interval", required_argument, NULL, 'd' },
		{ "sort", required_argument, NULL, 's' },
		{ 0 },
	};
	struct fault f;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":b:d:s:", options, NULL)) != -1) {
		int err = 0;

		if (c == 'b') {
			t->batch = 1;
			err = parse_u64(optarg, 1, UINT32_MAX, &t->rounds, &f);
		} else if (c == 'd') {
			err = parse_duration_ms(optarg, &t->interval_ms, &f);
		} else if (c == 's' && top_sort_parse(optarg, &t->sort)) {
			return cmd_usage(env, "sort by events, missed, fill or ring, not `%s`",
					 optarg);
		} else if (c != 's') {
			return cmd_badopt(env, c, argv);
		}
		if (err)
			return cmd_usage(env, "%s", f.text);
	}
	if (optind < argc)
		return cmd_usage(env, "top takes no argument, got `%s`", argv[optind]);
	if (t->interval_ms < 50)
		return cmd_usage(env, "an interval is at least 50ms");
	if (env->json && !t->batch)
		return cmd_usage(env, "--json needs --batch N");
	return CMD_DONE;
}

/* -------------------------------------------------------------- output */

static void put_row(const struct top *t, const struct top_row *row)
{
	char name[32];

	ring_state_name(t->r, &row->state, name, sizeof(name));
	printf("%-10s %12.0f %12.0f %12.0f %12.0f %4.0f%% %15" PRIu64 " %13" PRIu64 "%s\r\n", name,
	       row->events_1, row->events_10, row->missed_1, row->missed_10, row->fill,
	       row->state.totals.events, row->state.totals.missed,
	       row->state.bad ? "  quarantined" : "");
}

static void show_text(const struct top *t)
{
	const struct top_sample *s = t->sample;

	printf("%s  ", t->r->path);
	printf("%.0f events/s, %.0f missed/s, %.0f lost/s without a ring\r\n", s->sum.events_1,
	       s->sum.missed_1, s->lost_1);
	printf("(rates of single events are not in the counters: `tracectl stat` has them "
	       "from a trace)\r\n");
	printf("%-10s %12s %12s %12s %12s %5s %15s %13s\r\n", "ring", "events/s", "(10 s)",
	       "missed/s", "(10 s)", "full", "events", "missed");
	for (size_t i = 0; i < s->nrows; i++)
		put_row(t, &s->row[i]);
	if (!s->nrows)
		printf("no ring in use; `tracectl doctor` says why\r\n");
}

static void json_rates(struct json *j, const struct top_row *row)
{
	json_double(j, "events_per_s", row->events_1);
	json_double(j, "events_per_s_10", row->events_10);
	json_double(j, "missed_per_s", row->missed_1);
	json_double(j, "missed_per_s_10", row->missed_10);
}

static void show_json(const struct top *t)
{
	const struct top_sample *s = t->sample;
	struct json j;

	json_start(&j, stdout);
	json_object(&j, NULL);
	json_u64(&j, "time_ns", clock_realtime_ns());
	json_rates(&j, &s->sum);
	json_double(&j, "lost_per_s", s->lost_1);
	json_array(&j, "rings");
	for (size_t i = 0; i < s->nrows; i++) {
		const struct top_row *row = &s->row[i];

		json_object(&j, NULL);
		json_u64(&j, "ring", row->state.index);
		json_bool(&j, "locked", row->state.locked);
		json_rates(&j, row);
		json_double(&j, "fill", row->fill);
		json_u64(&j, "events", row->state.totals.events);
		json_u64(&j, "missed", row->state.totals.missed);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}

/* ------------------------------------------------------------ terminal */

static struct termios saved;
static int changed;

/* Keys at once and unseen; output as it is. No other screen: what was shown
 * stays readable after the end. */
static void terminal_start(void)
{
	struct termios raw;

	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &saved) != 0)
		return;
	raw = saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	changed = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static void terminal_end(void)
{
	if (changed)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	changed = 0;
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sigaction(SIGPIPE, &sa, NULL); /* or the terminal stays as it is now */
}

/* A key: q ends, e m f r sort. */
static void on_key(struct top *t)
{
	char key;

	if (read(STDIN_FILENO, &key, 1) != 1 || key == 'q')
		stop = 1;
	else
		top_sort_key(key, &t->sort);
}

/* Until the next look, or a key, or a signal. */
static void wait_next(struct top *t, uint64_t due)
{
	struct pollfd p = { .fd = changed ? STDIN_FILENO : -1, .events = POLLIN };

	while (!stop) {
		uint64_t now = clock_monotonic_ns();
		int n;

		if (now >= due)
			return;
		n = poll(&p, 1, (int)((due - now) / 1000000u) + 1);
		if (n > 0) {
			on_key(t);
			return;
		}
	}
}

/* ---------------------------------------------------------------- loop */

static int loop(struct top *t)
{
	uint64_t due = clock_monotonic_ns();
	int clear = !t->batch && isatty(STDOUT_FILENO);

	/* The first look only sets the counters to compare with. */
	if (top_sample_take(t->sample, t->r, t->sort))
		return cmd_fail(t->env, CMD_FAILED, "no memory");
	for (uint64_t i = 0; (!t->rounds || i < t->rounds) && !stop; i++) {
		due += (uint64_t)t->interval_ms * 1000000u;
		wait_next(t, due);
		if (stop)
			break;
		if (region_in_place(t->r) == 0)
			return cmd_fail(t->env, CMD_FAILED,
					"%s: the file was removed or replaced; start "
					"top again",
					t->r->path);
		top_sample_take(t->sample, t->r, t->sort);
		if (clear)
			printf("\x1b[H\x1b[2J");
		if (t->env->json)
			show_json(t);
		else
			show_text(t);
		if (fflush(stdout) != 0)
			break;
	}
	return CMD_DONE;
}

static int run(struct cmd_env *env, int argc, char **argv)
{
	struct top t = { .env = env, .interval_ms = 1000, .sort = TOP_SORT_EVENTS };
	struct region r;
	int status = parse_options(env, &t, argc, argv);

	if (status == CMD_DONE)
		status = region_tool_open(env, &r, 0);
	if (status != CMD_DONE)
		return status;
	t.r = &r;
	t.sample = top_sample_new(&r);
	if (!t.sample) {
		region_close(&r);
		return cmd_fail(env, CMD_FAILED, "no memory");
	}
	catch_signals();
	if (!t.batch)
		terminal_start();
	status = loop(&t);
	terminal_end();
	top_sample_free(t.sample);
	region_close(&r);
	return cmd_written(env, status);
}

const struct cmd cmd_top = {
	.name = "top",
	.args = "[--batch N] [--interval TIME] [--sort KEY]",
	.summary = "show live rates of the rings",
	.help = "Events and misses a second for each ring in use, over the last second and the\n"
		"last 10, and how full it is. Needs no daemon and no recording; takes nothing\n"
		"out of the rings. Ends on q or Ctrl-C; the keys e m f r choose the order.\n"
		"Rates of single events are not shown: the rings count events, not kinds.\n\n"
		"Options:\n"
		"  -b, --batch N\n"
		"        print N times, one below the other, and end; with --json one\n"
		"        line of JSON each time\n"
		"  -d, --interval TIME\n        time between two looks, such as 500ms (1s)\n"
		"  -s, --sort KEY\n        events, missed, fill or ring (events)\n\n"
		"Examples:\n"
		"  tracectl top\n"
		"  tracectl --json top --batch 10 | jq .events_per_s\n",
	.run = run,
};
