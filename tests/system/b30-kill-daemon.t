#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: `kill -9` of the daemon, again and again, costs nothing: the next one goes
# on in the same directory, each event there once; what is there is always readable.
#
# deadline: 600
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2 jq

again() { # NAME MODE [COMMAND]
	region_new
	daemon_start --mode "$2" --ring-size 1M --page-size 4k --flush 20ms
	expect 0 "$TRACECTL" on
	expect 0 "$TRACECTL" start -o "$T_DIR/$1"
	${3:-} "$EXAMPLES/workers" --seconds 2 --processes 1 --seed 9 >"$T_DIR/workers" &
	workers=$!
	track $workers
	i=0
	while [ $i -lt 6 ]; do
		size=$(du -sb "$T_DIR/$1" | cut -f1)
		wait_until 10 larger "$T_DIR/$1" "$size" || break
		daemon_kill
		# Reading takes its time, in which no daemon runs: not each time.
		[ $i -ne 1 ] || bt2_read "$T_DIR/$1"
		daemon_start --mode "$2" --flush 20ms
		"$TRACECTL" --json status | jq -e .recording.running >/dev/null ||
			fail "the next daemon does not go on recording"
		i=$((i + 1))
	done
	wait_until 60 t_ended $workers || fail "workers do not end"
	untrack $workers
	expect 0 "$TRACECTL" stop
	daemon_stop
	equation "$(emitted_in "$T_DIR/workers")" "$T_DIR/$1"
	[ $i -gt 0 ] || fail "$1: no daemon wrote anything"
	ok "$1: $i daemons killed: recorded $events missed $discarded"
}

larger() {
	[ "$(du -sb "$1" | cut -f1)" -gt "$2" ]
}

again discard discard
again overwrite overwrite
again locked discard locked
