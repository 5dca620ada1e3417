#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# The sources are laid out as .clang-format says.
. "$(dirname "$0")/lint.sh"
tool=clang-format-14
command -v $tool >/dev/null || tool=clang-format
need $tool
case $($tool --version) in
*' version 14.'*) ;;
*)
	echo "format.sh: needs clang-format 14, other versions differ: $($tool --version)"
	exit 0
	;;
esac
status=0
for file in $(sources '*.c' '*.h' '*.cc'); do
	$tool --dry-run -Werror "$file" 2>/dev/null && continue
	echo "$file: $($tool "$file" | diff "$file" - | grep -c '^<') lines: clang-format -i $file"
	status=1
done
exit $status
