/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Encoding and decoding of control messages. Pure: no descriptors, no memory
 * of its own, nothing believed that came from the other side. Called by
 * ctl_client, tracerd's control and the tests.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/ctl_proto.h"

static void put16(unsigned char *p, uint16_t v)
{
	p[0] = (unsigned char)v;
	p[1] = (unsigned char)(v >> 8);
}

static void put32(unsigned char *p, uint32_t v)
{
	put16(p, (uint16_t)v);
	put16(p + 2, (uint16_t)(v >> 16));
}

static uint16_t get16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const unsigned char *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

void ctl_msg_init(struct ctl_msg *m, unsigned type, uint32_t serial)
{
	m->version = CTL_VERSION;
	m->type = (uint16_t)type;
	m->serial = serial;
	m->length = 0;
}

int ctl_msg_add(struct ctl_msg *m, const char *key, const char *value)
{
	size_t k = strlen(key) + 1, v = strlen(value) + 1;

	if (k == 1)
		return -EINVAL;
	if (m->length > CTL_MAX_PAYLOAD || k > CTL_MAX_PAYLOAD - m->length ||
	    v > CTL_MAX_PAYLOAD - m->length - k)
		return -EMSGSIZE;
	memcpy(m->payload + m->length, key, k);
	memcpy(m->payload + m->length + k, value, v);
	m->length += (uint32_t)(k + v);
	return 0;
}

int ctl_msg_add_u64(struct ctl_msg *m, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return ctl_msg_add(m, key, text);
}

/* The string at *at, moving *at behind its NUL; NULL at the end or if the NUL is missing. */
static const char *next(const char *payload, uint32_t length, uint32_t *at)
{
	const char *s = payload + *at;
	size_t n;

	if (*at >= length)
		return NULL;
	n = strnlen(s, length - *at);
	if (n == length - *at)
		return NULL;
	*at += (uint32_t)n + 1;
	return s;
}

const char *ctl_msg_get(const struct ctl_msg *m, const char *key)
{
	uint32_t at = 0;
	uint32_t length = m->length <= CTL_MAX_PAYLOAD ? m->length : 0;

	for (;;) {
		const char *k = next(m->payload, length, &at);
		const char *v = k ? next(m->payload, length, &at) : NULL;

		if (!v)
			return NULL;
		if (strcmp(k, key) == 0)
			return v;
	}
}

uint64_t ctl_msg_get_u64(const struct ctl_msg *m, const char *key, uint64_t other)
{
	const char *s = ctl_msg_get(m, key);
	uint64_t v = 0;

	if (!s || !*s)
		return other;
	for (; *s; s++) {
		unsigned d = (unsigned)(*s - '0');

		if (*s < '0' || *s > '9' || v > (UINT64_MAX - d) / 10)
			return other;
		v = v * 10 + d;
	}
	return v;
}

void ctl_header_encode(const struct ctl_msg *m, unsigned char out[CTL_HEADER])
{
	put32(out, CTL_MAGIC);
	put16(out + 4, m->version);
	put16(out + 6, m->type);
	put32(out + 8, m->length);
	put32(out + 12, m->serial);
}

int ctl_header_decode(const unsigned char in[CTL_HEADER], struct ctl_header *h)
{
	if (get32(in) != CTL_MAGIC)
		return -EPROTO;
	h->version = get16(in + 4);
	h->type = get16(in + 6);
	h->length = get32(in + 8);
	h->serial = get32(in + 12);
	return h->length <= CTL_MAX_PAYLOAD ? 0 : -EMSGSIZE;
}

int ctl_payload_check(const char *payload, uint32_t length)
{
	uint32_t at = 0;

	while (at < length) {
		const char *k = next(payload, length, &at);

		if (!k || !*k || !next(payload, length, &at))
			return -EBADMSG;
	}
	return 0;
}
