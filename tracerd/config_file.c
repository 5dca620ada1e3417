/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracerd.conf, through inih. inih names neither the line of a value nor what
 * it cannot parse, so lines are fed to it through a reader that counts them
 * and takes the blanks in front away (a continued line is not of our form).
 * Stops at the first error. Called by config.c.
 */
#include <errno.h>
#include <ini.h>
#include <string.h>

#include "tracerd/config_file.h"

struct reading {
	struct config *c;
	FILE *in;
	const char *name;
	int line;
	int failed;
	uint32_t items, settings; /* bits of what was set: nothing may stand twice */
	struct fault *f;
};

static int fail(struct reading *rd, const char *why)
{
	if (!rd->failed)
		fault_set(rd->f, EINVAL, "%.200s:%d: %.290s", rd->name, rd->line, why);
	rd->failed = 1;
	return 0;
}

/* fgets() for inih. A line that does not fit would be read as two. */
static char *next_line(char *str, int num, void *stream)
{
	struct reading *rd = stream;
	size_t n, blanks;

	if (rd->failed || !fgets(str, num, rd->in))
		return NULL;
	rd->line++;
	n = strlen(str);
	if (n + 1 == (size_t)num && str[n - 1] != '\n') {
		fail(rd,
		     "the line is too long (about 190 characters at most); give this setting on "
		     "the command line");
		return NULL;
	}
	blanks = strspn(str, " \t");
	memmove(str, str + blanks, n - blanks + 1);
	return str;
}

static int twice(uint32_t *bits, int i)
{
	int was = (*bits >> i) & 1;

	*bits |= 1u << i;
	return was;
}

static int one_value(void *user, const char *section, const char *key, const char *value)
{
	struct reading *rd = user;
	int item = config_find(section, key), setting = settings_find(key), err;
	struct fault why, line;

	if (rd->failed)
		return 0;
	if (setting >= 0 && strcmp(settings_section((unsigned)setting), section) != 0)
		setting = -1;
	if (item < 0 && setting < 0) {
		fault_set(&line, EINVAL, "[%.40s] %.60s: no such %s; see tracerd.conf(5)", section,
			  key, config_section(section) ? "key in this section" : "section");
		return fail(rd, line.text);
	}
	if (item >= 0 ? twice(&rd->items, item) : twice(&rd->settings, setting)) {
		fault_set(&line, EINVAL, "[%.40s] %.60s: stands there twice", section, key);
		return fail(rd, line.text);
	}
	err = item >= 0 ? config_set(rd->c, (unsigned)item, value, &why)
			: settings_set(&rd->c->settings, (unsigned)setting, value, &why);
	if (!err)
		return 1;
	fault_set(&line, EINVAL, "[%.40s] %s%s%.200s", section, item >= 0 ? key : "",
		  item >= 0 ? ": " : "", why.text);
	return fail(rd, line.text);
}

int config_read(struct config *c, FILE *in, const char *name, struct fault *f)
{
	struct reading rd = { .c = c, .in = in, .name = name, .f = f };
	int at = ini_parse_stream(next_line, &rd, one_value, &rd);

	if (!rd.failed && ferror(in))
		fail(&rd, strerror(errno));
	if (!rd.failed && at > 0) {
		rd.line = at;
		fail(&rd, "neither [section] nor key = value");
	}
	if (!rd.failed && at < 0)
		fail(&rd, "no memory");
	return rd.failed ? -EINVAL : 0;
}
