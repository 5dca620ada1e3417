/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Promise: what one side encodes the other decodes; nothing that comes in is
 * believed before it was checked. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/ctl_client.h"
#include "common/ctl_proto.h"
#include "tests/unit/suites.h"

static struct ctl_msg m;

START_TEST(header_bytes)
{
	static const unsigned char want[CTL_HEADER] = { 'T', 'C', 'T', 'L', 1, 0, 3, 0,
							0,   0,   0,   0,   4, 3, 2, 1 };
	unsigned char head[CTL_HEADER];
	struct ctl_header h;

	ctl_msg_init(&m, CTL_START, 0x01020304);
	ctl_header_encode(&m, head);
	ck_assert_mem_eq(head, want, sizeof(want));
	ck_assert_int_eq(ctl_header_decode(head, &h), 0);
	ck_assert_uint_eq(h.version, CTL_VERSION);
	ck_assert_uint_eq(h.type, CTL_START);
	ck_assert_uint_eq(h.length, 0);
	ck_assert_uint_eq(h.serial, 0x01020304);
}
END_TEST

START_TEST(header_refused)
{
	unsigned char head[CTL_HEADER];
	struct ctl_header h;

	ctl_msg_init(&m, CTL_HELLO, 1);
	m.length = CTL_MAX_PAYLOAD;
	ctl_header_encode(&m, head);
	ck_assert_int_eq(ctl_header_decode(head, &h), 0);
	m.length = CTL_MAX_PAYLOAD + 1;
	ctl_header_encode(&m, head);
	ck_assert_int_eq(ctl_header_decode(head, &h), -EMSGSIZE);
	head[0] ^= 1;
	ck_assert_int_eq(ctl_header_decode(head, &h), -EPROTO);
}
END_TEST

/* Another version is not an error of decoding: the peer is to be told. */
START_TEST(other_version)
{
	unsigned char head[CTL_HEADER];
	struct ctl_header h;

	ctl_msg_init(&m, CTL_HELLO, 1);
	m.version = 7;
	ctl_header_encode(&m, head);
	ck_assert_int_eq(ctl_header_decode(head, &h), 0);
	ck_assert_uint_eq(h.version, 7);
}
END_TEST

START_TEST(pairs)
{
	ctl_msg_init(&m, CTL_STATUS, 1);
	ck_assert_int_eq(ctl_msg_add(&m, "path", "/a b\n"), 0);
	ck_assert_int_eq(ctl_msg_add(&m, "empty", ""), 0);
	ck_assert_int_eq(ctl_msg_add_u64(&m, "n", UINT64_MAX), 0);
	ck_assert_int_eq(ctl_msg_add(&m, "path", "second"), 0);
	ck_assert_int_eq(ctl_msg_add(&m, "", "x"), -EINVAL);
	ck_assert_int_eq(ctl_payload_check(m.payload, m.length), 0);
	ck_assert_str_eq(ctl_msg_get(&m, "path"), "/a b\n");
	ck_assert_str_eq(ctl_msg_get(&m, "empty"), "");
	ck_assert_ptr_null(ctl_msg_get(&m, "pat"));
	ck_assert(ctl_msg_get_u64(&m, "n", 0) == UINT64_MAX);
	ck_assert_uint_eq(ctl_msg_get_u64(&m, "path", 5), 5);
	ck_assert_uint_eq(ctl_msg_get_u64(&m, "empty", 5), 5);
	ck_assert_uint_eq(ctl_msg_get_u64(&m, "none", 5), 5);
}
END_TEST

/* A value is not taken for a key. */
START_TEST(keys_only)
{
	ctl_msg_init(&m, CTL_START, 1);
	ctl_msg_add(&m, "name", "dir");
	ctl_msg_add(&m, "x", "y");
	ck_assert_ptr_null(ctl_msg_get(&m, "dir"));
}
END_TEST

START_TEST(full)
{
	static char value[CTL_MAX_PAYLOAD];

	memset(value, 'v', sizeof(value) - 1);
	ctl_msg_init(&m, CTL_START, 1);
	ck_assert_int_eq(ctl_msg_add(&m, "k", value), -EMSGSIZE);
	ck_assert_uint_eq(m.length, 0);
	value[CTL_MAX_PAYLOAD - 3] = '\0';
	ck_assert_int_eq(ctl_msg_add(&m, "k", value), 0);
	ck_assert_uint_eq(m.length, CTL_MAX_PAYLOAD);
	ck_assert_int_eq(ctl_msg_add(&m, "k", ""), -EMSGSIZE);
	ck_assert_int_eq(ctl_payload_check(m.payload, m.length), 0);
	ck_assert_str_eq(ctl_msg_get(&m, "k"), value);
}
END_TEST

#define P(text) \
	{ \
		text, sizeof(text) - 1 \
	}
static const struct {
	const char *bytes;
	size_t size;
} malformed[] = {
	P("a"),         P("a\0"),         P("a\0b"), P("\0b\0"),
	P("a\0b\0c\0"), P("a\0b\0\0d\0"), P("\0"),   P("\0\0"),
};

START_TEST(malformed_cases)
{
	ctl_msg_init(&m, CTL_START, 1);
	memset(m.payload, 'z', 64);
	memcpy(m.payload, malformed[_i].bytes, malformed[_i].size);
	m.length = (uint32_t)malformed[_i].size;
	ck_assert_int_eq(ctl_payload_check(m.payload, m.length), -EBADMSG);
	/* Looking into it all the same stays inside. */
	ctl_msg_get(&m, "nothing");
}
END_TEST

/* Random bytes: either refused, or every key can be asked for. */
START_TEST(noise)
{
	unsigned seed = 1;

	for (int round = 0; round < 20000; round++) {
		ctl_msg_init(&m, CTL_START, 1);
		m.length = (uint32_t)(rand_r(&seed) % 24);
		for (uint32_t i = 0; i < m.length; i++)
			m.payload[i] = (char)(rand_r(&seed) % 3 ? 'a' : 0);
		if (ctl_payload_check(m.payload, m.length) == 0 && m.length)
			ck_assert_ptr_nonnull(ctl_msg_get(&m, m.payload));
	}
}
END_TEST

START_TEST(addresses)
{
	char dir[200] = "/tmp/", path[300];
	struct sockaddr_un a;
	struct fault f;
	socklen_t len;
	int dirfd;

	ck_assert_int_eq(ctl_address("/tmp/x.sock", &a, &len, &dirfd, &f), 0);
	ck_assert_int_eq(dirfd, -1);
	ck_assert_str_eq(a.sun_path, "/tmp/x.sock");
	/* Longer than sun_path, in a directory that is there. */
	for (int i = 0; i < 60; i++)
		strcat(dir, "./");
	snprintf(path, sizeof(path), "%sx.sock", dir);
	ck_assert_int_eq(ctl_address(path, &a, &len, &dirfd, &f), 0);
	ck_assert_int_ge(dirfd, 0);
	ck_assert_int_eq(strncmp(a.sun_path, "/proc/self/fd/", 14), 0);
	close(dirfd);
	memset(path, 'n', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	ck_assert_int_lt(ctl_address(path, &a, &len, &dirfd, &f), 0);
	ck_assert_int_eq(dirfd, -1);
}
END_TEST

START_TEST(no_daemon)
{
	char dir[] = "/tmp/trbuf-unit.XXXXXX", path[64];
	struct fault f = { "" };

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/region", dir);
	ck_assert_int_eq(ctl_connect(path, 100, &f), -ENOENT);
	ck_assert_ptr_nonnull(strstr(f.text, "no daemon"));
	rmdir(dir);
}
END_TEST

Suite *suite_proto(void)
{
	Suite *s = suite_create("proto");
	TCase *t = tcase_create("proto");

	tcase_add_test(t, header_bytes);
	tcase_add_test(t, header_refused);
	tcase_add_test(t, other_version);
	tcase_add_test(t, pairs);
	tcase_add_test(t, keys_only);
	tcase_add_test(t, full);
	tcase_add_loop_test(t, malformed_cases, 0, (int)(sizeof(malformed) / sizeof(malformed[0])));
	tcase_add_test(t, noise);
	tcase_add_test(t, addresses);
	tcase_add_test(t, no_daemon);
	suite_add_tcase(s, t);
	return s;
}
