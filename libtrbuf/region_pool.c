/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The pool at the end of the region file. Room is handed out by moving
 * pool_end, in multiples of LAYOUT_GRANULE; the memory is allocated before
 * anybody may use it, so that a full file system is an error here and never a
 * SIGBUS later. Who is killed in between leaks his room and nothing else.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libtrbuf/region.h"
#include "libtrbuf/sync.h"

/* A producer keeps no descriptor; open the file again, and only that file. */
static int borrow_fd(const struct region *r)
{
	struct stat st;
	int fd;

	if (r->fd >= 0)
		return r->fd;
	fd = open(r->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && st.st_dev == r->dev && st.st_ino == r->ino)
		return fd;
	close(fd);
	return -ESTALE;
}

static void return_fd(const struct region *r, int fd)
{
	if (fd != r->fd)
		close(fd);
}

static int fill_with_zeros(int fd, uint64_t off, uint64_t size)
{
	static const char zeros[65536];

	while (size) {
		size_t n = size < sizeof(zeros) ? (size_t)size : sizeof(zeros);
		ssize_t w = pwrite(fd, zeros, n, (off_t)off);

		if (w <= 0)
			return w < 0 ? -errno : -ENOSPC;
		off += (uint64_t)w;
		size -= (uint64_t)w;
	}
	return 0;
}

/* Allocation beyond RLIMIT_FSIZE would be a SIGXFSZ, so look first. */
static int allocate(int fd, uint64_t off, uint64_t size)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_FSIZE, &lim) == 0 && lim.rlim_cur != RLIM_INFINITY &&
	    off + size > lim.rlim_cur)
		return -EFBIG;
	while (fallocate(fd, 0, (off_t)off, (off_t)size) != 0) {
		if (errno == EINTR)
			continue;
		if (errno == EOPNOTSUPP)
			return fill_with_zeros(fd, off, size);
		return -errno;
	}
	return 0;
}

/* The range must lie in what was handed out: numbers may come from the region. */
static int in_handed_out(const struct region *r, uint64_t off, uint64_t size)
{
	uint64_t end = sync_load_acquire(&r->hdr->pool_end);

	return off >= r->geo.off_pool && end <= r->geo.map_size && off <= end && size <= end - off;
}

int region_in_pool(const struct region *r, uint64_t off, uint64_t size)
{
	return in_handed_out(r, off, size);
}

uint64_t region_pool_alloc(struct region *r, uint64_t size, uint64_t align, int *err)
{
	uint64_t off, end;
	int fd = borrow_fd(r);

	(void)align; /* a granule is aligned to any page */
	if (fd < 0) {
		*err = fd;
		return 0;
	}
	size = (size + LAYOUT_GRANULE - 1) & ~(uint64_t)(LAYOUT_GRANULE - 1);
	do {
		off = sync_load(&r->hdr->pool_end);
		end = off + size;
		if (off < r->geo.off_pool || off % LAYOUT_GRANULE || end < off ||
		    end > r->geo.map_size) {
			*err = -ENOSPC;
			return_fd(r, fd);
			return 0;
		}
	} while (!sync_cas64(&r->hdr->pool_end, off, end));
	*err = allocate(fd, off, size);
	return_fd(r, fd);
	if (*err) {
		/* Nobody came after: take the room back. Else it is leaked. */
		sync_cas64(&r->hdr->pool_end, end, off);
		return 0;
	}
	return off;
}

int region_back(struct region *r, uint64_t off, uint64_t size)
{
	return in_handed_out(r, off, size) ? allocate(r->fd, off, size) : -EBADMSG;
}

int region_unback(struct region *r, uint64_t off, uint64_t size)
{
	if (!in_handed_out(r, off, size))
		return -EBADMSG;
	if (fallocate(r->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off, (off_t)size))
		return -errno;
	return 0;
}

uint64_t region_memory(const struct region *r)
{
	struct stat st;

	if (r->fd < 0 || fstat(r->fd, &st) != 0)
		return 0;
	return (uint64_t)st.st_blocks * 512;
}
