// SPDX-License-Identifier: MIT
// Copyright The trbuf authors
//
// What api_types.c does, in C++, and what only C++ has: namespaces, templates,
// inline functions, member functions, exceptions through a span.
//
#include <cstdint>
#include <cstdio>

#define API_TYPES_NO_MAIN
#include "api_types.c"

namespace cxx {

TRBUF_EVENT(cxx, spaced, TRBUF_INFO, (u32, n));
TRBUF_SPAN_EVENT(cxx, guarded, TRBUF_INFO, (u32, n));
TRBUF_ENUM(shape, { 1, "ROUND" });
TRBUF_EVENT(cxx, shaped, TRBUF_INFO, (enum, u16, shape, s));

template <typename T> struct Box {
	T value;

	void show() const
	{
		trbuf_trace(cxx, spaced, static_cast<std::uint32_t>(value));
		api_emitted++;
	}
};

inline void in_line()
{
	trbuf_trace(cxx, shaped, 1);
	api_emitted++;
	trbuf_printf(cxx, TRBUF_INFO, "inline");
	api_emitted++;
}

static void throws()
{
	TRBUF_SPAN(cxx, guarded, 3);
	api_emitted += 2;
	throw 1;
}

} // namespace cxx

int main()
{
	errno = 77;
	api_all();
	cxx::Box<int>{ 1 }.show();
	cxx::Box<double>{ 2.0 }.show();
	cxx::in_line();
	[] { trbuf_trace(linux, unix, 9); }();
	api_emitted++;
	try {
		cxx::throws();
	} catch (int) {
	}
	if (errno != 77 || api_evaluated)
		return 1;
	std::printf("emitted %lu\n", api_emitted);
	return 0;
}
