#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: fork, exec, daemonizing with all descriptors closed, and children killed
# while other threads trace cost no event and need no help from the program.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2

compile forks "$top_srcdir/tests/programs/forks.c"
for kind in rseq locked; do
	[ $kind = rseq ] && as= || as=locked
	$as record_exact "t-$kind" --ring-size 16M -- "$T_DIR/forks"
	ok "$kind: emitted $emitted recorded $events missed $discarded"
	[ "$discarded" -ne 0 ] || {
		[ "$(grep -c 'depth = 102,' "$T_DIR/text")" -eq 50 ] || fail "$kind: the daemonized child's events"
		[ "$(grep -c 'depth = 103,' "$T_DIR/text")" -eq 50 ] || fail "$kind: events after exec"
		ok "$kind: daemonized child and exec are there"
	}
	# The pid that a record carries is the process's own.
	grep 'forks:tick' "$T_DIR/text" | grep 'vpid\|pid = ' |
		sed -n 's/.*[ {]pid = \([0-9]*\), tid = [0-9]* }.*depth = [0-9]*, pid = \([0-9]*\) }.*/\1 \2/p' |
		awk '$1 != $2 { bad++ } END { exit !(NR > 0 && bad == 0) }' ||
		fail "$kind: pids in context and field differ"
	ok "$kind: each record has the pid of its process"
done
