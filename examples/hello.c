/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The smallest traced program.
 *
 *	cc hello.c -o hello $(pkg-config --cflags --libs trbuf)
 *	tracectl record -o traces -- ./hello
 *	tracectl view traces/...
 */
#include <trbuf.h>

TRBUF_EVENT(hello, greet, TRBUF_INFO, (u32, number), (str, whom));

int main(void)
{
	for (uint32_t i = 1; i <= 3; i++)
		trbuf_trace(hello, greet, i, "world");
	trbuf_printf(hello, TRBUF_NOTICE, "said it %d times", 3);
	return 0;
}
