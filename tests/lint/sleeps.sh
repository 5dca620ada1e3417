#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# No fixed sleeps in tests: they wait for the event, with a deadline. lib.sh has
# the one pause of wait_until.
. "$(dirname "$0")/lint.sh"
status=0
# shellcheck disable=SC2046
grep -nE '(^|[^_a-z.-])(u|nano)?sleep([[:space:]]+[0-9.$]|[[:space:]]*\()' \
	$(sources '*' | grep -E '^tests/(system|unit|programs)/') | grep -v '^tests/system/lib\.sh:' |
	nothing "fixed sleeps" || status=1
exit $status
