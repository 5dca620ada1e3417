/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Settings of the daemon: defaults, then the values from config_file.c, then
 * the command line. Owns struct config; opens no region and prints no error.
 * Called by main.c, at the start and at SIGHUP.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/parse.h"
#include "tracerd/config.h"
#include "tracerd/config_file.h"

#define DEFAULT_RESERVE (UINT64_C(16) << 20)
#define OPTION_ITEM 0x2000

enum {
	OPTION_CONFIG = 0x3000,
	OPTION_NO_CONFIG,
	OPTION_CHECK,
	OPTION_DAEMONIZE,
	OPTION_READY_FD,
	OPTION_HELP,
	OPTION_VERSION
};

static const struct {
	const char *option, *section, *key, *arg, *help;
} items[] = {
#define X(id, option, section, key, arg, help) { option, section, key, arg, help },
	CONFIG_LIST(X)
#undef X
};

void config_defaults(struct config *c)
{
	memset(c, 0, sizeof(*c));
	settings_init(&c->settings);
	c->reserve = DEFAULT_RESERVE;
	c->check_records = -1;
	c->log_level = 6;
	c->ready_fd = -1;
	strcpy(c->name, "trace");
}

static int put_path(char *to, const char *value, struct fault *f)
{
	if (!*value)
		return fault_set(f, EINVAL, "a path must not be empty");
	if (strlen(value) >= CONFIG_PATH - 64)
		return fault_set(f, EINVAL, "\"%.60s...\" is too long for a path", value);
	strcpy(to, value);
	return 0;
}

static int set_name(struct config *c, const char *value, struct fault *f)
{
	int err = parse_trace_name(value, f);

	if (!err)
		strcpy(c->name, value);
	return err;
}

static int set_check(struct config *c, const char *value, struct fault *f)
{
	if (strcmp(value, "auto") == 0) {
		c->check_records = -1;
		return 0;
	}
	if (parse_bool(value, &c->check_records, NULL) == 0)
		return 0;
	return fault_set(f, EINVAL, "\"%.60s\" is not allowed; use auto, yes or no", value);
}

int config_set(struct config *c, unsigned item, const char *value, struct fault *f)
{
	switch (item) {
	case CONFIG_REGION:
		return put_path(c->region, value, f);
	case CONFIG_OUTPUT:
		return put_path(c->output, value, f);
	case CONFIG_PID_FILE:
		return put_path(c->pid_file, value, f);
	case CONFIG_NAME:
		return set_name(c, value, f);
	case CONFIG_RECORD:
		return parse_bool(value, &c->record, f);
	case CONFIG_ON:
		return parse_bool(value, &c->on, f);
	case CONFIG_RESERVE:
		return parse_size(value, &c->reserve, f);
	case CONFIG_CHECK_RECORDS:
		return set_check(c, value, f);
	case CONFIG_LOG_LEVEL:
		return parse_level(value, &c->log_level, f);
	default:
		return fault_set(f, EINVAL, "no such setting");
	}
}

int config_find(const char *section, const char *key)
{
	for (int i = 0; i < CONFIG_COUNT; i++)
		if (strcmp(items[i].section, section) == 0 && strcmp(items[i].key, key) == 0)
			return i;
	return -1;
}

int config_section(const char *section)
{
	for (int i = 0; i < CONFIG_COUNT; i++)
		if (strcmp(items[i].section, section) == 0)
			return 1;
	for (unsigned i = 0; i < SETTINGS_COUNT; i++)
		if (strcmp(settings_section(i), section) == 0)
			return 1;
	return 0;
}

/* --------------------------------------------------------- command line */

#define FIXED_OPTIONS 7
#define ALL_OPTIONS (SETTINGS_COUNT + CONFIG_COUNT + FIXED_OPTIONS + 1)

static int is_switch(unsigned item)
{
	return item == CONFIG_RECORD || item == CONFIG_ON;
}

static void make_options(struct option o[ALL_OPTIONS])
{
	static const struct option fixed[FIXED_OPTIONS + 1] = {
		{ "config", required_argument, NULL, OPTION_CONFIG },
		{ "no-config", no_argument, NULL, OPTION_NO_CONFIG },
		{ "check-config", no_argument, NULL, OPTION_CHECK },
		{ "daemonize", no_argument, NULL, OPTION_DAEMONIZE },
		{ "ready-fd", required_argument, NULL, OPTION_READY_FD },
		{ "help", no_argument, NULL, OPTION_HELP },
		{ "version", no_argument, NULL, OPTION_VERSION },
		{ NULL, 0, NULL, 0 },
	};

	settings_options(o);
	for (int i = 0; i < CONFIG_COUNT; i++) {
		struct option *p = &o[SETTINGS_COUNT + i];

		p->name = items[i].option;
		p->has_arg = is_switch((unsigned)i) ? optional_argument : required_argument;
		p->flag = NULL;
		p->val = OPTION_ITEM + i;
	}
	memcpy(o + SETTINGS_COUNT + CONFIG_COUNT, fixed, sizeof(fixed));
}

static int set_item(struct config *c, int c_opt, const char *value, struct fault *f)
{
	struct fault inner;
	unsigned item = (unsigned)(c_opt - OPTION_ITEM);
	int err = config_set(c, item, value ? value : "yes", &inner);

	return err ? fault_set(f, EINVAL, "--%s: %.400s", items[item].option, inner.text) : 0;
}

static int set_ready_fd(struct config *c, const char *value, struct fault *f)
{
	uint64_t fd;

	if (parse_u64(value, 0, INT_MAX, &fd, NULL) != 0)
		return fault_set(f, EINVAL,
				 "--ready-fd: \"%.60s\" is not the number of a descriptor", value);
	c->ready_fd = (int)fd;
	return 0;
}

/* What does not depend on the file, from either pass. */
static int set_fixed(struct config *c, int opt, struct fault *f)
{
	switch (opt) {
	case OPTION_CONFIG:
		return put_path(c->file, optarg, f);
	case OPTION_NO_CONFIG:
		c->file[0] = '\0';
		return 0;
	case OPTION_CHECK:
		c->action = CONFIG_CHECK;
		return 0;
	case OPTION_DAEMONIZE:
		c->daemonize = 1;
		return 0;
	case OPTION_READY_FD:
		return set_ready_fd(c, optarg, f);
	case OPTION_HELP:
		c->action = CONFIG_HELP;
		return 0;
	case OPTION_VERSION:
		c->action = CONFIG_VERSION;
		return 0;
	default:
		return fault_set(f, EINVAL, "no such option");
	}
}

static int bad_option(int opt, char *arg, struct fault *f)
{
	return fault_set(f, EINVAL, "%.100s: %s; see tracerd --help", arg,
			 opt == ':' ? "lacks its value" : "no such option");
}

/* Two passes: the first finds out which file to read, the second sets what
 * stands above the file. */
static int command_line(struct config *c, int argc, char **argv, int second, struct fault *f)
{
	struct option o[ALL_OPTIONS];
	int opt, err = 0;

	make_options(o);
	opterr = 0;
	optind = 0;
	while (!err) {
		int at = optind ? optind : 1;

		opt = getopt_long(argc, argv, ":", o, NULL);
		if (opt == -1)
			break;
		if (opt == '?' || opt == ':')
			return bad_option(opt, argv[optind > at ? optind - 1 : at], f);
		if (opt >= OPTION_CONFIG)
			err = second ? 0 : set_fixed(c, opt, f);
		else if (second && opt >= OPTION_ITEM)
			err = set_item(c, opt, optarg, f);
		else if (second)
			err = settings_option(&c->settings, opt, optarg, f) < 0 ? -EINVAL : 0;
	}
	if (!err && optind < argc)
		return fault_set(f, EINVAL,
				 "%.100s: tracerd takes options only; see tracerd --help",
				 argv[optind]);
	return err;
}

/* ----------------------------------------------------------- completion */

/* Relative to where the program was started, also at SIGHUP, when it may have
 * left that directory. */
static int absolute(char *path, struct fault *f)
{
	static char started[CONFIG_PATH];
	char full[CONFIG_PATH];

	if (!started[0] && !getcwd(started, sizeof(started)))
		started[0] = '\0';
	if (!path[0] || path[0] == '/')
		return 0;
	strcpy(full, started);
	if (!full[0] || strlen(full) + strlen(path) + 66 > sizeof(full))
		return fault_set(f, EINVAL, "%.100s: cannot be made an absolute path", path);
	strcat(full, "/");
	strcat(full, path);
	strcpy(path, full);
	return 0;
}

static void default_output(struct config *c)
{
	const char *home = getenv("HOME");

	if (home && home[0] == '/' && strlen(home) < CONFIG_PATH - 80)
		snprintf(c->output, sizeof(c->output), "%s/trbuf-traces", home);
	else
		strcpy(c->output, "trbuf-traces");
}

static int complete(struct config *c, struct fault *f)
{
	char path[CONFIG_PATH];
	int err = region_path(c->region, path, sizeof(path) - 64);

	if (err)
		return fault_set(f, EINVAL, "the region's path is too long");
	strcpy(c->region, path);
	if (!c->output[0])
		default_output(c);
	err = absolute(c->region, f);
	if (!err)
		err = absolute(c->output, f);
	if (!err)
		err = absolute(c->pid_file, f);
	return err ? err : settings_check(&c->settings, f);
}

static int read_file(struct config *c, struct fault *f)
{
	int err = absolute(c->file, f);
	FILE *in;

	if (err)
		return err;
	in = c->file[0] ? fopen(c->file, "re") : NULL;
	if (!in && errno == ENOENT && strcmp(c->file, CONFIG_FILE) == 0)
		c->file[0] = '\0';
	if (!c->file[0])
		return 0;
	if (!in)
		return fault_set(
			f, errno,
			"%.300s: settings cannot be read: %s; name another file with --config or "
			"use --no-config",
			c->file, strerror(errno));
	err = config_read(c, in, c->file, f);
	fclose(in);
	return err;
}

int config_load(struct config *c, int argc, char **argv, struct fault *f)
{
	config_defaults(c);
	strcpy(c->file, CONFIG_FILE);
	if (command_line(c, argc, argv, 0, f) != 0)
		return 2;
	if (c->action == CONFIG_HELP || c->action == CONFIG_VERSION)
		return 0;
	if (read_file(c, f) != 0)
		return 1;
	if (command_line(c, argc, argv, 1, f) != 0)
		return 2;
	return complete(c, f) != 0 ? 2 : 0;
}

/* -------------------------------------------------------------- printing */

void config_help(FILE *out)
{
	fputs("usage: tracerd [OPTION]...\n"
	      "Reader daemon of trbuf: drains the rings of a region to disk as CTF 1.8.\n\n"
	      "  --config FILE\n        settings, see tracerd.conf(5) (" CONFIG_FILE
	      ", if it is there)\n"
	      "  --no-config\n        read no file\n"
	      "  --check-config\n        print what would be used, and end\n"
	      "  --daemonize\n        go to the background once everything works\n"
	      "  --ready-fd N\n        write a line to descriptor N once everything works\n"
	      "  --help, --version\n\n"
	      "Options that are keys of the file, too:\n",
	      out);
	for (int i = 0; i < CONFIG_COUNT; i++)
		fprintf(out, "  --%s%s%s\n        %s\n", items[i].option,
			is_switch((unsigned)i) ? "" : " ", items[i].arg, items[i].help);
	fputs(SETTINGS_HELP, out);
}

static void item_text(const struct config *c, unsigned i, char *buf, size_t size)
{
	const char *text = "";

	switch (i) {
	case CONFIG_REGION:
		text = c->region;
		break;
	case CONFIG_OUTPUT:
		text = c->output;
		break;
	case CONFIG_PID_FILE:
		text = c->pid_file;
		break;
	case CONFIG_NAME:
		text = c->name;
		break;
	case CONFIG_RECORD:
		text = c->record ? "yes" : "no";
		break;
	case CONFIG_ON:
		text = c->on ? "yes" : "no";
		break;
	case CONFIG_RESERVE:
		parse_print_size(c->reserve, buf, size);
		return;
	case CONFIG_CHECK_RECORDS:
		text = c->check_records < 0 ? "auto" : c->check_records ? "yes" : "no";
		break;
	case CONFIG_LOG_LEVEL:
		text = parse_level_name(c->log_level);
		break;
	}
	snprintf(buf, size, "%s", text);
}

static void print_section(const struct config *c, const char *section, FILE *out)
{
	char text[CONFIG_PATH];

	fprintf(out, "[%s]\n", section);
	for (unsigned i = 0; i < CONFIG_COUNT; i++) {
		if (strcmp(items[i].section, section) != 0)
			continue;
		item_text(c, i, text, sizeof(text));
		if (text[0])
			fprintf(out, "%s = %s\n", items[i].key, text);
	}
	for (unsigned i = 0; i < SETTINGS_COUNT; i++) {
		if (strcmp(settings_section(i), section) != 0)
			continue;
		settings_show(&c->settings, i, text, sizeof(text));
		fprintf(out, "%s = %s\n", settings_name(i), text);
	}
}

void config_print(const struct config *c, FILE *out)
{
	static const char *const sections[] = { "region", "rings", "recording", "daemon" };

	fprintf(out, "# from %s\n", c->file[0] ? c->file : "no file");
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		print_section(c, sections[i], out);
}
