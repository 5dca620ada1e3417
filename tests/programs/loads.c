/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * loads PLUGIN...: loads and unloads shared objects with trace points, over and over,
 * in several threads. Has no trace point itself and is not linked with libtrbuf.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3
#define ROUNDS 40
#define CALLS 100

static int plugins;
static char **plugin;
static atomic_ullong emitted;

static void load(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	unsigned (*call)(unsigned) = NULL;

	if (handle)
		call = (unsigned (*)(unsigned))(uintptr_t)dlsym(handle, "plugin_call");
	if (!call) {
		fprintf(stderr, "loads: %s\n", dlerror());
		exit(1);
	}
	atomic_fetch_add(&emitted, call(CALLS));
	dlclose(handle);
}

static void *loader(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		load(plugin[(i + (int)(intptr_t)arg) % plugins]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	plugins = argc - 1;
	plugin = argv + 1;
	if (plugins < 1)
		return 2;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, loader, (void *)(intptr_t)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("emitted %llu\n", (unsigned long long)atomic_load(&emitted));
	return 0;
}
