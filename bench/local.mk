# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Everything that measures. Programs go to EXTRA_PROGRAMS: `make` does not build
# them. bench/run starts them, builds and starts the peers' twins where the
# peers are installed, and prints one table against the bars of bench/bars.py.
#
#   make bench                       the short form, under ten minutes
#   make bench BENCH_ARGS=--full     all of it
#   make bench BENCH_ARGS='emit primes --json results.json'

bench_programs = %D%/attach %D%/disabled %D%/emit %D%/latency %D%/one_event_none \
	%D%/one_event_trbuf %D%/primes_off %D%/produce %D%/register_events %D%/with_region
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)

bench_common = %D%/bench.c %D%/bench.h
bench_twin = %D%/twin.c %D%/twin.h %D%/twin_trbuf.c
bench_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/libtrbuf
bench_libs = $(libtrbuf_shared) -lm -ldl

%C%_attach_SOURCES = %D%/attach.c $(bench_common)
%C%_attach_LDADD = -lm

%C%_disabled_SOURCES = %D%/disabled.c $(bench_common) $(bench_twin)
%C%_disabled_CPPFLAGS = $(bench_cppflags)
%C%_disabled_LDADD = $(bench_libs)

%C%_emit_SOURCES = %D%/emit.c $(bench_common) $(bench_twin)
%C%_emit_CPPFLAGS = $(bench_cppflags)
%C%_emit_CFLAGS = $(AM_CFLAGS) -pthread
%C%_emit_LDADD = $(bench_libs)

%C%_latency_SOURCES = %D%/latency.c $(bench_common)
%C%_latency_CPPFLAGS = $(bench_cppflags)
%C%_latency_CFLAGS = $(AM_CFLAGS) -pthread
%C%_latency_LDADD = $(bench_libs)

%C%_one_event_none_SOURCES = %D%/one_event.c
%C%_one_event_none_CPPFLAGS = $(bench_cppflags) -DBENCH_NONE

%C%_one_event_trbuf_SOURCES = %D%/one_event.c
%C%_one_event_trbuf_CPPFLAGS = $(bench_cppflags)
%C%_one_event_trbuf_LDADD = $(libtrbuf_shared)

# The example without its trace points.
%C%_primes_off_SOURCES = examples/primes.c
%C%_primes_off_CPPFLAGS = $(bench_cppflags) -DTRBUF_DISABLE
%C%_primes_off_CFLAGS = $(AM_CFLAGS) -pthread

%C%_produce_SOURCES = %D%/produce.c $(bench_common) $(bench_twin)
%C%_produce_CPPFLAGS = $(bench_cppflags)
%C%_produce_CFLAGS = $(AM_CFLAGS) -pthread
%C%_produce_LDADD = $(bench_libs)

%C%_register_events_SOURCES = %D%/register_events.c $(bench_common)
%C%_register_events_CPPFLAGS = $(bench_cppflags)
%C%_register_events_LDADD = $(bench_libs)

# Is the consumer itself.
%C%_with_region_SOURCES = %D%/with_region.c $(bench_common)
%C%_with_region_CFLAGS = $(AM_CFLAGS) -pthread
%C%_with_region_LDADD = $(libtrbuf_core) -lm

dist_noinst_SCRIPTS += %D%/run
EXTRA_DIST += %D%/bars.py %D%/machine.py %D%/peers.py %D%/questions.py %D%/growth.py %D%/twins

bench: all $(bench_programs)
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' CC='$(CC)' \
		$(srcdir)/%D%/run $(BENCH_ARGS)
