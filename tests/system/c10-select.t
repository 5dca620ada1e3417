#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: what is switched by class, by glob and by level, before the program starts or
# while it runs, is what the trace holds, and the rest is neither recorded nor missed.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/cli-lib.sh"
need babeltrace2

program_build
region_new
tctl disable net # no program has registered it yet
tctl on
daemon_start
tctl start -o "$T_DIR/t"
program_start
program_emit 100 # disk:read disk:state
tctl enable 'net:r*'
program_emit 10 # and net:rx
tctl enable '*'
tctl enable '*' --level err
program_emit 1000 # disk:state
tctl mask -disk
program_emit 1000 # nothing
tctl mask all
tctl enable '*'
program_emit 1 # all
tctl off
program_emit 1000
tctl stop
program_stop
daemon_stop

bt2_read "$T_DIR/t"
count() {
	[ "$(grep -c " $1: " "$T_DIR/text")" -eq "$2" ] ||
		fail "$1: $(grep -c " $1: " "$T_DIR/text") in the trace, not $2"
	ok "$1: $2"
}
count net:rx 11
count net:poll 1
count disk:read 111
count disk:state 1111
[ "$discarded" -eq 0 ] || fail "$discarded missed"
equation 1234 "$T_DIR/t"
ok "nothing else"
