/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl repair: a copy of a damaged or cut-off trace that every reader
 * takes, or the same in place. In place the repaired directory is made beside
 * the old one and exchanged with it at the end, so that at every moment one of
 * them is whole; the damaged one is kept under another name.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracectl/json.h"
#include "tracectl/out_run.h"
#include "tracectl/repair.h"

struct wanted {
	const char *output;
	int in_place;
};

struct found {
	struct repair repair;
	struct out_findings findings;
};

/* The reader has one arg for all hooks. */
static void on_damage(void *arg, const struct reader_damage *d)
{
	out_finding(&((struct found *)arg)->findings, d);
}

static void on_packet(void *arg, const struct stream *s, const struct ctf_packet *p)
{
	repair_packet(&((struct found *)arg)->repair, s, p);
}

static void on_packet_end(void *arg, const struct stream *s, const struct ctf_packet *p, uint64_t n)
{
	repair_packet_end(&((struct found *)arg)->repair, s, p, n);
}

/* The directories of the copy, with their metadata. */
static int make_dirs(const struct cmd_env *env, const struct repair *r)
{
	const struct trace *t = reader_trace(r->reader, 0);
	char path[4352], error[META_ERROR];

	if (t->ndirs > 1 || strlen(t->dir[0]) > strlen(r->from)) {
		if (mkdir(r->to, 0750))
			return cmd_fail(env, CMD_FAILED, "cannot make %s: %s", r->to,
					strerror(errno));
	}
	for (unsigned i = 0; i < t->ndirs; i++) {
		repair_target(r, t->dir[i], path, sizeof(path));
		if (ctf_copy_dir(path, t->meta, NULL, error))
			return cmd_fail(env, CMD_FAILED, "%s", error);
	}
	return 0;
}

static int report(const struct cmd_env *env, const struct found *f, const char *result)
{
	const struct repair *r = &f->repair;
	struct json j;

	if (!env->json) {
		printf("%s: %llu events in %llu packets; %llu places were damaged, %llu bytes given "
		       "up, %llu events lost and reported as missed\n", result,
		       (unsigned long long)r->events, (unsigned long long)r->packets,
		       (unsigned long long)reader_damaged(r->reader),
		       (unsigned long long)reader_skipped(r->reader), (unsigned long long)r->lost);
		return cmd_written(env, CMD_DONE);
	}
	json_start(&j, stdout);
	json_object(&j, NULL);
	json_string(&j, "trace", result);
	json_u64(&j, "events", r->events);
	json_u64(&j, "packets", r->packets);
	json_u64(&j, "damaged", reader_damaged(r->reader));
	json_u64(&j, "skipped_bytes", reader_skipped(r->reader));
	json_u64(&j, "lost", r->lost);
	json_object_end(&j);
	json_end(&j);
	return cmd_written(env, CMD_DONE);
}

/* from -> from.damaged, copy -> from. */
static int exchange(const struct cmd_env *env, const char *from, const char *copy)
{
	char old[4352];
	struct stat st;

	snprintf(old, sizeof(old), "%s.damaged", from);
	if (lstat(old, &st) == 0)
		return cmd_fail(env, CMD_FAILED, "%s is there already; the repaired trace is %s", old,
				copy);
	if (rename(from, old))
		return cmd_fail(env, CMD_FAILED, "cannot rename %s: %s; the repaired trace is %s", from,
				strerror(errno), copy);
	if (rename(copy, from)) {
		int error = errno;

		rename(old, from);
		return cmd_fail(env, CMD_FAILED, "cannot rename %s: %s", copy, strerror(error));
	}
	return 0;
}

static int repair_all(const struct cmd_env *env, struct found *f)
{
	struct repair *r = &f->repair;
	int status = make_dirs(env, r);

	for (unsigned i = 0; !status && i < reader_streams(r->reader); i++) {
		repair_stream(r, i);
		if (r->error)
			status = cmd_fail(env, CMD_FAILED, "cannot write %s: %s", r->where,
					  strerror(r->error));
	}
	return status;
}

static int run(const struct cmd_env *env, const char *from, const struct wanted *w)
{
	struct found f = { .findings.env = env };
	struct reader_options o = { .arg = &f, .damage = on_damage, .packet = on_packet,
				    .packet_end = on_packet_end, .begin_ns = INT64_MIN,
				    .by_stream = 1 };
	char to[4300], error[META_ERROR];
	int status;

	if (w->output)
		snprintf(to, sizeof(to), "%s", w->output);
	else
		snprintf(to, sizeof(to), "%s.repaired", from);
	f.repair.from = from;
	f.repair.to = to;
	f.repair.reader = reader_open(from, &o, error);
	if (!f.repair.reader)
		return cmd_fail(env, CMD_FAILED, "%s", error);
	if (reader_traces(f.repair.reader) != 1)
		status = cmd_fail(env, CMD_FAILED, "%s: there are %u different traces here; repair "
				  "them one by one", from, reader_traces(f.repair.reader));
	else
		status = repair_all(env, &f);
	if (!status && w->in_place)
		status = exchange(env, from, to);
	if (!status)
		status = report(env, &f, w->in_place ? from : to);
	reader_close(f.repair.reader);
	return status;
}

static int repair_run(struct cmd_env *env, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "in-place", no_argument, NULL, 'i' },
		{ NULL, 0, NULL, 0 },
	};
	struct wanted w = { 0 };
	char from[4200];
	size_t n;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":o:i", options, NULL)) != -1) {
		if (c == 'o')
			w.output = optarg;
		else if (c == 'i')
			w.in_place = 1;
		else
			return cmd_badopt(env, c, argv);
	}
	if (argc - optind != 1)
		return cmd_usage(env, argc > optind ? "one trace, not several" : "which trace?");
	if (w.output && w.in_place)
		return cmd_usage(env, "-o and --in-place exclude each other");
	n = strlen(argv[optind]);
	while (n > 1 && argv[optind][n - 1] == '/')
		n--;
	if (!n || n >= sizeof(from) - 100)
		return cmd_usage(env, "path of the trace is empty or too long");
	snprintf(from, sizeof(from), "%.*s", (int)n, argv[optind]);
	return run(env, from, &w);
}

const struct cmd cmd_repair = {
	.name = "repair",
	.args = "TRACE [-o DIR | --in-place]",
	.summary = "A damaged or cut-off trace as one that every reader takes",
	.help = "Keeps all events that can be read, and says in the trace (trbuf:missed, reason\n"
		"\"damaged\") how many were lost and where. By default the copy is TRACE.repaired.\n"
		"\n"
		"  -o, --output DIR  the copy\n"
		"  -i, --in-place    put the copy in the place of TRACE, which becomes TRACE.damaged\n"
		"\n"
		"Examples:\n"
		"  tracectl repair t && babeltrace2 t.repaired\n"
		"  tracectl repair --in-place t\n",
	.run = repair_run,
};
