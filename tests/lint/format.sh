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
# One run over all files: it complains once a place.
# shellcheck disable=SC2046
$tool --dry-run $(sources '*.c' '*.h' '*.cc') 2>&1 |
	sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: .*clang-formatted.*/\1/p' | sort | uniq -c |
	awk '{ print $2 ": " $1 " places; clang-format -i " $2 }' | nothing "not as .clang-format says"
