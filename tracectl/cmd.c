/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What the verbs share: messages, the text of --help, wrong options, near
 * names. Knows no verb and no region. Called by main.c and every cmd_*.c.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "tracectl/cmd.h"
#include "tracectl/json.h"

#define MESSAGE_MAX 4096

static void print_error(const struct cmd_env *env, int status, const char *text)
{
	struct json j;

	fflush(stdout);
	if (!env->json) {
		fprintf(stderr, "tracectl: %s\n", text);
		return;
	}
	json_start(&j, stdout);
	json_object(&j, NULL);
	json_string(&j, "error", text);
	json_s64(&j, "status", status);
	json_object_end(&j);
	json_end(&j);
	fflush(stdout);
}

/* One line, whatever the names in it contain. */
static void one_line(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
	}
}

int cmd_fail(const struct cmd_env *env, int status, const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	one_line(text);
	print_error(env, status, text);
	return status;
}

int cmd_usage(const struct cmd_env *env, const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	size_t n;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text) - 80, fmt, ap);
	va_end(ap);
	n = strlen(text);
	snprintf(text + n, sizeof(text) - n, "; see `tracectl %s --help`",
		 env->cmd ? env->cmd->name : "");
	one_line(text);
	print_error(env, CMD_USAGE, text);
	return CMD_USAGE;
}

int cmd_badopt(const struct cmd_env *env, int c, char **argv)
{
	const char *word = optind > 0 ? argv[optind - 1] : "";
	char letter[3] = { '-', (char)optopt, '\0' };

	/* A long option is known by its word, a short one by its letter. */
	if (!word || strncmp(word, "--", 2) != 0)
		word = letter;
	if (c == ':')
		return cmd_usage(env, "option %s needs an argument", word);
	return cmd_usage(env, "unknown or ambiguous option %s", word);
}

int cmd_note(const struct cmd_env *env, const char *text)
{
	if (!env->json)
		fprintf(stderr, "tracectl: %s\n", text);
	return 0;
}

void cmd_help(const struct cmd *cmd)
{
	printf("usage: tracectl [--region PATH] [--json] %s%s%s\n\n%s.\n", cmd->name,
	       cmd->args[0] ? " " : "", cmd->args, cmd->summary);
	if (cmd->help && cmd->help[0])
		printf("\n%s", cmd->help);
}

int cmd_written(const struct cmd_env *env, int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* stdout is where JSON errors would go: this one can go to stderr only. */
	fprintf(stderr, "tracectl: %s: cannot write the result: %s\n",
		env->cmd ? env->cmd->name : "output", strerror(errno));
	return CMD_FAILED;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

#define NEAR_MAX 130

/* Edits of one letter; two neighbours exchanged count as one. Three rows of
 * the table are enough for that. */
unsigned cmd_distance(const char *a, const char *b)
{
	unsigned table[3][NEAR_MAX + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > NEAR_MAX || lb > NEAR_MAX)
		return NEAR_MAX;
	for (unsigned k = 0; k <= lb; k++)
		table[0][k] = k;
	for (unsigned i = 1; i <= la; i++) {
		unsigned *row = table[i % 3], *above = table[(i + 2) % 3];
		const unsigned *before = table[(i + 1) % 3];

		row[0] = i;
		for (unsigned k = 1; k <= lb; k++) {
			row[k] = least(above[k - 1] + (a[i - 1] != b[k - 1]),
				       least(row[k - 1], above[k]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least(row[k], before[k - 2] + 1);
		}
	}
	return table[la % 3][lb];
}

int cmd_is_near(const char *word, const char *name, unsigned distance)
{
	size_t longest = strlen(word) > strlen(name) ? strlen(word) : strlen(name);

	return distance * 2 < longest || (strlen(word) > 1 && strstr(name, word));
}
