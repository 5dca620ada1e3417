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
deadline=${TRBUF_MODEL_DEADLINE:-300} # seconds a variant
depth=200000
memory=1900 # MiB
long=
only=

usage() {
	echo "usage: run.sh [--long] [NAME...]" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--long) long=yes deadline=${TRBUF_MODEL_DEADLINE:-1800} depth=1000000 memory=6000 ;;
	-*) usage ;;
	*) only="$only $1 " ;;
	esac
	shift
done

if ! command -v spin >/dev/null 2>&1; then
	echo "run.sh: spin is not installed; the model of the ring is not checked" >&2
	[ "${TRBUF_NO_SKIP:-0}" = 1 ] && exit 1
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
quick holds O2-sizes    MODE=1 SLOTS=2 EV=4 NP=1 C=2 BIG=1 PARTS=1
quick holds D2-stop     MODE=0 SLOTS=2 EV=5 NP=1 STOPS=1 PARTS=1 CRASHES=1
quick holds D2-gap      MODE=0 SLOTS=2 EV=4 NP=1 C=2 GAPS=1 STOPS=1 CRASHES=1
quick holds O2-gap      MODE=1 SLOTS=2 EV=5 NP=1 C=2 GAPS=2 CRASHES=1
quick holds toggle2     MODE=0 SLOTS=2 EV=4 NP=1 TOGGLE=1 CRASHES=1
quick holds D3-batch    MODE=0 SLOTS=3 EV=4 NP=1 BATCH=1 CRASHES=1
quick holds O2-locked   MODE=1 SLOTS=2 EV=3 EV2=1 LOCKED=1 KILLS=1 CRASHES=1
quick fails steal-ignored        MODE=1 SLOTS=2 EV=3 EV2=1 KILLS=1 STEAL_IGNORED=1
quick fails take-ignored         MODE=0 SLOTS=2 EV=2 EV2=1 KILLS=1 TAKE_IGNORED=1
quick fails steal-open-page      MODE=1 SLOTS=2 EV=3 EV2=1 CRASHES=1 STEAL_OPEN=1
quick fails stale-tag            MODE=1 SLOTS=2 EV=5 NP=1 STALE_TAG=1
quick fails take-beside-steal    MODE=1 SLOTS=3 EV=3 EV2=2 OPEN_T_NOT_COMPARED=1 STEAL_F_NOT_COMPARED=1
quick fails miss-of-posted       MODE=0 SLOTS=2 EV=2 EV2=2 MISS_F_NOT_COMPARED=1
quick fails missed-not-compared  MODE=0 SLOTS=2 EV=3 EV2=2 MISSED_NOT_COMPARED=1
quick fails number-not-compared  MODE=1 SLOTS=2 EV=4 EV2=2 NUMBER_NOT_COMPARED=1
quick fails number-early         MODE=1 SLOTS=3 EV=1 EV2=4 NUMBER_EARLY=1
quick fails no-seal              MODE=0 SLOTS=2 EV=5 NP=1 C=2 BIG=1 NO_SEAL=1
quick fails head-first           MODE=0 SLOTS=2 EV=2 HEAD_FIRST=1
quick fails plain-stores         MODE=1 SLOTS=2 EV=3 PLAIN_STORES=1
quick fails partial-no-check     MODE=1 SLOTS=2 EV=5 NP=1 C=2 PARTS=1 PARTIAL_NO_CHECK=1
quick fails half-post            MODE=0 SLOTS=2 EV=2 NP=1 CRASHES=1 HALF_POST=1
quick fails one-read             MODE=1 SLOTS=2 EV=4 NP=1 CRASHES=1 ONE_READ=1
quick fails shrink-store         MODE=0 SLOTS=3 EV=3 NP=1 SHRINKS=1 SHRINK_STORE=1
quick fails ledger-first         MODE=0 SLOTS=2 EV=2 NP=1 CRASHES=1 LEDGER_FIRST=1
quick fails ledger-offset        MODE=0 SLOTS=2 EV=4 NP=1 STOPS=2 PARTS=1 CRASHES=1 LEDGER_OFFSET=1
quick fails last-misses          MODE=0 SLOTS=2 EV=6 NP=1 STOPS=1 LAST_MISSES=1
long  holds D2-more         MODE=0 SLOTS=2 EV=3
long  holds D3-more         MODE=0 SLOTS=3 EV=3
long  holds O2-more         MODE=1 SLOTS=2 EV=4 EV2=2
long  holds O3-more         MODE=1 SLOTS=3 EV=3
long  holds D2-kill-crash   MODE=0 SLOTS=2 EV=2 KILLS=1 CRASHES=1
long  holds O2-kill-crash   MODE=1 SLOTS=2 EV=2 KILLS=1 CRASHES=1
long  holds O3-kill-crash   MODE=1 SLOTS=3 EV=3 EV2=1 KILLS=1 CRASHES=1
long  holds O2-crash-twice  MODE=1 SLOTS=2 EV=3 EV2=1 CRASHES=2
long  holds D3-shrink-more  MODE=0 SLOTS=3 EV=3 EV2=1 SHRINKS=2 CRASHES=1
long  holds O3-shrink-more  MODE=1 SLOTS=3 EV=3 EV2=1 SHRINKS=1 CRASHES=1
long  holds O2-partial-more MODE=1 SLOTS=2 EV=4 EV2=1 C=2 PARTS=2 CRASHES=1
long  holds D2-sizes-more   MODE=0 SLOTS=2 EV=3 EV2=1 C=2 BIG=1 KILLS=1
long  holds toggle-more     MODE=0 SLOTS=3 EV=3 EV2=1 TOGGLE=1 CRASHES=1
long  holds D3-stop-more    MODE=0 SLOTS=3 EV=3 EV2=1 STOPS=1 PARTS=1 CRASHES=1
long  holds O3-locked-more  MODE=1 SLOTS=3 EV=3 LOCKED=1 KILLS=1 CRASHES=1
long  holds three           MODE=1 SLOTS=2 EV=2 EV2=1 NP=3
long  holds O2-gap-more    MODE=1 SLOTS=2 EV=2 C=2 GAPS=1 KILLS=1
long  holds steal-less      MODE=1 SLOTS=3 EV=3 EV2=2 STEAL_F_NOT_COMPARED=1
long  fails take-beside-steal-3 MODE=1 SLOTS=3 EV=3 EV2=1 NP=3 OPEN_T_NOT_COMPARED=1
EOF
}

# pan looks at every state of a variant; its parameters come from the environment.
check() { # expected name parameters
	expected=$1 name=$2
	shift 2
	begin=$(date +%s)
	env "$@" timeout "$deadline" ./pan -n -m"$depth" >log 2>&1
	status=$?
	if [ $status -eq 124 ]; then
		found=unfinished
	elif grep -q '^pan:.*\(assertion violated\|invalid end state\)' log; then
		found=fails
	elif grep -q 'errors: 0' log && ! grep -q 'Search not completed\|max search depth too small' log; then
		found=holds
	else
		found=broken
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
		grep '^pan:\|^error' log
	fi
}

begin=$(date +%s)
if ! spin -a "$model" >log 2>&1 ||
	! $cc -w -O1 -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 -DMEMLIM="$memory" -o pan pan.c >>log 2>&1; then
	cat log >&2
	echo "run.sh: the model does not compile" >&2
	exit 1
fi
echo "model compiled in $(($(date +%s) - begin)) s"

bad=0
table >"$dir/variants"
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
done 3<"$dir/variants"

if [ $bad -gt 0 ]; then
	echo "run.sh: $bad variants are not as expected" >&2
	exit 1
fi
exit 0
