/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* Promise: tracerd.conf and the options of tracerd mean the same, the command
 * line wins, and a mistake is named with its file, line and key. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtrbuf/region_create.h"
#include "tests/unit/suites.h"
#include "tracerd/config.h"

static struct config c;
static struct fault f;

static int read_text(const char *text)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	int err;

	ck_assert_ptr_nonnull(in);
	config_defaults(&c);
	f.text[0] = '\0';
	err = config_read(&c, in, "t.conf", &f);
	fclose(in);
	return err;
}

START_TEST(everything)
{
	ck_assert_msg(
		read_text(
			"# a comment\n"
			"[region]\npath = /r\npage-size = 8K\ncontext = tid\nclock = monotonic\n"
			"map-size=1G\n; another\n"
			"[rings]\n  ring-size = 1.5M ; behind\nmode = overwrite\nwatermark = 25%\n"
			"flush = 250ms\ndoorbell = no\n\n"
			"[recording]\noutput = /o\nname = n\nrecord = yes\non = true\n"
			"reserve = 1G\n"
			"check-records = yes\n"
			"[daemon]\npid-file = /p\nlog-level = debug\n") == 0,
		"%s", f.text);
	ck_assert_str_eq(c.region, "/r");
	ck_assert_uint_eq(c.settings.region.page_size, 8192);
	ck_assert_int_eq(c.settings.region.context, LAYOUT_CONTEXT_TID);
	ck_assert_uint_eq(c.settings.region.ring_size, 1572864);
	ck_assert_uint_eq(c.settings.region.mode, LAYOUT_OVERWRITE);
	ck_assert_uint_eq(c.settings.region.watermark, 25);
	ck_assert_int_eq(c.settings.region.flush_ms, 250);
	ck_assert_int_eq(c.settings.doorbell, 0);
	ck_assert_uint_eq(c.settings.given, (1u << SETTINGS_COUNT) - 1);
	ck_assert_str_eq(c.output, "/o");
	ck_assert_str_eq(c.name, "n");
	ck_assert(c.record && c.on && c.check_records == 1);
	ck_assert_uint_eq(c.reserve, UINT64_C(1) << 30);
	ck_assert_str_eq(c.pid_file, "/p");
	ck_assert_uint_eq(c.log_level, 7);
}
END_TEST

static const struct {
	const char *text, *says;
} mistakes[] = {
	{ "[rings]\nmode = both\n", "t.conf:2: [rings] mode: \"both\"" },
	{ "[rings]\nmode = discard\nmode = overwrite\n",
	  "t.conf:3: [rings] mode: stands there twice" },
	{ "[rings]\nmodus = discard\n", "t.conf:2: [rings] modus: no such key" },
	{ "[region]\nmode = discard\n", "t.conf:2: [region] mode: no such key" },
	{ "\n[ring]\nmode = discard\n", "t.conf:3: [ring] mode: no such section" },
	{ "mode = discard\n", "t.conf:1: [] mode: no such section" },
	{ "[rings]\n\nmode\n", "t.conf:3: neither" },
	{ "[rings\n", "t.conf:1: neither" },
	{ "[rings]\nring-size = -1\n", "t.conf:2: [rings] ring-size: \"-1\"" },
	{ "[rings]\nring-size =\n", "t.conf:2: [rings] ring-size: \"\"" },
	{ "[recording]\nrecord = perhaps\n", "t.conf:2: [recording] record: \"perhaps\"" },
	{ "[recording]\nname = a/b\n", "t.conf:2: [recording] name:" },
	{ "[recording]\noutput =\n", "t.conf:2: [recording] output:" },
	/* the first mistake counts, and a continued line is none of our form */
	{ "[rings]\nmode = x\nflush = y\n", "t.conf:2:" },
	{ "[rings]\nmode = discard\n  overwrite\n", "t.conf:3: neither" },
};

START_TEST(mistake_cases)
{
	ck_assert_int_eq(read_text(mistakes[_i].text), -EINVAL);
	ck_assert_msg(strncmp(f.text, mistakes[_i].says, strlen(mistakes[_i].says)) == 0,
		      "says \"%s\", not \"%s\"", f.text, mistakes[_i].says);
}
END_TEST

START_TEST(long_line)
{
	char text[1000] = "[recording]\noutput = /";

	memset(text + strlen(text), 'd', 600);
	strcat(text, "\n");
	ck_assert_int_eq(read_text(text), -EINVAL);
	ck_assert_msg(strncmp(f.text, "t.conf:2: the line is too long", 30) == 0, "%s", f.text);
}
END_TEST

static int load(const char *a, const char *b, const char *d)
{
	char *argv[] = { (char *)"tracerd", (char *)a, (char *)b, (char *)d, NULL };
	int argc = 1;

	while (argv[argc])
		argc++;
	f.text[0] = '\0';
	return config_load(&c, argc, argv, &f);
}

START_TEST(options)
{
	ck_assert_int_eq(load("--no-config", "--region=/x/r", "--output=o"), 0);
	ck_assert_str_eq(c.region, "/x/r");
	ck_assert_int_eq(c.output[0], '/');
	ck_assert_int_eq(load("--no-config", "--record", "--on=no"), 0);
	ck_assert(c.record && !c.on);
	ck_assert_int_eq(load("--no-config", "--mode", "overwrite"), 0);
	ck_assert_uint_eq(c.settings.region.mode, LAYOUT_OVERWRITE);
	ck_assert_int_eq(load("--no-config", "--mode", NULL), 2);
	ck_assert_int_eq(load("--no-config", "--modus", NULL), 2);
	ck_assert_ptr_nonnull(strstr(f.text, "--modus"));
	ck_assert_int_eq(load("--no-config", "--ready-fd=x", NULL), 2);
	ck_assert_int_eq(load("--no-config", "word", NULL), 2);
	ck_assert_int_eq(load("--no-config", "--ring-size=3G", NULL), 2);
	ck_assert_int_eq(load("--no-config", "--ring-size=3G", "--map-size=8G"), 0);
	ck_assert_int_eq(load("--config=/nonexistent/t.conf", NULL, NULL), 1);
	ck_assert_ptr_nonnull(strstr(f.text, "/nonexistent/t.conf"));
	ck_assert_int_eq(load("--help", NULL, NULL), 0);
	ck_assert_int_eq(c.action, CONFIG_HELP);
}
END_TEST

static void write_file(char *path, const char *text)
{
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

START_TEST(command_line_wins)
{
	char path[] = "/tmp/trbuf-unit.XXXXXX", option[64];

	write_file(path, "[rings]\nmode = overwrite\nwatermark = 10\n");
	snprintf(option, sizeof(option), "--config=%s", path);
	ck_assert_int_eq(load("--mode=discard", option, NULL), 0);
	ck_assert_uint_eq(c.settings.region.mode, LAYOUT_DISCARD);
	ck_assert_uint_eq(c.settings.region.watermark, 10);
	unlink(path);
}
END_TEST

/* --check-config prints a file that says the same. */
START_TEST(printed)
{
	char *text = NULL, *again = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(load("--no-config", "--flush=1500ms", "--pid-file=/p"), 0);
	config_print(&c, out);
	fclose(out);
	ck_assert_msg(read_text(text) == 0, "%s", f.text);
	out = open_memstream(&again, &size);
	config_print(&c, out);
	fclose(out);
	ck_assert_str_eq(text, again);
	free(text);
	free(again);
}
END_TEST

/* The defaults shown are those a region is really made with. */
START_TEST(defaults_true)
{
	char dir[] = "/tmp/trbuf-unit.XXXXXX", path[64];
	struct settings s;
	struct region r;

	settings_init(&s);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/region", dir);
	ck_assert_msg(region_open(&r, path, REGION_CREATE, &s.region, &f) == 0, "%s", f.text);
	for (unsigned i = 0; i < SETTINGS_COUNT; i++) {
		char text[64];

		settings_show(&s, i, text, sizeof(text));
		ck_assert_int_eq(settings_set(&s, i, text, &f), 0);
	}
	ck_assert_uint_eq(s.region.ring_size, r.hdr->wanted_size);
	ck_assert_uint_eq(s.region.page_size, r.hdr->page_size);
	ck_assert_uint_eq(s.region.mode, r.hdr->mode);
	ck_assert_uint_eq((unsigned)s.region.context, r.hdr->context);
	ck_assert_uint_eq(s.region.watermark, r.hdr->watermark);
	ck_assert_uint_eq((unsigned)s.region.flush_ms, r.hdr->flush_ms);
	ck_assert_uint_eq(s.region.map_size, r.hdr->map_size);
	ck_assert_uint_eq(r.hdr->doorbell_off, 0);
	region_close(&r);
	unlink(path);
	rmdir(dir);
}
END_TEST

START_TEST(settings_into_region)
{
	char dir[] = "/tmp/trbuf-unit.XXXXXX", path[64];
	struct settings s;
	struct region r;

	settings_init(&s);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/region", dir);
	ck_assert_int_eq(region_open(&r, path, REGION_CREATE, &s.region, &f), 0);
	settings_set(&s, SETTINGS_PAGE_SIZE, "4K", NULL);
	settings_set(&s, SETTINGS_FLUSH, "0", NULL);
	ck_assert_int_eq(settings_apply(&r, &s, &f), 0);
	ck_assert_uint_eq(r.hdr->page_size, 4096);
	ck_assert_uint_eq(r.hdr->flush_ms, 0);
	/* Once the rings exist: what cannot change is refused, the rest is set. */
	r.hdr->rings_ready = 1;
	settings_set(&s, SETTINGS_PAGE_SIZE, "8K", NULL);
	settings_set(&s, SETTINGS_WATERMARK, "75", NULL);
	ck_assert_int_eq(settings_apply(&r, &s, &f), -EBUSY);
	ck_assert_uint_eq(r.hdr->page_size, 4096);
	ck_assert_uint_eq(r.hdr->watermark, 75);
	region_close(&r);
	unlink(path);
	rmdir(dir);
}
END_TEST

Suite *suite_config(void)
{
	Suite *s = suite_create("config");
	TCase *t = tcase_create("config");

	tcase_add_test(t, everything);
	tcase_add_loop_test(t, mistake_cases, 0, (int)(sizeof(mistakes) / sizeof(mistakes[0])));
	tcase_add_test(t, long_line);
	tcase_add_test(t, options);
	tcase_add_test(t, command_line_wins);
	tcase_add_test(t, printed);
	tcase_add_test(t, defaults_true);
	tcase_add_test(t, settings_into_region);
	suite_add_tcase(s, t);
	return s;
}
