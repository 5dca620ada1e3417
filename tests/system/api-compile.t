#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# deadline: 600
#
# Promise: trbuf.h compiles without a warning in every dialect it names, says
# what is wrong when it is used wrongly, and a trace point that is off is one
# load, one compare and one branch. Nothing is run but the compilers.
set -u
src=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
programs=$src/tests/programs
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
number=0
failed=0
inc="-I$src/libtrbuf -I$src"
strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Werror"

result() { # 0|1 TEXT
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		failed=1
		echo "not ok $number - $2"
		sed 's/^/# /' "$dir/err" | head -20
	fi
}

try() { # TEXT COMPILER ARG...: must compile without a word
	text=$1
	shift
	# shellcheck disable=SC2086
	timeout 60 "$@" $inc -c -o "$dir/o.o" 2>"$dir/err" && [ ! -s "$dir/err" ]
	result $? "$text"
}

must_fail() { # TEXT LANGUAGE MESSAGE, source on stdin
	text=$1
	cat >"$dir/bad.$2"
	case $2 in
	c) set -- "$2" "$3" gcc -std=gnu11 ;;
	*) set -- "$2" "$3" g++ -std=gnu++17 ;;
	esac
	lang=$1
	message=$2
	shift 2
	# shellcheck disable=SC2086
	if timeout 60 "$@" $inc -fsyntax-only "$dir/bad.$lang" 2>"$dir/err"; then
		result 1 "$text: compiles"
	else
		head -12 "$dir/err" | grep -q -- "$message"
		result $? "$text"
	fi
}

for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "# no $cc"; continue; }
	for std in c99 c11 c17 c2x gnu99 gnu11 gnu17 gnu2x; do
		# shellcheck disable=SC2086
		try "$cc -std=$std" $cc -std=$std -O2 $strict -Wstrict-prototypes \
			-Wmissing-prototypes "$programs/api_types.c"
	done
	for more in -O0 -O3 -flto -DTRBUF_DISABLE "-O0 -DTRBUF_DISABLE" -fsanitize=address,undefined \
		-fsanitize=thread -finstrument-functions -fPIC "-fno-pic -fno-pie"; do
		# shellcheck disable=SC2086
		try "$cc $more" $cc -std=gnu11 $more $strict "$programs/api_types.c"
	done
done
for cxx in g++ clang++; do
	command -v $cxx >/dev/null || { echo "# no $cxx"; continue; }
	for std in c++11 c++14 c++17 c++20 c++2b gnu++11 gnu++17; do
		# shellcheck disable=SC2086
		try "$cxx -std=$std" $cxx -std=$std -O2 $strict "$programs/api_types.cc"
	done
	for more in -O0 -DTRBUF_DISABLE -finstrument-functions; do
		# shellcheck disable=SC2086
		try "$cxx $more" $cxx -std=c++17 $more $strict "$programs/api_types.cc"
	done
done

# Disabled: complete without the library, and no argument is evaluated.
# shellcheck disable=SC2086
gcc -O0 -DTRBUF_DISABLE $inc "$programs/api_types.c" -o "$dir/off" 2>"$dir/err" &&
	"$dir/off" >"$dir/out" 2>>"$dir/err" && ! nm "$dir/off" | grep -q ' trbuf_e_.*_register'
result $? "TRBUF_DISABLE needs no library"

# Off: load the address of the gate, compare the gate with 0, branch.
cat >"$dir/off.c" <<'END'
#include <trbuf.h>
TRBUF_EVENT(a, b, TRBUF_INFO, (u32, x));
void point(unsigned x);
void point(unsigned x) { trbuf_trace(a, b, x); }
END
case $(uname -m) in
x86_64)
	for cc in gcc clang; do
		command -v $cc >/dev/null || continue
		command -v objdump >/dev/null || continue
		# shellcheck disable=SC2086
		$cc -O2 -fcf-protection=none $inc -c "$dir/off.c" -o "$dir/off.o" 2>"$dir/err" &&
			objdump -d --no-show-raw-insn "$dir/off.o" |
			sed -n '/<point>:/,$p' | sed -n 2,4p | awk '{ print $2 }' |
				tr '\n' ' ' >"$dir/code"
		grep -q '^mov cmpb j[a-z]* $' "$dir/code"
		result $? "$cc: mov, cmpb, branch: $(cat "$dir/code")"
	done
	;;
esac

must_fail "unknown type" c 'unknown field type i32' <<'END'
#include <trbuf.h>
TRBUF_EVENT(a, b, TRBUF_INFO, (i32, x));
END
must_fail "unknown type (C++)" cc 'unknown field type i32' <<'END'
#include <trbuf.h>
TRBUF_EVENT(a, b, TRBUF_INFO, (u8, y), (i32, x));
END
must_fail "unknown level" c 'trbuf_level_VERBOSE' <<'END'
#include <trbuf.h>
TRBUF_EVENT(a, b, VERBOSE, (u32, x));
END
must_fail "17 fields" c 'at most 16 fields' <<'END'
#include <trbuf.h>
TRBUF_EVENT(a, b, TRBUF_INFO, (u8, a), (u8, b), (u8, c), (u8, d), (u8, e), (u8, f), (u8, g),
	(u8, h), (u8, i), (u8, j), (u8, k), (u8, l), (u8, m), (u8, n), (u8, o), (u8, p), (u8, q));
END
long=a234567890123456789012345678901234567890123456789012345678901234
must_fail "class of 64 characters" c 'class longer than 63' <<END
#include <trbuf.h>
TRBUF_EVENT($long, b, TRBUF_INFO);
END
must_fail "event of 64 characters" cc 'event longer than 63' <<END
#include <trbuf.h>
TRBUF_EVENT(a, $long, TRBUF_INFO);
END
must_fail "field of 64 characters" c 'field longer than 63' <<END
#include <trbuf.h>
TRBUF_EVENT(a, b, TRBUF_INFO, (str, $long));
END
must_fail "fixed part too large" c 'larger than TRBUF_RECORD_MAX' <<'END'
#include <trbuf.h>
TRBUF_EVENT(a, b, TRBUF_INFO, (array, u64, 2050, x));
END
must_fail "printf checks its format" c 'format' <<'END'
#pragma GCC diagnostic error "-Wformat"
#include <trbuf.h>
void f(void);
void f(void) { trbuf_printf(a, TRBUF_INFO, "%s", 3); }
END
must_fail "too few arguments" c 'too few arguments' <<'END'
#include <trbuf.h>
TRBUF_EVENT(a, b, TRBUF_INFO, (u8, x), (u8, y));
void f(void);
void f(void) { trbuf_trace(a, b, 1); }
END
must_fail "wrong argument, also when disabled" c 'incompatible\|makes integer\|makes pointer' <<'END'
#pragma GCC diagnostic error "-Wint-conversion"
#define TRBUF_DISABLE
#include <trbuf.h>
TRBUF_EVENT(a, b, TRBUF_INFO, (str, x));
void f(void);
void f(void) { trbuf_trace(a, b, 17); }
END
must_fail "an event nobody declared" c 'a_dot_c' <<'END'
#include <trbuf.h>
void f(void);
void f(void) { trbuf_trace(a, c, 1); }
END
echo "1..$number"
exit $failed
