/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The control protocol between tracectl and tracerd: pure encoding.
 *
 * A message is a header of 16 bytes, little endian,
 *
 *   0 u32 magic   4 u16 version   6 u16 type   8 u32 length   12 u32 serial
 *
 * and `length` bytes of payload: key NUL value NUL, again and again. The
 * header is the same in every version, so that a peer of another version can
 * still be told what is wrong. Unknown keys are ignored. A reply carries the
 * serial of its request and its type with CTL_REPLY set, or CTL_ERROR with the
 * keys "error" (a line for people) and "errno".
 */
#ifndef TRBUF_CTL_PROTO_H
#define TRBUF_CTL_PROTO_H

#include <stddef.h>
#include <stdint.h>

#define CTL_MAGIC UINT32_C(0x4c544354) /* "TCTL" */
#define CTL_VERSION 1u
#define CTL_HEADER 16u
#define CTL_MAX_MESSAGE 65536u
#define CTL_MAX_PAYLOAD (CTL_MAX_MESSAGE - CTL_HEADER)

/* Numbers are never used again for something else; a retired one keeps its
 * line here. */
enum ctl_type {
	CTL_HELLO = 1,    /* -> pid, version, protocol, region */
	CTL_STATUS = 2,   /* -> see doc of ctl_status keys below */
	CTL_START = 3,    /* dir or name (both optional) -> path */
	CTL_STOP = 4,     /* -> path, totals */
	CTL_FLUSH = 5,    /* -> path, totals */
	CTL_DOORBELL = 6, /* -> the eventfd of the doorbell comes with the reply */
	CTL_ROTATE = 7,   /* name (optional) -> path, old */
	CTL_CLEAR = 8,    /* -> */
	CTL_SHUTDOWN = 9, /* as SIGTERM: -> path, totals if a recording ran */
	CTL_REPLY = 0x8000,
	CTL_ERROR = 0xffff,
};
/*
 * Totals: events, missed, lost, damaged, packets, bytes, streams (decimal).
 * Status: pid, version, region, output, recording (0 1), paused (0 1), path,
 * waiting, quarantined, bad_events, uptime_ms, clients, and the totals.
 */

struct ctl_header {
	uint16_t version;
	uint16_t type;
	uint32_t length;
	uint32_t serial;
};

struct ctl_msg {
	uint16_t version;
	uint16_t type;
	uint32_t serial;
	uint32_t length; /* of the payload */
	char payload[CTL_MAX_PAYLOAD];
};

/* An empty message of our version. */
void ctl_msg_init(struct ctl_msg *m, unsigned type, uint32_t serial);

/* Add a pair. -EMSGSIZE if it does not fit; -EINVAL for an empty key. */
int ctl_msg_add(struct ctl_msg *m, const char *key, const char *value);
int ctl_msg_add_u64(struct ctl_msg *m, const char *key, uint64_t value);

/* Value of a key (the first of that name), NULL if it is not there. */
const char *ctl_msg_get(const struct ctl_msg *m, const char *key);
/* Decimal value; `other` if it is not there or not a number. */
uint64_t ctl_msg_get_u64(const struct ctl_msg *m, const char *key, uint64_t other);

void ctl_header_encode(const struct ctl_msg *m, unsigned char out[CTL_HEADER]);

/* 0, -EPROTO (not this protocol) or -EMSGSIZE (longer than allowed). The
 * version is for the caller to look at. */
int ctl_header_decode(const unsigned char in[CTL_HEADER], struct ctl_header *h);

/* Is it pairs, with no key empty and no NUL missing? 0 or -EBADMSG. */
int ctl_payload_check(const char *payload, uint32_t length);

#endif
