/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracectl: finds the verb in a constant table and runs it. Owns the options
 * that all verbs have (--region, --json, --help, --version) and nothing else.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "tracectl/cmd.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.1.0"
#endif

static const struct cmd *const verbs[] = {
	&cmd_status, &cmd_list,   &cmd_on,   &cmd_off,     &cmd_enable, &cmd_disable, &cmd_mask,
	&cmd_cpus,   &cmd_resize, &cmd_mode, &cmd_top,     &cmd_doctor, &cmd_start,   &cmd_stop,
	&cmd_flush,  &cmd_record, &cmd_view, &cmd_convert, &cmd_stat,   &cmd_verify,  &cmd_repair,
};
#define NVERBS (sizeof(verbs) / sizeof(verbs[0]))

static void print_help(void)
{
	printf("usage: tracectl [--region PATH] [--json] VERB [ARG...]\n\n"
	       "Controls and reads trbuf trace rings.\n\nVerbs:\n");
	for (size_t i = 0; i < NVERBS; i++)
		printf("  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
	printf("\nOptions, before or after the verb:\n"
	       "  --region PATH  use this region file; else $TRBUF_REGION, the\n"
	       "                 system's or your own\n"
	       "  --json         print results and errors as JSON on stdout\n"
	       "  --help         this text, or after a verb all about the verb\n"
	       "  --version      print the version\n\n"
	       "Exit status: 0 done, 1 failed, 2 wrong use, 3 done but events\n"
	       "were missed (--strict).\n");
}

static const struct cmd *find_verb(const char *name)
{
	for (size_t i = 0; i < NVERBS; i++) {
		if (strcmp(verbs[i]->name, name) == 0)
			return verbs[i];
	}
	return NULL;
}

static int unknown_verb(const struct cmd_env *env, const char *name)
{
	const char *nearest = NULL;
	unsigned best = ~0u;

	for (size_t i = 0; i < NVERBS; i++) {
		unsigned d = cmd_distance(name, verbs[i]->name);

		if (d < best && cmd_is_near(name, verbs[i]->name, d)) {
			best = d;
			nearest = verbs[i]->name;
		}
	}
	if (nearest)
		return cmd_fail(env, CMD_USAGE, "no verb `%s`; did you mean `%s`?", name, nearest);
	return cmd_fail(env, CMD_USAGE, "no verb `%s`; `tracectl --help` lists them", name);
}

/* What was asked for beside the verb. */
struct wanted {
	int help, version, bad;
};

/* One shared option at argv[i]: arguments used, 0 if it is not one. */
static int shared_option(struct cmd_env *env, struct wanted *w, char **argv, int i)
{
	const char *a = argv[i];

	if (strcmp(a, "--json") == 0)
		env->json = 1;
	else if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0)
		w->help = 1;
	else if (strncmp(a, "--region=", 9) == 0)
		env->region_path = a + 9;
	else if (strcmp(a, "--region") == 0 && argv[i + 1])
		return env->region_path = argv[i + 1], 2;
	else if (strcmp(a, "--region") == 0)
		w->bad = i;
	else
		return 0;
	return 1;
}

/* Takes the shared options out of argv, up to a "--"; returns the new argc. */
static int take_options(struct cmd_env *env, struct wanted *w, int argc, char **argv)
{
	int n = 1;

	for (int i = 1; i < argc; i++) {
		int used = shared_option(env, w, argv, i);

		if (used) {
			i += used - 1;
			continue;
		}
		if (strcmp(argv[i], "--") == 0) {
			while (i < argc)
				argv[n++] = argv[i++];
			break;
		}
		if (n == 1 && (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0))
			w->version = 1;
		else
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	return n;
}

int main(int argc, char **argv)
{
	struct cmd_env env = { 0 };
	struct wanted w = { 0 };

	argc = take_options(&env, &w, argc, argv);
	if (w.bad || (env.region_path && !env.region_path[0]))
		return cmd_fail(&env, CMD_USAGE, "--region needs the path of a region file");
	if (w.version) {
		printf("tracectl (trbuf) %s\n", PACKAGE_VERSION);
		return cmd_written(&env, CMD_DONE);
	}
	if (argc < 2 && w.help) {
		print_help();
		return cmd_written(&env, CMD_DONE);
	}
	if (argc < 2)
		return cmd_fail(&env, CMD_USAGE, "what to do? `tracectl --help` lists the verbs");
	if (argv[1][0] == '-')
		return cmd_fail(&env, CMD_USAGE, "unknown option %s; see `tracectl --help`",
				argv[1]);
	env.cmd = find_verb(argv[1]);
	if (!env.cmd)
		return unknown_verb(&env, argv[1]);
	if (w.help) {
		cmd_help(env.cmd);
		return cmd_written(&env, CMD_DONE);
	}
	return env.cmd->run(&env, argc - 1, argv + 1);
}
