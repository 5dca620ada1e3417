/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* The 128 bytes in front of each packet, see doc/ctf.md. Pure functions. */
#ifndef TRBUF_CTF_PACKET_H
#define TRBUF_CTF_PACKET_H

#include <stdint.h>

#define CTF_MAGIC 0xC1FC1FC1u
#define CTF_HEADER_SIZE 128u
#define CTF_PACKET_ALIGN 4096u /* packets are multiples of this */
#define CTF_MAX_PACKET (UINT64_C(1) << 30)
#define CTF_NO_PAGE UINT64_MAX
#define CTF_RECORD_HEADER 8u
#define CTF_TIME_MASK ((UINT64_C(1) << 48) - 1)

enum ctf_stream_class { CTF_STREAM_RING = 0, CTF_STREAM_DAEMON = 1 };

enum ctf_packet_flags {
	CTF_PACKET_LOCKED = 1, /* of a locked ring: cpu_id is the ring's index */
	CTF_PACKET_EMPTY = 2,  /* first packet, so that misses count from the start */
	CTF_PACKET_MISSED = 4, /* one trbuf:missed event, no page */
};

/* Sizes are in bytes here, in bits on disk. */
struct ctf_packet {
	unsigned char uuid[16];
	uint32_t stream_id;
	uint64_t instance;
	uint64_t page;
	uint64_t events_before; /* in a missed packet: with what it reports */
	uint64_t missed_before; /* the same */
	uint64_t clock_backwards;
	uint32_t page_offset;
	uint32_t event_count;
	uint32_t flags;
	uint64_t begin, end; /* clock */
	uint64_t content;    /* bytes, header included */
	uint64_t size;       /* bytes, padding included */
	uint64_t seq;
	uint64_t discarded;
	uint32_t cpu;
};

void ctf_packet_encode(unsigned char buf[CTF_HEADER_SIZE], const struct ctf_packet *p);

/* 0, or -EBADMSG: wrong magic, sizes that cannot be, end before begin. */
int ctf_packet_decode(const unsigned char buf[CTF_HEADER_SIZE], struct ctf_packet *p);

/* Record header at `at`: id and low 48 bits of the clock. */
void ctf_record_encode(unsigned char *at, unsigned id, uint64_t clock);
void ctf_record_decode(const unsigned char *at, unsigned *id, uint64_t *low48);

/* The first clock value that is not before `from` and ends in these 48 bits. */
uint64_t ctf_extend(uint64_t from, uint64_t low48);

/* The next multiple of CTF_PACKET_ALIGN. */
uint64_t ctf_pad(uint64_t size);

/* Little endian numbers at any address. */
void ctf_put(unsigned char *at, unsigned bytes, uint64_t v);
uint64_t ctf_get(const unsigned char *at, unsigned bytes);

#endif
