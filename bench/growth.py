# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
"""Idle cost, and how cost grows: processes, events, ring and page sizes, CPUs."""

import json
import os
import subprocess
import tempfile
import time

from machine import bench, cpu_seconds, resident, rows_of, run, tool, wakeups
from peers import Daemon, Lttng, produce
from questions import SHM, with_region


def watch(pids, seconds):
    """(wake-ups, CPU milliseconds) a second."""
    before = sum(map(wakeups, pids)), sum(map(cpu_seconds, pids))
    time.sleep(seconds)
    after = sum(map(wakeups, pids)), sum(map(cpu_seconds, pids))
    return (after[0] - before[0]) / seconds, (after[1] - before[1]) * 1000 / seconds


def row(bench_name, name, setting):
    return {"bench": bench_name, "name": name, "setting": setting}


def idle(cx):
    rows, metrics = [], {}
    seconds = cx.pick(5, 20)
    with tempfile.TemporaryDirectory(dir=SHM) as out, Daemon(out) as daemon:
        time.sleep(1.5)
        for name, metric in (("tracing off", "wakeups off"), ("on and idle", "wakeups on"),
                             ("one event a second", None)):
            busy = None
            if name == "on and idle":
                daemon.start(os.path.join(out, "t"))
            elif metric is None:
                busy = subprocess.Popen(list(map(str, produce("--rate", 1, "--events", 2 * seconds))),
                                        env={**os.environ, **daemon.env}, stdout=subprocess.DEVNULL)
            time.sleep(1.2)
            wakes, cpu = watch([daemon.pid], seconds)
            rows.append(row("idle", name, f"{wakes:.2f} wake-ups/s, {cpu:.3f} ms CPU/s"))
            if metric:
                metrics[metric] = wakes
            if busy:
                busy.kill()
                busy.wait()
        many = [subprocess.Popen(list(map(str, produce("--events", 1, "--idle", 600))),
                                 env={**os.environ, **daemon.env}, stdout=subprocess.DEVNULL)
                for _ in range(cx.pick(50, 200))]
        try:
            time.sleep(cx.pick(3, 6))
            wakes, cpu = watch([daemon.pid], seconds)
            rows.append(row("idle", f"{len(many)} attached processes",
                            f"{wakes:.2f} wake-ups/s, {cpu:.3f} ms CPU/s"))
            anon, shared = resident(many[0].pid)
            rows.append(row("idle", "resident, one process", f"{anon} kB of its own, {shared} kB shared"))
            anon, shared = resident(daemon.pid)
            rows.append(row("idle", "resident, tracerd", f"{anon} kB of its own, {shared} kB shared"))
        finally:
            for process in many:
                process.kill()
            for process in many:
                process.wait()
    if cx.twins.lttng:
        with tempfile.TemporaryDirectory(dir=SHM) as out, Lttng(out) as session:
            busy = subprocess.Popen(list(map(str, produce("--twin", cx.twins.lttng, "--rate", 1,
                                                          "--events", 2 * seconds))),
                                    stdout=subprocess.DEVNULL)
            time.sleep(1.2)
            wakes, cpu = watch(session.consumers(), seconds)
            busy.kill()
            busy.wait()
            rows.append(row("idle", "LTTng, one event a second",
                            f"{wakes:.2f} wake-ups/s, {cpu:.3f} ms CPU/s"))
    return rows, metrics


def emit_cost(name, setting, *region, rounds=100):
    got = rows_of(with_region(*region) + [bench("emit"), "--json", "--rounds", rounds, "--kinds", "2"])
    found = [r for r in got if r["name"] == "trbuf u64" and r.get("ratio_to") == "clock"]
    return dict(found[0], bench="growth", name=name, setting=setting)


def growth(cx):
    rows = []
    for n in cx.pick((1, 16), (1, 2, 4, 8, 16, 32, 64)):
        with tempfile.TemporaryDirectory(dir=SHM) as out, Daemon(out, "--mode", "overwrite") as d:
            d.ctl("on")
            start = time.monotonic()
            crowd = [subprocess.Popen(list(map(str, produce("--events", 2000000 // n))), stdout=subprocess.DEVNULL,
                                      env={**os.environ, **d.env}) for _ in range(n)]
            for process in crowd:
                process.wait()
            took = time.monotonic() - start
            rows.append(row("growth", f"{n} processes", f"{2 / took:.2f} million events/s together"))
    for n in cx.pick((10, 1000, 10000), (10, 100, 1000, 10000, 60000)):
        out, _ = run(with_region("--totals") + [bench("register_events"), n])
        got = json.loads(out)
        rows.append(row("growth", f"{n} events registered",
                        f"{got['ns']:.0f} ns an event, the last {got['last_ns']:.0f}"))
    for size in cx.pick(("256k", "4M", "64M"), ("256k", "1M", "4M", "16M", "64M", "256M")):
        rows.append(emit_cost(f"rings of {size}", "u64", "--ring-size", size))
    for size in cx.pick(("4k", "64k", "1M"), ("4k", "16k", "64k", "256k", "1M")):
        rows.append(emit_cost(f"pages of {size}", "u64", "--page-size", size, "--ring-size", "16M"))
    for cpus in cx.pick((2, 4096), (2, 64, 256, 1024, 4096)):
        rows.append(many_cpus(cpus))
    return rows, {}


def many_cpus(cpus):
    """A region for as many CPUs: emit, attach, its size, status."""
    script = ('start=$(date +%s%N); "$0" --json status >/dev/null; end=$(date +%s%N); '
              'echo $((end - start)); stat -c "%s %b" "$TRBUF_REGION"; "$1"; '
              'start=$(date +%s%N); "$1"; end=$(date +%s%N); echo $((end - start))')
    out, _ = run(with_region("--cpus", cpus) + ["sh", "-c", script, tool("tracectl"),
                                                bench("one_event_trbuf")])
    status, size, process = out.splitlines()
    apparent, blocks = map(int, size.split())
    return row("growth", f"{cpus} CPUs",
               f"status {int(status) / 1e6:.1f} ms, process with one event {int(process) / 1e6:.1f} ms, "
               f"region {apparent / 1e6:.1f} MB, {blocks * 512 / 1e6:.1f} MB of it allocated")
