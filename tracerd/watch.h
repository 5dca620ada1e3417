/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Notices, without polling, that the region file lost its name. */
#ifndef TRACERD_WATCH_H
#define TRACERD_WATCH_H

#include "libtrbuf/region.h"

/* A non-blocking inotify descriptor that becomes readable when links to the
 * region file come or go, or -errno: then only the flush timer looks. */
int watch_open(const struct region *r);
/* Empty it. */
void watch_take(int fd);

#endif
