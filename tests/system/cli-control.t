#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: on, off, enable, disable and mask decide what a running program
# emits, to the last event, with no daemon and without a restart; rules hold
# for events to come; a tool killed half-way is mended by the next.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/cli-lib.sh"

program_build
region_new

# emits ROUNDS WANT: so many events more are emitted
emits() {
	before=$(counter .totals.emitted)
	program_emit "$1"
	after=$(counter .totals.emitted)
	[ $((after - before)) -eq "$2" ] || fail "$1 rounds emitted $((after - before)), not $2: $3"
}

tctl disable 'net:poll'
grep -q '^0 registered events match, 0 changed; the rule is kept' "$T_DIR/out" ||
	fail "no word about events to come: $(cat "$T_DIR/out")"
program_start
emits 10 0 "a new region is off"
tctl on
emits 10 30 "a rule for an event to come"
ok "a region set up before the program starts"

tctl off
emits 10 0 "off"
tctl on
emits 5 15 "on again"
ok "on and off"

tctl enable net
emits 5 20 "all on"
tctl disable '*' --exclude 'disk:r*'
emits 5 5 "only disk:read"
tctl enable '*:r*'
emits 5 10 "net:rx and disk:read"
tctl enable '*' --level notice
emits 5 10 "up to notice: disk:read and disk:state"
tctl enable '*'
emits 5 20 "all again"
ok "patterns, --exclude and --level"

tctl enable nothing:here --json
[ "$(jq -c '[.matched,.changed]' "$T_DIR/out")" = '[0,0]' ] || fail "no match is said"
tctl disable 'net:*' --dry-run --json
[ "$(jq -c '[.matched,.changed,(.changes|map(.event)|sort)]' "$T_DIR/out")" = \
	'[2,2,["net:poll","net:rx"]]' ] || fail "--dry-run says what would change"
emits 5 20 "--dry-run changed something"
ok "counts and --dry-run"

tctl mask none
emits 5 0 "empty mask"
tctl enable net:rx
emits 5 5 "enable takes the class into the mask and leaves its other events off"
tctl mask +disk
emits 5 15 "disk by its mask bit"
tctl mask -net
emits 5 10 "without net"
tctl mask all
tctl enable '*'
emits 5 20 "mask all"
tctl mask 0
[ "$("$TRACECTL" --json mask | jq -r .mask)" = 0x0 ] || fail "mask 0"
tctl mask 0xffffffffffffffff
expect 1 "$TRACECTL" mask +nosuch
expect 2 "$TRACECTL" mask 0x1ffffffffffffffff
emits 5 20 "a wrong mask changed something"
ok "mask"

i=0
while [ $i -lt 100 ]; do
	"$TRACECTL" disable "net:e$i" >"$T_DIR/out" 2>"$T_DIR/err" || break
	i=$((i + 1))
done
[ $i -lt 100 ] || fail "there is room for 100 rules?"
grep -q 'no room for another rule' "$T_DIR/err" || fail "no reason"
tctl enable '*'
emits 5 20 "after a full table of rules"
ok "a full table of rules is said and can be emptied"

# Killed at any moment: the next change makes all gates right again.
i=0
while [ $i -lt 30 ]; do
	"$TRACECTL" disable '*' >/dev/null 2>&1 &
	pid=$!
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	i=$((i + 1))
done
tctl enable '*'
tctl on
emits 5 20 "after tools were killed"
[ "$("$TRACECTL" --json list events | jq '[.events[] | select(.gate_lags)] | length')" = 0 ] ||
	fail "a gate lags behind"
ok "tools killed half-way"

program_stop
[ "$(counter '.totals | .emitted == .events + .missed + ([.lost[]] | add)')" = true ] ||
	fail "totals do not add up"
[ "$(counter '([.rings[].events] | add) == .totals.events')" = true ] || fail "rings do not add up"
ok "totals add up"
