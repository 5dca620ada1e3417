/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Named points between the externally visible steps, where tests kill, stop,
 * yield or signal the thread. Nothing at all unless built with --enable-inject.
 */
#ifndef TRBUF_INJECT_H
#define TRBUF_INJECT_H

#ifdef TRBUF_INJECT
void inject_point(const char *name);
#define INJECT(name) inject_point(name)
#else
#define INJECT(name) ((void)0)
#endif

#endif
