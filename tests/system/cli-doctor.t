#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: for each thing that can keep an event from being recorded, `tracectl
# doctor` names that thing first.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/cli-lib.sh"

# first CODE ARG...: the first cause
first() {
	want=$1
	shift
	expect 1 "$TRACECTL" --json doctor "$@"
	code=$(jq -r '.findings[0].code' "$T_DIR/out")
	[ "$code" = "$want" ] || fail "doctor $*: says $code, not $want"
	[ "$(jq '.findings | length' "$T_DIR/out")" = 1 ] || fail "doctor says more than the first cause"
}

program_build
region_new
first no_region
printf 'no region' >"$TRBUF_REGION"
first other_version
rm "$TRBUF_REGION"
ok "no region, and a file that is none"

tctl mode discard
first tracing_off
program_start
first tracing_off net:rx
tctl on
ok "tracing off"

first not_registered net:tx
jq -e '.findings[0].text | contains("net:rx")' "$T_DIR/out" >/dev/null || fail "no near name"
first not_registered nte
jq -e '.findings[0].text | contains("net:")' "$T_DIR/out" >/dev/null || fail "no near class"
ok "not registered, with near names"

tctl mask -net
first class_off net:rx
jq -r '.findings[0].mend' "$T_DIR/out" | grep -qx 'tracectl mask +net' || fail "mend"
tctl mask none
first mask_empty
tctl mask all
ok "class not in the mask"

tctl disable net:rx
first rule net:rx
tctl disable '*'
first events_off
tctl enable '*' --level err
first level net:rx
tctl enable '*'
ok "rule and level"

tctl cpus 0
if [ "$("$TRACECTL" --json cpus | jq '.denied | length')" -gt 0 ]; then
	expect 1 "$TRACECTL" --json doctor --all
	jq -e '[.findings[].code] | index("cpus_denied") == null' "$T_DIR/out" >/dev/null ||
		fail "one CPU may trace"
fi
tctl cpus all
first no_daemon net:rx
ok "no daemon"

tctl resize 256k
program_emit 20000
first ring_full
ok "full ring that nobody reads"

rm "$TRBUF_REGION"
first orphan
tctl on
first orphan
ok "the region was removed under a program"
program_stop

region_new
tctl on
first no_events
ok "no program"
