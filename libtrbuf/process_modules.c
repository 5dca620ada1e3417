/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What a process has loaded: base address and, through the registry, path,
 * size and build id of each object. From constructors only (the loader's lock
 * is held there), never from an emit.
 */
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/process.h"
#include "libtrbuf/process_modules.h"
#include "libtrbuf/registry.h"
#include "libtrbuf/sync.h"

struct walk {
	struct region *r;
	struct layout_process *p;
};

static unsigned long long last_adds;

static const unsigned char *find_build_id(const struct dl_phdr_info *info, unsigned *size)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const unsigned char *p = (const unsigned char *)(info->dlpi_addr + ph->p_vaddr);
		size_t left = ph->p_memsz;

		while (ph->p_type == PT_NOTE && left >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)(const void *)p;
			size_t name = (n->n_namesz + 3u) & ~3u, desc = (n->n_descsz + 3u) & ~3u;
			size_t all = sizeof(*n) + name + desc;

			if (all > left)
				break;
			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
			    memcmp(n + 1, "GNU", 4) == 0) {
				*size = n->n_descsz;
				return p + sizeof(*n) + name;
			}
			p += all;
			left -= all;
		}
	}
	*size = 0;
	return (const unsigned char *)"";
}

static uint64_t image_size(const struct dl_phdr_info *info)
{
	uint64_t end = 0;

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD && ph->p_vaddr + ph->p_memsz > end)
			end = ph->p_vaddr + ph->p_memsz;
	}
	return end;
}

static int known(const struct layout_process *p, uint64_t module, uint64_t base)
{
	uint32_t n = sync_load(&p->modules);

	for (uint32_t i = 0; i < n && i < LAYOUT_PROCESS_MODULES; i++)
		if (p->module[i].module == module && p->module[i].base == base)
			return 1;
	return 0;
}

static void note(struct walk *w, const struct dl_phdr_info *info, const char *path)
{
	unsigned id_size;
	const unsigned char *id = find_build_id(info, &id_size);
	uint64_t module = registry_add_module(w->r, path, image_size(info), id, id_size);
	uint32_t n;

	if (!module || known(w->p, module, info->dlpi_addr))
		return;
	n = sync_load(&w->p->modules);
	if (n < LAYOUT_PROCESS_MODULES) {
		w->p->module[n].module = module;
		w->p->module[n].base = info->dlpi_addr;
		w->p->module[n].since = clock_read(w->r->geo.clock, w->r->hdr);
	}
	sync_store_release(&w->p->modules, n + 1); /* also says how many did not fit */
}

static int each(struct dl_phdr_info *info, size_t size, void *arg)
{
	char exe[4096];
	ssize_t n;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs)) {
		if (info->dlpi_adds == last_adds)
			return 1; /* nothing was loaded since */
	}
	if (info->dlpi_name && info->dlpi_name[0]) {
		if (strlen(info->dlpi_name) < 1024)
			note(arg, info, info->dlpi_name);
		return 0;
	}
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n > 0 && n < 1024) {
		exe[n] = '\0';
		note(arg, info, exe);
	}
	return 0;
}

static int newest(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)arg;
	if (size >= offsetof(struct dl_phdr_info, dlpi_subs))
		last_adds = info->dlpi_adds;
	return 1;
}

void process_modules(struct region *r, uint32_t index_plus_1)
{
	struct walk w = { r, index_plus_1 ? process_entry(r, index_plus_1 - 1) : NULL };

	if (!w.p)
		return;
	dl_iterate_phdr(each, &w);
	dl_iterate_phdr(newest, NULL);
}

void process_modules_inherit(struct layout_process *child, const struct layout_process *parent)
{
	uint32_t n = sync_load_acquire(&parent->modules);
	uint32_t copied = n < LAYOUT_PROCESS_MODULES ? n : LAYOUT_PROCESS_MODULES;

	memcpy(child->module, parent->module, copied * sizeof(child->module[0]));
	sync_store_release(&child->modules, n);
}
