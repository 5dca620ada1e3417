#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: the library has no descriptor, no thread and no signal handler in a
# program, and writes to nothing but its memory: after close_range() the
# program's own file and pipe hold what the program wrote.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2
programs=$top_srcdir/tests/programs

compile life_fds "$programs/life_fds.c"
compile without -DTRBUF_DISABLE -Wl,--as-needed "$programs/life_fds.c"
expect 0 "$TRACECTL" record -o "$T_DIR/a" -- "$T_DIR/without" count
has=$(cat "$T_DIR/out")
expect 0 "$TRACECTL" record -o "$T_DIR/b" -- "$T_DIR/life_fds" count
[ "$(cat "$T_DIR/out")" = "$has" ] || fail "$(cat "$T_DIR/out") descriptors with the library, $has without"
ok "no descriptor"
for kind in rseq locked; do
	[ $kind = rseq ] && as= || as=locked
	$as record_exact "t-$kind" --ring-size 256K --page-size 4K -- \
		"$T_DIR/life_fds" "$T_DIR/own-$kind"
	[ "$(cat "$T_DIR/own-$kind")" = mine ] || fail "$kind: stray bytes in the program's file"
	ok "$kind: emitted $emitted recorded $events missed $discarded"
done
