/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* A region file that somebody cut short must not kill the daemon. */
#ifndef TRACERD_SIGBUS_H
#define TRACERD_SIGBUS_H

#include "libtrbuf/region.h"

/* From now on a page of this mapping that is no longer in the file reads as zeros. */
int sigbus_guard(const struct region *r);
/* Did that happen? */
int sigbus_seen(void);

#endif
