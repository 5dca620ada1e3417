# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
"""The bars: a question, the name of the number that answers it, and how far it may go."""

BARS = [
    # question, metric, "<=" or ">=", bar
    ("no field / bare clock", "no field/clock", "<=", 1.15),
    ("u64 / bare clock", "u64/clock", "<=", 1.15),
    ("four u64 / bare clock", "four u64/clock", "<=", 1.15),
    ("LTTng / trbuf, no field", "lttng/no field", ">=", 7),
    ("LTTng / trbuf, u64", "lttng/u64", ">=", 7),
    ("LTTng / trbuf, four u64", "lttng/four u64", ">=", 8),
    ("trbuf / DPDK, u64", "u64/dpdk", "<=", 1.10),
    ("trbuf / DPDK, u64, coarse clock", "coarse u64/dpdk", "<=", 0.45),
    ("11-byte string / no field", "string/no field", "<=", 1.25),
    ("locked rings / LTTng, u64", "locked u64/lttng", "<=", 1.0),
    ("disabled event over the empty loop, ns", "disabled ns", "<=", 0.5),
    ("disabled event over LTTng's, ns", "disabled ns over lttng", "<=", 0.1),
    ("attach: one event over none, ms", "attach ms", "<=", 0.5),
    ("attach: LTTng / trbuf, over none", "attach lttng/trbuf", ">=", 5),
    ("primes: lost while recording, %", "primes lost recording", "<=", 1),
    ("primes: lost while off, %", "primes lost off", "<=", 0.5),
    ("rate to disk, LTTng = 1", "rate disk/lttng", ">=", 3),
    ("rate to tmpfs, LTTng = 1", "rate tmpfs/lttng", ">=", 3),
    ("daemon CPU seconds per GB, LTTng = 1", "cpu per GB/lttng", "<=", 0.5),
    ("wake-ups a second, tracing off", "wakeups off", "<=", 0),
    ("wake-ups a second, on and idle", "wakeups on", "<=", 1.1),
    ("bytes on disk, four u64 with pid and tid", "bytes four u64", "<=", 48.5),
    ("bytes on disk, four u64 without context", "bytes four u64 bare", "<=", 40.5),
]


def judge(metrics):
    """[(question, value or None, "<=", bar, reached or None)]"""
    table = []
    for question, metric, how, bar in BARS:
        value = metrics.get(metric)
        reached = None if value is None else value <= bar if how == "<=" else value >= bar
        table.append((question, value, how, bar, reached))
    return table
