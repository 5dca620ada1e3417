#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: emitted = recorded + missed in both modes, for restartable sequences
# and locked rings, with rings so small that most is missed, while processes end by
# exit, _exit and SIGKILL.
#
# deadline: 600
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2

n=0
for kind in rseq locked; do
	[ $kind = rseq ] && as= || as=locked
	for mode in discard overwrite; do
		for size in 16k 256k 8M; do
			n=$((n + 1))
			$as record_exact "t$n" --mode $mode --ring-size $size --page-size 4k -- \
				"$EXAMPLES/workers" --seconds 0.3 --processes 4 --seed $n
			ok "$kind $mode $size: emitted $emitted recorded $events missed $discarded"
			rm -rf "$T_DIR/t$n"
		done
	done
done

# One trace, both kinds of programs.
record_exact both --page-size 4k --ring-size 64k -- sh -c \
	"'$EXAMPLES/workers' --seconds 0.3 --seed 1 >'$T_DIR/w1' &
	GLIBC_TUNABLES=glibc.pthread.rseq=0 '$EXAMPLES/workers' --seconds 0.3 --seed 2 >'$T_DIR/w2'
	wait
	echo emitted \$((\$(sed 's/.*emitted //' '$T_DIR/w1') + \$(sed 's/.*emitted //' '$T_DIR/w2')))"
ok "both kinds at once: emitted $emitted recorded $events missed $discarded"

for context in none tid; do
	record_exact "c-$context" --context $context -- "$EXAMPLES/workers" --seconds 0.1 --seed 3
	ok "context $context: emitted $emitted recorded $events missed $discarded"
done
