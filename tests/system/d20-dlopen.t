#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: shared objects with trace points may be loaded and unloaded at any time, in
# any thread, also the only ones in a program; the same event in several of them is
# one event, and two events of one name are two.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2

for n in 0 1 2; do
	compile "plugin$n.so" -DPLUGIN=$n -shared -fPIC "$top_srcdir/tests/programs/plugin.c"
done
# shellcheck disable=SC2086
"${CC:-cc}" -O2 ${TEST_CFLAGS:-} -o "$T_DIR/loads" "$top_srcdir/tests/programs/loads.c" -pthread -ldl \
	2>"$T_DIR/err" || fail "loads does not compile"

for kind in rseq locked; do
	[ $kind = rseq ] && as= || as=locked
	$as record_exact "t-$kind" --ring-size 16M -- "$T_DIR/loads" "$T_DIR/plugin0.so" \
		"$T_DIR/plugin1.so" "$T_DIR/plugin2.so"
	ok "$kind: emitted $emitted recorded $events missed $discarded"
	[ "$discarded" -eq 0 ] || continue
	shared=$(grep -c 'plugin:shared: ' "$T_DIR/text")
	own=$(grep -c 'plugin:own: .*{ number = ' "$T_DIR/text")
	text=$(grep -c 'plugin:own: .*{ text = "' "$T_DIR/text")
	[ "$shared" -eq $((own + text)) ] && [ "$own" -gt 0 ] && [ "$text" -gt 0 ] ||
		fail "$kind: shared $shared, own with number $own, with text $text"
	ok "$kind: shared $shared, own with number $own, with text $text"
	[ "$(grep -c 'name = "plugin:shared"' "$T_DIR/t-$kind/metadata")" -eq 1 ] ||
		fail "$kind: plugin:shared is not one event"
	# One with a text is described twice: whole, and as it is when it was cut.
	[ "$(grep -c 'name = "plugin:own"' "$T_DIR/t-$kind/metadata")" -eq 3 ] ||
		fail "$kind: plugin:own is not two events"
	ok "$kind: one event shared, two of one name"
done
