#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# What the lint scripts share: the source files, whether or not under git.
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 1

# sources GLOB...: files of the tree whose name matches, build trees left out.
sources() {
	for glob; do
		find . \( -name '.git' -o -name 'build*' -o -name 'autom4te.cache' -o -name '.libs' \
			-o -name '.deps' -o -name 'trbuf-*' \) -prune -o -type f -name "$glob" -print
	done | sed 's,^\./,,' | sort
}

# need COMMAND: without it the check is left out, which TRBUF_NO_SKIP=1 forbids.
need() {
	command -v "$1" >/dev/null && return
	echo "$(basename "$0"): no $1"
	[ "${TRBUF_NO_SKIP:-0}" = 1 ] && exit 1
	exit 0
}

# Prints what it is given and says whether that was nothing.
nothing() {
	found=$(cat)
	[ -z "$found" ] && return 0
	echo "$1:"
	printf '%s\n' "$found" | sed 's/^/  /'
	return 1
}
