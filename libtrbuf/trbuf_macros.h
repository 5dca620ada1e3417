/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * What the macros of trbuf.h are made of. Included by trbuf.h alone; nothing
 * here is for use by programs.
 *
 * One event becomes, e.g. for TRBUF_EVENT(net, rx, TRBUF_INFO, (u16, port)):
 *
 *	static const struct trbuf_field trbuf_e_net_dot_rx_fields[]
 *	static struct trbuf_event trbuf_e_net_dot_rx       and a constructor that registers it
 *	static void trbuf_e_net_dot_rx_emit(uint16_t trbuf_a_port)
 *
 * All are static: the same event in another file, namespace or shared object
 * is another struct, and registration makes them one. No linker section is
 * used, so red zones, templates and --gc-sections are harmless.
 *
 * Names that are macros elsewhere (errno, bool, st_mtime) survive, because an
 * argument next to ## is not expanded: a list of fields is only ever passed on as
 * E##__VA_ARGS__ with an empty E, and a name only as trbuf_a_##name.
 */
#ifndef TRBUF_MACROS_H
#define TRBUF_MACROS_H

#ifndef TRBUF_H
#error "include trbuf.h"
#endif

#define TRBUF_P_UNUSED __attribute__((unused))
#define TRBUF_P_INLINE \
	static inline __attribute__((unused, always_inline, no_instrument_function))
#define TRBUF_P_OUTLINE static __attribute__((unused, noinline, no_instrument_function))

#ifdef __cplusplus
#define TRBUF_P_ASSERT(condition, text) static_assert(condition, text)
#else
#define TRBUF_P_ASSERT(condition, text) __extension__ _Static_assert(condition, text)
#endif

#define TRBUF_P_CAT(a, b) TRBUF_P_CAT_(a, b)
#define TRBUF_P_CAT_(a, b) a##b
#define TRBUF_P_FIRST(a, ...) a
#define TRBUF_P_KNOWN(...) TRBUF_P_SECOND(__VA_ARGS__)
#define TRBUF_P_SECOND(a, b, ...) b

/* trbuf_level_##level: the name of a level, or a digit. */
enum trbuf_p_level {
	trbuf_level_TRBUF_EMERG = 0, trbuf_level_0 = 0,
	trbuf_level_TRBUF_ALERT = 1, trbuf_level_1 = 1,
	trbuf_level_TRBUF_CRIT = 2, trbuf_level_2 = 2,
	trbuf_level_TRBUF_ERR = 3, trbuf_level_3 = 3,
	trbuf_level_TRBUF_WARNING = 4, trbuf_level_4 = 4,
	trbuf_level_TRBUF_NOTICE = 5, trbuf_level_5 = 5,
	trbuf_level_TRBUF_INFO = 6, trbuf_level_6 = 6,
	trbuf_level_TRBUF_DEBUG = 7, trbuf_level_7 = 7
};

#include "trbuf_fields.h"

/* --------------------------------------------------------- lists of fields */

/* Fields behind the level: 0 to 16, 17 if there are more. */
#define TRBUF_P_COUNT(...) \
	TRBUF_P_COUNT_(__VA_ARGS__, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, \
		       17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define TRBUF_P_COUNT_(l, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
		       a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, \
		       a32, n, ...) n

/* MAP_n(X, E, level, n fields): X of each field, nothing between. */
#define TRBUF_P_MAP_0(X, E, l)
#define TRBUF_P_MAP_1(X, E, l, f) X E##f
#define TRBUF_P_MAP_2(X, E, l, a, b) \
	X E##a TRBUF_P_MAP_1(X, E, l, E##b)
#define TRBUF_P_MAP_3(X, E, l, a, b, c) \
	X E##a TRBUF_P_MAP_2(X, E, l, E##b, E##c)
#define TRBUF_P_MAP_4(X, E, l, a, b, c, d) \
	X E##a TRBUF_P_MAP_3(X, E, l, E##b, E##c, E##d)
#define TRBUF_P_MAP_5(X, E, l, a, b, c, d, e) \
	X E##a TRBUF_P_MAP_4(X, E, l, E##b, E##c, E##d, E##e)
#define TRBUF_P_MAP_6(X, E, l, a, b, c, d, e, f) \
	X E##a TRBUF_P_MAP_5(X, E, l, E##b, E##c, E##d, E##e, E##f)
#define TRBUF_P_MAP_7(X, E, l, a, b, c, d, e, f, g) \
	X E##a TRBUF_P_MAP_6(X, E, l, E##b, E##c, E##d, E##e, E##f, E##g)
#define TRBUF_P_MAP_8(X, E, l, a, b, c, d, e, f, g, h) \
	X E##a TRBUF_P_MAP_7(X, E, l, E##b, E##c, E##d, E##e, E##f, E##g, E##h)
#define TRBUF_P_MAP_9(X, E, l, a, b, c, d, e, f, g, h, i) \
	X E##a TRBUF_P_MAP_8(X, E, l, E##b, E##c, E##d, E##e, E##f, E##g, E##h, \
			E##i)
#define TRBUF_P_MAP_10(X, E, l, a, b, c, d, e, f, g, h, i, j) \
	X E##a TRBUF_P_MAP_9(X, E, l, E##b, E##c, E##d, E##e, E##f, E##g, E##h, \
			E##i, E##j)
#define TRBUF_P_MAP_11(X, E, l, a, b, c, d, e, f, g, h, i, j, k) \
	X E##a TRBUF_P_MAP_10(X, E, l, E##b, E##c, E##d, E##e, E##f, E##g, E##h, \
			E##i, E##j, E##k)
#define TRBUF_P_MAP_12(X, E, l, a, b, c, d, e, f, g, h, i, j, k, m) \
	X E##a TRBUF_P_MAP_11(X, E, l, E##b, E##c, E##d, E##e, E##f, E##g, E##h, \
			E##i, E##j, E##k, E##m)
#define TRBUF_P_MAP_13(X, E, l, a, b, c, d, e, f, g, h, i, j, k, m, n) \
	X E##a TRBUF_P_MAP_12(X, E, l, E##b, E##c, E##d, E##e, E##f, E##g, E##h, \
			E##i, E##j, E##k, E##m, E##n)
#define TRBUF_P_MAP_14(X, E, l, a, b, c, d, e, f, g, h, i, j, k, m, n, o) \
	X E##a TRBUF_P_MAP_13(X, E, l, E##b, E##c, E##d, E##e, E##f, E##g, E##h, \
			E##i, E##j, E##k, E##m, E##n, E##o)
#define TRBUF_P_MAP_15(X, E, l, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p) \
	X E##a TRBUF_P_MAP_14(X, E, l, E##b, E##c, E##d, E##e, E##f, E##g, E##h, \
			E##i, E##j, E##k, E##m, E##n, E##o, E##p)
#define TRBUF_P_MAP_16(X, E, l, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q) \
	X E##a TRBUF_P_MAP_15(X, E, l, E##b, E##c, E##d, E##e, E##f, E##g, E##h, \
			E##i, E##j, E##k, E##m, E##n, E##o, E##p, E##q)
#define TRBUF_P_MAP_17(...)

/* --------------------------------------------------------------- an event */

/* M becomes the MAP_n of this event, n its number of fields; kind is its span. */
#define TRBUF_P_EVENT(cname, ename, id, kind, E, ...) \
	TRBUF_P_EVENT_(TRBUF_P_CAT(TRBUF_P_MAP_, TRBUF_P_COUNT(E##__VA_ARGS__)), \
		       TRBUF_P_COUNT(E##__VA_ARGS__), cname, ename, id, kind, E, E##__VA_ARGS__)
#define TRBUF_P_SPAN_END(cname, ename, id, level, ...) TRBUF_P_EVENT(cname, ename, id, 2, , level)

#define TRBUF_P_CHECK_EVENT(M, n, cname, ename, E, ...) \
	TRBUF_P_ASSERT((n) <= TRBUF_MAX_FIELDS, "trbuf: an event has at most 16 fields"); \
	TRBUF_P_ASSERT(sizeof(cname) <= TRBUF_MAX_NAME + 1, \
		       "trbuf: name of a class longer than 63 characters"); \
	TRBUF_P_ASSERT(sizeof(ename) <= TRBUF_MAX_NAME + 1, \
		       "trbuf: name of an event longer than 63 characters"); \
	M(TRBUF_P_CHECK, E, E##__VA_ARGS__) \
	TRBUF_P_ASSERT((0 M(TRBUF_P_SIZE, E, E##__VA_ARGS__)) <= TRBUF_RECORD_MAX - 16, \
		       "trbuf: fields of fixed size larger than TRBUF_RECORD_MAX - 16 bytes")

#ifndef TRBUF_DISABLE

/* The variable part gets TRBUF_P_ROOM bytes of stack. FIXED_MAX + ROOM fits into a record of the
 * smallest page; beyond that, trbuf_emit_args does it. */
#define TRBUF_P_ROOM 512
#define TRBUF_P_FIXED_MAX 480

#define TRBUF_P_EVENT_(M, n, cname, ename, id, kind, E, ...) \
	TRBUF_P_CHECK_EVENT(M, n, cname, ename, E, E##__VA_ARGS__); \
	TRBUF_P_UNUSED static const struct trbuf_field id##_fields[] = { \
		M(TRBUF_P_FIELD, E, E##__VA_ARGS__) { 0, 0, 0, 0, 0, 0 } \
	}; \
	TRBUF_P_UNUSED static struct trbuf_event id = { \
		&id.off, cname, ename, id##_fields, 0, TRBUF_P_FIRST(E##__VA_ARGS__, 0), n, kind, \
		(0 M(TRBUF_P_VARIES, E, E##__VA_ARGS__)) != 0, 0, TRBUF_ABI, { 0, 0, 0, 0, 0, 0 } \
	}; \
	TRBUF_P_OUTLINE void id##_emit(const struct trbuf_event *trbuf_ev \
				       M(TRBUF_P_PARAM, E, E##__VA_ARGS__)) \
	{ \
		enum { \
			trbuf_fixed = (int)(0 M(TRBUF_P_SIZE, E, E##__VA_ARGS__)), \
			trbuf_varies = (0 M(TRBUF_P_VARIES, E, E##__VA_ARGS__)) != 0, \
			trbuf_here = trbuf_varies == 0 || trbuf_fixed <= TRBUF_P_FIXED_MAX, \
			trbuf_room = trbuf_varies != 0 && trbuf_here != 0 ? TRBUF_P_ROOM : 0 \
		}; \
		unsigned char trbuf_rec[2 * TRBUF_RECORD_HEADROOM + trbuf_fixed + trbuf_room]; \
		struct trbuf_cursor trbuf_w = { trbuf_rec + TRBUF_RECORD_HEADROOM, \
						trbuf_rec + TRBUF_RECORD_HEADROOM + trbuf_room }; \
		if (trbuf_here != 0 M(TRBUF_P_PUT, E, E##__VA_ARGS__)) { \
			trbuf_commit(trbuf_ev, trbuf_rec, \
				     (size_t)(trbuf_w.p - trbuf_rec) - TRBUF_RECORD_HEADROOM); \
		} else { \
			const struct trbuf_arg trbuf_args[] = { \
				M(TRBUF_P_ARG, E, E##__VA_ARGS__) { 0, 0, 0 } \
			}; \
			trbuf_emit_args(trbuf_ev, trbuf_args, n); \
		} \
	} \
	__attribute__((constructor(103), no_instrument_function)) static void id##_register(void) \
	{ \
		trbuf_register(&id); \
	} \
	TRBUF_P_ASSERT(1, "a semicolon follows")

/* ----------------------------------------------------------- a trace point */

/* The gate may change at any time, from any process, so it is read anew each time: the address is
 * loaded as volatile, so nothing is known of what it points to. The byte itself is not volatile,
 * so that it is compared where it lies. */
TRBUF_P_INLINE int trbuf_p_on(const struct trbuf_event *event)
{
	return **(const unsigned char *const volatile *)&event->gate != 0;
}

#define TRBUF_P_ON(id) __builtin_expect(trbuf_p_on(&id), 0)
#define TRBUF_P_ENABLED(id) (TRBUF_P_ON(id) != 0)

#define TRBUF_P_TRACE_none(id) (TRBUF_P_ON(id) ? id##_emit(&id) : (void)0)
#define TRBUF_P_TRACE_more(id, ...) (TRBUF_P_ON(id) ? id##_emit(&id, __VA_ARGS__) : (void)0)

TRBUF_P_OUTLINE void trbuf_p_emit_end(const struct trbuf_event *event)
{
	unsigned char record[2 * TRBUF_RECORD_HEADROOM];

	trbuf_commit(event, record, 0);
}

/* `end` is NULL when the begin was off. */
struct trbuf_span {
	const struct trbuf_event *end;
#ifdef __cplusplus
	__attribute__((no_instrument_function)) explicit trbuf_span(const struct trbuf_event *e) : end(e)
	{
	}
	__attribute__((no_instrument_function)) ~trbuf_span()
	{
		if (end && trbuf_p_on(end))
			trbuf_p_emit_end(end);
	}
	trbuf_span(const trbuf_span &) = delete;
	trbuf_span &operator=(const trbuf_span &) = delete;
#endif
};

#ifdef __cplusplus
#define TRBUF_P_GUARD(name, expr) const struct trbuf_span name TRBUF_P_UNUSED(expr)
#else
TRBUF_P_INLINE void trbuf_p_close(const struct trbuf_span *span)
{
	if (span->end && trbuf_p_on(span->end))
		trbuf_p_emit_end(span->end);
}
#define TRBUF_P_GUARD(name, expr) \
	const struct trbuf_span name __attribute__((cleanup(trbuf_p_close), unused)) = { expr }
#endif

#define TRBUF_P_SPAN_none(id) \
	TRBUF_P_GUARD(TRBUF_P_CAT(trbuf_span_, __LINE__), \
		      (TRBUF_P_ON(id##_begin) ? (id##_begin_emit(&id##_begin), &id##_end) : 0))
#define TRBUF_P_SPAN_more(id, ...) \
	TRBUF_P_GUARD(TRBUF_P_CAT(trbuf_span_, __LINE__), \
		      (TRBUF_P_ON(id##_begin) ? \
		       (id##_begin_emit(&id##_begin, __VA_ARGS__), &id##_end) : 0))

static const struct trbuf_field trbuf_p_text[] TRBUF_P_UNUSED = {
	{ "msg", TRBUF_T_STR, 0, 0, 0, 0 }
};
/* Until its first pass its gate is reserved[0], which is 1: so it comes to be registered. */
#define TRBUF_P_PRINTF(cname, level, ...) \
	do { \
		TRBUF_P_ASSERT((level) >= 0 && (level) <= 7, "trbuf: a level is 0 to 7"); \
		TRBUF_P_ASSERT(sizeof(cname) <= TRBUF_MAX_NAME + 1, \
			       "trbuf: name of a class longer than 63 characters"); \
		static struct trbuf_event trbuf_here = { \
			&trbuf_here.reserved[0], cname, "printf", trbuf_p_text, 0, level, 1, 0, 1, \
			0, TRBUF_ABI, { 1, 0, 0, 0, 0, 0 } \
		}; \
		if (TRBUF_P_ON(trbuf_here)) \
			trbuf_emit_printf(&trbuf_here, __VA_ARGS__); \
	} while (0)

#else /* TRBUF_DISABLE: arguments are checked, never evaluated */

#define TRBUF_P_EVENT_(M, n, cname, ename, id, kind, E, ...) \
	TRBUF_P_CHECK_EVENT(M, n, cname, ename, E, E##__VA_ARGS__); \
	TRBUF_P_INLINE void id##_emit(int trbuf_ev TRBUF_P_UNUSED \
				      M(TRBUF_P_PARAM, E, E##__VA_ARGS__)) \
	{ \
	} \
	TRBUF_P_ASSERT(1, "a semicolon follows")

#define TRBUF_P_ENABLED(id) 0
#define TRBUF_P_TRACE_none(id) (1 ? (void)0 : id##_emit(0))
#define TRBUF_P_TRACE_more(id, ...) (1 ? (void)0 : id##_emit(0, __VA_ARGS__))
#define TRBUF_P_SPAN_none(id) (1 ? (void)0 : id##_begin_emit(0))
#define TRBUF_P_SPAN_more(id, ...) (1 ? (void)0 : id##_begin_emit(0, __VA_ARGS__))

TRBUF_P_UNUSED __attribute__((format(printf, 1, 2)))
static void trbuf_p_no_printf(const char *format, ...)
{
	(void)format;
}

#define TRBUF_P_PRINTF(cname, level, ...) (1 ? (void)0 : trbuf_p_no_printf(__VA_ARGS__))

#endif

/* The name alone, or with arguments behind it (32 at most: 16 fields of two)? */
#define TRBUF_P_TRACE(...) \
	TRBUF_P_CAT(TRBUF_P_TRACE_, TRBUF_P_MORE(__VA_ARGS__))(__VA_ARGS__)
#define TRBUF_P_SPAN(...) TRBUF_P_CAT(TRBUF_P_SPAN_, TRBUF_P_MORE(__VA_ARGS__))(__VA_ARGS__)
#define TRBUF_P_MORE(...) \
	TRBUF_P_MORE_(__VA_ARGS__, more, more, more, more, more, more, more, more, more, more, \
		      more, more, more, more, more, more, more, more, more, more, more, more, \
		      more, more, more, more, more, more, more, more, more, more, none, 0)
#define TRBUF_P_MORE_(id, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
		      a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, \
		      a32, n, ...) n

#endif
