/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl convert: a trace into another format, in one pass. Owns its options
 * and the output file; formats are out_*.c, the loop is out_run.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracectl/out_ctf.h"
#include "tracectl/out_run.h"

enum convert_option { OPT_FORCE = 1, OPT_STRICT, OPT_UTC };

struct convert {
	struct out_job job;
	const char *format, *output;
	int force;
	char temp[4200]; /* written, then renamed to output */
};

static const struct option options[] = {
	FILTER_OPTIONS,
	{ "type", required_argument, NULL, 't' },
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "utc", no_argument, NULL, OPT_UTC },
	{ NULL, 0, NULL, 0 },
};

static const struct out_format *const formats[] = {
	&out_format_text, &out_format_json,   &out_format_csv,
	&out_format_chrome, &out_format_folded, &out_format_ctf,
};

static const struct out_format *find_format(const char *name)
{
	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	}
	return NULL;
}

static int take_option(struct convert *c, int option, const char *arg)
{
	switch (option) {
	case 't':
		c->format = arg;
		return 0;
	case 'o':
		c->output = arg;
		return 0;
	case OPT_FORCE:
		return c->force = 1, 0;
	case OPT_STRICT:
		return c->job.strict = 1, 0;
	default:
		return c->job.o.utc = c->job.filter.utc = 1, 0;
	}
}

/* The output under a name of its own until it is whole: an old file stays as it
 * was if the conversion fails. Nothing is ever removed but that name. */
static int open_output(const struct cmd_env *env, struct convert *c)
{
	struct stat st;

	if (!c->output || strcmp(c->output, "-") == 0) {
		c->job.fd = 1;
		return 0;
	}
	if (!c->force && lstat(c->output, &st) == 0)
		return cmd_fail(env, CMD_FAILED, "%s exists; --force replaces it", c->output);
	if (lstat(c->output, &st) == 0 && S_ISDIR(st.st_mode))
		return cmd_fail(env, CMD_FAILED, "%s is a directory", c->output);
	if (lstat(c->output, &st) == 0 && !S_ISREG(st.st_mode)) {
		/* a device or a pipe is written to, not replaced */
		c->job.fd = open(c->output, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	} else {
		if (snprintf(c->temp, sizeof(c->temp), "%s.XXXXXX", c->output) >= 4200)
			return cmd_fail(env, CMD_FAILED, "name of the output is too long");
		c->job.fd = mkostemp(c->temp, O_CLOEXEC);
		if (c->job.fd < 0)
			c->temp[0] = '\0';
	}
	if (c->job.fd < 0)
		return cmd_fail(env, CMD_FAILED, "cannot write %s: %s", c->output, strerror(errno));
	return 0;
}

/* Into place, also of a damaged trace: what could be read is worth having. */
static int close_output(const struct cmd_env *env, struct convert *c, int status, int usable)
{
	mode_t mask = umask(0);
	int failed = 0;

	umask(mask);
	if (!c->temp[0])
		return status;
	failed = fchmod(c->job.fd, 0666 & ~mask);
	failed |= close(c->job.fd);
	if (usable && !failed) {
		/* without --force a file that came meanwhile is not replaced */
		failed = c->force ? rename(c->temp, c->output) : link(c->temp, c->output);
		if (failed)
			status = cmd_fail(env, CMD_FAILED, "cannot put %s in place: %s", c->output,
					  strerror(errno));
	}
	unlink(c->temp);
	return status;
}

static int run(const struct cmd_env *env, struct convert *c)
{
	int status, usable;

	c->job.format = find_format(c->format);
	if (!c->job.format)
		return cmd_usage(env, "-t %s is not a format: text, json, csv, chrome, ctf, folded",
				 c->format);
	c->job.progress = isatty(2) && c->output && strcmp(c->output, "-") && !env->json;
	c->job.names = c->job.format == &out_format_chrome || c->job.format == &out_format_folded;
	if (c->job.format == &out_format_ctf) {
		if (!c->output)
			return cmd_usage(env, "-t ctf needs -o DIR for the new trace");
		c->job.o.directory = c->output;
		c->job.fd = -1;
		return out_run(env, &c->job);
	}
	status = open_output(env, c);
	if (status)
		return status;
	status = out_run(env, &c->job);
	usable = status == CMD_DONE || status == CMD_MISSED || (status == CMD_FAILED && c->job.complete);
	return close_output(env, c, status, usable);
}

static int convert_run(struct cmd_env *env, int argc, char **argv)
{
	struct convert c = { .format = "text" };
	int option, status = 0;

	filter_init(&c.job.filter);
	opterr = 0;
	while (!status && (option = getopt_long(argc, argv, ":t:o:", options, NULL)) != -1) {
		if (option >= FILTER_BEGIN)
			status = filter_take(env, &c.job.filter, option, optarg);
		else if (option == ':' || option == '?')
			status = cmd_badopt(env, option, argv);
		else
			status = take_option(&c, option, optarg);
	}
	if (!status && argc - optind != 1)
		status = cmd_usage(env, argc > optind ? "one trace, not several" : "which trace?");
	c.job.path = argv[optind];
	if (!status)
		status = run(env, &c);
	filter_free(&c.job.filter);
	return status;
}

const struct cmd cmd_convert = {
	.name = "convert",
	.args = "TRACE [-t FORMAT] [-o FILE] [filters]",
	.summary = "A trace in another format",
	.help = "  -t, --type FORMAT\n"
		"      text    lines as `view` and babeltrace2 print them (default)\n"
		"      json    an object per line; 64-bit integers whole; a byte b that is not UTF-8\n"
		"              is the lone surrogate U+DC00 + b (Python: surrogateescape)\n"
		"      csv     a line per event, a column per field name\n"
		"      chrome  trace_event JSON for Perfetto and chrome://tracing\n"
		"      folded  stacks of spans with nanoseconds, for flame graphs\n"
		"      ctf     a new trace with what the filters leave; -o is its directory\n"
		"  -o, --output FILE   default: standard output\n"
		"  --force             replace FILE\n"
		"  --utc               times of day are UTC\n"
		"  --strict            exit with 3 if events were missed\n"
		"\n" FILTER_HELP
		"\n"
		"Memory does not depend on the length of the trace.\n"
		"Exit status 1 if the trace is damaged: what can be read is converted.\n"
		"\n"
		"Examples:\n"
		"  tracectl convert t -t json | jq -c 'select(.fields.port == 80)'\n"
		"  tracectl convert t -t chrome -o t.json\n"
		"  tracectl convert t -t folded | flamegraph.pl > t.svg\n"
		"  tracectl convert t -t ctf -o short --begin +10s --end +12s\n",
	.run = convert_run,
};
