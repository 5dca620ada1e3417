/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl view: a trace as text. Owns its options, the pager and the choice
 * of the trace; the rest is out_run.c and out_text.c.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracectl/out_run.h"
#include "tracectl/view_trace.h"

#define ROTATE_POLL_MS 50
#define ROTATE_POLLS 20
#define FOLLOW_WINDOW_MS 1050 /* a little more than the flush timer's default */

enum view_option { OPT_FORM = 1, OPT_TIME, OPT_COLOUR, OPT_PAGER, OPT_STRICT, OPT_NO_DELTA, OPT_WINDOW };

struct view {
	struct out_job job;
	int colour; /* -1 on a terminal only */
	int pager;
};

static const struct option options[] = {
	FILTER_OPTIONS,
	{ "follow", no_argument, NULL, 'f' },
	{ "form", required_argument, NULL, OPT_FORM },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "color", required_argument, NULL, OPT_COLOUR },
	{ "no-pager", no_argument, NULL, OPT_PAGER },
	{ "no-delta", no_argument, NULL, OPT_NO_DELTA },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "window", required_argument, NULL, OPT_WINDOW },
	{ NULL, 0, NULL, 0 },
};

static int take_word(const struct cmd_env *env, const char *option, const char *arg,
		     const char *const words[])
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], arg) == 0)
			return i;
	}
	cmd_usage(env, "%s: `%s` is not one of its words", option, arg);
	return -1;
}

static int take_window(const struct cmd_env *env, struct out_job *job, const char *arg)
{
	char *end;
	unsigned long ms = strtoul(arg, &end, 10);

	if (end == arg || strcmp(end, "ms") != 0 || ms > 60000)
		return cmd_usage(env, "--window: `%s` is not a time such as 200ms (at most 60000ms)",
				 arg);
	job->window_ns = (int64_t)ms * 1000000;
	return 0;
}

static int take_option(const struct cmd_env *env, struct view *v, int c, const char *arg)
{
	static const char *const forms[] = { "babeltrace", "compact", "wide", NULL };
	static const char *const times[] = { "local", "utc", "date", "seconds", "cycles", NULL };
	static const char *const colours[] = { "never", "always", "auto", NULL };
	int word = 0;

	if (c == 'f')
		v->job.follow = 1;
	else if (c == OPT_PAGER)
		v->pager = 0;
	else if (c == OPT_NO_DELTA)
		v->job.o.no_delta = 1;
	else if (c == OPT_STRICT)
		v->job.strict = 1;
	else if (c == OPT_WINDOW)
		return take_window(env, &v->job, arg);
	else if (c == OPT_FORM && (word = take_word(env, "--form", arg, forms)) >= 0)
		v->job.o.form = (enum out_form)word;
	else if (c == OPT_TIME && (word = take_word(env, "--time", arg, times)) >= 0)
		v->job.o.time = (enum out_time)word;
	else if (c == OPT_COLOUR && (word = take_word(env, "--color", arg, colours)) >= 0)
		v->colour = word == 2 ? -1 : word;
	return word < 0 ? CMD_USAGE : 0;
}

/* The pager's standard input, -1 if there is to be none. */
static int start_pager(pid_t *pid)
{
	const char *pager = getenv("PAGER");
	int fd[2];

	if (!pager || !*pager)
		pager = "less -R";
	if (strcmp(pager, "cat") == 0 || pipe(fd))
		return -1;
	*pid = fork();
	if (*pid == 0) {
		dup2(fd[0], 0);
		close(fd[0]);
		close(fd[1]);
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
		_exit(127);
	}
	close(fd[0]);
	if (*pid > 0)
		return fd[1];
	close(fd[1]);
	return -1;
}

static int run_paged(const struct cmd_env *env, struct view *v)
{
	pid_t pid = -1;
	int fd = -1, status;

	if (v->pager && !v->job.follow && isatty(1))
		fd = start_pager(&pid);
	v->job.fd = fd >= 0 ? fd : 1;
	status = out_run(env, &v->job);
	if (fd >= 0) {
		close(fd);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return status;
}

/* What the region records after `path`: it was rotated, or there is nothing. */
static int next_recording(const struct cmd_env *env, char *path)
{
	const struct timespec pause = { 0, ROTATE_POLL_MS * 1000000 };
	char old[4096];

	memcpy(old, path, sizeof(old));
	for (int i = 0; i < ROTATE_POLLS; i++) {
		if (!view_trace_running(env, path))
			return 0;
		if (strcmp(old, path) != 0)
			return 1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int view_path(const struct cmd_env *env, struct view *v, int given, char *path)
{
	int status;

	do {
		v->job.path = path;
		status = run_paged(env, v);
	} while (v->job.follow && !given && status == CMD_DONE && !v->job.interrupted &&
		 next_recording(env, path));
	return status;
}

static int view_run(struct cmd_env *env, int argc, char **argv)
{
	struct view v = { .colour = -1, .pager = 1 };
	char path[4096];
	int c, status = 0;

	filter_init(&v.job.filter);
	v.job.format = env->json ? &out_format_json : &out_format_text;
	v.job.window_ns = FOLLOW_WINDOW_MS * INT64_C(1000000);
	opterr = 0;
	while (!status && (c = getopt_long(argc, argv, ":f", options, NULL)) != -1) {
		if (c >= FILTER_BEGIN)
			status = filter_take(env, &v.job.filter, c, optarg);
		else if (c == ':' || c == '?')
			status = cmd_badopt(env, c, argv);
		else
			status = take_option(env, &v, c, optarg);
	}
	if (!status && argc - optind > 1)
		status = cmd_usage(env, "one trace, not %d", argc - optind);
	if (!status)
		status = view_trace_path(env, argv[optind], v.job.follow, path);
	if (!status) {
		v.job.filter.utc = v.job.o.utc = v.job.o.time == OUT_TIME_UTC;
		v.job.names = v.job.o.form == OUT_FORM_WIDE;
		v.job.o.colour = v.colour < 0 ? isatty(1) && getenv("TERM") && !getenv("NO_COLOR") :
						v.colour;
		status = view_path(env, &v, argv[optind] != NULL, path);
	}
	filter_free(&v.job.filter);
	return status;
}

const struct cmd cmd_view = {
	.name = "view",
	.args = "[TRACE] [-f] [--form F] [--time T] [filters]",
	.summary = "A trace as text, in the order of time over all CPUs and processes",
	.help = "TRACE is the directory of a recording, or one that holds several chunks of it.\n"
		"Without it: the recording that runs, or ran last, in the region.\n"
		"\n"
		"  -f, --follow     go on with what is written meanwhile, until the recording ends\n"
		"  --window 1050ms  follow: hold events back so long for those of other rings\n"
		"  --form babeltrace|compact|wide   babeltrace2's lines (default), short ones,\n"
		"                   or short ones with the names of processes\n"
		"  --time local|utc|date|seconds|cycles\n"
		"  --no-delta       short forms: without the time since the line before\n"
		"  --color never|always|auto\n"
		"  --no-pager       do not pipe through $PAGER on a terminal\n"
		"  --strict         exit with 3 if events were missed\n"
		"\n" FILTER_HELP
		"\n"
		"Exit status 1 if the trace is damaged: what can be read is shown.\n"
		"\n"
		"Examples:\n"
		"  tracectl view trace-20261201T120000\n"
		"  tracectl view t --form wide --begin +1s --end +1.2s --class net\n"
		"  tracectl view t --where 'port == 80 && iface ~ \"eth*\"'\n"
		"  tracectl view -f --event 'net:*'\n",
	.run = view_run,
};
