#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
# Makes ./configure from configure.ac.
set -e
cd "$(dirname "$0")"
exec autoreconf -fi
