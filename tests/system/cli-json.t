#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: with --json each verb about the region prints one JSON value in one
# line, with the members of tracectl(1), for results and for errors, and
# nothing on stderr.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/cli-lib.sh"

# json STATUS EXPRESSION ARG...: true in jq of the one line of output
json() {
	want=$1
	expression=$2
	shift 2
	expect "$want" "$TRACECTL" --json "$@"
	[ "$(wc -l <"$T_DIR/out")" -eq 1 ] || fail "not one line: $*"
	[ ! -s "$T_DIR/err" ] || fail "stderr: $*"
	jq -e "$expression" "$T_DIR/out" >"$T_DIR/jq" 2>&1 ||
		fail "$*: $expression: $(head -c 600 "$T_DIR/out")"
}

program_build
region_new
is_error='(.error | type) == "string" and .status == 1'
json 1 "$is_error" status
json 1 "$is_error" list
json 1 "$is_error" off
json 1 "$is_error" mask
json 1 "$is_error" top --batch 1
json 1 '.findings[0].code == "no_region"' doctor
json 2 '.status == 2' list nonsense
json 2 '.status == 2' no-such-verb
json 2 '.status == 2'
json 2 '.status == 2' top
json 1 "$is_error" --region /nowhere/at/all on
[ ! -e "$TRBUF_REGION" ] || fail "looking made a region"
ok "errors"

json 0 '.on and .note == null and (.region | length > 0)' on
program_start
program_emit 100
json 0 '.on and .mask == "0xffffffffffffffff" and .rings_ready and .in_place and
	(.id | test("^[0-9a-f]{32}$")) and .daemon == {running: false, pid: null} and
	.recording == {running: false, paused: false, path: null} and
	.processes.attached == 1 and .processes.refused == 0 and
	.events.registered == 4 and .events.classes == 2 and .events.on == 4 and
	.totals.emitted == 400 and .frequency > 1000000 and .memory > 0' status
json 0 '[.rings[] | has("ring","locked","cpu","ready","allowed","bytes","wanted","pages",
	"full_pages","fill","events","missed","filtered","overwritten","clock_backwards",
	"switches","quarantined")] | all' status
json 0 '(.events | map(.event)) == ["disk:read","disk:state","net:poll","net:rx"]' list
json 0 '.events[] | select(.event == "disk:read") |
	(.level_name == "notice" and .on and .reason == null and (.fields | map([.name, .type,
	.element, .count])) == [["sector","u64",null,null],["tag","array","u8",4],
	["sizes","seq","u32",null]])' list events
json 0 '.events[] | select(.event == "disk:state") | .fields[0] | .type == "enum" and
	.labels == [{value: 0, name: "IDLE"}, {value: 1, name: "BUSY"}]' list events 'disk:*'
json 0 '.classes | map([.class, .events, .on, .in_mask]) | sort ==
	[["disk",2,2,true],["net",2,2,true]]' list classes
json 0 '.processes[0] | .comm == "cli_events" and .state == "live" and .emitted and
	(.exe | test("cli_events$")) and (.modules | length > 1)' list processes
json 0 '.enable and .matched == 2 and .changed == 0 and (.changes == [])' enable net
json 0 '(.enable | not) and .changed == 1 and .changes[0].event == "net:rx"' disable net:rx
json 0 '.events[0] | (.on | not) and .reason == "rule" and .rule == "disable net:rx"' list events net:rx
json 0 '.changed > 0' enable '*' --level err
json 0 '.events[0] | .reason == "level"' list events net:poll
json 0 '.mask == "0xffffffffffffffff" and (.classes | map(.class) | sort) == ["disk","net"]' mask
json 0 '.mode == "discard"' mode
json 0 '(.allowed | length) > 0 and .denied == []' cpus
json 0 '.asked == 1048576 and .rounded == 1048576 and .status == 0 and (.rings | length) > 0' resize 1M
json 0 '.time_ns > 0 and .events_per_s >= 0 and (.rings | length) > 0' top --batch 1 --interval 50ms
json 1 '.status == 1 and (.findings | map(has("code","kind","text","mend")) | all)' doctor --all
json 0 '.on == false' off
ok "results"

program_stop
json 0 '.processes[0].state == "exited"' list processes
ok "a process that is gone"
