#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: daemon and programs may come in any order. What was emitted into the
# rings before there was a daemon is in its first recording, or counted there.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2

late() { # NAME MODE RING-SIZE
	region_new
	expect 0 "$TRACECTL" on
	expect 0 "$TRACECTL" mode "$2"
	expect 0 "$TRACECTL" resize "$3"
	expect 0 "$EXAMPLES/workers" --seconds 0.2 --processes 3 --seed 5
	before=$(emitted_in "$T_DIR/out")
	daemon_start --output "$T_DIR/$1"
	expect 0 "$TRACECTL" start -o "$T_DIR/$1.trace"
	expect 0 "$EXAMPLES/workers" --seconds 0.2 --processes 3 --seed 6
	emitted=$((before + $(emitted_in "$T_DIR/out")))
	expect 0 "$TRACECTL" stop
	daemon_stop
	equation "$emitted" "$T_DIR/$1.trace"
	ok "$1: $before before the daemon came, $emitted in all: recorded $events missed $discarded"
}

late all-there discard 64M
[ "$discarded" -eq 0 ] || fail "events missed though the rings had room"
late full-discard discard 256k
late full-overwrite overwrite 256k

# The program was there before anything was switched on, with the region it made.
region_new
"$EXAMPLES/workers" --seconds 2 --processes 1 --seed 7 >"$T_DIR/early" 2>&1 &
early=$!
track $early
wait_until 30 test -e "$TRBUF_REGION" || fail "the program made no region"
daemon_start --on --record
wait_until 60 t_ended $early || fail "workers do not end"
untrack $early
daemon_stop
trace=$(find "$T_DIR/traces" -name metadata)
bt2_read "$(dirname "$trace")"
[ "$events" -gt 0 ] || fail "a program that ran already is not in the trace"
ok "a program that ran already: recorded $events missed $discarded"
