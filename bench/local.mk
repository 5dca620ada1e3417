# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Everything that measures. Programs go to EXTRA_PROGRAMS: `make` does not build
# them. bench_programs and bench_run belong to this directory's tool.

bench: all
