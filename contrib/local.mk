# SPDX-License-Identifier: MIT
# Copyright The trbuf authors

EXTRA_DIST += %D%/tracerd.service.in %D%/tmpfiles.conf %D%/sysusers.conf \
	%D%/completion/bash %D%/completion/zsh

%D%/tracerd.service: %D%/tracerd.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	$(SED) -e 's,@sbindir\@,$(sbindir),g' $(srcdir)/%D%/tracerd.service.in >$@.tmp && \
	mv $@.tmp $@
CLEANFILES += %D%/tracerd.service

if WITH_SYSTEMD_UNIT
nodist_systemdsystemunit_DATA = %D%/tracerd.service
endif

# Installed under the package's name.
install-data-local:
if WITH_TMPFILES
	$(MKDIR_P) '$(DESTDIR)$(tmpfilesdir)'
	$(INSTALL_DATA) $(srcdir)/%D%/tmpfiles.conf '$(DESTDIR)$(tmpfilesdir)/trbuf.conf'
endif
if WITH_SYSUSERS
	$(MKDIR_P) '$(DESTDIR)$(sysusersdir)'
	$(INSTALL_DATA) $(srcdir)/%D%/sysusers.conf '$(DESTDIR)$(sysusersdir)/trbuf.conf'
endif

if WITH_BASH_COMPLETION
	$(MKDIR_P) '$(DESTDIR)$(bashcompletiondir)'
	$(INSTALL_DATA) $(srcdir)/%D%/completion/bash '$(DESTDIR)$(bashcompletiondir)/tracectl'
endif
if WITH_ZSH_COMPLETION
	$(MKDIR_P) '$(DESTDIR)$(zshcompletiondir)'
	$(INSTALL_DATA) $(srcdir)/%D%/completion/zsh '$(DESTDIR)$(zshcompletiondir)/_tracectl'
endif

uninstall-local:
if WITH_TMPFILES
	rm -f '$(DESTDIR)$(tmpfilesdir)/trbuf.conf'
endif
if WITH_SYSUSERS
	rm -f '$(DESTDIR)$(sysusersdir)/trbuf.conf'
endif
if WITH_BASH_COMPLETION
	rm -f '$(DESTDIR)$(bashcompletiondir)/tracectl'
endif
if WITH_ZSH_COMPLETION
	rm -f '$(DESTDIR)$(zshcompletiondir)/_tracectl'
endif
