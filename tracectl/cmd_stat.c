/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl stat: what is in a trace, counted. Owns its options and the loop;
 * counting is stat_count.c, printing stat_print.c and stat_json.c.
 */
#include <stdlib.h>
#include <string.h>

#include "tracectl/out_names.h"
#include "tracectl/out_run.h"
#include "tracectl/stat.h"
#include "tracectl/view_trace.h"

enum stat_option { OPT_FIELD = 1, OPT_HISTOGRAM, OPT_STRICT, OPT_UTC };

static const struct option options[] = {
	FILTER_OPTIONS,
	{ "field", required_argument, NULL, OPT_FIELD },
	{ "histogram", no_argument, NULL, OPT_HISTOGRAM },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "utc", no_argument, NULL, OPT_UTC },
	{ NULL, 0, NULL, 0 },
};

struct wanted {
	int histogram, strict;
};

static void read_through(struct stat *s)
{
	int filtered = s->filter.any || s->filter.begin || s->filter.end;
	const struct trace_event *ev;

	while ((ev = reader_next(s->reader))) {
		enum filter_verdict v = filtered ? filter_event(&s->filter, ev) : FILTER_TAKE;

		if (v == FILTER_STOP)
			break;
		if (__builtin_expect(ev->type->own == META_OWN_MISSED, 0))
			stat_miss(s, ev);
		if (v == FILTER_SKIP)
			continue;
		stat_count(s, ev);
		if (ev->type->span)
			stat_span_event(s, ev);
		if (s->field.name)
			stat_field_event(&s->field, ev);
	}
	spans_finish(&s->spans, s->last);
}

static int run(const struct cmd_env *env, struct stat *s, const char *path, const struct wanted *w)
{
	struct out_findings f = { .env = env };
	struct reader_options o = { .arg = &f, .damage = out_finding,
				    .begin_ns = filter_begin(&s->filter) };
	struct names *names;
	char error[META_ERROR];
	int status;

	s->reader = reader_open(path, &o, error);
	if (!s->reader)
		return cmd_fail(env, CMD_FAILED, "%s", error);
	status = filter_check(env, &s->filter, s->reader);
	if (status) {
		reader_close(s->reader);
		return status;
	}
	s->names = names = names_load(path);
	read_through(s);
	if (env->json)
		stat_print_json(s, path);
	else
		stat_print(s, path, w->histogram);
	status = w->strict && s->missed ? CMD_MISSED : CMD_DONE;
	if (out_findings_end(&f, s->reader))
		status = CMD_FAILED;
	names_free(names);
	reader_close(s->reader);
	return cmd_written(env, status);
}

static int take_option(struct stat *s, struct wanted *w, int c, const char *arg)
{
	if (c == OPT_FIELD)
		s->field.name = arg;
	else if (c == OPT_HISTOGRAM)
		w->histogram = 1;
	else if (c == OPT_STRICT)
		w->strict = 1;
	else
		s->filter.utc = 1;
	return 0;
}

static int stat_run(struct cmd_env *env, int argc, char **argv)
{
	struct stat *s = calloc(1, sizeof(*s));
	struct wanted w = { 0 };
	char path[4096];
	int c, status = 0;

	if (!s || stat_spans_init(s))
		return cmd_fail(env, CMD_FAILED, "out of memory");
	filter_init(&s->filter);
	opterr = 0;
	while (!status && (c = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (c >= FILTER_BEGIN)
			status = filter_take(env, &s->filter, c, optarg);
		else if (c == ':' || c == '?')
			status = cmd_badopt(env, c, argv);
		else
			status = take_option(s, &w, c, optarg);
	}
	if (!status && argc - optind > 1)
		status = cmd_usage(env, "one trace, not %d", argc - optind);
	if (!status)
		status = view_trace_path(env, argv[optind], 0, path);
	if (!status)
		status = run(env, s, path, &w);
	stat_free(s);
	free(s);
	return status;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.args = "[TRACE] [--field NAME] [--histogram] [filters]",
	.summary = "What is in a trace: counts, bytes, rates, misses, durations of spans",
	.help = "Per event, class, process and CPU; misses with when and where; spans with min, p50,\n"
		"p90, p99, max and sum (percentiles are exact below 64 ns, above at most 3.2 % too\n"
		"large). Without TRACE: the recording that runs, or ran last, in the region.\n"
		"\n"
		"  --field NAME   values of this field: a histogram, or the most frequent texts\n"
		"  --histogram    log2 histograms of spans\n"
		"  --utc          times of day are UTC\n"
		"  --strict       exit with 3 if events were missed\n"
		"\n" FILTER_HELP
		"\n"
		"Exit status 1 if the trace is damaged: what can be read is counted.\n"
		"\n"
		"Examples:\n"
		"  tracectl stat t\n"
		"  tracectl stat t --event net:rx --field port\n"
		"  tracectl --json stat t | jq '.spans[] | {name, p99}'\n",
	.run = stat_run,
};
