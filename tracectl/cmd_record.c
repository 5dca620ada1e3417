/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl record: private region and daemon, run the command, drain, say
 * where the trace is. Owns the order of things, and that nothing of them is
 * left behind whatever fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/parse.h"
#include "tracectl/json.h"
#include "tracectl/record.h"

#define DEFAULT_OUTPUT "trbuf-traces"

enum { OPTION_LEVEL = 1, OPTION_STRICT };

static int own_option(struct record *rec, int c, char **argv)
{
	struct fault f = { "" };

	switch (c) {
	case 'o':
		rec->dir = optarg;
		return optarg[0] ? CMD_DONE
				 : cmd_usage(rec->env, "-o needs the name of a directory");
	case 'n':
		rec->name = optarg;
		return parse_trace_name(optarg, &f) ? cmd_usage(rec->env, "--name: %s", f.text)
						    : CMD_DONE;
	case 'e':
		if (rec->npatterns == RECORD_PATTERNS - 1)
			return cmd_usage(rec->env, "-e: too many patterns, at most %u",
					 RECORD_PATTERNS - 1);
		rec->pattern[rec->npatterns++] = optarg;
		return CMD_DONE;
	case OPTION_LEVEL:
		return parse_level(optarg, &rec->level, &f)
			       ? cmd_usage(rec->env, "--level: %s", f.text)
			       : CMD_DONE;
	case OPTION_STRICT:
		rec->strict = 1;
		return CMD_DONE;
	default:
		return cmd_badopt(rec->env, c, argv);
	}
}

static int options(struct record *rec, int argc, char **argv)
{
	static const struct option own[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "name", required_argument, NULL, 'n' },
		{ "event", required_argument, NULL, 'e' },
		{ "level", required_argument, NULL, OPTION_LEVEL },
		{ "strict", no_argument, NULL, OPTION_STRICT },
		{ NULL, 0, NULL, 0 },
	};
	struct option o[SETTINGS_COUNT + sizeof(own) / sizeof(own[0])];
	struct fault f;
	int c, status = CMD_DONE;

	settings_options(o);
	memcpy(o + SETTINGS_COUNT, own, sizeof(own));
	opterr = 0;
	/* '+': the options of the command are its own. */
	while (status == CMD_DONE && (c = getopt_long(argc, argv, "+:o:n:e:", o, NULL)) != -1) {
		int mine = settings_option(&rec->settings, c, optarg, &f);

		if (mine < 0)
			status = cmd_usage(rec->env, "%s", f.text);
		else if (!mine)
			status = own_option(rec, c, argv);
	}
	if (status == CMD_DONE && settings_check(&rec->settings, &f) != 0)
		status = cmd_usage(rec->env, "%s", f.text);
	if (status == CMD_DONE && optind == argc)
		status = cmd_usage(rec->env, "no command to record");
	rec->command = argv + optind;
	return status;
}

static int absolute(struct record *rec, const char *path, char *full, size_t size)
{
	char cwd[4096];
	int n;

	if (path[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		return cmd_fail(rec->env, CMD_FAILED,
				"current directory: %s; give -o an absolute path", strerror(errno));
	n = snprintf(full, size, "%s%s%s", path[0] == '/' ? "" : cwd, path[0] == '/' ? "" : "/",
		     path);
	if (n >= 4000)
		return cmd_usage(rec->env, "%.100s...: path too long", path);
	return CMD_DONE;
}

/* Said before anything is set up; the daemon checks again when it makes it. */
static int check_directory(struct record *rec)
{
	struct dirent *e;
	DIR *d = opendir(rec->trace);
	int full = 0;

	if (!d && errno == ENOENT)
		return CMD_DONE;
	if (!d)
		return cmd_fail(rec->env, CMD_FAILED, "%s: %s; choose another -o", rec->dir,
				strerror(errno));
	while ((e = readdir(d)) != NULL)
		full |= strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return full ? cmd_fail(rec->env, CMD_FAILED,
			       "%s: is there already and not empty; choose another -o "
			       "or remove it",
			       rec->dir)
		    : CMD_DONE;
}

static int choose_names(struct record *rec)
{
	const char *base = strrchr(rec->command[0], '/');
	int status;

	base = base ? base + 1 : rec->command[0];
	if (rec->name)
		base = rec->name;
	else if (parse_trace_name(base, NULL) != 0)
		base = "trace";
	snprintf(rec->trace_name, sizeof(rec->trace_name), "%s", base);
	status = absolute(rec, DEFAULT_OUTPUT, rec->output, sizeof(rec->output));
	if (status == CMD_DONE && rec->dir)
		status = absolute(rec, rec->dir, rec->trace, sizeof(rec->trace));
	return status == CMD_DONE && rec->dir ? check_directory(rec) : status;
}

static int catch_signals(struct record *rec)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &rec->old_mask);
	/* Whoever started us may ignore SIGCHLD: then nobody could be waited for. */
	signal(SIGCHLD, SIG_DFL);
	rec->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (rec->signal_fd < 0)
		return cmd_fail(rec->env, CMD_FAILED, "signals: %s", strerror(errno));
	return CMD_DONE;
}

/* The path as it was asked for is easier to read than the absolute one. */
static const char *shown(const struct record *rec)
{
	char cwd[4096];
	size_t n;

	if (rec->dir)
		return rec->dir;
	if (!getcwd(cwd, sizeof(cwd)))
		return rec->trace;
	n = strlen(cwd);
	return strncmp(rec->trace, cwd, n) == 0 && rec->trace[n] == '/' ? rec->trace + n + 1
									: rec->trace;
}

static void report(const struct record *rec, int command)
{
	struct json j;

	if (!rec->env->json) {
		fprintf(stderr, "trace: %s\nevents: %llu\nmissed: %llu\n", shown(rec), rec->events,
			rec->missed);
		return;
	}
	json_start(&j, stdout);
	json_object(&j, NULL);
	json_string(&j, "path", rec->trace);
	json_u64(&j, "events", rec->events);
	json_u64(&j, "missed", rec->missed);
	json_s64(&j, "status", command);
	json_object_end(&j);
	json_end(&j);
}

static int record(struct record *rec)
{
	int status = record_region_make(rec), command;

	if (status == CMD_DONE)
		status = record_daemon_start(rec);
	if (status != CMD_DONE)
		return status;
	command = record_child_run(rec);
	status = record_region_off(rec);
	if (status == CMD_DONE)
		status = record_daemon_stop(rec);
	if (status != CMD_DONE)
		return command ? command : status;
	report(rec, command);
	if (!command && rec->strict && rec->missed)
		return CMD_MISSED;
	return command;
}

static int run(struct cmd_env *env, int argc, char **argv)
{
	struct record *rec = calloc(1, sizeof(*rec));
	int status;

	if (!rec)
		return cmd_fail(env, CMD_FAILED, "no memory");
	rec->env = env;
	rec->region.fd = -1;
	rec->signal_fd = -1;
	rec->level = 7;
	settings_init(&rec->settings);
	status = options(rec, argc, argv);
	if (status == CMD_DONE)
		status = choose_names(rec);
	if (status == CMD_DONE)
		status = record_child_check(rec);
	if (status == CMD_DONE)
		status = catch_signals(rec);
	if (status == CMD_DONE) {
		status = record(rec);
		record_daemon_end(rec);
		record_region_remove(rec);
		status = cmd_written(env, status);
	}
	if (rec->signal_fd >= 0)
		close(rec->signal_fd);
	free(rec);
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.args = "[-o DIR] [-n NAME] [-e PATTERN]... [--level L] [--strict] [SETTING...] -- "
		"CMD [ARG...]",
	.summary = "run a command and record what it traces",
	.help = "Needs nothing set up: makes a private region and starts a daemon for it, runs\n"
		"the command and all it starts with tracing on, then writes everything down and\n"
		"says on stderr where the trace is and how many events were missed.\n\n"
		"  -o, --output DIR\n"
		"        the directory of the trace, as babeltrace2 takes it; made, and must be\n"
		"        empty if it is there (" DEFAULT_OUTPUT "/NAME-TIME)\n"
		"  -n, --name NAME\n        name of the trace (the name of the command)\n"
		"  -e, --event PATTERN\n"
		"        only these: a class, or a glob on class:event; may be repeated (all)\n"
		"  --level LEVEL\n        only events of this level and more urgent ones (debug)\n"
		"  --strict\n"
		"        exit status 3 if events were missed and the command succeeded\n"
		"Settings:\n" SETTINGS_HELP
		"\nExit status: that of the command, 128+N if signal N killed it, 127 if it was\n"
		"not found, 126 if it could not be run; 1 or 2 if recording itself failed.\n"
		"With --json the result is one line on stdout, after what the command wrote.\n\n"
		"Examples:\n"
		"  tracectl record -- ./server --port 80\n"
		"  tracectl record -o /tmp/t -e 'net:*' -e disk --ring-size 16M -- make check\n",
	.run = run,
};
