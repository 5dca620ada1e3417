#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# The manual pages have no complaint from mandoc; tracectl(1), the completions
# and `tracectl VERB --help` name the same verbs and the same options.
. "$(dirname "$0")/lint.sh"
need mandoc
status=0
tracectl=${TRACECTL:-${top_builddir:-.}/tracectl/tracectl}
page=man/tracectl.1

# Other manuals need not be installed where this runs.
for p in $(sources '*.[1-8]' | grep '^man/'); do
	mandoc -T lint -W warning "$p" || status=1
done
[ -e "$page" ] || exit $status

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

sed -n 's/^\t\.name = "\([a-z]*\)",$/\1/p' tracectl/cmd_*.c | sort -u >"$dir/verbs"
sed -n 's/^\.Ss \([a-z][a-z]*\).*/\1/p' "$page" | sort -u >"$dir/page-verbs"
comm -23 "$dir/verbs" "$dir/page-verbs" | nothing "verbs that tracectl(1) does not have" || status=1
comm -13 "$dir/verbs" "$dir/page-verbs" | nothing "verbs that only tracectl(1) has" || status=1
for c in contrib/completion/bash contrib/completion/zsh; do
	while read -r verb; do
		grep -qw -e "$verb" "$c" || echo "$verb"
	done <"$dir/verbs" | nothing "verbs that $c does not have" || status=1
done

# The rest asks the program itself.
if [ ! -x "$tracectl" ]; then
	echo "man.sh: $tracectl is not built"
	[ "${TRBUF_NO_SKIP:-0}" = 1 ] && exit 1
	exit $status
fi

# Long options that a part of the page defines. "Settings" and "Filters" are for
# several verbs, and no verbs.
page_options() { # VERB|Settings|Filters
	awk -v verb="$1" '
		/^\.S[hs] / { here = ($1 == ".Ss" && $2 == verb) }
		here && /^\.It Fl / {
			for (i = 2; i <= NF; i++)
				if ($i ~ /^-[a-z][a-z-]+$/)
					print "-" $i
		}' "$page" | sort -u
}

# Long options that stand at the start of a line of the help, or in its usage.
help_options() {
	sed -n -e '/^Examples:/q' -e '/^usage:/p' -e '/^ *-/p' "$dir/help" |
		grep -oE -e '--[a-z][a-z-]+' | grep -vxE -e '--(region|json|help)' | sort -u
}

page_options Settings >"$dir/settings"
page_options Filters >"$dir/filters"
while read -r verb; do
	"$tracectl" "$verb" --help >"$dir/help" 2>&1 || echo "$verb: status $?"
	head -n 1 "$dir/help" | grep -q '^usage: tracectl ' || echo "$verb: no usage line"
	grep -q '^Examples:' "$dir/help" || echo "$verb: no examples"
	help_options >"$dir/in-help"
	page_options "$verb" >"$dir/in-page"
	if grep -qx -e --ring-size "$dir/in-help"; then
		sort -u -o "$dir/in-page" "$dir/in-page" "$dir/settings"
	fi
	if grep -qx -e --where "$dir/in-help"; then
		sort -u -o "$dir/in-page" "$dir/in-page" "$dir/filters"
	fi
	comm -23 "$dir/in-help" "$dir/in-page" | sed "s/^/$verb: only in --help: /"
	comm -13 "$dir/in-help" "$dir/in-page" | sed "s/^/$verb: only in the page: /"
done <"$dir/verbs" >"$dir/found"
nothing "differences between tracectl(1) and --help" <"$dir/found" || status=1
exit $status
