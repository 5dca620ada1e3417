#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: whatever state the region and the limits are in, a program runs as it
# would without the library: quiet, alive, and with its errno.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2
programs=$top_srcdir/tests/programs

compile life_errno "$programs/life_errno.c"
program=$T_DIR/life_errno

# quiet WHAT CMD...: ends well and prints nothing on standard error.
quiet() {
	what=$1
	shift
	expect 0 "$@"
	[ ! -s "$T_DIR/err" ] || fail "$what: it printed: $(head -n 1 "$T_DIR/err")"
	ok "$what: $(cat "$T_DIR/out")"
}

for kind in rseq locked; do
	[ $kind = rseq ] && as= || as=locked

	# Without daemon.
	region_new
	quiet "$kind: tracing off" $as "$program" off
	expect 0 "$TRACECTL" on
	expect 0 "$TRACECTL" resize 256K
	quiet "$kind: full ring" $as "$program" many 100000 on
	emitted=$(emitted_in "$T_DIR/out")
	[ "$emitted" -gt 100000 ] || fail "$kind: full ring: emitted $emitted"
	expect 0 "$TRACECTL" --json status
	json=$(cat "$T_DIR/out")
	expect 0 "$TRACECTL" mode overwrite
	quiet "$kind: overwriting" $as "$program" many 20000 on
	more=$(emitted_in "$T_DIR/out")
	expect 0 "$TRACECTL" --json status
	printf '%s\n%s\n' "$json" "$(cat "$T_DIR/out")" | grep -o '"emitted":[ ]*[0-9]*' |
		grep -o '[0-9]*$' >"$T_DIR/totals"
	[ "$(echo $(cat "$T_DIR/totals"))" = "$emitted $((emitted + more))" ] ||
		fail "$kind: status says $(echo $(cat "$T_DIR/totals")), not $emitted $((emitted + more))"
	ok "$kind: status counts each event"
	untouched=$TRBUF_REGION

	# Unopenable in several ways.
	for TRBUF_REGION in "$T_DIR/not/there/region" /proc/self/mem /dev/null "$T_DIR" \
		"$T_DIR/life_errno" /dev/full ''; do
		quiet "$kind: region at '$TRBUF_REGION'" $as "$program" off
	done
	export TRBUF_REGION="$untouched"
	: >"$T_DIR/empty"
	TRBUF_REGION=$T_DIR/empty quiet "$kind: empty file" $as "$program" off
	cp "$untouched" "$T_DIR/cut" && truncate -s 5000 "$T_DIR/cut"
	TRBUF_REGION=$T_DIR/cut quiet "$kind: region cut off" $as "$program" off
	rm -f "$T_DIR/cut"

	# Limits.
	quiet "$kind: address space too small" $as sh -c "ulimit -v 1000000; exec $program off"
	quiet "$kind: no file may grow" $as sh -c "(ulimit -f 0; exec $program many 1000) | cat"
	quiet "$kind: no descriptor may be opened" $as "$program" nofile many 1000 on
	quiet "$kind: removed underneath" $as "$program" many 100 remove many 100000
	region_new
	quiet "$kind: no file may grow, no region" $as sh -c "(ulimit -f 0; exec $program many 10 off) | cat"

	# Recorded.
	$as record_exact "big-$kind" --page-size 4K -- "$program" big on
	[ "$discarded" -ge 10 ] || fail "$kind: too large: $discarded missed"
	ok "$kind: too large: emitted $emitted recorded $events missed $discarded"
	$as record_exact "as-$kind" --map-size 64M -- sh -c "ulimit -v 400000; exec $program on"
	ok "$kind: small address space, smaller region: recorded $events"
	$as record_exact "fsize-$kind" -- sh -c "(ulimit -f 0; exec $program many 50000) | cat"
	ok "$kind: RLIMIT_FSIZE: emitted $emitted recorded $events missed $discarded"
	$as record_exact "nofile-$kind" -- "$program" nofile many 50000 on
	ok "$kind: RLIMIT_NOFILE: emitted $emitted recorded $events missed $discarded"
	run $as "$TRACECTL" record -o "$T_DIR/mlock-$kind" -- "$program" mlock many 50000 on
	if [ $status -eq 77 ]; then
		say "$kind: mlockall is not allowed here"
	else
		[ $status -eq 0 ] || fail "$kind: mlockall: status $status"
		equation "$(emitted_in "$T_DIR/out")" "$T_DIR/mlock-$kind"
		ok "$kind: mlockall: recorded $events missed $discarded"
	fi
done
