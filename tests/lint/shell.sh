#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Shell scripts: shellcheck.
. "$(dirname "$0")/lint.sh"
need shellcheck
scripts=$(sources '*' | grep -vE '^(configure|build-aux/|tests/lint/lint\.sh)' | while read -r file; do
	case $file in
	*.t | *.sh) echo "$file" ;;
	*) head -n 1 "$file" 2>/dev/null | tr -d '\0' | grep -qE '^#! ?/bin/(ba)?sh|^#!/usr/bin/env (ba)?sh' &&
		echo "$file" ;;
	esac
done)
# Sourced files are named by variables of the environment (SC1090, SC1091,
# SC2154); functions with optional arguments (SC2119, SC2120); a && b || fail (SC2015).
# shellcheck disable=SC2086
shellcheck --external-sources --exclude=SC1090,SC1091,SC2015,SC2119,SC2120,SC2154 $scripts
