/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Between config.c, which knows the values, and config_file.c, which knows the form. */
#ifndef TRACERD_CONFIG_FILE_H
#define TRACERD_CONFIG_FILE_H

#include "tracerd/config.h"

/* 0, or -EINVAL with *f saying what is allowed. */
int config_set(struct config *c, unsigned item, const char *value, struct fault *f);
/* Item of a key, or -1. */
int config_find(const char *section, const char *key);
/* Is there a section of that name? */
int config_section(const char *section);

#endif
