# SPDX-License-Identifier: MIT
# Copyright The trbuf authors

dist_man_MANS += %D%/tracectl.1
