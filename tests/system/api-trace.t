#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# deadline: 600
#
# Promise: what the API emits is in the trace, value for value, and emitted =
# recorded + missed: for each kind of field, in C and C++, in several files and
# shared objects, with sanitizers and other ways to build, and for the examples.
# Uses the tracectl, tracerd and libtrbuf of the build tree, or installed ones.
set -u
src=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${top_builddir:-$src}
build=$(cd "$build" && pwd)
programs=$src/tests/programs
TRACECTL=${TRACECTL:-$build/tracectl/tracectl}
[ -x "$TRACECTL" ] || TRACECTL=$build/tracectl
[ -f "$TRACECTL" ] && [ -x "$TRACECTL" ] || TRACECTL=$(command -v tracectl || echo none)
libdir=${TRBUF_LIBDIR:-}
for d in "$build/.libs" "$build/libtrbuf/.libs"; do
	[ -z "$libdir" ] && [ -e "$d/libtrbuf.so" ] && libdir=$d
done
for tool in "$TRACECTL" babeltrace2 gcc g++; do
	command -v "$tool" >/dev/null && continue
	echo "1..0 # SKIP no $tool"
	[ "${TRBUF_NO_SKIP:-0}" = 1 ] && exit 1
	exit 77
done

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
[ -n "$libdir" ] && export LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
flags="-I$src/libtrbuf -I$src"
libs="${libdir:+-L$libdir} -ltrbuf -pthread"
number=0
failed=0

result() { # 0|1 TEXT
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		failed=1
		echo "not ok $number - $2"
		cat "$dir/err" "$dir/err2" "$dir/why" 2>/dev/null | head -20 | sed 's/^/# /'
	fi
}

build_one() { # OUTPUT COMPILER ARG...
	output=$1
	shift
	# shellcheck disable=SC2086
	timeout 120 "$@" $flags -o "$dir/$output" $libs 2>"$dir/err"
}

# record NAME PROGRAM ARG...: text of the trace in NAME.txt. True if babeltrace2 has
# nothing to say and all that was emitted was recorded or is reported missed.
record() {
	name=$1
	shift
	rm -f "$dir/why" "$dir/err2"
	timeout 60 "$TRACECTL" record -o "$dir/$name.trace" -- "$@" >"$dir/$name.out" 2>"$dir/err" || return 1
	babeltrace2 --clock-gmt "$dir/$name.trace" >"$dir/$name.txt" 2>"$dir/err2" || return 1
	emitted=$(sed -n 's/.*emitted \([0-9]*\).*/\1/p' "$dir/$name.out" | tail -1)
	recorded=$(grep -vc ' trbuf:[a-z]*: ' "$dir/$name.txt")
	missed=$(sed -n 's/.* trbuf:missed: .* count = \([0-9]*\).*/\1/p' "$dir/$name.txt" |
		awk '{ n += $1 } END { print n + 0 }')
	echo "emitted $emitted recorded $recorded missed $missed" >"$dir/why"
	grep -v 'WARNING.*discarded' "$dir/err2" >"$dir/err3"
	[ "$missed" -gt 0 ] || cp "$dir/err2" "$dir/err3"
	[ ! -s "$dir/err3" ] && [ -n "$emitted" ] && [ "$emitted" -eq $((recorded + missed)) ]
}

has() { # NAME TEXT
	grep -qF -- "$2" "$dir/$1.txt" || echo "not in the trace: $2" >>"$dir/why"
	grep -qF -- "$2" "$dir/$1.txt"
	result $? "$1: $2"
}

build_one types gcc -O2 "$programs/api_types.c" && record types "$dir/types"
result $? "types in C"
has types 'a = 255, b = 65535, c = 4294967295, d = 18446744073709551615'
has types 'a = -128, b = -32768, c = -2147483648, d = -9223372036854775807'
has types 'a = 0xFF, b = 0xFFFF, c = 0xFFFFFFFF, d = 0xFFFFFFFFFFFFFFFF'
has types 'a = 1.5, b = -2.25, c = 1, d = 0x'
has types 'c = 0, d = 0x0, e = "(null)"'
has types 'a = [ [0] = 1, [1] = 2, [2] = 3 ], b = [ [0] = 1, [1] = 0 ], c = [ [0] = 0.5 ]'
has types 'a = [ [0] = -1, [1] = 1 ]'
has types 'a = ( "GREEN" : container = 5 ), b = ( "NONE" : container = -1 ), c = ( "RED" : container = 0 )'
has types 'class = 1, int = 2, struct = 3, event = 4, stream = 5, align = 6, this = 7'
has types 'errno = 77, st_mtime = 2, EOF = 3, stdin = 4'
has types 'linux:unix'
has types 'o = 15, p = "sixteen"'
has types 'b23456789012345678901234567890123456789012345678901234567890123'
has types 'api:work_begin'
has types 'msg = "number 1 of two"'

build_one cxx g++ -O2 "$programs/api_types.cc" && record cxx "$dir/cxx"
result $? "types in C++"
has cxx '"ROUND" : container = 1'
has cxx 'cxx:guarded_end'

build_one units gcc -O2 "$programs/api_units_a.c" "$programs/api_units_b.c" &&
	record units "$dir/units"
result $? "one event in two files"
[ "$(grep -c 'units:shared: ' "$dir/units.txt")" -eq 4 ]
result $? "each place of it fires, in constructor and destructor too"
[ "$(grep -c 'units:clash: ' "$dir/units.txt")" -eq 2 ]
result $? "two events of one name"
build_one libother.so gcc -O2 -shared -fPIC "$programs/api_units_b.c" &&
	build_one shared gcc -O2 "$programs/api_units_a.c" "-L$dir" "-Wl,-rpath,$dir" -lother &&
	record shared "$dir/shared"
result $? "one event in a program and a shared object"

for way in "gcc -O0" "gcc -O3 -flto" "gcc -fsanitize=address,undefined" "clang -O2" \
	"clang -fsanitize=address,undefined" "gcc -fsanitize=thread" "gcc -finstrument-functions" \
	"gcc -no-pie -fno-pic" "gcc -Wl,-z,now -Wl,--gc-sections -ffunction-sections -fdata-sections"; do
	command -v "${way%% *}" >/dev/null || continue
	# shellcheck disable=SC2086
	build_one way $way "$programs/api_types.c" && record "way$number" "$dir/way"
	result $? "$way"
done

for example in workers primes; do
	build_one $example gcc -O2 "$src/examples/$example.c" || { result 1 "$example"; continue; }
	case $example in
	workers)
		record workers "$dir/workers" --seconds 0.3 --processes 4 --seed 1
		result $? "workers: $(cat "$dir/why" 2>/dev/null)"
		;;
	primes)
		# one event a number; its spans come in pairs
		timeout 60 "$TRACECTL" record --ring-size 64M -o "$dir/primes.d" -- \
			"$dir/primes" --seconds 0.02 >"$dir/primes.out" 2>"$dir/err" &&
			babeltrace2 "$dir/primes.d" >"$dir/primes.txt" 2>"$dir/err2" && [ ! -s "$dir/err2" ]
		result $? "primes"
		emitted=$(sed -n 's/^numbers \([0-9]*\).*/\1/p' "$dir/primes.out")
		recorded=$(grep -c ' primes:number: ' "$dir/primes.txt")
		echo "numbers $emitted, recorded $recorded" >"$dir/why"
		[ "$emitted" -eq "$recorded" ]
		result $? "primes: an event a number ($emitted)"
		begin=$(grep -c '_begin: ' "$dir/primes.txt")
		[ "$begin" -gt 0 ] && [ "$begin" -eq "$(grep -c '_end: ' "$dir/primes.txt")" ]
		result $? "primes: spans end ($begin)"
		primes=$(grep -c ' primes:number: .*prime = 1' "$dir/primes.txt")
		grep -q "primes $primes " "$dir/primes.out"
		result $? "primes: as many primes in the trace ($primes)"
		;;
	esac
done
build_one hello gcc -O2 "$src/examples/hello.c" &&
	timeout 60 "$TRACECTL" record -o "$dir/hello.d" -- "$dir/hello" >/dev/null 2>"$dir/err" &&
	[ "$(babeltrace2 "$dir/hello.d" 2>&1 | grep -c ' hello:')" -eq 4 ]
result $? "hello"
echo "1..$number"
exit $failed
