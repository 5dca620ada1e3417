#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: a program that allows itself only read, write, exit, futex and
# sigreturn goes on tracing, and one whose malloc traces starts and runs.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2
programs=$top_srcdir/tests/programs

compile life_seccomp "$programs/life_seccomp.c"
compile life_malloc -DLIFE_MAIN -fno-builtin "$programs/life_malloc.c"
compile life_malloc.so -shared -fPIC -fno-builtin "$programs/life_malloc.c"
for kind in rseq locked; do
	[ $kind = rseq ] && as= || as=locked
	$as record_exact "malloc-$kind" --ring-size 16M -- \
		env LD_PRELOAD="$T_DIR/life_malloc.so" "$T_DIR/life_malloc"
	[ "$emitted" -gt 30000 ] || fail "$kind: malloc: only $emitted events"
	ok "$kind: malloc: emitted $emitted recorded $events missed $discarded"
	for when in later '' first; do
		run $as "$TRACECTL" record -o "$T_DIR/probe-$kind-$when" -- "$T_DIR/life_seccomp" $when
		[ $status -ne 77 ] || skip "no seccomp here"
		[ $status -eq 0 ] || fail "$kind: seccomp ${when:-threads}: status $status"
		equation "$(emitted_in "$T_DIR/out")" "$T_DIR/probe-$kind-$when"
		ok "$kind: seccomp ${when:-threads}: recorded $events missed $discarded"
	done
done
