/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * A traced program for the tests of tracectl: four events in two classes. Each
 * number that it reads from standard input is how many rounds to emit; it
 * answers `done` and ends at end of file.
 */
#include <inttypes.h>
#include <stdio.h>

#include <trbuf.h>

TRBUF_ENUM(states, { 0, "IDLE" }, { 1, "BUSY" });
TRBUF_EVENT(net, rx, TRBUF_INFO, (u16, port), (str, iface), (x64, cookie));
TRBUF_EVENT(net, poll, TRBUF_DEBUG);
TRBUF_EVENT(disk, read, TRBUF_NOTICE, (u64, sector), (array, u8, 4, tag), (seq, u32, sizes));
TRBUF_EVENT(disk, state, TRBUF_ERR, (enum, u8, states, now));

int main(void)
{
	static const uint8_t tag[4] = { 1, 2, 3, 4 };
	static const uint32_t sizes[2] = { 512, 4096 };
	uint64_t rounds;

	while (scanf("%" SCNu64, &rounds) == 1) {
		for (uint64_t i = 0; i < rounds; i++) {
			trbuf_trace(net, rx, 80, "eth0", i);
			trbuf_trace(net, poll);
			trbuf_trace(disk, read, i, tag, sizes, 2);
			trbuf_trace(disk, state, (uint8_t)(i & 1));
		}
		printf("done\n");
		fflush(stdout);
	}
	return 0;
}
