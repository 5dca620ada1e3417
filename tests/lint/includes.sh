#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
#
# Atomic builtins and <stdatomic.h> stand in libtrbuf/sync.h alone; libevent and
# inih are known in tracerd/ alone; the CTF writer knows nothing of rings.
. "$(dirname "$0")/lint.sh"
status=0
code=$(sources '*.c' '*.h' '*.cc' | grep -E '^(libtrbuf|common|tracerd|tracectl)/')
# shellcheck disable=SC2086
{
grep -nE '__atomic_|__sync_|<stdatomic\.h>|_Atomic' $code | grep -v '^libtrbuf/sync\.h:' |
	nothing "atomics outside libtrbuf/sync.h" || status=1
grep -nE '#include.*(<event|<ini\.h>)' $code | grep -v '^tracerd/' |
	nothing "libevent or inih outside tracerd/" || status=1
grep -nE '#include "(common|tracerd|tracectl)/' $code | grep '^libtrbuf/' |
	nothing "libtrbuf/ includes from above" || status=1
grep -nE '#include "(tracerd|tracectl)/' $code | grep '^common/' |
	nothing "common/ includes from above" || status=1
grep -nE '#include "tracerd/' $code | grep '^tracectl/' |
	nothing "tracectl/ includes from tracerd/" || status=1
grep -nE '#include "libtrbuf/ring' $code | grep '^common/ctf_' |
	nothing "the CTF writer includes rings" || status=1
}
exit $status
