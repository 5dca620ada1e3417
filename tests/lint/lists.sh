#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# The lists in local.mk name the files that there are, and no others; each unit
# suite is in suites.h and the reverse.
. "$(dirname "$0")/lint.sh"
status=0
for directory in libtrbuf common tracerd tracectl man examples tests bench contrib scripts; do
	mk=$directory/local.mk
	# Names as %D%/name; a directory listed as a whole lists what is in it.
	listed=$(grep -v '^#' "$mk" | grep -oE '%D%/[A-Za-z0-9_./-]+' | sed 's,^%D%/,,' | sort -u)
	for file in $(sources '*' | grep "^$directory/" | grep -vE '/local\.mk$|/README|\.(pc|service|log|trs)$'); do
		name=${file#"$directory/"}
		[ "$name" = "trbuf.pc.in" ] && continue # configure's
		parent=$name
		while :; do
			printf '%s\n' "$listed" | grep -qxF "$parent" && break
			case $parent in
			*/*) parent=${parent%/*} ;;
			*) echo "$file"; break ;;
			esac
		done
	done | nothing "not in $mk" || status=1
	printf '%s\n' "$listed" | grep -E '\.(c|h|cc|t|sh|map|conf|in|[1-8])$' | while read -r name; do
		[ -e "$directory/$name" ] || echo "$name"
	done | nothing "in $mk, but not there" || status=1
done
for file in tests/unit/suite_*.c; do
	name=$(basename "$file" .c)
	grep -qE "X\(${name#suite_}\)" tests/unit/suites.h || echo "$name"
done | nothing "not in tests/unit/suites.h" || status=1
exit $status
