/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A shared object with trace points, for loads.c; PLUGIN tells copies apart.
 * All copies have plugin:shared, and each an event of its own fields.
 */
#include <trbuf.h>

#ifndef PLUGIN
#define PLUGIN 0
#endif

TRBUF_EVENT(plugin, shared, TRBUF_INFO, (u32, plugin), (u32, number));
#if PLUGIN == 0
TRBUF_EVENT(plugin, own, TRBUF_INFO, (u32, number));
#define OWN(n) trbuf_trace(plugin, own, n)
#else
TRBUF_EVENT(plugin, own, TRBUF_INFO, (str, text));
#define OWN(n) trbuf_trace(plugin, own, (n)&1 ? "odd" : "even")
#endif

unsigned plugin_call(unsigned n);

/* Returns how many events it emitted. */
__attribute__((visibility("default"))) unsigned plugin_call(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		trbuf_trace(plugin, shared, PLUGIN, i);
		OWN(i);
	}
	return 2 * n;
}
