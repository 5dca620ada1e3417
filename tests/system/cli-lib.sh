# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# For the tests of tracectl, after lib.sh: a traced program that emits on
# command, and numbers out of `tracectl status`.
#
#   program_build           compiles tests/programs/cli_events.c
#   program_start           runs it; 4 events a round: net:rx net:poll disk:read disk:state
#   program_emit N          N rounds; returns when they are done
#   program_stop            end of its input; its status must be 0
#   counter .JQ             a number of `tracectl --json status`
#   tctl ARG...             expect 0 tracectl ARG...

need jq
export LD_LIBRARY_PATH="$TRBUF_LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

program_build() {
	# shellcheck disable=SC2086
	"${CC:-cc}" ${TEST_CFLAGS:-} -I"$top_srcdir/libtrbuf" -o "$T_DIR/cli_events" \
		"$top_srcdir/tests/programs/cli_events.c" -L"$TRBUF_LIBDIR" -ltrbuf \
		2>"$T_DIR/err" || fail "the test program does not compile"
}

program_start() {
	rm -f "$T_DIR/to" "$T_DIR/from"
	mkfifo "$T_DIR/to" "$T_DIR/from" || fail mkfifo
	"$@" "$T_DIR/cli_events" <"$T_DIR/to" >"$T_DIR/from" &
	program_pid=$!
	track "$program_pid"
	exec 7>"$T_DIR/to" 8<"$T_DIR/from"
	program_emit 0 # its constructors have run once it answers
}

program_emit() {
	echo "$1" >&7
	t_answer=$(timeout 30 head -n 1 <&8)
	[ "$t_answer" = "done" ] || fail "the test program did not answer"
}

program_stop() {
	exec 7>&-
	wait "$program_pid"
	program_status=$?
	exec 8<&-
	untrack "$program_pid"
	[ $program_status -eq 0 ] || fail "the test program ended with $program_status"
}

counter() {
	"$TRACECTL" --json status | jq "$1"
}

tctl() {
	expect 0 "$TRACECTL" "$@"
}
