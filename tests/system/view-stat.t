#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: `stat` counts what `view` shows, and its JSON is one valid object.
. "${T_LIB:-$(dirname "$0")/lib.sh}"

need jq
"$top_builddir/tests/tools/make_trace" "$T_DIR/t" events=4000 missed=1 page=8192 || fail "make_trace"
expect 0 "$TRACECTL" view "$T_DIR/t"
mv "$T_DIR/out" "$T_DIR/text"
expect 0 "$TRACECTL" --json stat "$T_DIR/t" --field port
mv "$T_DIR/out" "$T_DIR/json"

# is EXPRESSION NUMBER
is() {
	got=$(jq -r "$1" "$T_DIR/json") || fail "jq: $1"
	[ "$got" = "$2" ] || fail "$1 is $got, not $2"
}
is .events "$(wc -l <"$T_DIR/text")"
for name in net:rx app:all app:idle app:work_begin trbuf:missed; do
	is ".by_event[] | select(.name == \"$name\") | .events" "$(grep -c " $name: " "$T_DIR/text")"
done
is '.by_class[] | select(.name == "app") | .events' "$(grep -c ' app:' "$T_DIR/text")"
is '.by_process[] | select(.pid == 1001) | .events' "$(grep -c '{ pid = 1001,' "$T_DIR/text")"
is '.by_cpu[] | select(.cpu == 1) | .events' "$(grep -c 'cpu_id = 1 ' "$T_DIR/text")"
ok "counts"

is .missed "$(sed -n 's/.* trbuf:missed: .* count = \([0-9]*\),.*/\1/p' "$T_DIR/text" |
	awk '{ n += $1 } END { print n }')"
is '.misses | length' "$(grep -c ' trbuf:missed:' "$T_DIR/text" | awk '{ print ($1 > 64 ? 64 : $1) }')"
ok "misses"

is '.field.count' "$(grep -c ' net:rx:' "$T_DIR/text")"
is '.field.max' "$(sed -n 's/.* port = \([0-9]*\),.*/\1/p' "$T_DIR/text" | sort -n | tail -n 1)"
is '[.field.log2[].count] | add' "$(grep -c ' net:rx:' "$T_DIR/text")"
is '.spans[] | select(.name == "app:work") | .count + .without_end' \
	"$(grep -c ' app:work_begin:' "$T_DIR/text")"
is '.spans[] | .min <= .p50 and .p50 <= .p90 and .p90 <= .p99 and .p99 <= .max' true
ok "fields and spans"

expect 0 "$TRACECTL" stat "$T_DIR/t" --histogram --field iface
grep -q 'web server' "$T_DIR/out" || fail "no names of processes"
expect 3 "$TRACECTL" stat "$T_DIR/t" --strict
expect 2 "$TRACECTL" stat "$T_DIR/t" --nonsense
expect 1 "$TRACECTL" stat "$T_DIR/none"
ok "text and status"
