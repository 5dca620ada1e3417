#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Each file says its licence and whose it is in its first lines.
. "$(dirname "$0")/lint.sh"
status=0
for file in $(sources '*' | grep -vE '(^|/)README$|^(LICENSE|NEWS|HACKING|configure$|configure~$|Makefile\.in$|aclocal\.m4$|build-aux/|m4/(libtool|lt))' |
	grep -vE '\.(md|gitignore|expected|golden|bin|json|txt|pc|service|log|trs)$'); do
	grep -qI . "$file" || continue # empty or binary
	head -n 5 "$file" | grep -q 'SPDX-License-Identifier: MIT$\|SPDX-License-Identifier: MIT \*/$' &&
		head -n 6 "$file" | grep -q 'Copyright The trbuf authors' && continue
	echo "$file"
done | nothing "no SPDX or copyright line" || status=1
exit $status
