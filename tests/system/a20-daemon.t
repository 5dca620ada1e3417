#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: a daemon records what runs already and what is started later, says what
# it has, and begins and ends recordings without losing an event of either.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2 jq

region_new
daemon_start
tctl() {
	expect 0 "$TRACECTL" "$@"
}
tctl on
tctl start -o "$T_DIR/one"
grep -qF "$T_DIR/one" "$T_DIR/out" || fail "start does not say where"
"$TRACECTL" --json status | jq -e '.recording.running and .daemon.running' >/dev/null ||
	fail "status does not know of the recording"
ok "start, status"

expect 0 "$EXAMPLES/workers" --seconds 0.3 --processes 3 --seed 1
first=$(emitted_in "$T_DIR/out")
tctl flush
tctl stop --json
jq -e . "$T_DIR/out" >/dev/null || fail "stop --json is no JSON"
equation "$first" "$T_DIR/one"
ok "the first recording: $first events"

# Between recordings the rings go on; what they hold belongs to the next one.
tctl start -o "$T_DIR/two"
expect 0 "$EXAMPLES/workers" --seconds 0.2 --processes 2 --seed 2
second=$(emitted_in "$T_DIR/out")
tctl stop
equation "$second" "$T_DIR/two"
ok "the second recording: $second events"

expect 1 "$TRACECTL" stop
ok "stop with nothing to stop fails"

tctl start --name three
expect 0 "$EXAMPLES/workers" --seconds 0.1 --seed 3
third=$(emitted_in "$T_DIR/out")
daemon_stop
[ "$status" -eq 0 ] || fail "tracerd ended with $status"
trace=$(find "$T_DIR/traces" -name metadata)
equation "$third" "$(dirname "$trace")"
ok "SIGTERM ends the recording in order: $third events"
[ ! -s "$T_DIR/daemon.log" ] || say "$(tail -n 3 "$T_DIR/daemon.log")"
expect 1 "$TRACECTL" start
ok "no daemon: start says so: $(cat "$T_DIR/err")"
