# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
#   libtrbuf-core.la       both halves of the ring; programs and tests link it
#   libtrbuf-producer.la   the API; tests that look inside link it and the core
#   libtrbuf.la            the two together, installed

noinst_LTLIBRARIES += %D%/libtrbuf-core.la %D%/libtrbuf-producer.la
lib_LTLIBRARIES += %D%/libtrbuf.la

libtrbuf_core = %D%/libtrbuf-core.la
libtrbuf_static = %D%/libtrbuf-producer.la %D%/libtrbuf-core.la
libtrbuf_shared = %D%/libtrbuf.la

include_HEADERS += \
	%D%/trbuf.h \
	%D%/trbuf_fields.h \
	%D%/trbuf_macros.h

%C%_libtrbuf_core_la_SOURCES = \
	%D%/clock.c \
	%D%/clock.h \
	%D%/control.c \
	%D%/control.h \
	%D%/copy_string.c \
	%D%/doorbell.c \
	%D%/doorbell.h \
	%D%/fault.c \
	%D%/glob.c \
	%D%/inject.c \
	%D%/inject.h \
	%D%/layout.h \
	%D%/layout_check.c \
	%D%/layout_check.h \
	%D%/process.c \
	%D%/process.h \
	%D%/process_modules.c \
	%D%/process_modules.h \
	%D%/producer.h \
	%D%/record.c \
	%D%/record.h \
	%D%/region.c \
	%D%/region.h \
	%D%/region_create.c \
	%D%/region_create.h \
	%D%/region_path.c \
	%D%/region_pool.c \
	%D%/registry.h \
	%D%/registry_add.c \
	%D%/registry_heap.c \
	%D%/registry_heap.h \
	%D%/registry_scan.c \
	%D%/ring.h \
	%D%/ring_locked.c \
	%D%/ring_pool.c \
	%D%/ring_pool.h \
	%D%/ring_read.c \
	%D%/ring_read.h \
	%D%/ring_recover.c \
	%D%/ring_setup.c \
	%D%/ring_setup.h \
	%D%/ring_switch.c \
	%D%/ring_write.c \
	%D%/ring_write.h \
	%D%/rseq.h \
	%D%/rseq_aarch64.h \
	%D%/rseq_none.h \
	%D%/rseq_test.c \
	%D%/rseq_test.h \
	%D%/rseq_x86_64.h \
	%D%/sync.h

%C%_libtrbuf_producer_la_SOURCES = %D%/producer.c

%C%_libtrbuf_la_SOURCES =
%C%_libtrbuf_la_LIBADD = $(libtrbuf_static)
%C%_libtrbuf_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined \
	-version-info $(LIBTRBUF_VERSION_INFO) \
	-Wl,--version-script=$(top_srcdir)/%D%/libtrbuf.map \
	-Wl,-z,nodelete
EXTRA_%C%_libtrbuf_la_DEPENDENCIES = %D%/libtrbuf.map

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = %D%/trbuf.pc

EXTRA_DIST += %D%/libtrbuf.map
