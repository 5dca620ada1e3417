/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * Numbers of the region as words. Pure functions, called by the verbs that
 * print; none of them trusts what it is given.
 */
#include <string.h>
#include <time.h>

#include "libtrbuf/registry.h"
#include "libtrbuf/trbuf.h"
#include "tracectl/text.h"

void text_put(FILE *out, const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			fprintf(out, "\\x%02x", (unsigned char)*s);
		else
			putc(*s, out);
	}
}

void text_size(uint64_t bytes, char *buf, size_t size)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)bytes / 1024;
	unsigned i = 0;

	if (bytes < 1024) {
		snprintf(buf, size, "%u B", (unsigned)bytes);
		return;
	}
	for (; v >= 1024 && i < 5; i++)
		v /= 1024;
	if (v == (double)(uint64_t)v)
		snprintf(buf, size, "%.0f %s", v, unit[i]);
	else
		snprintf(buf, size, "%.1f %s", v, unit[i]);
}

void text_time(uint64_t ns, char *buf, size_t size)
{
	time_t t = (time_t)(ns / 1000000000u);
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(buf, size, "%Y-%m-%d %H:%M:%S UTC", &tm))
		snprintf(buf, size, "?");
}

const char *text_rseq(uint32_t verdict)
{
	static const char *const word[] = { "untested", "good", "bad" };

	return verdict < 3 ? word[verdict] : "?";
}

const char *text_lost(unsigned cause)
{
	static const char *const word[] = { "no_ring", "too_large", "nested", "clock" };

	return cause < 4 ? word[cause] : NULL;
}

const char *text_process_state(uint32_t state)
{
	static const char *const word[] = { "free", "claimed", "live", "exited" };

	return state < 4 ? word[state] : "?";
}

const char *text_type(unsigned type)
{
	static const char *const word[] = {
		[TRBUF_T_U8] = "u8",   [TRBUF_T_U16] = "u16",   [TRBUF_T_U32] = "u32",
		[TRBUF_T_U64] = "u64", [TRBUF_T_S8] = "s8",     [TRBUF_T_S16] = "s16",
		[TRBUF_T_S32] = "s32", [TRBUF_T_S64] = "s64",   [TRBUF_T_X8] = "x8",
		[TRBUF_T_X16] = "x16", [TRBUF_T_X32] = "x32",   [TRBUF_T_X64] = "x64",
		[TRBUF_T_F32] = "f32", [TRBUF_T_F64] = "f64",   [TRBUF_T_BOOL] = "bool",
		[TRBUF_T_PTR] = "ptr", [TRBUF_T_STR] = "str",   [TRBUF_T_ARRAY] = "array",
		[TRBUF_T_SEQ] = "seq", [TRBUF_T_BLOB] = "blob", [TRBUF_T_ENUM] = "enum",
	};

	return type < TRBUF_T_END && word[type] ? word[type] : "?";
}

/* The labels of an enumeration, as many as fit. */
static void put_labels(const struct registry_field *f, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < f->nlabels && used + 80 < size; i++) {
		int n = snprintf(buf + used, size - used, "%s%.60s", i ? ", " : "",
				 f->labels[i].name);

		used += n > 0 ? (size_t)n : 0;
	}
}

void text_field(const struct registry_field *f, char *buf, size_t size)
{
	char labels[400];

	switch (f->type) {
	case TRBUF_T_ARRAY:
		snprintf(buf, size, "%s[%u] %s", text_type(f->elem), f->count, f->name);
		break;
	case TRBUF_T_SEQ:
		snprintf(buf, size, "%s[] %s", text_type(f->elem), f->name);
		break;
	case TRBUF_T_ENUM:
		put_labels(f, labels, sizeof(labels));
		snprintf(buf, size, "enum %s {%s} %s", text_type(f->elem), labels, f->name);
		break;
	default:
		snprintf(buf, size, "%s %s", text_type(f->type), f->name);
	}
}

void text_region_id(const struct region *r, char buf[33])
{
	for (unsigned i = 0; i < 16; i++)
		snprintf(buf + 2 * i, 3, "%02x", r->hdr->region_id[i]);
}
