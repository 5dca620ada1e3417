#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# libtrbuf.so exports exactly what its map lists, and needs nothing but libc.
. "$(dirname "$0")/lint.sh"
need readelf
so=${top_builddir:-.}/libtrbuf/.libs/libtrbuf.so
[ -e "$so" ] || { echo "abi.sh: $so is not built"; exit 1; }

status=0
listed=$(sed -n '/global:/,/local:/s/^[ \t]*\([a-z_]*\);.*/\1/p' libtrbuf/libtrbuf.map | sort)
built=$(readelf --dyn-syms --wide "$so" |
	awk '$5 != "LOCAL" && $7 != "UND" && $4 != "OBJECT" && NF >= 8 { sub(/@.*/, "", $8); print $8 }' |
	sort -u | grep -v '^Name$')
printf '%s\n' "$built" | grep -vxF "$listed" | nothing "exported, but not in libtrbuf.map" || status=1
printf '%s\n' "$listed" | grep -vxF "$built" | nothing "in libtrbuf.map, but not exported" || status=1
readelf --dynamic "$so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	grep -vE '^(libc\.so|ld-linux|lib(asan|ubsan|tsan|clang_rt))' | nothing "needs more than libc" || status=1
readelf --dynamic "$so" | grep -q 'NODELETE' || { echo "not marked NODELETE"; status=1; }
exit $status
