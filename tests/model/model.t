#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# deadline: 900
#
# Promise one as a model: the ring protocol holds in all states of small rings, and planted bugs are found.
exec "${top_srcdir:?}/tests/model/run.sh"
