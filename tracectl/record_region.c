/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The private region of one `record`: a directory of its own in memory, the
 * settings and rules that were asked for, tracing still off. Owns that
 * directory and what lies in it. Called by cmd_record.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtrbuf/control.h"
#include "tracectl/enable_plan.h"
#include "tracectl/record.h"

#define LOCK_MS 2000

/* In memory if it can be had: the file is mapped by every program that traces. */
static int make_directory(struct record *rec)
{
	const char *places[] = { getenv("XDG_RUNTIME_DIR"), "/dev/shm", getenv("TMPDIR"), "/tmp" };
	int err = ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!places[i] || places[i][0] != '/' || strlen(places[i]) > 3900)
			continue;
		snprintf(rec->private_dir, sizeof(rec->private_dir), "%s/trbuf-record.XXXXXX",
			 places[i]);
		if (mkdtemp(rec->private_dir))
			return CMD_DONE;
		err = errno;
	}
	rec->private_dir[0] = '\0';
	return cmd_fail(rec->env, CMD_FAILED,
			"no place for a private region in XDG_RUNTIME_DIR, "
			"/dev/shm, TMPDIR or /tmp: %s",
			strerror(err));
}

static int add_rules(struct record *rec, struct layout_control *c)
{
	char pattern[sizeof(c->rules[0].pattern)];
	int err = 0;

	if (rec->npatterns)
		err = control_rule(c, 0, "*", NULL, 7);
	else if (rec->level < 7)
		err = control_rule(c, 1, "*", NULL, rec->level);
	for (unsigned i = 0; i < rec->npatterns && !err; i++) {
		err = enable_plan_pattern(rec->pattern[i], pattern, sizeof(pattern));
		if (!err)
			err = control_rule(c, 1, pattern, NULL, rec->level);
		if (err)
			return cmd_usage(rec->env, "-e %s: %s", rec->pattern[i],
					 err == -ENOSPC ? "too many patterns" : strerror(-err));
	}
	return err ? cmd_fail(rec->env, CMD_FAILED, "rules: %s", strerror(-err)) : CMD_DONE;
}

/* The rest of the control words stays: mask full, tracing off. */
static int set_rules(struct record *rec)
{
	struct layout_control *c = malloc(sizeof(*c));
	int status, err;

	if (!c)
		return cmd_fail(rec->env, CMD_FAILED, "no memory");
	err = region_lock(&rec->region, REGION_LOCK_CONTROL, LOCK_MS);
	if (err) {
		free(c);
		return cmd_fail(rec->env, CMD_FAILED, "%s: cannot lock: %s", rec->region_path,
				strerror(-err));
	}
	control_get(&rec->region, c);
	status = add_rules(rec, c);
	if (status == CMD_DONE)
		control_publish(&rec->region, c);
	region_unlock(&rec->region, REGION_LOCK_CONTROL);
	free(c);
	return status;
}

int record_region_make(struct record *rec)
{
	struct fault f = { "" };
	int status = make_directory(rec);

	if (status != CMD_DONE)
		return status;
	snprintf(rec->region_path, sizeof(rec->region_path), "%s/region", rec->private_dir);
	if (region_open(&rec->region, rec->region_path, REGION_CREATE, &rec->settings.region, &f) ||
	    settings_apply(&rec->region, &rec->settings, &f))
		return cmd_fail(rec->env, CMD_FAILED, "%s", f.text);
	return set_rules(rec);
}

int record_region_off(struct record *rec)
{
	struct layout_control *c = malloc(sizeof(*c));
	int err = c ? region_lock(&rec->region, REGION_LOCK_CONTROL, LOCK_MS) : -ENOMEM;

	if (!err) {
		control_get(&rec->region, c);
		c->on = 0;
		control_publish(&rec->region, c);
		region_unlock(&rec->region, REGION_LOCK_CONTROL);
	}
	free(c);
	return err ? cmd_fail(rec->env, CMD_FAILED, "%s: cannot switch tracing off: %s",
			      rec->region_path, strerror(-err))
		   : CMD_DONE;
}

void record_region_remove(struct record *rec)
{
	struct dirent *e;
	DIR *d;

	region_close(&rec->region);
	if (!rec->private_dir[0])
		return;
	/* Nothing but the region and, if the daemon was killed, its socket. */
	d = opendir(rec->private_dir);
	while (d && (e = readdir(d)) != NULL)
		if (strncmp(e->d_name, "region", 6) == 0)
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(rec->private_dir);
	rec->private_dir[0] = '\0';
}
