/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The loop of view and convert: reader, filters, format, messages, status.
 * Called by cmd_view.c and cmd_convert.c.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracectl/out_names.h"
#include "tracectl/out_run.h"

#define PROGRESS_EVERY 65536u

void out_finding(void *arg, const struct reader_damage *d)
{
	struct out_findings *f = arg;

	if (f->env->json || f->shown++ >= OUT_RUN_SHOWN)
		return;
	fprintf(stderr, "tracectl: %s: at byte %llu: %s", d->file, (unsigned long long)d->offset,
		d->why);
	if (d->bytes)
		fprintf(stderr, "; %llu bytes skipped", (unsigned long long)d->bytes);
	fputc('\n', stderr);
}

int out_findings_end(const struct out_findings *f, const struct reader *r)
{
	if (!reader_damaged(r))
		return 0;
	if (!f->env->json)
		fprintf(stderr,
			"tracectl: the trace is damaged in %llu places, %llu bytes were skipped; "
			"`tracectl repair` makes a copy that every reader takes\n",
			(unsigned long long)reader_damaged(r),
			(unsigned long long)reader_skipped(r));
	return 1;
}

uint64_t out_missed(const struct trace_event *ev)
{
	return ev->type->own == META_OWN_MISSED ? event_number(ev, "count", 0) : 0;
}

static void show_progress(const struct out_loop *l, int last)
{
	uint64_t all = reader_bytes(l->reader), done = reader_done(l->reader);
	unsigned percent = all ? (unsigned)(done >= all ? 100 : done * 100 / all) : 100;
	char bar[41];

	if (last) {
		fputs("\r\x1b[K", stderr);
		return;
	}
	memset(bar, '.', 40);
	memset(bar, '#', percent * 40 / 100);
	bar[40] = '\0';
	fprintf(stderr, "\r%3u %% [%s] %llu events", percent, bar,
		(unsigned long long)l->out->events);
}

int out_loop_event(struct out_loop *l, const struct trace_event *ev)
{
	enum filter_verdict v = filter_event(&l->job->filter, ev);

	if (v == FILTER_STOP)
		return 1;
	if (__builtin_expect(ev->type->own, 0))
		l->missed += out_missed(ev);
	if (v == FILTER_SKIP)
		return 0;
	l->job->format->event(l->out, ev);
	l->out->events++;
	return l->out->buf->error || l->out->problem[0];
}

static void read_through(struct out_loop *l)
{
	const struct trace_event *ev;
	unsigned n = 0;

	while ((ev = reader_next(l->reader))) {
		if (out_loop_event(l, ev))
			break;
		if (l->job->progress && !(++n % PROGRESS_EVERY))
			show_progress(l, 0);
	}
	if (l->job->progress)
		show_progress(l, 1);
}

static int finish(const struct cmd_env *env, struct out_loop *l, const struct out_findings *f)
{
	const struct out_buf *b = l->out->buf;
	int damaged = out_findings_end(f, l->reader);
	char text[160];

	if (l->missed) {
		snprintf(text, sizeof(text), "%llu events were missed (trbuf:missed says when)",
			 (unsigned long long)l->missed);
		cmd_note(env, text);
	}
	if (b->error && b->error != EPIPE)
		return cmd_fail(env, CMD_FAILED, "cannot write the output: %s; it is incomplete",
				strerror(b->error));
	if (l->out->problem[0])
		return cmd_fail(env, CMD_FAILED, "%s", l->out->problem);
	l->job->complete = 1;
	if (damaged)
		return CMD_FAILED;
	return l->missed && l->job->strict ? CMD_MISSED : CMD_DONE;
}

static int run_open(const struct cmd_env *env, struct out_job *job, struct out_loop *l,
		    const struct out_findings *f)
{
	struct out_buf buf;
	struct out out = { .format = job->format, .o = job->o, .buf = &buf, .reader = l->reader,
			   .notes = stderr };
	struct names *names = job->names ? names_load(job->path) : NULL;
	int status;

	out.names = names;
	l->out = &out;
	if (out_buf_open(&buf, job->fd) || job->format->begin(&out)) {
		names_free(names);
		return cmd_fail(env, CMD_FAILED, "%s",
				out.problem[0] ? out.problem : "out of memory");
	}
	signal(SIGPIPE, SIG_IGN);
	if (job->follow)
		view_follow(l);
	else
		read_through(l);
	job->format->end(&out);
	out_buf_flush(&buf);
	status = finish(env, l, f);
	out_buf_close(&buf);
	names_free(names);
	return status;
}

int out_run(const struct cmd_env *env, struct out_job *job)
{
	struct out_findings f = { .env = env };
	struct reader_options o = { .arg = &f, .damage = out_finding, .live = job->follow,
				    .begin_ns = filter_begin(&job->filter) };
	struct out_loop l = { .job = job };
	char error[META_ERROR];
	int status;

	l.reader = reader_open(job->path, &o, error);
	if (!l.reader)
		return cmd_fail(env, CMD_FAILED, "%s", error);
	status = job->follow ? 0 : filter_check(env, &job->filter, l.reader);
	if (!status)
		status = run_open(env, job, &l, &f);
	reader_close(l.reader);
	return status;
}
