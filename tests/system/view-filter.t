#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: filters of `view` leave the lines that they say, errors in an
# expression name the column, and the other forms print the same events.
. "${T_LIB:-$(dirname "$0")/lib.sh}"

"$top_builddir/tests/tools/make_trace" "$T_DIR/t" events=3000 || fail "make_trace"
expect 0 "$TRACECTL" view --time seconds "$T_DIR/t"
sed 's/ (+[0-9?.]*)//' "$T_DIR/out" >"$T_DIR/all"

# left REGEX ARG...: as many lines as match
left() {
	want=$(grep -cE -- "$1" "$T_DIR/all")
	shift
	expect 0 "$TRACECTL" view "$T_DIR/t" "$@"
	got=$(wc -l <"$T_DIR/out")
	[ "$got" -eq "$want" ] || fail "$got lines, not $want: $*"
	[ "$want" -gt 0 ] || fail "nothing to find: $*"
}

left ' net:rx:' --event net:rx
left ' net:rx:' --event rx
left ' (net:rx|app:idle):' --event net:r? --event 'app:id*'
left ' app:' --class app
left '[{] pid = 100[02],' --pid 1000,1002
left '[{] pid = 100[12],' --pid 1001-1002
left 'tid = 1003 ' --tid 1003
left 'cpu_id = 1 ' --cpu 1
left 'net:rx.*pid = 1001' --event net:rx --pid 1001
ok "events, classes, processes, threads, CPUs"

left 'port = 80,' --where 'port == 80'
left 'port = 80, iface = "eth' --where 'port == 80 && iface ~ "eth*"'
left '(port = 80, iface = "eth)|[{ ]pid = 1002,' --where 'port == 80 && iface ~ "eth*" || pid == 1002'
left 'port = (80|81),' --where 'port >> 1 == 40'
left 'iface = "lo"' --where 'iface == "lo"'
left 'port = [0-9]+, iface = "e' --where 'iface >= "e" && iface < "f"'
left 'colour = [(] "GREEN"' --where 'colour == "GREEN"'
left 'sign = .*container = -1 ' --where 'sign == -1'
left ' s64 = -' --where 's64 < 0'
left ' u64 = 18446744073709551615,' --where 'u64 == 18446744073709551615'
left '_seq_length = [34],' --where '_seq_length > 2'
left 'array = . .0. = 1[0-9]{4},' --where 'array[0] >= 10000 && array[0] < 20000'
left ' app:idle' --where '$event == "app:idle"'
left ' net:' --where 'class == "net"'
ok "expressions"

# wrong COLUMN EXPRESSION
wrong() {
	expect 2 "$TRACECTL" view "$T_DIR/t" --where "$2"
	grep -q "column $1:" "$T_DIR/err" || fail "$2: $(cat "$T_DIR/err")"
	[ "$(wc -l <"$T_DIR/err")" -eq 1 ] || fail "$2: more than one line"
}
wrong 6 'port = 80'
wrong 9 'port == '
wrong 1 'prt == 80'
wrong 6 'port @ 3'
wrong 12 '(port == 80'
wrong 9 'iface ~ "eth'
wrong 12 'port == 80 iface'
wrong 11 'port == 80x'
wrong 1 '$nonsense'
wrong 9 'port == 99999999999999999999'
ok "errors name the column"

first=$(head -n 1 "$T_DIR/all" | sed 's/.\([0-9.]*\)..*/\1/')
expect 0 "$TRACECTL" view "$T_DIR/t" --time seconds --begin +10us --end +50us
awk -v f="${first#*.}" '{ sub(/^\[[0-9]*\./, ""); t = substr($0, 1, 9) - f
	if (t < 10000 || t > 50000) exit 1 }' "$T_DIR/out" || fail "outside of +10us to +50us"
[ -s "$T_DIR/out" ] || fail "nothing between +10us and +50us"
expect 0 "$TRACECTL" view "$T_DIR/t" --begin @app:all --end @app:idle
head -n 1 "$T_DIR/out" | grep -q app:all && tail -n 1 "$T_DIR/out" | grep -q app:idle ||
	fail "--begin @app:all --end @app:idle"
expect 0 "$TRACECTL" view "$T_DIR/t" --end 2001-01-01T00:00:00Z
[ ! -s "$T_DIR/out" ] || fail "events before 2001"
expect 2 "$TRACECTL" view "$T_DIR/t" --begin yesterday
expect 2 "$TRACECTL" view "$T_DIR/t" --cpu 1-
expect 2 "$TRACECTL" view "$T_DIR/t" --form nonsense
ok "times"

for form in compact wide; do
	expect 0 "$TRACECTL" view "$T_DIR/t" --form $form
	[ "$(wc -l <"$T_DIR/out")" -eq "$(wc -l <"$T_DIR/all")" ] || fail "$form: lines"
done
grep -q 'web server\[1001\]/1001' "$T_DIR/out" || fail "no names of processes"
expect 0 "$TRACECTL" view "$T_DIR/t" --color always
grep -q "$(printf '\033')\[" "$T_DIR/out" || fail "no colours"
sed "s/$(printf '\033')\[[0-9]*m//g; s/ (+[0-9?.]*)//" "$T_DIR/out" >"$T_DIR/plain"
expect 0 "$TRACECTL" view "$T_DIR/t"
sed 's/ (+[0-9?.]*)//' "$T_DIR/out" | cmp - "$T_DIR/plain" || fail "colours change the text"
ok "forms and colours"
