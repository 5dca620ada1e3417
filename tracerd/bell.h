/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * From the doorbell of the region, a futex, to an eventfd that a libevent loop
 * can wait on. One small thread does nothing but wait:
 *
 *   main:   armed = doorbell_arm(); look at the rings; bell_wait(armed)
 *   thread: sleep until the word is not `armed`; disarm; write the eventfd
 */
#ifndef TRACERD_BELL_H
#define TRACERD_BELL_H

#include "libtrbuf/region.h"

struct bell;

struct bell *bell_new(struct region *r, struct fault *f);
/* Wakes the thread, ends it and closes the eventfd. */
void bell_free(struct bell *b);

/* The eventfd: readable when the bell rang, or when somebody it was handed to
 * wrote it. Non-blocking. */
int bell_fd(const struct bell *b);
/* Empty the eventfd. 1 if the thread sleeps no more, so that it is to be
 * armed again; 0 if it still waits (the eventfd was written by another). */
int bell_take(struct bell *b);
/* Let the thread wait on what doorbell_arm() returned. */
void bell_wait(struct bell *b, uint32_t armed);

#endif
