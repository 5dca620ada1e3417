# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Programs a user would copy from: they include <trbuf.h> and link libtrbuf.la,
# as an application does.

noinst_PROGRAMS += %D%/hello %D%/primes %D%/primes_cxx %D%/workers

examples_cppflags = -I$(top_srcdir)/libtrbuf

%C%_hello_SOURCES = %D%/hello.c
%C%_hello_CPPFLAGS = $(examples_cppflags)
%C%_hello_LDADD = $(libtrbuf_shared)

%C%_primes_SOURCES = %D%/primes.c
%C%_primes_CPPFLAGS = $(examples_cppflags)
%C%_primes_CFLAGS = $(AM_CFLAGS) -pthread
%C%_primes_LDADD = $(libtrbuf_shared)

%C%_primes_cxx_SOURCES = %D%/primes_cxx.cc
%C%_primes_cxx_CPPFLAGS = $(examples_cppflags)
%C%_primes_cxx_CXXFLAGS = $(AM_CXXFLAGS) -pthread
%C%_primes_cxx_LDADD = $(libtrbuf_shared)

%C%_workers_SOURCES = %D%/workers.c
%C%_workers_CPPFLAGS = $(examples_cppflags)
%C%_workers_CFLAGS = $(AM_CFLAGS) -pthread
%C%_workers_LDADD = $(libtrbuf_shared)
