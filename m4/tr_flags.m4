# SPDX-License-Identifier: MIT
# Copyright The trbuf authors

# TR_TRY_FLAG(FLAGS, IF-THEY-WORK, [IF-NOT])
# ------------------------------------------
# Compile and link a small program of the current language with FLAGS, with
# every complaint an error (clang only warns about flags that it does not
# know). The user's own CFLAGS stay as they are.
AC_DEFUN([TR_TRY_FLAG], [
  AC_MSG_CHECKING([whether $]_AC_CC[ accepts $1])
  tr_saved=$[]_AC_LANG_PREFIX[]FLAGS
  _AC_LANG_PREFIX[]FLAGS="$tr_saved -Werror $1"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]],
      [[char text[8]; memset(text, 1, sizeof(text)); return text[3] == 0;]])],
    [_AC_LANG_PREFIX[]FLAGS=$tr_saved
     AC_MSG_RESULT([yes])
     $2],
    [_AC_LANG_PREFIX[]FLAGS=$tr_saved
     AC_MSG_RESULT([no])
     $3])
])

# TR_APPEND_FLAGS(VARIABLE, FLAGS)
# --------------------------------
# Append those of the white-space separated FLAGS that work to VARIABLE.
AC_DEFUN([TR_APPEND_FLAGS], [
  for tr_flag in m4_normalize([$2]); do
    TR_TRY_FLAG([$tr_flag], [AS_VAR_APPEND([$1], [" $tr_flag"])])
  done
])
