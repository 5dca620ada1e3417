#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Promise: wrong use is status 2 with one line on stderr; --help is for every
# verb, on stdout; a tool that cannot write its result does not end with 0.
. "${T_LIB:-$(dirname "$0")/lib.sh}"
need jq

region_new

wrong() {
	expect 2 "$TRACECTL" "$@"
	[ "$(wc -l <"$T_DIR/err")" -eq 1 ] || fail "not one line on stderr: $*"
	[ ! -s "$T_DIR/out" ] || fail "output in spite of wrong use: $*"
}

wrong
wrong --nonsense
wrong --region
wrong --region= status
wrong stauts
grep -q 'did you mean .status' "$T_DIR/err" || fail "no near verb"
wrong qqqqqq
wrong status extra
wrong on extra
wrong off --force
wrong list nothing
wrong list events a b
wrong list processes x
wrong enable
wrong enable ''
wrong enable ':x'
wrong enable 'x:'
wrong enable net --level loud
wrong enable net --level
wrong enable net --exclude
wrong enable "$(printf '%0200d' 0)"
wrong disable
wrong disable net --level err
wrong mask x
wrong mask --all
wrong mask +
wrong mode always
wrong mode discard overwrite
wrong cpus 0 1
wrong resize
wrong resize 1M 2M
wrong resize 1Q
wrong doctor a b
wrong doctor --some
wrong top --batch 0
wrong top --batch x
wrong top --interval 1ms
wrong top --sort size
[ ! -e "$TRBUF_REGION" ] || fail "wrong use made a region"
ok "wrong use"

expect 0 "$TRACECTL" --help
sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$T_DIR/out" >"$T_DIR/verbs"
[ -s "$T_DIR/verbs" ] || fail "no verbs in --help"
while read -r verb; do
	for help in --help -h; do
		expect 0 "$TRACECTL" "$verb" $help
		[ -s "$T_DIR/out" ] && [ ! -s "$T_DIR/err" ] || fail "$verb $help: not on stdout"
		grep -q '^Examples:' "$T_DIR/out" || fail "$verb $help: no examples"
	done
done <"$T_DIR/verbs"
expect 0 "$TRACECTL" --version
grep -Eq '^tracectl .*[0-9]+\.[0-9]+' "$T_DIR/out" || fail "--version"
ok "--help and --version"

expect 0 "$TRACECTL" on
if [ -w /dev/full ]; then
	for verb in status list mask cpus mode; do
		"$TRACECTL" $verb >/dev/full 2>"$T_DIR/err" && fail "$verb: a full disk is status 0"
		grep -q 'cannot write' "$T_DIR/err" || fail "$verb: no word about a full disk"
	done
	ok "a result that cannot be written"
fi

expect 0 "$TRACECTL" status --region "$TRBUF_REGION" --json
jq -e .on "$T_DIR/out" >/dev/null || fail "shared options behind the verb"
ok "shared options before and behind the verb"

timeout 20 "$TRACECTL" top --batch 3 --interval 50ms >"$T_DIR/out" 2>"$T_DIR/err" || fail "top"
[ "$(grep -c 'events/s,' "$T_DIR/out")" -eq 3 ] || fail "top --batch 3 did not print 3 times"
"$TRACECTL" top --batch 1000000 --interval 50ms >"$T_DIR/out" 2>&1 &
pid=$!
track $pid
wait_until 10 test -s "$T_DIR/out" || fail "top prints nothing"
kill -TERM $pid
wait $pid || fail "top did not end well on SIGTERM"
untrack $pid
ok "top in batch mode"

