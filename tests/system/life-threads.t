#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: threads that are cancelled, a signal storm with a handler that traces,
# and stacks of 32 KiB cost no event and no crash.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2
programs=$top_srcdir/tests/programs

compile life_threads "$programs/life_threads.c"
for kind in rseq locked; do
	[ $kind = rseq ] && as= || as=locked
	for what in cancel storm small; do
		$as record_exact "$what-$kind" --ring-size 16M -- "$T_DIR/life_threads" $what
		ok "$kind: $what: emitted $emitted recorded $events missed $discarded"
	done
	# Cancelled at any instruction: perhaps between the count and the event.
	expect 0 $as "$TRACECTL" record -o "$T_DIR/async-$kind" --ring-size 16M -- \
		"$T_DIR/life_threads" async
	emitted=$(emitted_in "$T_DIR/out")
	bt2_read "$T_DIR/async-$kind"
	found=$((events + discarded))
	if [ "$found" -gt "$emitted" ] || [ $((found + 100)) -lt "$emitted" ]; then
		fail "$kind: async: emitted $emitted, found $found"
	fi
	ok "$kind: async: emitted $emitted found $found"
done
