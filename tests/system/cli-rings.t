#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: cpus, resize and mode act on a running program at once, resize says
# what a ring became, and every event is in the counters: emitted = in the
# rings + missed.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/cli-lib.sh"

program_build
region_new

tctl resize 300000 --json
[ "$(jq .rounded "$T_DIR/out")" = 327680 ] || fail "not rounded up to whole pages"
tctl resize 1 --json
[ "$(jq .rounded "$T_DIR/out")" = 262144 ] || fail "not at least 4 pages"
expect 2 "$TRACECTL" resize 0
expect 2 "$TRACECTL" resize 12x
expect 2 "$TRACECTL" resize 1M --cpu 99999
tctl resize 512k
tctl on
[ "$(counter '[.rings[] | select(.locked | not) | .bytes] | unique')" = "$(echo '[524288]' | jq .)" ] ||
	fail "rings are not what was asked for before they were"
ok "resize before the rings are there"

program_start
tctl resize 1M
tctl resize 2M --cpu 0
[ "$(counter '.rings[] | select(.cpu == 0) | .bytes')" = 2097152 ] || fail "cpu 0 did not grow"
[ "$(counter '[.rings[] | select((.locked | not) and .cpu != 0) | .bytes] | unique | length <= 1')" = true ] ||
	fail "--cpu changed other rings"
tctl resize 256k
[ "$(counter '[.rings[] | select(.locked | not) | .bytes] | unique')" = "$(echo '[262144]' | jq .)" ] || fail "did not shrink"
ok "grow and shrink at run time"

before=$(counter .totals.emitted)
program_emit 20000
after=$(counter .totals.emitted)
[ $((after - before)) -eq 80000 ] || fail "emitted $((after - before)) of 80000"
[ "$(counter .totals.missed)" -gt 0 ] || fail "256 KiB hold 80000 events?"
ok "a full ring counts what it misses"

run "$TRACECTL" resize 8M --json
[ "$status" -eq 0 ] || fail "growing a full ring"
missed=$(counter .totals.missed)
program_emit 100
[ "$(counter .totals.missed)" -eq "$missed" ] || fail "misses in spite of new room"
ok "a grown ring takes events again"

program_emit 20000
expect 1 "$TRACECTL" resize 256k --json
[ "$(jq 'has("error")' "$T_DIR/out")" = true ] || fail "no reason why it is not smaller"
ok "a ring that holds events is not cut, and that is said"

tctl mode overwrite
[ "$("$TRACECTL" --json mode | jq -r .mode)" = overwrite ] || fail mode
missed=$(counter .totals.missed)
program_emit 50000
[ "$(counter .totals.missed)" -eq "$missed" ] || fail "overwrite mode missed events"
[ $(($(counter .totals.emitted) - after)) -eq 280400 ] || fail "emitted does not add up"
expect 2 "$TRACECTL" mode sometimes
ok "overwrite mode"

for list in '' 0- -1 1-0 0,,1 0,0 x 4294967296 '0 1'; do
	expect 2 "$TRACECTL" cpus "$list"
done
last=$(($("$TRACECTL" --json cpus | jq '.allowed | length') - 1))
tctl cpus "$last"
before=$(counter .totals.emitted)
filtered=$(counter .totals.filtered)
program_emit 500
emitted=$(($(counter .totals.emitted) - before))
filtered=$(($(counter .totals.filtered) - filtered))
[ $((emitted + filtered)) -eq 2000 ] || fail "emitted $emitted + filtered $filtered of 2000"
tctl cpus all
before=$(counter .totals.emitted)
program_emit 500
[ $(($(counter .totals.emitted) - before)) -eq 2000 ] || fail "all CPUs again"
ok "cpus"

program_stop
[ "$(counter '.totals | .emitted == .events + .missed + ([.lost[]] | add)')" = true ] ||
	fail "totals do not add up"
ok "totals add up"
