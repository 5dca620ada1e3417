# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# For system tests, which begin with
#
#	. "${T_LIB:-$(dirname "$0")/lib.sh}"
#
# and then say what they promise, one `ok` a promise kept. The first `fail`
# ends the test. A test that ends well without one `ok` has failed.
#
#   say TEXT...             a line for the log
#   ok TEXT...              a promise kept
#   fail TEXT...            the test has failed; it ends here
#   skip TEXT...            cannot be tested here (a failure with TRBUF_NO_SKIP=1)
#   need COMMAND...         skip unless each is there
#   run COMMAND...          its output in $T_DIR/out and err, its status in $status
#   expect STATUS COMMAND.. run, and fail unless it ends so
#   wait_until SECONDS CMD  run CMD again and again until it is true; false when
#                           the time is over
#   region_new              a new private path in $TRBUF_REGION (nothing is made)
#   daemon_start [OPTION..] tracerd for $TRBUF_REGION; returns when it is ready
#   daemon_stop             ends it in order; its status in $status
#   daemon_kill             kill -9, and waits until it is gone
#   track PID...            to be ended when the test ends
#   untrack PID...
#   bt2_read DIR            reads the trace; fails if babeltrace2 fails or says
#                           anything but how many events were discarded.
#                           $events: those not of trbuf's own, $discarded, and the
#                           text in $T_DIR/text
#   equation EMITTED DIR    emitted = recorded + missed, or fail
#
# Needs a POSIX shell with mktemp, timeout and the tools of the build tree.
set -u

if [ -z "${T_DIR:-}" ]; then
	# Called by hand, without run-one: start again through it.
	case $0 in
	*.t) exec sh "$(dirname "$0")/run-one" "$0" ;;
	esac
	echo "lib.sh: use run-one" >&2
	exit 99
fi

t_oks=0
t_regions=0
t_pids=
daemon_pid=
status=0
events=0
discarded=0

say() {
	echo "# $*"
}

ok() {
	t_oks=$((t_oks + 1))
	echo "ok $t_oks - $*"
}

fail() {
	echo "not ok $((t_oks + 1)) - $*"
	exit 1
}

skip() {
	if [ "${TRBUF_NO_SKIP:-0}" = 1 ]; then
		fail "skipped, which TRBUF_NO_SKIP=1 does not allow: $*"
	fi
	echo "1..0 # SKIP $*"
	exit 77
}

need() {
	for t_cmd; do
		command -v "$t_cmd" >/dev/null 2>&1 || skip "$t_cmd is not there"
	done
}

t_end() {
	t_status=$?
	trap - EXIT
	trap '' INT TERM HUP
	for t_pid in $t_pids $daemon_pid; do
		kill -KILL "$t_pid" 2>/dev/null
	done
	if [ $t_status -ne 0 ] && [ $t_status -ne 77 ]; then
		for t_log in err daemon.log; do
			[ -s "$T_DIR/$t_log" ] || continue
			echo "# $t_log:"
			tail -n 20 "$T_DIR/$t_log" | sed 's/^/#   /'
		done
	elif [ $t_status -eq 0 ] && [ $t_oks -eq 0 ]; then
		echo "not ok 1 - the test checked nothing"
		t_status=1
	fi
	exit $t_status
}
trap t_end EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP

run() {
	"$@" >"$T_DIR/out" 2>"$T_DIR/err"
	status=$?
}

expect() {
	t_want=$1
	shift
	run "$@"
	[ $status -eq "$t_want" ] || fail "status $status, not $t_want: $*"
}

# A shell has no better way to wait for a condition than to look again; how long
# between two looks is not what any test depends on.
t_pause() {
	sleep 0.05
}

t_now() {
	cut -d. -f1 /proc/uptime
}

wait_until() {
	t_end_time=$(($(t_now) + $1 + 1))
	shift
	until "$@"; do
		[ "$(t_now)" -lt $t_end_time ] || return 1
		t_pause
	done
}

region_new() {
	t_regions=$((t_regions + 1))
	mkdir -m 700 "$T_DIR/r$t_regions" || fail "no directory for a region"
	TRBUF_REGION=$T_DIR/r$t_regions/region
	export TRBUF_REGION
}

track() {
	t_pids="$t_pids $*"
}

untrack() {
	for t_gone; do
		t_rest=
		for t_pid in $t_pids; do
			[ "$t_pid" = "$t_gone" ] || t_rest="$t_rest $t_pid"
		done
		t_pids=$t_rest
	done
}

daemon_start() {
	[ -n "${TRBUF_REGION:-}" ] || region_new
	[ -z "$daemon_pid" ] || fail "daemon_start: one runs already"
	rm -f "$T_DIR/ready"
	mkfifo "$T_DIR/ready" || fail "mkfifo"
	"$TRACERD" --no-config --region "$TRBUF_REGION" --output "$T_DIR/traces" --ready-fd 9 \
		"$@" 9>"$T_DIR/ready" >>"$T_DIR/daemon.log" 2>&1 &
	daemon_pid=$!
	# End of file without a line: it ended before it was ready.
	t_line=$(timeout 30 head -n 1 <"$T_DIR/ready")
	[ -n "$t_line" ] || fail "tracerd was not ready: $(tail -n 1 "$T_DIR/daemon.log")"
}

# Not `wait`: that has no deadline. A child that has ended is gone for kill -0
# only when waited for, so look at its state.
t_ended() {
	case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in
	'' | Z*) return 0 ;;
	esac
	return 1
}

daemon_stop() {
	kill -TERM "$daemon_pid" 2>/dev/null
	wait_until 30 t_ended "$daemon_pid" || fail "tracerd did not end within 30 s of SIGTERM"
	wait "$daemon_pid"
	status=$?
	daemon_pid=
}

daemon_kill() {
	kill -KILL "$daemon_pid" 2>/dev/null
	wait "$daemon_pid" 2>/dev/null
	daemon_pid=
}

bt2_read() {
	need babeltrace2
	babeltrace2 --clock-gmt --no-delta "$1" >"$T_DIR/text" 2>"$T_DIR/text.err"
	t_status=$?
	[ $t_status -eq 0 ] || {
		cp "$T_DIR/text.err" "$T_DIR/err"
		fail "babeltrace2 $1: status $t_status"
	}
	# "[...] class:event: { cpu_id = 0 }, ..."
	events=$(grep -vcE '^\[[^]]*\] ([^ ]+ )?trbuf:[a-z_]+: ' "$T_DIR/text")
	t_said='^.*WARNING.*: Tracer discarded [0-9]+ events? between .*$'
	discarded=$(sed -nE 's/^.*WARNING.*: Tracer discarded ([0-9]+) events? .*$/\1/p' \
		"$T_DIR/text.err" | awk '{ n += $1 } END { print n + 0 }')
	if grep -vE "$t_said" "$T_DIR/text.err" | grep -q .; then
		cp "$T_DIR/text.err" "$T_DIR/err"
		fail "babeltrace2 $1 complains"
	fi
}

equation() {
	bt2_read "$2"
	[ "$1" -eq $((events + discarded)) ] ||
		fail "$2: emitted $1, but recorded $events + missed $discarded = $((events + discarded))"
	say "$2: emitted $1 = recorded $events + missed $discarded"
}
