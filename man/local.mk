# SPDX-License-Identifier: MIT
# Copyright The trbuf authors

dist_man_MANS += %D%/libtrbuf.3 %D%/tracectl.1 %D%/tracerd.8 %D%/tracerd.conf.5 %D%/trbuf.7
