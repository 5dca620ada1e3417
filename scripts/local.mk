# SPDX-License-Identifier: MIT
# Copyright The trbuf authors

dist_noinst_SCRIPTS += %D%/demo %D%/test %D%/bench .ci/run
EXTRA_DIST += %D%/packages %D%/setup.sh
