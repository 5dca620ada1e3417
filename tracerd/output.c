/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The directory of a recording: making it, its metadata, and whether there is
 * room. Want of room pauses the recording and is tried again at each drain or
 * flush; any other failure ends it. The rings are not touched here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "libtrbuf/clock.h"
#include "libtrbuf/sync.h"
#include "tracerd/recording.h"

#define DIR_TRIES 10000u
#define TRY_EVERY UINT64_C(1000000000) /* ns */

static int make_parents(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0750) < 0 && errno != EEXIST) {
			int err = -errno;

			*p = '/';
			return err;
		}
		*p = '/';
	}
	return 0;
}

/* The next free <output>/<name>-<time>[.n]. */
static int make_numbered(const struct session *s, const char *name, char path[4096])
{
	char when[32] = "";
	time_t now = (time_t)(clock_realtime_ns() / UINT64_C(1000000000));
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%S", &tm);
	for (unsigned i = 0; i < DIR_TRIES; i++) {
		char more[16] = "";
		int n, err;

		if (i)
			snprintf(more, sizeof(more), ".%u", i);
		n = snprintf(path, 4096, "%s/%s-%s%s", s->output, name, when, more);
		if (n < 0 || n >= 4096)
			return -ENAMETOOLONG;
		err = make_parents(path);
		if (err)
			return err;
		if (mkdir(path, 0750) == 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* An empty directory is made anew, with our mode and owner. */
static int remove_if_empty(const char *path)
{
	return rmdir(path) == 0;
}

static int make_exactly(const char *dir, char path[4096])
{
	char cwd[2048] = "";
	int n, err;

	if (dir[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		return -errno;
	n = snprintf(path, 4096, "%s%s%s", cwd, cwd[0] ? "/" : "", dir);
	if (n < 0 || n >= 4096)
		return -ENAMETOOLONG;
	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	err = make_parents(path);
	if (err)
		return err;
	if (mkdir(path, 0750) == 0)
		return 0;
	if (errno == EEXIST && remove_if_empty(path) && mkdir(path, 0750) == 0)
		return 0;
	return -EEXIST;
}

int output_make_dir(struct session *s, const char *dir, const char *name, char path[4096],
		    struct fault *f)
{
	int err = dir ? make_exactly(dir, path) : make_numbered(s, name, path), fd;

	if (err == -EEXIST)
		return fault_set(f, EEXIST,
				 "%.300s exists and is not an empty directory; choose another",
				 path);
	if (err)
		return fault_set(f, -err,
				 "cannot make directory %.300s: %s; choose another with --output",
				 path, strerror(-err));
	if (strlen(path) >= sizeof(s->r->hdr->recording_path))
		return fault_set(f, ENAMETOOLONG, "%.200s...: path is too long; at most %zu bytes",
				 path, sizeof(s->r->hdr->recording_path) - 1);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fault_set(f, errno, "cannot open directory %.300s: %s", path,
				 strerror(errno));
	return fd;
}

/* ------------------------------------------------------------- metadata */

static int new_event(struct registry_event *ev, void *arg)
{
	struct session *s = arg;

	/* An id twice would make the whole trace unreadable: the first one stays. */
	if (ev->id < LAYOUT_FIRST_EVENT || ev->id + ev->variable >= LAYOUT_MAX_EVENTS ||
	    s->event[ev->id] || (ev->variable && s->event[ev->id + 1]) ||
	    (s->event[ev->id - 1] && s->event[ev->id - 1]->variable)) {
		s->scan->bad++;
		free(ev);
		return 0;
	}
	s->event[ev->id] = ev;
	ctf_meta_event(s->events_out, ev);
	s->meta_stale = 1;
	return 0;
}

static int write_metadata(struct session *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int err;

	if (!out)
		return -ENOMEM;
	ctf_meta_head(out, &s->meta);
	fwrite(s->events_text, 1, s->events_size, out);
	err = ferror(out);
	if (fclose(out) || err) {
		free(text);
		return -ENOMEM;
	}
	err = ctf_meta_write(s->dirfd, text, size);
	free(text);
	return err;
}

int output_metadata(struct session *s)
{
	int err = registry_scan(s->r, s->scan, new_event, s);

	if (err < 0)
		return err;
	if (s->meta.page_size != s->r->geo.page_size || s->meta.context != s->r->geo.context) {
		s->meta.page_size = s->r->geo.page_size;
		s->meta.context = s->r->geo.context;
		s->meta_stale = 1;
	}
	if (!s->recording || !s->meta_stale)
		return 0;
	if (fflush(s->events_out))
		return -ENOMEM;
	err = write_metadata(s);
	if (!err)
		s->meta_stale = 0;
	return err;
}

/* ----------------------------------------------------------------- room */

static void pause_recording(struct session *s, const char *why)
{
	s->trying = 0;
	if (s->paused)
		return;
	s->paused = 1;
	s->tried = clock_monotonic_ns();
	sync_store(&s->r->hdr->paused, 1);
	session_log(s, LOG_WARNING,
		    "%s: %s; recording pauses until there is room, what the rings cannot "
		    "hold is counted as missed",
		    s->path, why);
}

static int room(const struct session *s)
{
	struct statvfs v;

	if (!s->set.reserve || fstatvfs(s->dirfd, &v) < 0)
		return 1;
	return (uint64_t)v.f_bavail * v.f_frsize >= s->set.reserve;
}

int output_ready(struct session *s)
{
	struct stat st;

	if (!s->recording || (s->paused && !s->trying))
		return 0;
	if (fstat(s->dirfd, &st) < 0 || st.st_nlink == 0)
		return recording_fail(s, -ENOENT, "the directory was removed");
	if (room(s))
		return 1;
	pause_recording(s, "the reserve of the file system is reached");
	return 0;
}

void output_begin(struct session *s, int now)
{
	uint64_t t = clock_monotonic_ns();

	s->trying = s->paused && (now || t - s->tried >= TRY_EVERY);
	if (s->trying)
		s->tried = t;
}

void output_end(struct session *s)
{
	if (!s->recording || !s->paused || !s->trying)
		return;
	s->paused = s->trying = 0;
	sync_store(&s->r->hdr->paused, 0);
	session_log(s, LOG_NOTICE, "%s: there is room again; recording goes on", s->path);
}

int output_failed(struct session *s, int err, const char *what)
{
	if (err == -ENOSPC || err == -EDQUOT || err == -EFBIG || err == -ENOMEM || err == -EMFILE ||
	    err == -ENFILE) {
		pause_recording(s, strerror(-err));
		return 0;
	}
	return recording_fail(s, err, what);
}
