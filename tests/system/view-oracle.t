#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: `view` prints byte for byte what babeltrace2 prints: the same events
# in the same order with the same values, for every kind of field, context,
# clock, page size and number of rings, and where many events share a time.
. "${T_LIB:-$(dirname "$0")/lib.sh}"

need babeltrace2
MAKE_TRACE=$top_builddir/tests/tools/make_trace

# same NAME KEY=VALUE...
same() {
	name=$1
	shift
	rm -rf "$T_DIR/t"
	"$MAKE_TRACE" "$T_DIR/t" "$@" || fail "make_trace $*"
	babeltrace2 "$T_DIR/t" >"$T_DIR/theirs" 2>"$T_DIR/theirs.err" || fail "babeltrace2: $name"
	grep -v 'Tracer discarded' "$T_DIR/theirs.err" && fail "babeltrace2 complains: $name"
	expect 0 "$TRACECTL" view "$T_DIR/t"
	cmp "$T_DIR/theirs" "$T_DIR/out" || fail "$name: not what babeltrace2 prints"
	expect 0 "$TRACECTL" verify "$T_DIR/t"
	ok "$name: $(wc -l <"$T_DIR/theirs") lines"
}

same "all kinds of fields"
same "quotes, controls, broken UTF-8" hostile=1
same "every event at the same time" step=0
same "many events in a nanosecond, misses" freq=2596000000 step=3 seed=4 missed=1 events=5000
same "a clock beyond 48 bits" freq=2596000000 step=2 seed=5 first=12345678901234567
same "a clock that goes through 2^48" first=281474976710000 step=9
same "context tid" context=4 seed=2
same "no context" context=0
same "small pages" page=4096 streams=5 step=1
same "200 rings" streams=200 events=50 page=4096
same "no daemon stream, ring numbers from 70000" daemon=0 instance=70000

# Options that babeltrace2 has too.
for pair in "--time=utc:--clock-gmt" "--time=date:--clock-date" "--time=seconds:--clock-seconds" \
	"--time=cycles:--clock-cycles"; do
	babeltrace2 "${pair#*:}" "$T_DIR/t" >"$T_DIR/theirs" 2>/dev/null || fail "babeltrace2 $pair"
	expect 0 "$TRACECTL" view "${pair%%:*}" "$T_DIR/t"
	cmp "$T_DIR/theirs" "$T_DIR/out" || fail "$pair"
done
for zone in Europe/Berlin America/St_Johns; do
	TZ=$zone babeltrace2 "$T_DIR/t" >"$T_DIR/theirs" 2>/dev/null || fail "babeltrace2 in $zone"
	TZ=$zone run "$TRACECTL" view "$T_DIR/t"
	cmp "$T_DIR/theirs" "$T_DIR/out" || fail "$zone"
done
ok "forms of time"

# An empty string is one (babeltrace2 2.0.4 shows the one before instead).
rm -rf "$T_DIR/t"
"$MAKE_TRACE" "$T_DIR/t" hostile=2 || fail "make_trace"
expect 0 "$TRACECTL" view "$T_DIR/t"
grep -q 'iface = "",' "$T_DIR/out" || fail "no empty string"
ok "empty strings"

# Chunks of one trace in directories below, and few descriptors.
rm -rf "$T_DIR/t"
mkdir "$T_DIR/t"
for chunk in 1 2 3 4 5 6 7 8 9 10; do
	"$MAKE_TRACE" "$T_DIR/t/$chunk" streams=256 events=5 page=4096 first=$((chunk * 100000)) \
		pages=$((chunk * 10)) seed=$chunk || fail "make_trace"
done
cat >"$T_DIR/few.sh" <<'END'
ulimit -n 64 && exec "$TRACECTL" view "$T_DIR/t"
END
expect 0 sh "$T_DIR/few.sh"
[ "$(grep -vc trbuf: "$T_DIR/out")" -eq 12800 ] || fail "not 12800 events"
cut -c2-19 "$T_DIR/out" | sort -c || fail "not in the order of time"
ok "10 chunks of 256 rings with 64 descriptors"
