/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Promise: each process that attached has an entry until it is known to be
 * dead, a full table refuses and counts, and no word of it is believed.
 */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libtrbuf/process.h"
#include "tests/unit/suites.h"

static char dir[64], path[80];
static struct region region;
static struct fault fault;
static struct process_info info;

static void setup(void)
{
	struct region_settings s = REGION_SETTINGS_DEFAULT;

	s.map_size = UINT64_C(256) << 20;
	strcpy(dir, "/tmp/trbuf-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/region", dir);
	ck_assert_msg(region_open(&region, path, REGION_CREATE, &s, &fault) == 0, "%s", fault.text);
}

static void teardown(void)
{
	region_close(&region);
	unlink(path);
	rmdir(dir);
}

static struct layout_process *t_entry(uint32_t index)
{
	return (struct layout_process *)(region.base +
					 region.hdr->process_chunk[index / LAYOUT_PROCESS_PER_CHUNK]) +
	       index % LAYOUT_PROCESS_PER_CHUNK;
}

START_TEST(attach_and_detach)
{
	uint32_t got = process_attach(&region, 0, 1);

	ck_assert_uint_eq(got, 1);
	ck_assert_int_eq(process_get(&region, 0, &info), 1);
	ck_assert_uint_eq(info.pid, (unsigned)getpid());
	ck_assert_uint_eq(info.uid, (unsigned)getuid());
	ck_assert_uint_eq(info.locked, 1);
	ck_assert_uint_eq(info.state, LAYOUT_PROCESS_LIVE);
	ck_assert_int_eq(process_dead(&info), 0);
	ck_assert_int_eq(process_thread_dead(&region, got, (uint32_t)gettid()), 0);
	process_detach(&region, got);
	ck_assert_int_eq(process_get(&region, 0, &info), 0); /* never emitted */

	got = process_attach(&region, 0, 0);
	ck_assert_uint_eq(got, 1);
	process_emits(&region, got);
	process_detach(&region, got);
	ck_assert_int_eq(process_get(&region, 0, &info), 1);
	ck_assert_uint_eq(info.state, LAYOUT_PROCESS_EXITED);
	ck_assert_uint_ne(info.exited, 0);
	process_free(&region, &info);
	ck_assert_int_eq(process_get(&region, 0, &info), 0);
}
END_TEST

/* An entry of a process that is gone; its index + 1. */
static uint32_t t_killed(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		process_emits(&region, process_attach(&region, 0, 0));
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	for (uint32_t i = 0; i < LAYOUT_MAX_PROCESSES; i++)
		if (process_get(&region, i, &info) && info.pid == (uint32_t)pid)
			return i + 1;
	ck_abort_msg("no entry");
	return 0;
}

START_TEST(killed)
{
	struct process_info old;
	uint32_t got = t_killed();

	ck_assert_int_eq(process_dead(&info), 1);
	ck_assert_int_eq(process_thread_dead(&region, got, info.pid), 1);
	old = info;
	process_free(&region, &old);
	ck_assert_int_eq(process_get(&region, got - 1, &info), 0);

	/* The entry has a new owner: what was known of the old one frees nothing. */
	ck_assert_uint_eq(process_attach(&region, 0, 0), got);
	process_free(&region, &old);
	ck_assert_int_eq(process_get(&region, got - 1, &info), 1);
	ck_assert_uint_ne(info.use, old.use);
}
END_TEST

START_TEST(pid_used_again)
{
	uint32_t got = process_attach(&region, 0, 0);

	t_entry(got - 1)->start_time++;
	ck_assert_int_eq(process_get(&region, got - 1, &info), 1);
	ck_assert_int_eq(process_dead(&info), 1);
	t_entry(got - 1)->pid_ns++; /* of another namespace: never certain */
	ck_assert_int_eq(process_get(&region, got - 1, &info), 1);
	ck_assert_int_eq(process_dead(&info), 0);
}
END_TEST

START_TEST(inherits)
{
	uint32_t parent = process_attach(&region, 0, 0), child;
	struct process_info other;

	child = process_attach(&region, parent, 0);
	ck_assert_int_eq(process_get(&region, parent - 1, &info), 1);
	ck_assert_int_eq(process_get(&region, child - 1, &other), 1);
	ck_assert_uint_eq(other.parent, parent);
	ck_assert_uint_eq(other.nmodules, info.nmodules);
	ck_assert_uint_eq(other.module[0].module, info.module[0].module);
}
END_TEST

START_TEST(full_table)
{
	uint32_t first = process_attach(&region, 0, 0);

	for (uint32_t i = 1; i < LAYOUT_MAX_PROCESSES; i++)
		ck_assert_uint_eq(process_attach(&region, first, 0), i + 1);
	ck_assert_uint_eq(process_attach(&region, first, 0), 0);
	ck_assert_uint_eq(region.hdr->processes_refused, 1);
	process_emits(&region, 0);
	process_detach(&region, 0);
	process_modules(&region, 0);
	process_detach(&region, 4000);
	ck_assert_uint_eq(process_attach(&region, first, 0), 4000);
}
END_TEST

START_TEST(killed_while_claiming)
{
	uint32_t got = t_killed();
	struct layout_process *p = t_entry(got - 1);

	p->state = (p->state & ~UINT64_C(0xff)) | LAYOUT_PROCESS_CLAIMED;
	ck_assert_int_eq(process_get(&region, got - 1, &info), 0);
	process_sweep(&region);
	ck_assert_uint_eq(process_attach(&region, 0, 0), got);
	process_sweep(&region);
	ck_assert_int_eq(process_get(&region, got - 1, &info), 1);
}
END_TEST

START_TEST(spoilt)
{
	uint32_t got = process_attach(&region, 0, 0);
	static const uint64_t chunks[] = { 8, UINT64_MAX, UINT64_MAX - 65535, UINT64_C(1) << 39 };

	memset(t_entry(got - 1)->module, 0xff, sizeof(t_entry(0)->module));
	memset(t_entry(got - 1)->comm, 'x', 16);
	t_entry(got - 1)->modules = UINT32_MAX;
	t_entry(got - 1)->pid = UINT32_MAX;
	ck_assert_int_eq(process_get(&region, got - 1, &info), 1);
	ck_assert_uint_le(info.nmodules, LAYOUT_PROCESS_MODULES);
	ck_assert_uint_eq(strlen(info.comm), 16);
	process_dead(&info);
	t_entry(got - 1)->state = UINT64_MAX;
	ck_assert_int_eq(process_get(&region, got - 1, &info), 0);
	for (unsigned i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		region.hdr->process_chunk[0] = chunks[i];
		ck_assert_int_eq(process_get(&region, 0, &info), 0);
		process_sweep(&region);
		process_emits(&region, 1);
		process_detach(&region, 1);
	}
	ck_assert_int_eq(process_get(&region, UINT32_MAX, &info), 0);
	ck_assert_int_eq(process_get(&region, LAYOUT_MAX_PROCESSES, &info), 0);
}
END_TEST

Suite *suite_process(void)
{
	Suite *s = suite_create("process");
	TCase *t = tcase_create("process");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, attach_and_detach);
	tcase_add_test(t, killed);
	tcase_add_test(t, pid_used_again);
	tcase_add_test(t, inherits);
	tcase_add_test(t, full_table);
	tcase_add_test(t, killed_while_claiming);
	tcase_add_test(t, spoilt);
	suite_add_tcase(s, t);
	return s;
}
