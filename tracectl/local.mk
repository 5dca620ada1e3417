# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# The command line: all but main.c in a library, for the tests.

noinst_LTLIBRARIES += %D%/libtracectl.la
bin_PROGRAMS += %D%/tracectl

libtracectl = %D%/libtracectl.la -lm

%C%_libtracectl_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DTRBUF_SBINDIR='"$(sbindir)"' \
	-DTRBUF_BINDIR='"$(bindir)"' \
	-DTRBUF_LIBEXECDIR='"$(libexecdir)"'
%C%_libtracectl_la_CFLAGS = $(AM_CFLAGS) -pthread
%C%_libtracectl_la_SOURCES = \
	%D%/cmd.c \
	%D%/cmd.h \
	%D%/cmd_convert.c \
	%D%/cmd_cpus.c \
	%D%/cmd_doctor.c \
	%D%/cmd_enable.c \
	%D%/cmd_flush.c \
	%D%/cmd_list.c \
	%D%/cmd_mask.c \
	%D%/cmd_mode.c \
	%D%/cmd_on.c \
	%D%/cmd_record.c \
	%D%/cmd_repair.c \
	%D%/cmd_resize.c \
	%D%/cmd_start.c \
	%D%/cmd_stat.c \
	%D%/cmd_status.c \
	%D%/cmd_stop.c \
	%D%/cmd_top.c \
	%D%/cmd_verify.c \
	%D%/cmd_view.c \
	%D%/daemon_call.c \
	%D%/daemon_call.h \
	%D%/doctor.h \
	%D%/doctor_events.c \
	%D%/doctor_orphans.c \
	%D%/doctor_rings.c \
	%D%/enable_plan.c \
	%D%/enable_plan.h \
	%D%/event_set.c \
	%D%/event_set.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/filter_eval.c \
	%D%/filter_expr.h \
	%D%/filter_parse.c \
	%D%/json.c \
	%D%/json.h \
	%D%/list_processes.c \
	%D%/list_processes.h \
	%D%/out.h \
	%D%/out_buf.c \
	%D%/out_buf.h \
	%D%/out_chrome.c \
	%D%/out_csv.c \
	%D%/out_ctf.c \
	%D%/out_ctf.h \
	%D%/out_ctf_file.c \
	%D%/out_folded.c \
	%D%/out_json.c \
	%D%/out_names.c \
	%D%/out_names.h \
	%D%/out_run.c \
	%D%/out_run.h \
	%D%/out_span.c \
	%D%/out_span.h \
	%D%/out_text.c \
	%D%/out_time.c \
	%D%/out_time.h \
	%D%/out_value.c \
	%D%/reader/ledger.c \
	%D%/reader/ledger.h \
	%D%/reader/meta.h \
	%D%/reader/meta_plan.c \
	%D%/reader/reader.c \
	%D%/reader/reader.h \
	%D%/reader/stream.c \
	%D%/reader/stream.h \
	%D%/reader/stream_packet.c \
	%D%/reader/trace.c \
	%D%/reader/trace.h \
	%D%/reader/tsdl.c \
	%D%/reader/tsdl.h \
	%D%/reader/tsdl_alias.c \
	%D%/reader/tsdl_lex.c \
	%D%/reader/tsdl_type.c \
	%D%/record.h \
	%D%/record_child.c \
	%D%/record_daemon.c \
	%D%/record_region.c \
	%D%/region_tool.c \
	%D%/region_tool.h \
	%D%/repair.h \
	%D%/repair_stream.c \
	%D%/ring_state.c \
	%D%/ring_state.h \
	%D%/stat.h \
	%D%/stat_count.c \
	%D%/stat_hist.c \
	%D%/stat_json.c \
	%D%/stat_print.c \
	%D%/status_print.c \
	%D%/status_print.h \
	%D%/text.c \
	%D%/text.h \
	%D%/top_sample.c \
	%D%/top_sample.h \
	%D%/view_follow.c \
	%D%/view_trace.c \
	%D%/view_trace.h

%C%_tracectl_SOURCES = %D%/main.c
%C%_tracectl_CFLAGS = $(AM_CFLAGS) $(TR_PIE_CFLAGS) -pthread
%C%_tracectl_LDFLAGS = $(AM_LDFLAGS) $(TR_PIE_LDFLAGS)
%C%_tracectl_LDADD = $(libtracectl) $(libtrcommon) $(libtrbuf_core)
