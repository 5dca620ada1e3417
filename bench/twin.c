/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Loads a peer's events. A peer that cannot be used is left out, loudly. */
#include <dlfcn.h>
#include <stdio.h>

#include "bench/twin.h"

const struct twin *twin_load(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct twin *(*get)(void);
	const struct twin *twin;

	if (!lib) {
		fprintf(stderr, "bench: LEFT OUT %s: %s\n", path, dlerror());
		return NULL;
	}
	*(void **)&get = dlsym(lib, "twin_get");
	twin = get ? get() : NULL;
	if (!twin || twin->start() != 0) {
		fprintf(stderr, "bench: LEFT OUT %s: it does not start\n", path);
		return NULL;
	}
	return twin;
}
