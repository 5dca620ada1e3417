/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Packet and record headers as bytes. Owns the offsets of doc/ctf.md and
 * nothing else; no input, no output, no state. Used by the writer (daemon,
 * snapshot) and by every reader.
 */
#include "common/ctf_packet.h"

#include <errno.h>
#include <string.h>

/* What only trbuf's own tools read stands in the two gaps that the alignment of
 * timestamp_begin and content_size makes for stock readers. */
enum packet_offset {
	AT_MAGIC = 0,
	AT_UUID = 4,
	AT_STREAM = 20,
	AT_INSTANCE = 24,
	AT_CPU = 32,
	AT_PAGE = 36,
	AT_EVENTS = 44,
	AT_MISSED = 52,
	AT_PAGE_OFFSET = 60,
	AT_BEGIN = 64,
	AT_END = 72,
	AT_BACKWARDS = 80,
	AT_COUNT = 88,
	AT_FLAGS = 92,
	AT_CONTENT = 96,
	AT_SIZE = 104,
	AT_SEQ = 112,
	AT_DISCARDED = 120,
};

void ctf_put(unsigned char *at, unsigned bytes, uint64_t v)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (unsigned char)(v >> (8 * i));
}

uint64_t ctf_get(const unsigned char *at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)at[i] << (8 * i);
	return v;
}

void ctf_packet_encode(unsigned char buf[CTF_HEADER_SIZE], const struct ctf_packet *p)
{
	ctf_put(buf + AT_MAGIC, 4, CTF_MAGIC);
	memcpy(buf + AT_UUID, p->uuid, 16);
	ctf_put(buf + AT_STREAM, 4, p->stream_id);
	ctf_put(buf + AT_INSTANCE, 8, p->instance);
	ctf_put(buf + AT_PAGE, 8, p->page);
	ctf_put(buf + AT_EVENTS, 8, p->events_before);
	ctf_put(buf + AT_MISSED, 8, p->missed_before);
	ctf_put(buf + AT_BACKWARDS, 8, p->clock_backwards);
	ctf_put(buf + AT_PAGE_OFFSET, 4, p->page_offset);
	ctf_put(buf + AT_COUNT, 4, p->event_count);
	ctf_put(buf + AT_FLAGS, 4, p->flags);
	ctf_put(buf + AT_BEGIN, 8, p->begin);
	ctf_put(buf + AT_END, 8, p->end);
	ctf_put(buf + AT_CONTENT, 8, p->content * 8);
	ctf_put(buf + AT_SIZE, 8, p->size * 8);
	ctf_put(buf + AT_SEQ, 8, p->seq);
	ctf_put(buf + AT_DISCARDED, 8, p->discarded);
	ctf_put(buf + AT_CPU, 4, p->cpu);
}

/* Both sizes come in bits and must be whole bytes within reason. */
static int decode_sizes(const unsigned char *buf, struct ctf_packet *p)
{
	uint64_t content = ctf_get(buf + AT_CONTENT, 8), size = ctf_get(buf + AT_SIZE, 8);

	if (content % 8 || size % 8 || content > size)
		return -EBADMSG;
	p->content = content / 8;
	p->size = size / 8;
	return p->content < CTF_HEADER_SIZE || p->size > CTF_MAX_PACKET ? -EBADMSG : 0;
}

int ctf_packet_decode(const unsigned char buf[CTF_HEADER_SIZE], struct ctf_packet *p)
{
	if (ctf_get(buf + AT_MAGIC, 4) != CTF_MAGIC || decode_sizes(buf, p))
		return -EBADMSG;
	memcpy(p->uuid, buf + AT_UUID, 16);
	p->stream_id = (uint32_t)ctf_get(buf + AT_STREAM, 4);
	p->instance = ctf_get(buf + AT_INSTANCE, 8);
	p->page = ctf_get(buf + AT_PAGE, 8);
	p->events_before = ctf_get(buf + AT_EVENTS, 8);
	p->missed_before = ctf_get(buf + AT_MISSED, 8);
	p->clock_backwards = ctf_get(buf + AT_BACKWARDS, 8);
	p->page_offset = (uint32_t)ctf_get(buf + AT_PAGE_OFFSET, 4);
	p->event_count = (uint32_t)ctf_get(buf + AT_COUNT, 4);
	p->flags = (uint32_t)ctf_get(buf + AT_FLAGS, 4);
	p->begin = ctf_get(buf + AT_BEGIN, 8);
	p->end = ctf_get(buf + AT_END, 8);
	p->seq = ctf_get(buf + AT_SEQ, 8);
	p->discarded = ctf_get(buf + AT_DISCARDED, 8);
	p->cpu = (uint32_t)ctf_get(buf + AT_CPU, 4);
	return p->end < p->begin ? -EBADMSG : 0;
}

void ctf_record_encode(unsigned char *at, unsigned id, uint64_t clock)
{
	ctf_put(at, 2, id);
	ctf_put(at + 2, 6, clock);
}

void ctf_record_decode(const unsigned char *at, unsigned *id, uint64_t *low48)
{
	*id = (unsigned)ctf_get(at, 2);
	*low48 = ctf_get(at + 2, 6);
}

uint64_t ctf_extend(uint64_t from, uint64_t low48)
{
	return from + ((low48 - from) & CTF_TIME_MASK);
}

uint64_t ctf_pad(uint64_t size)
{
	return (size + CTF_PACKET_ALIGN - 1) & ~(uint64_t)(CTF_PACKET_ALIGN - 1);
}
