/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The types of fields, and what is made of a field of each type. Included by
 * trbuf_macros.h alone; nothing here is for use by programs.
 *
 * A field is a list (type, ...). X(type, ...) hands it to TRBUF_P_OF_type,
 * which calls X_kind: scalar, str, array, seq, blob or enum. A new type of an
 * old kind is one row in each of the tables of the first half.
 */
#ifndef TRBUF_FIELDS_H
#define TRBUF_FIELDS_H

#ifndef TRBUF_MACROS_H
#error "include trbuf.h"
#endif

/* A scalar type: how it is passed, how it is stored, and the way from one to the other. */
#define TRBUF_P_SCALAR(t, ctype, stored, convert) \
	TRBUF_P_INLINE int trbuf_put_##t(struct trbuf_cursor *w, ctype v) \
	{ \
		const stored s = convert; \
		__builtin_memcpy(w->p, &s, sizeof(s)); \
		w->p += sizeof(s); \
		w->end += sizeof(s); \
		return 1; \
	} \
	TRBUF_P_INLINE struct trbuf_arg trbuf_arg_##t(ctype v) \
	{ \
		const stored s = convert; \
		struct trbuf_arg a = { 0, 0, 0 }; \
		__builtin_memcpy(&a.value, &s, sizeof(s)); \
		return a; \
	} \
	typedef ctype trbuf_c_##t; \
	typedef stored trbuf_s_##t; \
	typedef ctype trbuf_c_trbuf_a_##t

TRBUF_P_SCALAR(u8, uint8_t, uint8_t, v);
TRBUF_P_SCALAR(u16, uint16_t, uint16_t, v);
TRBUF_P_SCALAR(u32, uint32_t, uint32_t, v);
TRBUF_P_SCALAR(u64, uint64_t, uint64_t, v);
TRBUF_P_SCALAR(s8, int8_t, int8_t, v);
TRBUF_P_SCALAR(s16, int16_t, int16_t, v);
TRBUF_P_SCALAR(s32, int32_t, int32_t, v);
TRBUF_P_SCALAR(s64, int64_t, int64_t, v);
TRBUF_P_SCALAR(x8, uint8_t, uint8_t, v);
TRBUF_P_SCALAR(x16, uint16_t, uint16_t, v);
TRBUF_P_SCALAR(x32, uint32_t, uint32_t, v);
TRBUF_P_SCALAR(x64, uint64_t, uint64_t, v);
TRBUF_P_SCALAR(f32, float, float, v);
TRBUF_P_SCALAR(f64, double, double, v);
TRBUF_P_SCALAR(bool, bool, uint8_t, (uint8_t)(v ? 1 : 0));
TRBUF_P_SCALAR(ptr, const volatile void *, uint64_t, (uint64_t)(uintptr_t)v);

/* How an enumeration over it is passed: wide, so that any enum converts silently. */
typedef long long trbuf_w_trbuf_a_u8, trbuf_w_trbuf_a_u16, trbuf_w_trbuf_a_u32;
typedef long long trbuf_w_trbuf_a_s8, trbuf_w_trbuf_a_s16, trbuf_w_trbuf_a_s32;
typedef long long trbuf_w_trbuf_a_s64;
typedef unsigned long long trbuf_w_trbuf_a_u64;

enum trbuf_p_elem {
	trbuf_t_u8 = TRBUF_T_U8, trbuf_t_trbuf_a_u8 = TRBUF_T_U8,
	trbuf_t_u16 = TRBUF_T_U16, trbuf_t_trbuf_a_u16 = TRBUF_T_U16,
	trbuf_t_u32 = TRBUF_T_U32, trbuf_t_trbuf_a_u32 = TRBUF_T_U32,
	trbuf_t_u64 = TRBUF_T_U64, trbuf_t_trbuf_a_u64 = TRBUF_T_U64,
	trbuf_t_s8 = TRBUF_T_S8, trbuf_t_trbuf_a_s8 = TRBUF_T_S8,
	trbuf_t_s16 = TRBUF_T_S16, trbuf_t_trbuf_a_s16 = TRBUF_T_S16,
	trbuf_t_s32 = TRBUF_T_S32, trbuf_t_trbuf_a_s32 = TRBUF_T_S32,
	trbuf_t_s64 = TRBUF_T_S64, trbuf_t_trbuf_a_s64 = TRBUF_T_S64,
	trbuf_t_x8 = TRBUF_T_X8, trbuf_t_trbuf_a_x8 = TRBUF_T_X8,
	trbuf_t_x16 = TRBUF_T_X16, trbuf_t_trbuf_a_x16 = TRBUF_T_X16,
	trbuf_t_x32 = TRBUF_T_X32, trbuf_t_trbuf_a_x32 = TRBUF_T_X32,
	trbuf_t_x64 = TRBUF_T_X64, trbuf_t_trbuf_a_x64 = TRBUF_T_X64,
	trbuf_t_f32 = TRBUF_T_F32, trbuf_t_trbuf_a_f32 = TRBUF_T_F32,
	trbuf_t_f64 = TRBUF_T_F64, trbuf_t_trbuf_a_f64 = TRBUF_T_F64,
	trbuf_t_bool = TRBUF_T_BOOL, trbuf_t_trbuf_a_bool = TRBUF_T_BOOL,
	trbuf_t_ptr = TRBUF_T_PTR
};

/* Where the user wraps TRBUF_EVENT in a macro of his own, bool may have become _Bool. */
#define TRBUF_P_IS__Bool TRBUF_P_IS_bool
#define TRBUF_P_OF__Bool TRBUF_P_OF_bool
#define trbuf_t_trbuf_a__Bool trbuf_t_trbuf_a_bool
#define trbuf_c_trbuf_a__Bool trbuf_c_trbuf_a_bool

/* TRBUF_P_IS_type: known. TRBUF_P_OF_type(X, ...): X_kind(...) of its kind. */
#define TRBUF_P_IS_u8 0, 1
#define TRBUF_P_IS_u16 0, 1
#define TRBUF_P_IS_u32 0, 1
#define TRBUF_P_IS_u64 0, 1
#define TRBUF_P_IS_s8 0, 1
#define TRBUF_P_IS_s16 0, 1
#define TRBUF_P_IS_s32 0, 1
#define TRBUF_P_IS_s64 0, 1
#define TRBUF_P_IS_x8 0, 1
#define TRBUF_P_IS_x16 0, 1
#define TRBUF_P_IS_x32 0, 1
#define TRBUF_P_IS_x64 0, 1
#define TRBUF_P_IS_f32 0, 1
#define TRBUF_P_IS_f64 0, 1
#define TRBUF_P_IS_bool 0, 1
#define TRBUF_P_IS_ptr 0, 1
#define TRBUF_P_IS_str 0, 1
#define TRBUF_P_IS_array 0, 1
#define TRBUF_P_IS_seq 0, 1
#define TRBUF_P_IS_blob 0, 1
#define TRBUF_P_IS_enum 0, 1

#define TRBUF_P_OF_u8(X, a) X##_scalar(u8, a)
#define TRBUF_P_OF_u16(X, a) X##_scalar(u16, a)
#define TRBUF_P_OF_u32(X, a) X##_scalar(u32, a)
#define TRBUF_P_OF_u64(X, a) X##_scalar(u64, a)
#define TRBUF_P_OF_s8(X, a) X##_scalar(s8, a)
#define TRBUF_P_OF_s16(X, a) X##_scalar(s16, a)
#define TRBUF_P_OF_s32(X, a) X##_scalar(s32, a)
#define TRBUF_P_OF_s64(X, a) X##_scalar(s64, a)
#define TRBUF_P_OF_x8(X, a) X##_scalar(x8, a)
#define TRBUF_P_OF_x16(X, a) X##_scalar(x16, a)
#define TRBUF_P_OF_x32(X, a) X##_scalar(x32, a)
#define TRBUF_P_OF_x64(X, a) X##_scalar(x64, a)
#define TRBUF_P_OF_f32(X, a) X##_scalar(f32, a)
#define TRBUF_P_OF_f64(X, a) X##_scalar(f64, a)
#define TRBUF_P_OF_bool(X, a) X##_scalar(bool, a)
#define TRBUF_P_OF_ptr(X, a) X##_scalar(ptr, a)
#define TRBUF_P_OF_str(X, a) X##_str(a)
#define TRBUF_P_OF_array(X, t, n, name) X##_array(t, n, trbuf_a_##name)
#define TRBUF_P_OF_seq(X, t, name) X##_seq(t, trbuf_a_##name, trbuf_n_##name)
#define TRBUF_P_OF_blob(X, a) X##_blob(a, n_##a)
#define TRBUF_P_OF_enum(X, t, labels, name) X##_enum(t, trbuf_l_##labels, trbuf_a_##name)

TRBUF_P_INLINE int trbuf_put_array(struct trbuf_cursor *w, const void *data, size_t size)
{
	if (data)
		__builtin_memcpy(w->p, data, size);
	else
		__builtin_memset(w->p, 0, size);
	w->p += size;
	w->end += size;
	return 1;
}

TRBUF_P_INLINE int trbuf_put_string(struct trbuf_cursor *w, const char *s)
{
	w->p = trbuf_put_str(w->p, w->end, s);
	return w->p != 0;
}

/* The two bytes of the count are in the fixed part: p and end both move on. */
TRBUF_P_INLINE int trbuf_put_seq(struct trbuf_cursor *w, const void *data, size_t n, size_t elem)
{
	if (!data)
		n = 0;
	if (n > (size_t)(w->end - w->p) / elem)
		return 0;
	trbuf_put_u16(w, (uint16_t)n);
	if (n)
		__builtin_memcpy(w->p, data, n * elem);
	w->p += n * elem;
	return 1;
}

TRBUF_P_INLINE struct trbuf_arg trbuf_arg_data(const void *data, size_t count)
{
	const struct trbuf_arg a = { 0, data, count };

	return a;
}

/* What is made of a field, X(type, ...) for each X: */

/* CHECK: is it well formed? */
#define TRBUF_P_CHECK(type, ...) \
	TRBUF_P_ASSERT(TRBUF_P_KNOWN(TRBUF_P_IS_##type, 0, 0), \
		       "trbuf: unknown field type " #type \
		       ": u8..u64 s8..s64 x8..x64 f32 f64 bool ptr str array seq blob enum"); \
	TRBUF_P_OF_##type(TRBUF_P_CHECK, trbuf_a_##__VA_ARGS__);
#define TRBUF_P_CHECK_NAME(a) \
	TRBUF_P_ASSERT(sizeof(#a) - sizeof("trbuf_a_") < TRBUF_MAX_NAME + 1, \
		       "trbuf: name of a field longer than 63 characters: " #a)
#define TRBUF_P_CHECK_scalar(t, a) TRBUF_P_CHECK_NAME(a)
#define TRBUF_P_CHECK_str(a) TRBUF_P_CHECK_NAME(a)
#define TRBUF_P_CHECK_array(t, n, a) \
	TRBUF_P_CHECK_NAME(a); \
	TRBUF_P_ASSERT((n) > 0 && (n) <= TRBUF_RECORD_MAX, \
		       "trbuf: an array has 1 to TRBUF_RECORD_MAX elements")
#define TRBUF_P_CHECK_seq(t, a, n) TRBUF_P_CHECK_NAME(a)
#define TRBUF_P_CHECK_blob(a, n) TRBUF_P_CHECK_NAME(a)
#define TRBUF_P_CHECK_enum(t, labels, a) \
	TRBUF_P_CHECK_NAME(a); \
	TRBUF_P_ASSERT(sizeof(labels) / sizeof((labels)[0]) <= 256, \
		       "trbuf: an enumeration has at most 256 labels")

/* PARAM: parameters of the emit function. */
#define TRBUF_P_PARAM(type, ...) , TRBUF_P_OF_##type(TRBUF_P_PARAM, trbuf_a_##__VA_ARGS__)
#define TRBUF_P_PARAM_scalar(t, a) trbuf_c_##t a TRBUF_P_UNUSED
#define TRBUF_P_PARAM_str(a) const char *a TRBUF_P_UNUSED
#define TRBUF_P_PARAM_array(t, n, a) const trbuf_c_##t *a TRBUF_P_UNUSED
#define TRBUF_P_PARAM_seq(t, a, n) const trbuf_c_##t *a TRBUF_P_UNUSED, size_t n TRBUF_P_UNUSED
#define TRBUF_P_PARAM_blob(a, n) const void *a TRBUF_P_UNUSED, size_t n TRBUF_P_UNUSED
#define TRBUF_P_PARAM_enum(t, labels, a) trbuf_w_##t a TRBUF_P_UNUSED

/* FIELD: its description. */
#define TRBUF_P_FIELD(type, ...) TRBUF_P_OF_##type(TRBUF_P_FIELD, trbuf_a_##__VA_ARGS__),
#define TRBUF_P_NAME(a) &#a[sizeof("trbuf_a_") - 1]
#define TRBUF_P_FIELD_scalar(t, a) { TRBUF_P_NAME(a), trbuf_t_##t, 0, 0, 0, 0 }
#define TRBUF_P_FIELD_str(a) { TRBUF_P_NAME(a), TRBUF_T_STR, 0, 0, 0, 0 }
#define TRBUF_P_FIELD_array(t, n, a) { TRBUF_P_NAME(a), TRBUF_T_ARRAY, trbuf_t_##t, n, 0, 0 }
#define TRBUF_P_FIELD_seq(t, a, n) { TRBUF_P_NAME(a), TRBUF_T_SEQ, trbuf_t_##t, 0, 0, 0 }
#define TRBUF_P_FIELD_blob(a, n) { TRBUF_P_NAME(a), TRBUF_T_BLOB, TRBUF_T_U8, 0, 0, 0 }
#define TRBUF_P_FIELD_enum(t, labels, a) \
	{ TRBUF_P_NAME(a), TRBUF_T_ENUM, trbuf_t_##t, 0, \
	  (uint16_t)(sizeof(labels) / sizeof((labels)[0])), labels }

/* SIZE: bytes of its fixed part. */
#define TRBUF_P_SIZE(type, ...) + TRBUF_P_OF_##type(TRBUF_P_SIZE, trbuf_a_##__VA_ARGS__)
#define TRBUF_P_SIZE_scalar(t, a) sizeof(trbuf_s_##t)
#define TRBUF_P_SIZE_str(a) 0
#define TRBUF_P_SIZE_array(t, n, a) (n) * sizeof(trbuf_c_##t)
#define TRBUF_P_SIZE_seq(t, a, n) sizeof(uint16_t)
#define TRBUF_P_SIZE_blob(a, n) sizeof(uint16_t)
#define TRBUF_P_SIZE_enum(t, labels, a) sizeof(trbuf_c_##t)

/* VARIES: has it a variable part? */
#define TRBUF_P_VARIES(type, ...) + TRBUF_P_OF_##type(TRBUF_P_VARIES, trbuf_a_##__VA_ARGS__)
#define TRBUF_P_VARIES_scalar(t, a) 0
#define TRBUF_P_VARIES_str(a) 1
#define TRBUF_P_VARIES_array(t, n, a) 0
#define TRBUF_P_VARIES_seq(t, a, n) 1
#define TRBUF_P_VARIES_blob(a, n) 1
#define TRBUF_P_VARIES_enum(t, labels, a) 0

/* PUT: append it to the record; false if it does not fit. */
#define TRBUF_P_PUT(type, ...) && TRBUF_P_OF_##type(TRBUF_P_PUT, trbuf_a_##__VA_ARGS__)
#define TRBUF_P_PUT_scalar(t, a) trbuf_put_##t(&trbuf_w, a)
#define TRBUF_P_PUT_str(a) trbuf_put_string(&trbuf_w, a)
#define TRBUF_P_PUT_array(t, n, a) trbuf_put_array(&trbuf_w, a, (n) * sizeof(trbuf_c_##t))
#define TRBUF_P_PUT_seq(t, a, n) trbuf_put_seq(&trbuf_w, a, n, sizeof(trbuf_c_##t))
#define TRBUF_P_PUT_blob(a, n) trbuf_put_seq(&trbuf_w, a, n, 1)
#define TRBUF_P_PUT_enum(t, labels, a) TRBUF_P_CAT(TRBUF_P_PUT_, t)((trbuf_c_##t)a)
#define TRBUF_P_PUT_trbuf_a_u8(v) trbuf_put_u8(&trbuf_w, v)
#define TRBUF_P_PUT_trbuf_a_u16(v) trbuf_put_u16(&trbuf_w, v)
#define TRBUF_P_PUT_trbuf_a_u32(v) trbuf_put_u32(&trbuf_w, v)
#define TRBUF_P_PUT_trbuf_a_u64(v) trbuf_put_u64(&trbuf_w, v)
#define TRBUF_P_PUT_trbuf_a_s8(v) trbuf_put_s8(&trbuf_w, v)
#define TRBUF_P_PUT_trbuf_a_s16(v) trbuf_put_s16(&trbuf_w, v)
#define TRBUF_P_PUT_trbuf_a_s32(v) trbuf_put_s32(&trbuf_w, v)
#define TRBUF_P_PUT_trbuf_a_s64(v) trbuf_put_s64(&trbuf_w, v)

/* ARG: the same for trbuf_emit_args, when the record is large. */
#define TRBUF_P_ARG(type, ...) TRBUF_P_OF_##type(TRBUF_P_ARG, trbuf_a_##__VA_ARGS__),
#define TRBUF_P_ARG_scalar(t, a) trbuf_arg_##t(a)
#define TRBUF_P_ARG_str(a) trbuf_arg_data(a, 0)
#define TRBUF_P_ARG_array(t, n, a) trbuf_arg_data(a, n)
#define TRBUF_P_ARG_seq(t, a, n) trbuf_arg_data(a, n)
#define TRBUF_P_ARG_blob(a, n) trbuf_arg_data(a, n)
#define TRBUF_P_ARG_enum(t, labels, a) trbuf_arg_u64((uint64_t)a)

#endif
