/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Opening and making regions. The first comer makes the file under no name (or
 * a temporary one) and links it into place, so a half-made region is never
 * seen. Before use: directory and file opened without following links, owned
 * by us or root, not writable by others.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/layout_check.h"
#include "libtrbuf/region.h"
#include "libtrbuf/region_create.h"
#include "libtrbuf/sync.h"

/* The directory part; a path without a slash lies in ".". */
static void directory_of(const char *path, char *dir, size_t size)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (!slash)
		snprintf(dir, size, ".");
	else
		snprintf(dir, size, "%.*s", (int)(n ? n : 1), path);
}

/* The user's own directory is made if its parent is there. */
static void make_own_directory(const char *dir)
{
	if (strstr(dir, "/trbuf"))
		mkdir(dir, 0700);
}

static int check_directory(const char *dir, unsigned flags, struct fault *f)
{
	struct stat st;

	if (flags & REGION_CREATE)
		make_own_directory(dir);
	if (stat(dir, &st) != 0)
		return fault_set(f, errno, "%s: %s; make the directory or choose another region "
					   "with --region or TRBUF_REGION", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fault_set(f, ENOTDIR, "%s: not a directory", dir);
	if (st.st_uid != geteuid() && st.st_uid != 0 && geteuid() != 0)
		return fault_set(f, EPERM, "%s: belongs to user %u, neither you nor root; "
					   "choose another region", dir, (unsigned)st.st_uid);
	if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
		return fault_set(f, EPERM, "%s: anybody may write there; chmod o-w or choose "
					   "another region", dir);
	return 0;
}

static int check_file(const struct stat *st, const char *path, unsigned flags, struct fault *f)
{
	int root_tool = geteuid() == 0 && !(flags & REGION_PRODUCER);

	if (!S_ISREG(st->st_mode))
		return fault_set(f, EPERM, "%s: not a regular file", path);
	if (st->st_uid != geteuid() && st->st_uid != 0 && !root_tool)
		return fault_set(f, EPERM, "%s: belongs to user %u, neither you nor root", path,
				 (unsigned)st->st_uid);
	if (st->st_mode & S_IWOTH)
		return fault_set(f, EPERM, "%s: anybody may write it; remove it or chmod o-w", path);
	return 0;
}

/* An address space limit that the mapping would eat most of: stay away. */
static int check_limits(uint64_t map_size, struct fault *f)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_AS, &lim) == 0 && lim.rlim_cur != RLIM_INFINITY &&
	    map_size > lim.rlim_cur / 2)
		return fault_set(f, ENOMEM, "address space limit of %llu bytes is too small for a "
					    "region of %llu; raise ulimit -v or make the region "
					    "with a smaller --map-size",
				 (unsigned long long)lim.rlim_cur, (unsigned long long)map_size);
	return 0;
}

/* The header is large; programs may load us on threads with small stacks. */
static int check_header(struct region *r, const struct stat *st, struct fault *f)
{
	struct layout_region *copy = malloc(sizeof(*copy));
	struct fault inner;
	int err;

	if (!copy)
		return fault_set(f, ENOMEM, "no memory");
	if (pread(r->fd, copy, sizeof(*copy), 0) != (ssize_t)sizeof(*copy)) {
		err = fault_set(f, EPROTO, "%s: too short to be a trbuf region; remove it", r->path);
	} else {
		err = layout_check(copy, (uint64_t)st->st_size, &r->geo, &inner);
		if (err)
			fault_set(f, -err, "%.200s: %.290s", r->path, inner.text);
	}
	free(copy);
	return err;
}

static int map_file(struct region *r, const struct stat *st, unsigned flags, struct fault *f)
{
	int prot = flags & REGION_READONLY ? PROT_READ : PROT_READ | PROT_WRITE;
	int err = check_header(r, st, f);

	if (!err)
		err = check_limits(r->geo.map_size, f);
	if (err)
		return err;
	r->base = mmap(NULL, r->geo.map_size, prot, MAP_SHARED | MAP_NORESERVE, r->fd, 0);
	if (r->base == MAP_FAILED) {
		r->base = NULL;
		return fault_set(f, errno, "%s: cannot map %llu bytes: %s", r->path,
				 (unsigned long long)r->geo.map_size, strerror(errno));
	}
	madvise(r->base, r->geo.map_size, MADV_DONTDUMP);
	r->hdr = (struct layout_region *)r->base;
	r->dev = st->st_dev;
	r->ino = st->st_ino;
	return 0;
}

static int open_existing(struct region *r, unsigned flags, struct fault *f)
{
	struct stat st;
	int err;

	r->fd = open(r->path, (flags & REGION_READONLY ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW |
				      O_NONBLOCK);
	if (r->fd < 0)
		return fault_set(f, errno, "%s: %s%s", r->path, strerror(errno),
				 errno == ENOENT ? "; no region yet: start a traced program, tracerd "
						   "or `tracectl on`"
				 : errno == EACCES ? "; ask for the group of the file or use your own "
						     "region"
						   : "");
	if (fstat(r->fd, &st) != 0)
		return fault_set(f, errno, "%s: %s", r->path, strerror(errno));
	err = check_file(&st, r->path, flags, f);
	return err ? err : map_file(r, &st, flags, f);
}

int region_open(struct region *r, const char *path, unsigned flags,
		const struct region_settings *s, struct fault *f)
{
	struct fault none;
	char dir[4096];
	int err;

	f = f ? f : &none;
	memset(r, 0, sizeof(*r));
	r->fd = -1;
	if (snprintf(r->path, sizeof(r->path), "%s", path) >= (int)sizeof(r->path))
		return fault_set(f, ENAMETOOLONG, "%.100s...: path too long", path);
	directory_of(r->path, dir, sizeof(dir));
	err = check_directory(dir, flags, f);
	if (err)
		return err;
	/* Twice: between the look and the making somebody else may have made it. */
	for (int i = 0; i < 3; i++) {
		err = open_existing(r, flags, f);
		if (err != -ENOENT || !(flags & REGION_CREATE))
			break;
		err = region_create(r->path, dir, s, f);
		if (err && err != -EEXIST)
			break;
	}
	if (err) {
		region_close(r);
		return err;
	}
	if (flags & REGION_PRODUCER) {
		close(r->fd);
		r->fd = -1;
	}
	return 0;
}

void region_close(struct region *r)
{
	if (r->base)
		munmap(r->base, r->geo.map_size);
	if (r->fd >= 0)
		close(r->fd);
	r->base = NULL;
	r->hdr = NULL;
	r->fd = -1;
}

int region_in_place(const struct region *r)
{
	struct stat st;

	if (stat(r->path, &st) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	return st.st_dev == r->dev && st.st_ino == r->ino;
}

/* Each lock is one byte far behind any data. */
static int lock_command(struct region *r, enum region_lock which, short type)
{
	struct flock fl = {
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(INT64_C(1) << 60) + which,
		.l_len = 1,
	};

	return fcntl(r->fd, F_OFD_SETLK, &fl) == 0 ? 0 : -errno;
}

int region_lock(struct region *r, enum region_lock which, int timeout_ms)
{
	uint64_t end = clock_monotonic_ns() + (uint64_t)timeout_ms * 1000000u;
	struct timespec pause = { 0, 500000 };

	for (;;) {
		int err = lock_command(r, which, F_WRLCK);

		if (err != -EAGAIN && err != -EACCES && err != -EINTR)
			return err;
		if (clock_monotonic_ns() >= end)
			return -ETIMEDOUT;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		if (pause.tv_nsec < 20000000)
			pause.tv_nsec *= 2;
	}
}

void region_unlock(struct region *r, enum region_lock which)
{
	lock_command(r, which, F_UNLCK);
}

int region_lock_held(const struct region *r, enum region_lock which)
{
	struct flock fl = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(INT64_C(1) << 60) + which,
		.l_len = 1,
	};

	if (fcntl(r->fd, F_OFD_GETLK, &fl) != 0)
		return -errno;
	return fl.l_type != F_UNLCK;
}
