# shellcheck shell=sh disable=SC2034,SC2153,SC2154
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# After lib.sh, for tests that record a program which prints "emitted N" itself.
#
#   compile NAME ARG...       $T_DIR/NAME from sources and options, with libtrbuf
#   emitted_in FILE           the N of its last line "emitted N"
#   record_exact DIR [OPTION...] -- CMD ARG...
#                             tracectl record into $T_DIR/DIR; emitted = recorded +
#                             missed, or fail. $emitted, $events, $discarded
#   locked CMD...             runs CMD so that programs use the locked rings

export LD_LIBRARY_PATH="$TRBUF_LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

compile() {
	t_name=$1
	shift
	# shellcheck disable=SC2086
	"${CC:-cc}" -O2 -g ${TEST_CFLAGS:-} -I"$top_srcdir/libtrbuf" -o "$T_DIR/$t_name" "$@" \
		-L"$TRBUF_LIBDIR" -ltrbuf -pthread 2>"$T_DIR/err" || fail "$t_name does not compile"
}

emitted_in() {
	sed -n 's/.*emitted \([0-9]*\).*/\1/p' "$1" | tail -n 1
}

record_exact() {
	t_dir=$T_DIR/$1
	shift
	expect 0 "$TRACECTL" record -o "$t_dir" "$@"
	emitted=$(emitted_in "$T_DIR/out")
	[ -n "$emitted" ] || fail "it did not say what it emitted: $*"
	equation "$emitted" "$t_dir"
}

locked() {
	GLIBC_TUNABLES=glibc.pthread.rseq=0 "$@"
}
