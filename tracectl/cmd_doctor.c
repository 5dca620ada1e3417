/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl doctor: why is nothing recorded? Runs a table of checks in order of
 * importance and says the first cause with what mends it. Owns command line
 * and report; the checks are in doctor_*.c. Changes nothing.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/control.h"
#include "tracectl/cmd.h"
#include "tracectl/doctor.h"
#include "tracectl/enable_plan.h"
#include "tracectl/json.h"
#include "tracectl/region_tool.h"
#include "tracectl/text.h"

static void (*const checks[])(struct doctor *d) = {
	doctor_check_place,  doctor_check_control, doctor_check_rings,   doctor_check_cpus,
	doctor_check_events, doctor_check_daemon,  doctor_check_refused, doctor_check_rseq,
};

static void print_found(const struct doctor *d, enum doctor_kind kind, const char *code,
			const char *cause, const char *mend)
{
	if (d->j) {
		json_object(d->j, NULL);
		json_string(d->j, "code", code);
		json_string(d->j, "kind", kind == DOCTOR_CAUSE ? "cause" : "remark");
		json_string(d->j, "text", cause);
		json_string(d->j, "mend", mend);
		json_object_end(d->j);
		return;
	}
	printf("%s: ", kind == DOCTOR_CAUSE ? "cause" : "remark");
	text_put(stdout, cause);
	printf("\n  mend: ");
	text_put(stdout, mend);
	putchar('\n');
}

void doctor_found(struct doctor *d, enum doctor_kind kind, const char *code, const char *mend,
		  const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!d->all && (kind == DOCTOR_REMARK || d->causes))
		return;
	d->causes += kind == DOCTOR_CAUSE;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_found(d, kind, code, text, mend);
}

void doctor_check_place(struct doctor *d)
{
	int pid;
	unsigned orphans = doctor_orphans(d->r->path, &pid);

	if (orphans)
		doctor_found(
			d, DOCTOR_CAUSE, "orphan",
			"start those programs again, or `tracectl off` before a region is removed",
			"%u process%s (such as pid %d) trace into a file that was removed from %s",
			orphans, orphans == 1 ? "" : "es", pid, d->r->path);
}

/* Nothing could be opened: that is the cause. */
static void explain_open(struct doctor *d, const char *path, int err, const struct fault *f)
{
	int pid;
	unsigned orphans = doctor_orphans(path, &pid);

	if (err == -ENOENT && orphans)
		doctor_found(d, DOCTOR_CAUSE, "orphan", "start those programs again",
			     "%s was removed while %u process%s (such as pid %d) had it open", path,
			     orphans, orphans == 1 ? "" : "es", pid);
	if (err == -ENOENT)
		doctor_found(
			d, DOCTOR_CAUSE, "no_region",
			"start a traced program or `tracectl on`; check --region and TRBUF_REGION",
			"there is no region at %s", path);
	else if (err == -EACCES || err == -EPERM)
		doctor_found(d, DOCTOR_CAUSE, "no_rights",
			     "join the group of the file, or choose your own region with --region",
			     "the region may not be used: %s", f->text);
	else if (err == -EPROTO)
		doctor_found(d, DOCTOR_CAUSE, "other_version",
			     "remove the file and start the programs again",
			     "the file is not of this version or boot: %s", f->text);
	else
		doctor_found(d, DOCTOR_CAUSE, "cannot_open", "see the message", "%s", f->text);
}

static int examine(struct doctor *d)
{
	int err = event_set_load(&d->set, d->r);

	control_get(d->r, &d->control);
	d->rings = err ? NULL : ring_state_load(d->r);
	if (!d->rings)
		return err ? err : -ENOMEM;
	ring_state_sum(d->r, d->rings, &d->sum);
	d->daemon = region_tool_daemon(d->r);
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](d);
	return 0;
}

static int report_end(struct doctor *d, const char *path)
{
	int status = d->causes ? CMD_FAILED : CMD_DONE;

	if (d->j) {
		json_array_end(d->j);
		json_s64(d->j, "status", status);
		json_object_end(d->j);
		json_end(d->j);
	} else if (!d->causes) {
		printf("nothing stands in the way: events of %s are recorded\n", path);
	}
	return status;
}

static int diagnose(struct cmd_env *env, struct doctor *d)
{
	char path[PATH_MAX];
	struct region r;
	struct json j;
	struct fault f;
	int err = region_tool_try(env, &r, path, &f);

	if (env->json) {
		d->j = &j;
		json_start(&j, stdout);
		json_object(&j, NULL);
		json_string(&j, "region", path);
		json_array(&j, "findings");
	}
	if (err) {
		explain_open(d, path, err, &f);
		return report_end(d, path);
	}
	d->r = &r;
	err = examine(d);
	if (err)
		doctor_found(d, DOCTOR_CAUSE, "cannot_read", "see the message", "%s: %s", path,
			     strerror(-err));
	event_set_free(&d->set);
	free(d->rings);
	region_close(&r);
	return report_end(d, path);
}

static int run(struct cmd_env *env, int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ 0 },
	};
	char pattern[sizeof(((struct layout_rule *)0)->pattern)] = "";
	struct doctor *d;
	int c, status, all = 0;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":a", options, NULL)) != -1) {
		if (c != 'a')
			return cmd_badopt(env, c, argv);
		all = 1;
	}
	if (argc - optind > 1)
		return cmd_usage(env, "one event at a time");
	if (optind < argc && enable_plan_pattern(argv[optind], pattern, sizeof(pattern)))
		return cmd_usage(env, "`%s` is no event: write CLASS:EVENT or CLASS", argv[optind]);
	d = calloc(1, sizeof(*d));
	if (!d)
		return cmd_fail(env, CMD_FAILED, "no memory");
	d->env = env;
	d->all = all;
	d->event = argv[optind];
	d->pattern = pattern;
	status = diagnose(env, d);
	free(d);
	return cmd_written(env, status);
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.args = "[EVENT] [--all]",
	.summary = "say why nothing is recorded",
	.help = "Looks at everything that can keep events (or EVENT, a name or glob) from being\n"
		"recorded and says the first cause, with the command that mends it. Status 1 if\n"
		"there is a cause, 0 if nothing stands in the way. Changes nothing.\n\n"
		"Options:\n"
		"  -a, --all\n"
		"        all causes, and remarks about what is only slow or incomplete\n\n"
		"Examples:\n"
		"  tracectl doctor\n"
		"  tracectl doctor net:rx --all\n",
	.run = run,
};
