/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * tracerd: reads its settings, wires the parts, runs the loop. The only file
 * of the daemon that ends the process.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "tracerd/daemon.h"
#include "tracerd/notify.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.1.0"
#endif

/* A full disk, a file size limit or a client that left is an error, not the end. */
static void ignore_signals(void)
{
	struct sigaction sa = { .sa_handler = SIG_IGN };
	sigset_t none;

	sigaction(SIGPIPE, &sa, NULL);
	sigaction(SIGXFSZ, &sa, NULL);
	/* Whoever started us may have blocked what we wait for. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int print(const struct config *c)
{
	if (c->action == CONFIG_HELP)
		config_help(stdout);
	else if (c->action == CONFIG_VERSION)
		printf("tracerd (trbuf) %s\n", PACKAGE_VERSION);
	else
		config_print(c, stdout);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	log_line(LOG_ERR, "standard output: %s", strerror(errno));
	return 1;
}

static int run(struct daemon *d)
{
	struct fault f = { "" };
	int status;

	if (d->cfg.daemonize) {
		d->parent_fd = notify_daemonize(&f);
		if (d->parent_fd < 0) {
			log_line(LOG_ERR, "%s", f.text);
			return 1;
		}
	}
	ignore_signals();
	status = daemon_open(d, &f);
	if (status)
		log_line(LOG_ERR, "%s", f.text);
	else
		status = daemon_run(d);
	daemon_close(d);
	return status;
}

int main(int argc, char **argv)
{
	struct daemon *d = calloc(1, sizeof(*d));
	struct fault f = { "" };
	int status;

	log_init("tracerd", LOG_INFO);
	if (!d) {
		log_line(LOG_ERR, "no memory");
		return 1;
	}
	d->region.fd = -1;
	d->parent_fd = -1;
	d->watch_fd = -1;
	d->argc = argc;
	d->argv = argv;
	status = config_load(&d->cfg, argc, argv, &f);
	if (status)
		log_line(LOG_ERR, "%s", f.text);
	else if (d->cfg.action != CONFIG_RUN)
		status = print(&d->cfg);
	else {
		log_set_level((int)d->cfg.log_level);
		status = run(d);
	}
	free(d);
	return status;
}
