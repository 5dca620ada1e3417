#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Checks the model of the ring (ring.pml, doc/ring.md) with spin: the protocol
# as built must hold in a table of small sizes, and each planted bug must be
# found, else the model is blind. One line a variant. Usage: run.sh [--long] [NAME...]
#
# Exit: 0 as expected, 1 not, 2 usage, 77 no spin (an error if TRBUF_NO_SKIP is set).

set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd) || exit 1
model=$here/ring.pml
cc=${CC:-cc}
deadline=${TRBUF_MODEL_DEADLINE:-60} # seconds a variant
depth=200000
long=
only=

usage() {
	echo "usage: run.sh [--long] [NAME...]" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--long) long=yes deadline=${TRBUF_MODEL_DEADLINE:-1800} depth=1000000 ;;
	-*) usage ;;
	*) only="$only $1 " ;;
	esac
	shift
done

if ! command -v spin >/dev/null 2>&1; then
	echo "run.sh: spin is not installed; the model of the ring is not checked" >&2
	[ -n "${TRBUF_NO_SKIP:-}" ] && exit 1
	exit 77
fi

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1

# set, expected result, name, -D options. D: discard, O: overwrite; the number
# of slots; then what happens.
table() {
	cat <<'EOF'
quick holds D2          MODE=0 SLOTS=2 EV=2
quick holds O2          MODE=1 SLOTS=2 EV=2
quick holds O3          MODE=1 SLOTS=3 EV=3 EV2=1
quick holds D2-kill     MODE=0 SLOTS=2 EV=2 EV2=1 KILLS=1
quick holds O2-kill     MODE=1 SLOTS=2 EV=2 EV2=1 KILLS=1
quick holds D2-crash    MODE=0 SLOTS=2 EV=2 EV2=1 CRASHES=1
quick holds O2-crash    MODE=1 SLOTS=2 EV=2 EV2=1 CRASHES=1
quick holds D3-shrink   MODE=0 SLOTS=3 EV=2 EV2=1 SHRINKS=1 NP=1
quick holds O3-shrink   MODE=1 SLOTS=3 EV=4 NP=1 SHRINKS=1 CRASHES=1
quick holds O2-partial  MODE=1 SLOTS=2 EV=4 NP=1 C=2 PARTS=1 CRASHES=1
quick holds O2-sizes    MODE=1 SLOTS=2 EV=4 NP=1 C=2 BIG PARTS=1
quick holds D2-stop     MODE=0 SLOTS=2 EV=5 NP=1 STOPS=1 PARTS=1 CRASHES=1
quick holds toggle2     MODE=0 SLOTS=2 EV=4 NP=1 TOGGLE=1 CRASHES=1
quick holds D3-batch    MODE=0 SLOTS=3 EV=4 NP=1 BATCH CRASHES=1
quick holds O2-locked   MODE=1 SLOTS=2 EV=3 LOCKED KILLS=1 CRASHES=1
quick fails steal-ignored        MODE=1 SLOTS=2 EV=3 EV2=1 KILLS=1 BUG_STEAL_IGNORED
quick fails take-ignored         MODE=0 SLOTS=2 EV=2 EV2=1 KILLS=1 BUG_TAKE_IGNORED
quick fails steal-open-page      MODE=1 SLOTS=2 EV=3 EV2=1 CRASHES=1 BUG_STEAL_OPEN
quick fails stale-tag            MODE=1 SLOTS=2 EV=5 NP=1 BUG_STALE_TAG
quick fails take-beside-steal    MODE=1 SLOTS=3 EV=3 BUG_T_NOT_COMPARED BUG_STEAL_F_NOT_COMPARED
quick fails miss-of-posted       MODE=0 SLOTS=2 EV=2 EV2=2 BUG_MISS_F_NOT_COMPARED
quick fails missed-not-compared  MODE=0 SLOTS=2 EV=3 EV2=2 BUG_MISSED_NOT_COMPARED
quick fails number-not-compared  MODE=1 SLOTS=2 EV=4 EV2=2 BUG_NUMBER_NOT_COMPARED
quick fails number-early         MODE=1 SLOTS=3 EV=3 BUG_NUMBER_EARLY
quick fails no-seal              MODE=0 SLOTS=2 EV=5 NP=1 C=2 BIG BUG_NO_SEAL
quick fails head-first           MODE=0 SLOTS=2 EV=2 BUG_HEAD_FIRST
quick fails plain-stores         MODE=1 SLOTS=2 EV=3 BUG_PLAIN_STORES
quick fails partial-no-check     MODE=1 SLOTS=2 EV=5 NP=1 C=2 PARTS=1 BUG_PARTIAL_NO_CHECK
quick fails half-post            MODE=0 SLOTS=2 EV=2 NP=1 CRASHES=1 BUG_HALF_POST
quick fails one-read             MODE=1 SLOTS=2 EV=4 NP=1 CRASHES=1 BUG_ONE_READ
quick fails shrink-store         MODE=0 SLOTS=3 EV=3 NP=1 SHRINKS=1 BUG_SHRINK_STORE
quick fails ledger-first         MODE=0 SLOTS=2 EV=2 NP=1 CRASHES=1 BUG_LEDGER_FIRST
quick fails last-misses          MODE=0 SLOTS=2 EV=6 NP=1 STOPS=1 BUG_LAST_MISSES
EOF
}

bad=0

# spin writes pan.c, cc makes pan of it, pan looks at every state.
check() { # expected name options
	expected=$1 name=$2
	shift 2
	opts=
	for o in "$@"; do
		opts="$opts -D$o"
	done
	begin=$(date +%s)
	rm -f pan* ring.pml.trail
	# shellcheck disable=SC2086
	if ! spin -a $opts "$model" >log 2>&1 ||
		! $cc -w -O1 -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 -DMEMLIM=1900 -o pan pan.c >>log 2>&1; then
		cat log >&2
		found=broken
	else
		timeout "$deadline" ./pan -n -m$depth >log 2>&1
		if [ $? -eq 124 ]; then
			found=unfinished
		elif grep -q '^pan:.*\(assertion violated\|invalid end state\)' log; then
			found=fails
		elif grep -q 'errors: 0' log && ! grep -q 'Search not completed\|max search depth too small' log; then
			found=holds
		else
			cat log >&2
			found=broken
		fi
	fi
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' log | head -n 1)
	verdict=ok
	if [ "$found" != "$expected" ]; then
		verdict=WRONG
		bad=$((bad + 1))
	fi
	printf '%-5s %-20s expected %-5s found %-10s %9s states %4s s  %s\n' "$verdict" "$name" \
		"$expected" "$found" "${states:--}" "$(($(date +%s) - begin))" "$*"
	if [ "$verdict" = WRONG ]; then
		grep '^pan:' log
	fi
}

table >table
while read -r set expected name options <&3; do
	if [ -n "$only" ]; then
		case $only in
		*" $name "*) ;;
		*) continue ;;
		esac
	elif [ "$set" = long ] && [ -z "$long" ]; then
		continue
	fi
	# shellcheck disable=SC2086
	check "$expected" "$name" $options
done 3<table

if [ $bad -gt 0 ]; then
	echo "run.sh: $bad variants are not as expected" >&2
	exit 1
fi
exit 0
