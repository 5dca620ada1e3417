# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# What the two programs share. Knows neither libevent nor inih.

noinst_LTLIBRARIES += %D%/libtrcommon.la
libtrcommon = %D%/libtrcommon.la

%C%_libtrcommon_la_SOURCES = \
	%D%/ctf_meta.c \
	%D%/ctf_meta.h \
	%D%/ctf_meta_event.c \
	%D%/ctf_packet.c \
	%D%/ctf_packet.h \
	%D%/ctf_stream.c \
	%D%/ctf_stream.h \
	%D%/ctf_text.c \
	%D%/ctf_types.c \
	%D%/ctf_types.h \
	%D%/ctl_client.c \
	%D%/ctl_client.h \
	%D%/ctl_proto.c \
	%D%/ctl_proto.h \
	%D%/log.c \
	%D%/log.h \
	%D%/parse.c \
	%D%/parse.h \
	%D%/parse_cpus.c \
	%D%/settings.c \
	%D%/settings.h
