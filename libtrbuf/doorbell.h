/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The doorbell word of the region: bit 0 armed (daemon), the rest a count.
 * A producer adds 2 and wakes the futex if it is armed; it never disarms, so
 * a producer killed in between leaves it armed and the next one rings.
 */
#ifndef TRBUF_DOORBELL_H
#define TRBUF_DOORBELL_H

#include <stdint.h>

#include "libtrbuf/region.h"

/* Anybody: full fence, look, and if armed ring. One futex call at most. errno kept. */
void doorbell_ring(struct region *r);

/* Daemon: arm and return the value to wait on. A full fence follows the
 * store, so what is looked at after this call is newer [O5]. */
uint32_t doorbell_arm(struct region *r);
/* Daemon: sleep until the word is no longer `armed`. timeout_ms -1: for ever.
 * 0 rung, -ETIMEDOUT, -EINTR. */
int doorbell_wait(struct region *r, uint32_t armed, int timeout_ms);
void doorbell_disarm(struct region *r);

#endif
