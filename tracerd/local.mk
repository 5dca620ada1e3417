# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# The daemon: all but main.c in a library, for the tests. Only this directory
# knows libevent and inih.

noinst_LTLIBRARIES += %D%/libtracerd.la
sbin_PROGRAMS += %D%/tracerd

libtracerd = %D%/libtracerd.la $(LIBEVENT_LIBS) $(INIH_LIBS)

%C%_libtracerd_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBEVENT_CFLAGS) $(INIH_CFLAGS) \
	-DTRBUF_SYSCONFDIR='"$(sysconfdir)"'
%C%_libtracerd_la_CFLAGS = $(AM_CFLAGS) -pthread
%C%_libtracerd_la_SOURCES = \
	%D%/bell.c \
	%D%/bell.h \
	%D%/check.c \
	%D%/config.c \
	%D%/config.h \
	%D%/config_file.c \
	%D%/config_file.h \
	%D%/daemon.c \
	%D%/daemon.h \
	%D%/daemon_open.c \
	%D%/daemon_open.h \
	%D%/daemon_stream.c \
	%D%/drain.c \
	%D%/look.c \
	%D%/notify.c \
	%D%/notify.h \
	%D%/output.c \
	%D%/packets.c \
	%D%/recording.c \
	%D%/recording.h \
	%D%/recover.c \
	%D%/request.c \
	%D%/request.h \
	%D%/server.c \
	%D%/server.h \
	%D%/server_socket.c \
	%D%/server_socket.h \
	%D%/session.c \
	%D%/session.h \
	%D%/sigbus.c \
	%D%/sigbus.h \
	%D%/statedump.c \
	%D%/watch.c \
	%D%/watch.h

%C%_tracerd_SOURCES = %D%/main.c
%C%_tracerd_CPPFLAGS = $(%C%_libtracerd_la_CPPFLAGS)
%C%_tracerd_CFLAGS = $(AM_CFLAGS) $(TR_PIE_CFLAGS) -pthread
%C%_tracerd_LDFLAGS = $(AM_LDFLAGS) $(TR_PIE_LDFLAGS)
%C%_tracerd_LDADD = $(libtracerd) $(libtrcommon) $(libtrbuf_core)
