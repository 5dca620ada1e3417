#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: every format of `convert` is valid whatever is in the trace, has all
# events, and needs memory that does not depend on the length of the trace.
. "${T_LIB:-$(dirname "$0")/lib.sh}"

need jq
MAKE_TRACE=$top_builddir/tests/tools/make_trace
"$MAKE_TRACE" "$T_DIR/t" events=3000 hostile=1 missed=1 page=8192 || fail "make_trace"
expect 0 "$TRACECTL" view "$T_DIR/t"
lines=$(wc -l <"$T_DIR/out")
mv "$T_DIR/out" "$T_DIR/text"

expect 0 "$TRACECTL" convert "$T_DIR/t" -o "$T_DIR/o.txt"
cmp "$T_DIR/o.txt" "$T_DIR/text" || fail "text is not what view prints"
ok "text"

expect 0 "$TRACECTL" convert "$T_DIR/t" -t json -o "$T_DIR/o.json"
[ "$(wc -l <"$T_DIR/o.json")" -eq "$lines" ] || fail "json: lines"
[ "$(jq -c . "$T_DIR/o.json" | wc -l)" -eq "$lines" ] || fail "json: jq"
iconv -f UTF-8 -t UTF-8 "$T_DIR/o.json" >/dev/null || fail "json: not UTF-8"
LC_ALL=C grep -q '[[:cntrl:]]' "$T_DIR/o.json" && fail "json: control characters"
grep -oE '"u64":[0-9]+' "$T_DIR/o.json" | cut -d: -f2 >"$T_DIR/ours"
grep -oE '[ ,] u64 = [0-9]+' "$T_DIR/text" | grep -oE '[0-9]+$' >"$T_DIR/theirs"
cmp "$T_DIR/ours" "$T_DIR/theirs" || fail "json: integers"
ok "json"

# A byte that is no UTF-8 comes back as it was.
if command -v python3 >/dev/null; then
	python3 - "$T_DIR/o.json" <<'END' || fail "json: not reversible"
import json, sys
seen = set()
for line in open(sys.argv[1], encoding="utf-8"):
    f = json.loads(line)["fields"]
    for v in f.values():
        if isinstance(v, str):
            seen.add(v.encode("utf-8", "surrogateescape"))
for want in (b"\xff\xfe\x80", b"\xed\xa0\x80", b"\xe2\x82", b"a\"b'c?d\\e", "grüß".encode()):
    assert want in seen, want
END
	ok "json strings are reversible"
fi

expect 0 "$TRACECTL" convert "$T_DIR/t" -t chrome -o "$T_DIR/o.chrome"
jq -e '[.traceEvents[] | select(.ph == "B")] | length' "$T_DIR/o.chrome" >"$T_DIR/begin" || fail "chrome: jq"
jq -e '[.traceEvents[] | select(.ph == "E")] | length' "$T_DIR/o.chrome" >"$T_DIR/end" || fail "chrome: jq"
cmp "$T_DIR/begin" "$T_DIR/end" || fail "chrome: B and E do not balance"
jq -e 'reduce (.traceEvents[] | select(.ph == "B" or .ph == "E")) as $e ({};
	"\($e.pid)/\($e.tid)" as $k |
	if $e.ph == "B" then .[$k] += [$e.name]
	elif (.[$k] // [])[-1] == $e.name then .[$k] |= .[:-1]
	else error("E without its B") end) | all(.[]; length == 0)' "$T_DIR/o.chrome" >/dev/null ||
	fail "chrome: B and E are not nested"
jq -e '[.traceEvents[] | select(.ph != "M") | .ts] | . == sort' "$T_DIR/o.chrome" >/dev/null ||
	fail "chrome: not in the order of time"
jq -e '.traceEvents | map(select(.ph == "M" and .args.name == "web server")) | length > 0' \
	"$T_DIR/o.chrome" >/dev/null || fail "chrome: no names"
ok "chrome: $(cat "$T_DIR/begin") spans"

expect 0 "$TRACECTL" convert "$T_DIR/t" -t folded -o "$T_DIR/o.folded"
grep -qvE '^[^ ;]+(;[^ ;]+)+ [0-9]+$' "$T_DIR/o.folded" && fail "folded: form"
[ -s "$T_DIR/o.folded" ] || fail "folded: empty"
ok "folded"

expect 0 "$TRACECTL" convert "$T_DIR/t" -t csv -o "$T_DIR/o.csv"
if command -v python3 >/dev/null; then
	python3 - "$T_DIR/o.csv" "$lines" <<'END' || fail "csv"
import csv, sys
rows = list(csv.reader(open(sys.argv[1], encoding="utf-8", errors="surrogateescape", newline="")))
assert len(rows) == int(sys.argv[2]) + 1, len(rows)
assert all(len(r) == len(rows[0]) for r in rows)
END
	ok "csv"
fi

expect 0 "$TRACECTL" convert "$T_DIR/t" -t ctf -o "$T_DIR/copy"
expect 0 "$TRACECTL" verify "$T_DIR/copy"
expect 0 "$TRACECTL" view "$T_DIR/copy"
cmp "$T_DIR/out" "$T_DIR/text" || fail "ctf: not the same events"
bt2_read "$T_DIR/copy"
before=$discarded
bt2_read "$T_DIR/t"
[ "$before" -eq "$discarded" ] || fail "ctf: misses"
expect 0 "$TRACECTL" convert "$T_DIR/t" -t ctf -o "$T_DIR/short" --event net:rx
bt2_read "$T_DIR/short"
[ "$events" -eq "$(grep -c ' net:rx:' "$T_DIR/text")" ] || fail "ctf: filtered"
ok "ctf"

expect 1 "$TRACECTL" convert "$T_DIR/t" -o "$T_DIR/o.txt"
grep -q 'force' "$T_DIR/err" || fail "overwrites without --force"
expect 0 "$TRACECTL" convert "$T_DIR/t" -o "$T_DIR/o.txt" --force
ln -s "$T_DIR/elsewhere" "$T_DIR/link"
expect 1 "$TRACECTL" convert "$T_DIR/t" -o "$T_DIR/link"
expect 1 "$TRACECTL" convert "$T_DIR/t" -t ctf -o "$T_DIR/copy"
expect 2 "$TRACECTL" convert "$T_DIR/t" -t nonsense
expect 3 "$TRACECTL" convert "$T_DIR/t" --strict -o "$T_DIR/o2.txt"
[ ! -e "$T_DIR/elsewhere" ] || fail "followed a link"
[ -c /dev/full ] && {
	run sh -c '"$TRACECTL" convert "$1" >/dev/full' sh "$T_DIR/t"
	[ $status -eq 1 ] || fail "full disk: status $status"
}
ok "does not overwrite; says when the disk is full"

# peak FORMAT EVENTS: kilobytes
peak() {
	rm -rf "$T_DIR/m"
	"$MAKE_TRACE" "$T_DIR/m" events="$2" || fail "make_trace"
	python3 - "$TRACECTL" convert "$T_DIR/m" -t "$1" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}
if command -v python3 >/dev/null; then
	for format in text json csv chrome folded; do
		big=$(peak $format 200000)
		[ "$big" -lt 32768 ] || fail "$format: $big KiB"
	done
	ok "less than 32 MiB"
fi
