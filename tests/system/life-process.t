#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: processes that come and go in any way cost no event: forks from
# several threads, four generations, 300 children that end at once, exec,
# posix_spawn, exec while other threads trace.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2
programs=$top_srcdir/tests/programs

compile life_fork "$programs/life_fork.c"
compile life_exec "$programs/life_exec.c"
for kind in rseq locked; do
	[ $kind = rseq ] && as= || as=locked
	$as record_exact "fork-$kind" --ring-size 16M -- "$T_DIR/life_fork"
	ok "$kind: forks: emitted $emitted recorded $events missed $discarded"
	$as record_exact "exec-$kind" --ring-size 16M -- "$T_DIR/life_exec"
	[ "$emitted" -eq 2300 ] || fail "$kind: exec and posix_spawn: emitted $emitted, not 2300"
	ok "$kind: exec and posix_spawn: recorded $events missed $discarded"

	# Each of the two threads that exec ends may have counted one event more.
	expect 0 $as "$TRACECTL" record -o "$T_DIR/threads-$kind" --ring-size 16M -- \
		env LIFE_THREADS=1 "$T_DIR/life_exec"
	emitted=$(emitted_in "$T_DIR/out")
	bt2_read "$T_DIR/threads-$kind"
	found=$((events + discarded))
	if [ "$found" -gt "$emitted" ] || [ $((found + 2)) -lt "$emitted" ]; then
		fail "$kind: exec with threads: emitted $emitted, found $found"
	fi
	ok "$kind: exec with threads: emitted $emitted found $found"
done
