#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# deadline: 600
#
# Promise: the rings are exact. Each line below is one way to disturb them, and
# ring_torture itself compares what was emitted with what came out: with
# restartable sequences, and with locked rings.
#
# A case lasts $TRBUF_STRESS seconds; without it, this is the short form that
# `make check` runs.
. "${T_LIB:-$(dirname "$0")/../system/lib.sh}"

seconds=${TRBUF_STRESS:-1}
kills=$((seconds * 10))
torture=$top_builddir/tests/stress/ring_torture
[ -x "$torture" ] || skip "ring_torture is not built"

cases="
--processes 4 --threads 2
--processes 1 --threads 8 --overwrite
--kills $kills
--kills $kills --overwrite
--kills $kills --crash --resize
--kills $kills --signals --flip
--signals --ring 16384
--signals --overwrite --crash
--resize --flip --crash
--stall --overwrite --resize
--wrap --ring 16384 --crash
--wrap --overwrite --flip
--page 65536 --ring 1048576 --kills $kills
"

# torture MODE OPTION...
torture() {
	mode=$1
	shift
	region_new
	timeout $((seconds * 4 + 60)) "$torture" --seconds "$seconds" "$@" >"$T_DIR/out" 2>"$T_DIR/err"
	status=$?
	[ $status -eq 0 ] || {
		sed 's/^/# /' "$T_DIR/out"
		fail "$mode: $*: status $status"
	}
	grep -q '^emitted [1-9]' "$T_DIR/out" || fail "$mode: $*: nothing was emitted"
	ok "$mode: $*: $(cat "$T_DIR/out")"
	rm -rf "$(dirname "$TRBUF_REGION")"
}

# Not in a subshell, whose `ok` would not count.
all() {
	while read -r options; do
		# shellcheck disable=SC2086
		[ -z "$options" ] || torture "$1" $options
	done <<END
$cases
END
}

all rseq
GLIBC_TUNABLES=glibc.pthread.rseq=0
export GLIBC_TUNABLES
all locked
