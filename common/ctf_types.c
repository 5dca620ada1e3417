/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/* TSDL types as text, and trbuf's own events. No state. */
#include "common/ctf_types.h"

#include "libtrbuf/trbuf.h"

void ctf_type_integer(FILE *out, unsigned bits, int is_signed, int base)
{
	fprintf(out, "integer { size = %u; align = 8; signed = %s; base = %d; }", bits,
		is_signed ? "true" : "false", base);
}

unsigned ctf_scalar_size(unsigned type)
{
	switch (type) {
	case TRBUF_T_U8:
	case TRBUF_T_S8:
	case TRBUF_T_X8:
	case TRBUF_T_BOOL:
		return 1;
	case TRBUF_T_U16:
	case TRBUF_T_S16:
	case TRBUF_T_X16:
		return 2;
	case TRBUF_T_U32:
	case TRBUF_T_S32:
	case TRBUF_T_X32:
	case TRBUF_T_F32:
		return 4;
	case TRBUF_T_U64:
	case TRBUF_T_S64:
	case TRBUF_T_X64:
	case TRBUF_T_F64:
	case TRBUF_T_PTR:
		return 8;
	default:
		return 0;
	}
}

int ctf_scalar_signed(unsigned type)
{
	return type >= TRBUF_T_S8 && type <= TRBUF_T_S64;
}

static int scalar_hex(unsigned type)
{
	return (type >= TRBUF_T_X8 && type <= TRBUF_T_X64) || type == TRBUF_T_PTR;
}

void ctf_type_scalar(FILE *out, unsigned type)
{
	if (type == TRBUF_T_F32)
		fputs("floating_point { exp_dig = 8; mant_dig = 24; align = 8; }", out);
	else if (type == TRBUF_T_F64)
		fputs("floating_point { exp_dig = 11; mant_dig = 53; align = 8; }", out);
	else
		ctf_type_integer(out, 8 * ctf_scalar_size(type), ctf_scalar_signed(type),
				 scalar_hex(type) ? 16 : 10);
}

/* ------------------------------------------------------------ own events */

/* One letter a field: w 32 bits, q 64 bits, x 64 bits in hex, s text, i build id. */
static void own_field(FILE *out, char kind, const char *name)
{
	fputs("\t\t", out);
	switch (kind) {
	case 's':
		fprintf(out, "string { encoding = UTF8; } _%s;\n", name);
		return;
	case 'i':
		ctf_type_integer(out, 16, 0, 10);
		fprintf(out, " __%s_length;\n\t\t", name);
		ctf_type_integer(out, 8, 0, 16);
		fprintf(out, " _%s[__%s_length];\n", name, name);
		return;
	case 'w':
		ctf_type_integer(out, 32, 0, 10);
		break;
	default:
		ctf_type_integer(out, 64, 0, kind == 'x' ? 16 : 10);
	}
	fprintf(out, " _%s;\n", name);
}

static void own_open(FILE *out, unsigned stream, unsigned id, const char *name)
{
	fprintf(out,
		"event {\n\tname = \"trbuf:%s\";\n\tid = %u;\n\tstream_id = %u;\n\tloglevel = 5;\n"
		"\tfields := struct {\n",
		name, id, stream);
}

static void own_close(FILE *out)
{
	fputs("\t};\n};\n\n", out);
}

struct own_event {
	unsigned id;
	const char *name;
	const char *kinds; /* of the fields, one letter each */
	const char *fields[10];
};

static const struct own_event own_events[] = {
	{ 1,
	  "process",
	  "wwwqwwqqss",
	  { "index", "use", "pid", "pid_ns", "uid", "parent", "start_time", "attached", "comm",
	    "exe" } },
	{ 2,
	  "module",
	  "wwwxqqis",
	  { "index", "use", "pid", "base", "size", "since", "build_id", "path" } },
	{ 3, "exit", "wwwq", { "index", "use", "pid", "exited" } },
	{ 4, "state", "sss", { "what", "who", "detail" } },
	{ 5, "quarantine", "ws", { "ring", "why" } },
};

static void missed(FILE *out, unsigned stream, const char *reasons)
{
	own_open(out, stream, 0, "missed");
	own_field(out, 'q', "count");
	own_field(out, 'q', "first");
	own_field(out, 'q', "last");
	fputs("\t\tenum : ", out);
	ctf_type_integer(out, 8, 0, 10);
	fprintf(out, " { %s } _reason;\n", reasons);
	own_close(out);
}

void ctf_meta_own_events(FILE *out)
{
	missed(out, 0, "\"overwritten\" = 1, \"discarded\" = 2, \"both\" = 3, \"damaged\" = 4");
	missed(out, 1, "\"no_ring\" = 16, \"too_large\" = 17, \"nested\" = 18, \"clock\" = 19");
	for (unsigned i = 0; i < sizeof(own_events) / sizeof(own_events[0]); i++) {
		const struct own_event *e = &own_events[i];

		own_open(out, 1, e->id, e->name);
		for (unsigned f = 0; e->kinds[f]; f++)
			own_field(out, e->kinds[f], e->fields[f]);
		own_close(out);
	}
}
