# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
#   make check          unit tests (one program) and system tests (*.t)
#   make check-stress   the long ones
#   make check-model    the model of the ring, with spin
#   make check-abi      exported symbols
#   make lint           what can be checked without running anything of ours
#
# make check TESTS=tests/system/a10-start.t runs one.

TEST_EXTENSIONS = .t
T_LOG_COMPILER = $(SHELL) $(srcdir)/%D%/system/run-one
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	CC='$(CC)'; export CC; \
	CXX='$(CXX)'; export CXX; \
	TEST_CFLAGS='$(TEST_CFLAGS)'; export TEST_CFLAGS;

dist_noinst_SCRIPTS += %D%/system/run-one
EXTRA_DIST += %D%/system/README %D%/system/lib.sh %D%/system/cli-lib.sh %D%/system/prog-lib.sh

# ---------------------------------------------------------------- programs
#
# Those that look inside link the libraries that are not installed.

tests_inside = $(libtrcommon) $(libtrbuf_static)
tests_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/libtrbuf

check_PROGRAMS += %D%/programs/api_copy_string %D%/programs/api_record \
	%D%/stress/ring_torture %D%/tools/make_trace
TESTS += %D%/programs/api_copy_string %D%/programs/api_record

%C%_programs_api_copy_string_SOURCES = %D%/programs/api_copy_string.c
%C%_programs_api_copy_string_CFLAGS = $(AM_CFLAGS) -pthread
%C%_programs_api_copy_string_LDADD = $(libtrbuf_core)

# Is the producer itself: the record builder alone.
%C%_programs_api_record_SOURCES = %D%/programs/api_record.c
%C%_programs_api_record_CPPFLAGS = $(tests_cppflags)
%C%_programs_api_record_LDADD = $(libtrbuf_core)

%C%_stress_ring_torture_SOURCES = %D%/stress/ring_torture.c
%C%_stress_ring_torture_CPPFLAGS = $(tests_cppflags)
%C%_stress_ring_torture_CFLAGS = $(AM_CFLAGS) -pthread
%C%_stress_ring_torture_LDADD = $(tests_inside)

%C%_tools_make_trace_SOURCES = %D%/tools/make_trace.c
%C%_tools_make_trace_LDADD = $(libtrcommon) $(libtrbuf_core)

# Compiled by system tests, in several ways.
tests_compiled = \
	%D%/programs/api_types.c \
	%D%/programs/api_types.cc \
	%D%/programs/api_units.h \
	%D%/programs/api_units_a.c \
	%D%/programs/api_units_b.c \
	%D%/programs/cli_events.c \
	%D%/programs/forks.c \
	%D%/programs/life.h \
	%D%/programs/life_errno.c \
	%D%/programs/life_exec.c \
	%D%/programs/life_fds.c \
	%D%/programs/life_fork.c \
	%D%/programs/life_malloc.c \
	%D%/programs/life_seccomp.c \
	%D%/programs/life_threads.c \
	%D%/programs/loads.c \
	%D%/programs/plugin.c
EXTRA_DIST += $(tests_compiled)

# --------------------------------------------------------------------- unit

unit_sources = \
	%D%/unit/check_main.c \
	%D%/unit/suite_config.c \
	%D%/unit/suite_control.c \
	%D%/unit/suite_ctf.c \
	%D%/unit/suite_ctf_stream.c \
	%D%/unit/suite_enable.c \
	%D%/unit/suite_glob.c \
	%D%/unit/suite_json.c \
	%D%/unit/suite_parse.c \
	%D%/unit/suite_process.c \
	%D%/unit/suite_proto.c \
	%D%/unit/suite_reader.c \
	%D%/unit/suite_reader_filter.c \
	%D%/unit/suite_region.c \
	%D%/unit/suite_registry.c \
	%D%/unit/suite_ring.c \
	%D%/unit/suites.h

if HAVE_CHECK
check_PROGRAMS += %D%/unit/check_main
TESTS += %D%/unit/check_main
%C%_unit_check_main_CPPFLAGS = $(tests_cppflags) $(CHECK_CFLAGS) \
	-DTEST_SRCDIR='"$(abs_top_srcdir)"' -DTEST_BUILDDIR='"$(abs_top_builddir)"'
%C%_unit_check_main_CFLAGS = $(AM_CFLAGS) -pthread
%C%_unit_check_main_SOURCES = $(unit_sources)
%C%_unit_check_main_LDADD = $(libtracectl) $(libtracerd) $(tests_inside) $(CHECK_LIBS)
else
EXTRA_DIST += $(unit_sources)
endif

# ------------------------------------------------------------------- system

system_tests = \
	%D%/system/a10-record.t \
	%D%/system/a20-daemon.t \
	%D%/system/api-compile.t \
	%D%/system/api-trace.t \
	%D%/system/b10-exact.t \
	%D%/system/b20-late.t \
	%D%/system/b30-kill-daemon.t \
	%D%/system/c10-select.t \
	%D%/system/c20-resize.t \
	%D%/system/cli-control.t \
	%D%/system/cli-doctor.t \
	%D%/system/cli-json.t \
	%D%/system/cli-rings.t \
	%D%/system/cli-usage.t \
	%D%/system/convert-formats.t \
	%D%/system/d10-fork.t \
	%D%/system/d20-dlopen.t \
	%D%/system/view-filter.t \
	%D%/system/view-oracle.t \
	%D%/system/view-repair.t \
	%D%/system/view-stat.t \
	%D%/system/life-fds.t \
	%D%/system/life-limits.t \
	%D%/system/life-process.t \
	%D%/system/life-seccomp.t \
	%D%/system/life-threads.t \
	%D%/system/life-valgrind.t
TESTS += $(system_tests)
EXTRA_DIST += $(system_tests)

# ------------------------------------------------------------------- stress

# Short in `make check`; TRBUF_STRESS is seconds a case.

stress_tests = %D%/stress/torture.t
TESTS += $(stress_tests)
# Builds a tree of its own, so only in check-stress.
long_tests = %D%/stress/inject.t
EXTRA_DIST += $(stress_tests) $(long_tests)

check-stress: all $(check_PROGRAMS)
	TRBUF_STRESS=$${TRBUF_STRESS:-10} TRBUF_DEADLINE=$${TRBUF_DEADLINE:-3600} \
		$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(stress_tests) $(long_tests)'

# -------------------------------------------------------------------- model

dist_noinst_SCRIPTS += %D%/model/run.sh
TESTS += %D%/model/model.t
EXTRA_DIST += %D%/model/model.t %D%/model/ring.pml

check-model:
	TRBUF_DEADLINE=$${TRBUF_DEADLINE:-3600} \
		$(MAKE) $(AM_MAKEFLAGS) check check_PROGRAMS= TESTS='%D%/model/model.t'

# --------------------------------------------------------------------- lint

lint_scripts = %D%/lint/abi.sh %D%/lint/format.sh %D%/lint/headers.sh %D%/lint/includes.sh \
	%D%/lint/limits.sh %D%/lint/lists.sh %D%/lint/man.sh %D%/lint/shell.sh %D%/lint/sleeps.sh \
	%D%/lint/spdx.sh
dist_noinst_SCRIPTS += $(lint_scripts)
EXTRA_DIST += %D%/lint/lint.sh

lint: $(lib_LTLIBRARIES)
	@failed=; for lint in $(lint_scripts); do \
		if top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' CC='$(CC)' \
			$(SHELL) $(srcdir)/$$lint; \
		then echo "PASS: $$lint"; else echo "FAIL: $$lint"; failed=yes; fi; \
	done; test -z "$$failed"

check-abi: $(lib_LTLIBRARIES)
	@top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/%D%/lint/abi.sh
