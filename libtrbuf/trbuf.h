/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * trbuf: trace points that stay in the program. C99 and later, C++11 and
 * later, gcc and clang. Link with -ltrbuf (pkg-config trbuf).
 *
 *	#include <trbuf.h>
 *
 *	TRBUF_EVENT(net, rx, TRBUF_INFO, (u16, port), (str, iface), (x64, cookie));
 *	TRBUF_EVENT(net, idle, TRBUF_DEBUG);
 *
 *	trbuf_trace(net, rx, port, name, cookie);
 *	trbuf_trace(net, idle);
 *
 * A trace point that is off costs one load, one compare and one branch, and
 * its arguments are not evaluated. Nothing here ever blocks, prints, starts a
 * thread, opens a descriptor that stays, changes errno or ends the program; what
 * cannot be recorded is counted in the region and reported in the trace.
 *
 * Thread safety: everything may be used from any thread at any time.
 * Signal safety: everything but trbuf_printf and the very first registration
 * may be used in a signal handler. Not supported: in a vfork() child or a
 * thread made with a raw clone(CLONE_VM).
 *
 * With TRBUF_DISABLE defined before the include, trace points vanish: their
 * arguments are still checked by the compiler but never evaluated, and the
 * program needs no libtrbuf.
 */
#ifndef TRBUF_H
#define TRBUF_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#if !defined(__GNUC__)
#error "trbuf.h needs gcc or clang"
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "trbuf writes little-endian records: this machine is big-endian"
#endif

/* ------------------------------------------------------------ what to use */

/*
 * Levels, as in syslog: 0 the most urgent, 7 the least. Where TRBUF_EVENT
 * wants a level, write one of these names or a digit 0 to 7.
 */
enum trbuf_level {
	TRBUF_EMERG = 0,
	TRBUF_ALERT = 1,
	TRBUF_CRIT = 2,
	TRBUF_ERR = 3,
	TRBUF_WARNING = 4,
	TRBUF_NOTICE = 5,
	TRBUF_INFO = 6,
	TRBUF_DEBUG = 7
};

#define TRBUF_MAX_FIELDS 16  /* fields of an event */
#define TRBUF_MAX_NAME 63    /* bytes of the name of a class, an event or a field */
#define TRBUF_RECORD_MAX 16384 /* bytes of a record with its header (16) */

/*
 * TRBUF_EVENT(class, event, level, field...);
 *
 * Declares an event, at file or namespace scope, in a header or a source file,
 * in as many files as wanted. The same class, name, level and fields are the
 * same event in all files and in all processes. 0 to 16 fields, each one of
 *
 *	(u8, n) (u16, n) (u32, n) (u64, n)   unsigned    uint8_t ... uint64_t
 *	(s8, n) (s16, n) (s32, n) (s64, n)   signed      int8_t ... int64_t
 *	(x8, n) (x16, n) (x32, n) (x64, n)   unsigned, shown in hex
 *	(f32, n) (f64, n)                    float, double
 *	(bool, n)                            bool
 *	(ptr, n)                             pointer to anything, 64 bits
 *	(str, n)                             const char *; NULL is "(null)"
 *	(array, T, N, n)                     const T *, exactly N elements; NULL is all 0
 *	(seq, T, n)                          const T *, size_t: elements and how many
 *	(blob, n)                            const void *, size_t: bytes and how many
 *	(enum, I, labels, n)                 integer I, shown as a label of TRBUF_ENUM(labels, ...)
 *
 * T is a number or bool of the first five lines, I one of u8...u64 s8...s64.
 * n is the name of the field: any identifier, keywords too. Names are taken
 * as written, even if a macro of that name exists (errno).
 *
 * A record may be a quarter of a page long, at most TRBUF_RECORD_MAX bytes:
 * strings, sequences and blobs beyond that are cut, the longest first, and the
 * record says how many bytes are missing (trbuf_cut). An event whose other
 * fields alone do not fit is counted as missed (too large).
 *
 * In headers of C programs, use trace points in `static inline` functions.
 */
#define TRBUF_EVENT(class, event, ...) \
	TRBUF_P_EVENT(#class, #event, trbuf_e_##class##_dot_##event, 0, , \
		      trbuf_level_##__VA_ARGS__)

/*
 * TRBUF_ENUM(labels, { value, "label" }, ...);
 *
 * A table of labels for (enum, ...) fields, before the events that use it, at
 * file or namespace scope. Values are int64_t constants; at most 256 labels,
 * and 8000 bytes of text in all an event (else the event stays off).
 */
#define TRBUF_ENUM(labels, ...) \
	TRBUF_P_UNUSED static const struct trbuf_label trbuf_l_##labels[] = { __VA_ARGS__ }

/*
 * trbuf_trace(class, event, argument...);
 *
 * The trace point: an expression of type void. The arguments are those of a
 * function with the types above, so the compiler converts and warns as usual.
 */
#define trbuf_trace(class, ...) TRBUF_P_TRACE(trbuf_e_##class##_dot_##__VA_ARGS__)

/*
 * trbuf_enabled(class, event): is it on now? int, 0 or 1. For work that is
 * only worth doing when the event will be recorded.
 */
#define trbuf_enabled(class, event) TRBUF_P_ENABLED(trbuf_e_##class##_dot_##event)

/*
 * trbuf_printf(class, level, format, argument...);
 *
 * For quick use, in a function, without a declaration: the event
 * class:printf with one field (str, msg). The text is cut at 1023 bytes.
 * Costs what snprintf costs; as safe in a signal handler as snprintf is.
 */
#define trbuf_printf(class, level, ...) TRBUF_P_PRINTF(#class, level, __VA_ARGS__)

/*
 * TRBUF_SPAN_EVENT(class, span, level, field...);    at file scope
 * TRBUF_SPAN(class, span, argument...);              in a block
 *
 * Two events: class:span_begin, with the fields, at TRBUF_SPAN, and
 * class:span_end, without, when the block is left in whatever way (return,
 * break, goto, a C++ exception; but not longjmp). The end is recorded only if
 * the begin was on. One TRBUF_SPAN a line.
 */
#define TRBUF_SPAN_EVENT(class, span, ...) \
	TRBUF_P_EVENT(#class, #span "_begin", trbuf_e_##class##_dot_##span##_begin, 1, , \
		      trbuf_level_##__VA_ARGS__); \
	TRBUF_P_SPAN_END(#class, #span "_end", trbuf_e_##class##_dot_##span##_end, \
			 trbuf_level_##__VA_ARGS__, 0)
#define TRBUF_SPAN(class, ...) TRBUF_P_SPAN(trbuf_e_##class##_dot_##__VA_ARGS__)

/* ------------------------------------------------- between header and library */

#define TRBUF_API __attribute__((visibility("default")))
#define TRBUF_ABI 1
#define TRBUF_RECORD_HEADROOM 16 /* bytes before the payload, and readable behind it */

enum trbuf_type {
	TRBUF_T_U8 = 1, TRBUF_T_U16, TRBUF_T_U32, TRBUF_T_U64,
	TRBUF_T_S8, TRBUF_T_S16, TRBUF_T_S32, TRBUF_T_S64,
	TRBUF_T_X8, TRBUF_T_X16, TRBUF_T_X32, TRBUF_T_X64,
	TRBUF_T_F32, TRBUF_T_F64, TRBUF_T_BOOL, TRBUF_T_PTR,
	TRBUF_T_STR, TRBUF_T_ARRAY, TRBUF_T_SEQ, TRBUF_T_BLOB, TRBUF_T_ENUM,
	TRBUF_T_END /* first number that is no type */
};

struct trbuf_label {
	int64_t value;
	const char *name;
};

struct trbuf_field {
	const char *name;
	uint8_t type;     /* enum trbuf_type */
	uint8_t elem;     /* enum trbuf_type, of arrays, sequences and enumerations; else 0 */
	uint16_t count;   /* elements of an array */
	uint16_t nlabels; /* of an enumeration */
	const struct trbuf_label *labels;
};

/* One declaration of an event in one file. Only trbuf_register changes it. */
struct trbuf_event {
	const unsigned char *gate; /* its gate byte in the region; &off; &reserved[0] (printf) */
	const char *class_name, *name;
	const struct trbuf_field *fields;
	uint32_t id; /* 0: not registered */
	uint8_t level, nfields;
	uint8_t span;      /* 0 plain, 1 begin, 2 end */
	uint8_t variable;  /* 1: has fields of variable size */
	unsigned char off; /* always 0 */
	uint8_t abi;       /* TRBUF_ABI of the header that made it */
	uint8_t reserved[6]; /* [0]: gate of a trbuf_printf before its first pass, 1 */
};

/* One argument, for trbuf_emit_args. Scalars: bits in `value`. Strings: data.
 * Arrays, sequences, blobs: data and count of elements. */
struct trbuf_arg {
	uint64_t value;
	const void *data;
	size_t count;
};

/* A record being built: the next byte, and how far variable fields may go. */
struct trbuf_cursor {
	unsigned char *p, *end;
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes the event known: sets id and gate, or leaves it off. Idempotent, quiet,
 * thread safe, keeps no pointer to the event. A constructor that TRBUF_EVENT
 * makes calls it (priority 103, after that of a static libtrbuf), so trace
 * points work in other constructors.
 */
TRBUF_API void trbuf_register(struct trbuf_event *event);

/*
 * Writes one record. The payload of `payload` bytes starts at record +
 * TRBUF_RECORD_HEADROOM; what is before it is overwritten, and as many bytes
 * behind it must be readable. Async-signal-safe.
 */
TRBUF_API void trbuf_commit(const struct trbuf_event *event, unsigned char *record,
			    size_t payload);

/*
 * Builds and writes a record of any size, n = event->nfields, cutting it as
 * needed. Uses up to 17 KiB of stack. Async-signal-safe.
 */
TRBUF_API void trbuf_emit_args(const struct trbuf_event *event, const struct trbuf_arg *arg,
			       unsigned n);

/*
 * Copies string s (NULL: "(null)") and its NUL to p, in one pass. Returns the
 * byte behind the NUL, or NULL if that would be beyond end; bytes up to end may
 * have been written in either case. A string that another thread changes
 * meanwhile comes out as some mixture, always with one NUL, at its end.
 * Async-signal-safe.
 */
TRBUF_API unsigned char *trbuf_put_str(unsigned char *p, unsigned char *end, const char *s);

/* Registers the event of a trbuf_printf at its first pass; records the text. */
TRBUF_API void trbuf_emit_printf(struct trbuf_event *event, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#include "trbuf_macros.h"

#endif
