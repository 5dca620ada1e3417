#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# The manual pages have no complaint from mandoc, and every verb of tracectl has
# its part.
. "$(dirname "$0")/lint.sh"
need mandoc
status=0
for page in $(sources '*.[1-8]' | grep '^man/'); do
	mandoc -T lint -W warning "$page" || status=1
done
if [ -e man/tracectl.1 ]; then
	sed -n 's/^\t\.name = "\([a-z]*\)",$/\1/p' tracectl/cmd_*.c | sort -u | while read -r verb; do
		grep -qE "^\.(It|Ss|Sh).*\b$verb\b" man/tracectl.1 || echo "$verb"
	done | nothing "verbs that tracectl(1) does not have" || status=1
fi
exit $status
