#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: of a damaged or cut-off trace all that can be read is shown, with
# status 1 and what was skipped; `verify` finds the damage, and `repair` makes a
# trace that babeltrace2 reads, in which the lost events are counted.
. "${T_LIB:-$(dirname "$0")/lib.sh}"

MAKE_TRACE=$top_builddir/tests/tools/make_trace

fresh() {
	rm -rf "$T_DIR/t" "$T_DIR/t.repaired" "$T_DIR/t.damaged"
	"$MAKE_TRACE" "$T_DIR/t" events=5000 page=8192 || fail "make_trace"
	f=$T_DIR/t/stream_00000
	size=$(wc -c <"$f")
}

# put OFFSET BYTES(octal escapes)
put() {
	# shellcheck disable=SC2059
	printf "$2" | dd of="$f" bs=1 seek="$1" conv=notrunc 2>/dev/null
}

# mended NAME LEAST: 10000 events in all, at least so many of them readable
mended() {
	expect 1 "$TRACECTL" view "$T_DIR/t"
	grep -q 'stream_00000: at byte' "$T_DIR/err" || fail "$1: place not named"
	seen=$(grep -vc ' trbuf:' "$T_DIR/out")
	[ "$seen" -ge "$2" ] || fail "$1: only $seen events"
	expect 1 "$TRACECTL" verify "$T_DIR/t"
	expect 0 "$TRACECTL" repair "$T_DIR/t"
	expect 0 "$TRACECTL" verify "$T_DIR/t.repaired"
	bt2_read "$T_DIR/t.repaired"
	[ "$events" -eq "$seen" ] || fail "$1: $events events in the repaired one, $seen before"
	[ $((events + discarded)) -eq "$3" ] || fail "$1: $events + $discarded is not $3"
	ok "$1: $events events, $discarded lost"
}

fresh
expect 0 "$TRACECTL" verify "$T_DIR/t"
equation 10000 "$T_DIR/t"

put $((4096 + 5 * 8192)) '\0\0\0\0'
mended "no magic" 9700 10000

fresh
put $((4096 + 3 * 8192 + 128)) '\376\377'
mended "unknown event" 9700 10000

fresh
put $((4096 + 2 * 8192 + 104)) '\377\377\377\377\377\377'
mended "impossible size" 9700 10000

fresh
# within the packet that lies over this place: its rest is counted
truncate -s $((4096 + 4 * 8192 + 4000)) "$f"
expect 1 "$TRACECTL" view "$T_DIR/t"
expect 0 "$TRACECTL" repair --in-place "$T_DIR/t"
[ -d "$T_DIR/t.damaged" ] || fail "the damaged one is gone"
expect 0 "$TRACECTL" verify "$T_DIR/t"
bt2_read "$T_DIR/t"
[ "$events" -gt 5000 ] && [ "$discarded" -gt 0 ] || fail "cut off: $events, $discarded"
ok "cut off, in place"

fresh
echo 'nothing of ours' >"$T_DIR/t/README"
expect 1 "$TRACECTL" view "$T_DIR/t"
grep -q README "$T_DIR/err" || fail "a file that is no stream is not named"
rm "$T_DIR/t/README"
sed 's/^trace {/tracx {/' "$T_DIR/t/metadata" >"$T_DIR/m" && cp "$T_DIR/m" "$T_DIR/t/metadata"
expect 1 "$TRACECTL" view "$T_DIR/t"
grep -q 'metadata: line [0-9]*: ' "$T_DIR/err" || fail "metadata: no line"
expect 1 "$TRACECTL" view "$T_DIR/none"
mkdir "$T_DIR/empty"
expect 1 "$TRACECTL" view "$T_DIR/empty"
grep -q 'no trace here' "$T_DIR/err" || fail "an empty directory"
ok "other files, bad metadata, no trace"
