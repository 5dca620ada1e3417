/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The gate between shared words and the rest of the program: after this only
 * struct geometry is used to compute addresses. Pure but for the boot id.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "libtrbuf/layout_check.h"
#include "libtrbuf/sync.h"

#define MAX_RING_BYTES (256u << 20)

void layout_tables(uint32_t page_size, uint32_t *table_cap, uint32_t *max_slots)
{
	uint32_t cap = MAX_RING_BYTES / page_size;

	if (cap < 256)
		cap = 256;
	if (cap > 16384)
		cap = 16384;
	*table_cap = cap;
	*max_slots = cap - 2;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

void layout_boot_id(unsigned char id[16])
{
	char text[64];
	ssize_t n;
	unsigned have = 0;
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(id, 0, 16);
	if (fd < 0)
		return;
	n = read(fd, text, sizeof(text));
	close(fd);
	for (ssize_t i = 0; i < n && have < 32; i++) {
		int h = hex(text[i]);

		if (h >= 0) {
			id[have / 2] = (unsigned char)(id[have / 2] << 4 | h);
			have++;
		}
	}
}

static int page_ok(uint32_t page)
{
	return page >= LAYOUT_MIN_PAGE && page <= LAYOUT_MAX_PAGE && (page & (page - 1)) == 0;
}

static int context_ok(uint32_t context)
{
	return context == LAYOUT_CONTEXT_NONE || context == LAYOUT_CONTEXT_TID ||
	       context == LAYOUT_CONTEXT_PID_TID;
}

int layout_refresh(const struct layout_region *hdr, struct geometry *g)
{
	uint32_t page = sync_load(&hdr->page_size), context = sync_load(&hdr->context);
	uint32_t clock = sync_load(&hdr->clock);

	if (!page_ok(page) || !context_ok(context) || clock == LAYOUT_CLOCK_NONE ||
	    clock > LAYOUT_CLOCK_COARSE)
		return -EBADMSG;
	g->page_size = page;
	g->context = context;
	g->clock = clock;
	layout_tables(page, &g->table_cap, &g->max_slots);
	return 0;
}

static int check_identity(const struct layout_region *c, struct fault *f)
{
	unsigned char boot[16];

	if (c->magic != LAYOUT_MAGIC)
		return fault_set(f, EPROTO, "not a trbuf region (no magic); remove the file or "
					    "choose another with --region or TRBUF_REGION");
	if (c->version != LAYOUT_VERSION)
		return fault_set(f, EPROTO,
				 "region has layout version %u, this program knows version %u; "
				 "use programs of one trbuf version or another region",
				 c->version, LAYOUT_VERSION);
	layout_boot_id(boot);
	if (memcmp(boot, c->boot_id, 16) != 0)
		return fault_set(f, EPROTO, "region is of another boot of the machine; "
					    "remove the file, it is made anew");
	return 0;
}

int layout_check(const struct layout_region *c, uint64_t file_size, struct geometry *g,
		 struct fault *f)
{
	int err = check_identity(c, f);
	uint64_t rings_end;

	if (err)
		return err;
	memset(g, 0, sizeof(*g));
	g->map_size = c->map_size;
	g->off_gates = c->off_gates;
	g->off_rings = c->off_rings;
	g->off_pool = c->off_pool;
	g->nr_cpus = c->nr_cpus;
	g->nr_locked = c->nr_locked;
	g->nr_rings = c->nr_cpus + c->nr_locked;
	if (c->header_size != sizeof(*c) || g->nr_cpus == 0 || g->nr_cpus > LAYOUT_MAX_CPUS ||
	    g->nr_locked == 0 || g->nr_locked > LAYOUT_MAX_LOCKED)
		goto spoilt;
	rings_end = g->off_rings + (uint64_t)g->nr_rings * sizeof(struct layout_ring);
	if (g->map_size < (UINT64_C(1) << 20) || g->map_size > (UINT64_C(1) << 40) ||
	    g->off_gates < sizeof(*c) || g->off_gates > file_size || g->off_gates % 64 ||
	    g->off_rings < g->off_gates + LAYOUT_MAX_EVENTS || g->off_rings > file_size ||
	    g->off_rings % 64 || rings_end > g->off_pool || g->off_pool % LAYOUT_GRANULE ||
	    g->off_pool > file_size || file_size > g->map_size)
		goto spoilt;
	if (layout_refresh(c, g))
		goto spoilt;
	return 0;
spoilt:
	return fault_set(f, EBADMSG, "region is spoilt (geometry makes no sense); stop the "
				     "programs that use it and remove the file");
}
