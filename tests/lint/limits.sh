#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Files of more than 450 lines, functions of more than 80, lines of more than 100
# columns; marks of unfinished work.
. "$(dirname "$0")/lint.sh"
code=$(sources '*.c' '*.h' '*.cc')
status=0
# shellcheck disable=SC2086
{
wc -l $code | awk '$1 > 450 && $2 != "total" { print $2 ": " $1 " lines" }' |
	nothing "files of more than 450 lines" || status=1
awk 'FNR == 1 { start = 0 } /^\{/ { start = FNR }
	/^\}/ { if (start && FNR - start > 80) print FILENAME ":" start ": " FNR - start " lines"; start = 0 }' $code |
	nothing "functions of more than 80 lines" || status=1
for file in $code; do
	expand -t 8 "$file" | awk -v file="$file" 'length > 100 { print file ":" NR ": " length }'
done | nothing "lines of more than 100 columns" || status=1
# Split, so that this line is not one of them.
grep -nE "(TO""DO|FIX""ME|XX""X)" $code | nothing "unfinished" || status=1
}
exit $status
