/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Going on where a dead daemon stopped. The region names the directory; the
 * files say up to where they are whole, and they win over the region's own
 * ledger, which is written after them. Pages the dead daemon held are then
 * written as far as the files do not have them. The path comes from the
 * region, so only files that are our own are touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "libtrbuf/sync.h"
#include "tracerd/recording.h"

#define HEAD_SIZE 8192u

/* The text behind `key` up to the closing quote, in the head of the metadata. */
static int quoted(const char *text, const char *key, char *out, size_t size)
{
	const char *p = strstr(text, key), *end;

	if (!p)
		return -EBADMSG;
	p += strlen(key);
	end = strchr(p, '"');
	if (!end || (size_t)(end - p) >= size)
		return -EBADMSG;
	memcpy(out, p, (size_t)(end - p));
	out[end - p] = '\0';
	return 0;
}

static int parse_head(const char *text, struct ctf_meta *m)
{
	char uuid[64], when[64];
	struct tm tm;

	if (quoted(text, "uuid = \"", uuid, sizeof(uuid)) || ctf_uuid_parse(uuid, m->uuid) ||
	    quoted(text, "trace_name = \"", m->name, sizeof(m->name)) ||
	    quoted(text, "trace_creation_datetime = \"", when, sizeof(when)))
		return -EBADMSG;
	memset(&tm, 0, sizeof(tm));
	if (strptime(when, "%Y-%m-%dT%H:%M:%SZ", &tm))
		m->created = (uint64_t)timegm(&tm) * UINT64_C(1000000000);
	return 0;
}

static int read_head(int dirfd, struct ctf_meta *m)
{
	char text[HEAD_SIZE + 1];
	struct stat st;
	ssize_t n = -1;
	int fd = openat(dirfd, CTF_META_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		n = read(fd, text, HEAD_SIZE);
	close(fd);
	if (n <= 0)
		return -EBADMSG;
	text[n] = '\0';
	return parse_head(text, m);
}

/* The directory the region names, if it is a recording of ours. */
static int open_named(struct session *s, struct ctf_meta *m)
{
	const struct layout_region *hdr = s->r->hdr;
	struct stat st;
	int fd, err;

	memcpy(s->path, hdr->recording_path, sizeof(hdr->recording_path));
	s->path[sizeof(hdr->recording_path) - 1] = '\0';
	if (s->path[0] != '/')
		return -ENOENT;
	fd = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) == 0 && st.st_uid == geteuid() ? 0 : -EPERM;
	if (!err)
		err = read_head(fd, m);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Where the file of a ring ends, and so the ledger. */
static int resume_ring(struct session *s, struct ring_state *rs)
{
	struct ctf_stream_id id = { .stream_id = CTF_STREAM_RING,
				    .instance = rs->reader.index,
				    .cpu = rs->reader.index };
	struct ctf_packet last, page;
	struct ring_disk d = rs->disk;
	int64_t n;

	memcpy(id.uuid, s->meta.uuid, sizeof(id.uuid));
	if (rs->reader.index >= s->r->geo.nr_cpus)
		id.flags = CTF_PACKET_LOCKED;
	n = ctf_stream_resume(&rs->stream, s->dirfd, &id, &last, &page);
	if (n <= 0)
		return n == -ENOENT ? 0 : (int)n;
	d.events = last.events_before + (last.page != CTF_NO_PAGE ? last.event_count : 0);
	d.missed = last.missed_before;
	if (page.page != CTF_NO_PAGE) {
		d.page = page.page;
		d.offset = page.page_offset + page.content - CTF_HEADER_SIZE;
	}
	rs->disk = d;
	if (rs->condition == RING_GOOD)
		ring_disk_set(&rs->reader, &d);
	return 0;
}

static int resume_daemon_stream(struct session *s)
{
	struct ctf_stream_id id = { .stream_id = CTF_STREAM_DAEMON };
	struct daemon_stream *d = &s->ds;
	struct ctf_packet last, page;
	int64_t n;

	memcpy(id.uuid, s->meta.uuid, sizeof(id.uuid));
	n = ctf_stream_resume(&d->file, s->dirfd, &id, &last, &page);
	if (n == -ENOENT)
		return daemon_stream_open(s);
	if (n < 0)
		return (int)n;
	d->used = CTF_HEADER_SIZE;
	d->events = 0;
	d->last = d->file.end;
	d->total = last.events_before + last.event_count;
	s->lost_reported = d->file.discarded;
	if (n > 0)
		sync_store(&s->r->hdr->lost_on_disk, last.missed_before);
	return 0;
}

/* One page of the dead daemon. Not 0 stops the recovery; it is tried again. */
struct recovery {
	struct session *s;
	struct ring_state *rs;
};

static int one_page(const struct ring_page *p, void *arg)
{
	struct recovery *c = arg;

	return drain_recovered(c->s, c->rs, p);
}

void recover_pages(struct session *s, struct ring_state *rs)
{
	struct recovery c = { s, rs };
	int n;

	if (rs->condition != RING_GOOD || rs->nheld)
		return;
	rs->reader.held = 0; /* it counts them again */
	n = ring_reader_recover(&rs->reader, one_page, &c);
	if (n >= 0 || rs->condition != RING_GOOD)
		rs->recover = 0;
	if (n > 0 && s->recording)
		session_log(s, LOG_DEBUG, "ring %u: %d pages of the daemon before were recovered",
			    rs->reader.index, n);
}

/* Without a recording nothing is written: pages that the dead daemon held go
 * back unread, and the ledger counts what no file has as overwritten. */
static int resume(struct session *s)
{
	struct ctf_meta m = { .page_size = 0 };
	int err = 0, fd = open_named(s, &m);

	if (fd < 0)
		return fd;
	s->dirfd = fd;
	memcpy(m.region, s->r->hdr->region_id, sizeof(m.region));
	clock_map_get(s->r, &m.clock);
	m.clock_kind = s->r->geo.clock;
	m.page_size = s->r->geo.page_size;
	m.context = s->r->geo.context;
	m.rings = s->r->geo.nr_rings;
	s->meta = m;
	s->meta_stale = 1;
	s->recording = 1;
	for (unsigned i = 0; i < s->nrings && !err; i++)
		err = resume_ring(s, &s->ring[i]);
	return err ? err : resume_daemon_stream(s);
}

int recover_recording(struct session *s)
{
	int err;

	if (sync_load_acquire(&s->r->hdr->recording) != 1)
		return 0;
	err = resume(s);
	if (err) {
		session_log(s, LOG_WARNING,
			    "%.300s: cannot go on with the recording of the daemon before: %s",
			    s->path, strerror(-err));
		recording_close(s);
		sync_store(&s->r->hdr->recording, 0);
		return 0;
	}
	session_log(s, LOG_NOTICE, "%s: going on with the recording of the daemon before", s->path);
	statedump_note(s, "resume", "tracerd", "");
	return 1;
}
