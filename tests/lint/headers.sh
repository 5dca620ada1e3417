#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Each header compiles alone.
. "$(dirname "$0")/lint.sh"
status=0
for header in $(sources '*.h'); do
	case $header in
	libtrbuf/rseq_*.h | libtrbuf/trbuf_*.h) continue ;; # parts of rseq.h and trbuf.h
	bench/twins/*) continue ;; # need the peers' headers
	esac
	# shellcheck disable=SC2086
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-function -Werror -I. -Ilibtrbuf \
		-fsyntax-only -x c -include "$header" /dev/null || {
		echo "$header does not compile alone"
		status=1
	}
done
exit $status
