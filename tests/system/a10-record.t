#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: `tracectl record` records a program with nothing set up, to the last
# event, ends with the program's status, and leaves nothing running.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2

expect 0 "$TRACECTL" record -o "$T_DIR/t" --ring-size 64M -- "$EXAMPLES/primes" --seconds 0.05
numbers=$(sed -n 's/^numbers \([0-9]*\) primes \([0-9]*\) .*/\1/p' "$T_DIR/out")
primes=$(sed -n 's/^numbers \([0-9]*\) primes \([0-9]*\) .*/\2/p' "$T_DIR/out")
[ "${numbers:-0}" -gt 0 ] || fail "primes tested no numbers"
grep -qF "$T_DIR/t" "$T_DIR/err" || fail "it does not say where the trace is"
ok "record: $(tail -n 1 "$T_DIR/err")"

bt2_read "$T_DIR/t"
[ "$discarded" -eq 0 ] || fail "$discarded events missed, with rings of 64M"
recorded=$(grep -c ' primes:number: ' "$T_DIR/text")
[ "$recorded" -eq "$numbers" ] || fail "$numbers numbers, but $recorded events"
[ "$(grep -c ' primes:number: .*prime = 1' "$T_DIR/text")" -eq "$primes" ] ||
	fail "not $primes primes in the trace"
for span in fill_page put_page get_page test_page is_prime; do
	[ "$(grep -c " primes:${span}_begin: " "$T_DIR/text")" -eq \
		"$(grep -c " primes:${span}_end: " "$T_DIR/text")" ] || fail "$span: begins and ends differ"
done
ok "babeltrace2 reads it: $recorded numbers, $primes primes, spans in pairs"

expect 0 "$TRACECTL" view "$T_DIR/t"
[ ! -s "$T_DIR/err" ] || fail "view complains"
viewed=$(grep -c 'primes:number' "$T_DIR/out")
[ "$viewed" -eq "$numbers" ] || fail "view shows $viewed numbers of $numbers"
ok "view shows the same"

expect 7 "$TRACECTL" record -o "$T_DIR/t7" -- sh -c 'exit 7'
expect 143 "$TRACECTL" record -o "$T_DIR/t143" -- sh -c 'kill -TERM $$'
expect 127 "$TRACECTL" record -o "$T_DIR/t127" -- "$T_DIR/nosuch"
bt2_read "$T_DIR/t7"
ok "the status is the command's"

expect 2 "$TRACECTL" record -o "$T_DIR/t2"
expect 1 "$TRACECTL" record -o "$T_DIR/t" -- true
ok "no command, and a directory that is in use"

# Small rings and a fast program: with --strict the status says that events are missing.
run "$TRACECTL" record --strict --ring-size 64k --page-size 4k -o "$T_DIR/strict" -- \
	"$EXAMPLES/primes" --seconds 0.2
bt2_read "$T_DIR/strict"
[ "$discarded" -gt 0 ] && want=3 || want=0
[ "$status" -eq "$want" ] || fail "--strict: status $status with $discarded missed"
ok "--strict: status $status with $discarded missed"

expect 0 "$TRACECTL" record -e primes:number -o "$T_DIR/one" -- "$EXAMPLES/primes" --seconds 0.05
bt2_read "$T_DIR/one"
[ "$(grep -c ' primes:number: ' "$T_DIR/text")" -eq "$events" ] && [ "$events" -gt 0 ] ||
	fail "-e primes:number recorded other events, or none"
ok "-e: only what was asked for, $events events"
