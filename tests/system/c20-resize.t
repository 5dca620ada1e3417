#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: size and mode of the rings change under load, with and without a daemon, and
# the equation holds.
#
# deadline: 600
. "${T_LIB:-$(dirname "$0")/lib.sh}"
. "$top_srcdir/tests/system/prog-lib.sh"
need babeltrace2 jq

# load NAME: resizes and switches until the workers end.
load() {
	"$EXAMPLES/workers" --seconds 1 --processes 3 --seed 11 >"$T_DIR/workers" &
	workers=$!
	track $workers
	i=0
	until t_ended $workers; do
		for size in 64k 4M 256k 16M 1M; do
			# Shrinking may not be finished at once: that is status 1.
			run "$TRACECTL" resize $size
			[ "$status" -le 1 ] || fail "resize $size: status $status"
			case $i in
			*[02468]) mode=overwrite ;;
			*) mode=discard ;;
			esac
			expect 0 "$TRACECTL" mode $mode
			i=$((i + 1))
		done
	done
	untrack $workers
}

region_new
daemon_start --page-size 4k --ring-size 256k
expect 0 "$TRACECTL" on
expect 0 "$TRACECTL" start -o "$T_DIR/t"
load
expect 0 "$TRACECTL" stop
daemon_stop
equation "$(emitted_in "$T_DIR/workers")" "$T_DIR/t"
ok "with a daemon, $i changes: recorded $events missed $discarded"

region_new
expect 0 "$TRACECTL" on
load
totals=$("$TRACECTL" --json status | jq '.totals | .events + .missed + ([.lost[]] | add)')
[ "$totals" -eq "$(emitted_in "$T_DIR/workers")" ] || fail "emitted $(emitted_in "$T_DIR/workers"), counted $totals"
ok "without a daemon, $i changes: $totals events counted"
daemon_start
expect 0 "$TRACECTL" start -o "$T_DIR/after"
expect 0 "$TRACECTL" stop
daemon_stop
equation "$(emitted_in "$T_DIR/workers")" "$T_DIR/after"
ok "and a daemon that comes later: recorded $events missed $discarded"
