# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# What scripts/demo, test and bench share; they set $top, the top of the source
# tree, and source this.
#
#   setup_packages GROUP...         install what is missing of scripts/packages
#   setup_build [CONFIGURE-OPTION]  configure and make in $build
#
# $TRBUF_BUILD names another build directory than build/. What the tools say goes to
# stderr, so that stdout is the script's own.

build=${TRBUF_BUILD:-$top/build}

die() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# Packages of the groups that are not installed.
missing_packages() {
	while read -r package groups; do
		case $package in '' | '#'*) continue ;; esac
		for group; do
			case " $groups " in
			*" $group "*)
				dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null |
					grep -q '^install ok installed' || echo "$package"
				break
				;;
			esac
		done
	done <"$top/scripts/packages"
}

setup_packages() {
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		echo "$(basename "$0"): no apt-get here; scripts/packages says what is needed" >&2
		return 0
	fi
	missing=$(missing_packages "$@" | tr '\n' ' ')
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		die "as root: apt-get install $missing"
	fi
	echo "installing: $missing" >&2
	# The package names are words; the lists may be missing or old.
	# shellcheck disable=SC2086
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends $missing >&2 ||
		{ as_root apt-get -q update >&2 &&
			as_root env DEBIAN_FRONTEND=noninteractive \
				apt-get -qy install --no-install-recommends $missing >&2; } ||
		die "apt-get could not install: $missing"
}

jobs() {
	nproc 2>/dev/null || echo 2
}

setup_build() {
	[ ! -e "$top/config.status" ] ||
		die "$top is configured itself, which other build directories cannot be used with; make distclean there first"
	if [ ! -x "$top/configure" ] || [ -n "$(find "$top/configure.ac" -newer "$top/configure")" ]; then
		"$top/autogen.sh" >&2 || die "autogen.sh failed"
	fi
	mkdir -p "$build" || die "no build directory"
	if [ ! -f "$build/Makefile" ] || [ "$(cat "$build/.options" 2>/dev/null)" != "$*" ]; then
		(cd "$build" && "$top/configure" "$@" >configure.out 2>&1) ||
			{ tail -n 20 "$build/configure.out" >&2; die "configure failed: $build/configure.out"; }
		printf '%s\n' "$*" >"$build/.options"
	fi
	make -C "$build" -j"$(jobs)" --no-print-directory >&2 || die "make failed"
}
