#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: a producer that is killed, stopped or held up between any two visible
# steps of an emit costs nobody else an event: at each injection point, in both
# modes, with restartable sequences and with locked rings. ring_torture compares
# what was emitted with what came out.
#
# The points are compiled in only for this: into a build of its own, here.
. "${T_LIB:-$(dirname "$0")/../system/lib.sh}"
need make

seconds=${TRBUF_STRESS:-0}
build=$T_DIR/build
mkdir "$build" || fail "mkdir"
if [ -e "$top_srcdir/config.status" ]; then
	skip "the source tree is configured: build in another directory"
fi
(cd "$build" && "$top_srcdir/configure" --enable-inject --enable-devel --disable-shared &&
	make tests/stress/ring_torture) >"$T_DIR/out" 2>"$T_DIR/err" || fail "the build"
torture=$build/tests/stress/ring_torture

# inject KIND POINT ACTION EVERY OPTION...
inject() {
	kind=$1 point=$2 action=$3 every=$4
	shift 4
	region_new
	timeout $((seconds * 4 + 60)) "$torture" --seconds $((seconds + 1)) --processes 3 \
		--threads 2 --inject "$point:$action:$every" "$@" >"$T_DIR/out" 2>"$T_DIR/err"
	status=$?
	said="$kind: $action at $point every $every $*"
	[ $status -eq 0 ] || {
		sed 's/^/# /' "$T_DIR/out"
		fail "$said: status $status"
	}
	grep -q '^emitted [1-9]' "$T_DIR/out" || fail "$said: nothing was emitted"
	if [ "$action" = kill ] && grep -q ': 0$' "$T_DIR/out"; then
		fail "$said: nobody came there"
	fi
	ok "$said: $(tr '\n' ' ' <"$T_DIR/out")"
	rm -rf "$(dirname "$TRBUF_REGION")"
}

switch="switch.look switch.stores switch.store switch.stored switch.swap switch.swapped"

# all KIND POINT...
all() {
	kind=$1
	shift
	for point; do
		case $point in
		switch.*) every=50 ;;
		*) every=5000 ;;
		esac
		inject "$kind" "$point" kill $every --ring 65536
		inject "$kind" "$point" kill $every --ring 65536 --overwrite
		[ "$seconds" -gt 0 ] || continue
		inject "$kind" "$point" stop $every --ring 65536
		inject "$kind" "$point" yield 3 --ring 65536 --overwrite --resize
		inject "$kind" "$point" kill $every --ring 65536 --crash --flip
		inject "$kind" "$point" kill 7 --ring 16384 --wrap
	done
}

all rseq emit.begin switch.look switch.stores switch.swap switch.swapped
GLIBC_TUNABLES=glibc.pthread.rseq=0
export GLIBC_TUNABLES
# What a section stores is one step; the owner of a locked ring takes several.
# shellcheck disable=SC2086
all locked emit.begin locked.owned locked.copied locked.last locked.committed $switch
