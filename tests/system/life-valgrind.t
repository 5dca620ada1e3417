#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: valgrind finds nothing in a producer, recorded or not.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2
programs=$top_srcdir/tests/programs

need valgrind
compile life_errno "$programs/life_errno.c"
check="valgrind -q --error-exitcode=99 --leak-check=full"

region_new
# shellcheck disable=SC2086
expect 0 $check "$T_DIR/life_errno" off
[ ! -s "$T_DIR/err" ] || fail "valgrind says: $(head -n 1 "$T_DIR/err")"
ok "off"
for size in 4M 64K; do
	# shellcheck disable=SC2086
	record_exact "t-$size" --ring-size $size --page-size 4K -- \
		$check "$T_DIR/life_errno" on big many 3000
	grep -q '^==' "$T_DIR/err" && fail "valgrind says: $(grep -m 1 '^==' "$T_DIR/err")"
	ok "rings of $size: emitted $emitted recorded $events missed $discarded"
done
