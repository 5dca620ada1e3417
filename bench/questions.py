# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
"""One function a question. Each takes the context and returns (rows, metrics)."""

import os
import re
import shutil
import subprocess
import tempfile

from machine import BUILD, bench, median, rows_of, run, say, tool
from peers import Daemon, Lttng, produce

LOCKED = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}
SHM = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Context:
    def __init__(self, twins, full):
        self.twins, self.full = twins, full

    def pick(self, short, full):
        return full if self.full else short


def find(rows, name, to):
    for row in rows:
        if row["name"] == name and row.get("ratio_to") == to:
            return row.get("quiet", row.get("ratio"))
    return None


def with_region(*args):
    return [bench("with_region"), *args, "--"]


def emit(cx):
    """Every kind of event, in every mode, against the clock and the peers."""
    rows, metrics = [], {}
    rounds = cx.pick(200, 1500)
    many = str(os.cpu_count())
    settings = [("rseq overwrite", [], {}, [], True), ("locked overwrite", [], LOCKED, [], True),
                ("rseq discard", ["--mode", "discard"], {}, ["--drain", "2"], False),
                ("locked discard", ["--mode", "discard"], LOCKED, ["--drain", "2"], False),
                (f"rseq {many} writers", [], {}, ["--threads", many], True),
                ("coarse", ["--clock", "coarse"], {}, ["--kinds", "0xf"], False)]
    for setting, region, env, options, overwrite in settings:
        plug_ins, session = ([cx.twins.dpdk] if cx.twins.dpdk else []), None
        say(f"  emit, {setting}")
        with tempfile.TemporaryDirectory(dir=SHM) as out:
            try:
                if cx.twins.lttng and setting != "coarse":
                    # Equal bytes: 4 MiB a CPU, trbuf's default.
                    session = Lttng(out, overwrite=overwrite)
                    plug_ins = plug_ins + [cx.twins.lttng]
                got = rows_of(with_region(*region) + [
                    bench("emit"), "--json", "--rounds", rounds // (1 if not options else 2),
                    "--setting", setting, *options, *plug_ins], env, 300)
                if session and session.stop():
                    say("  (LTTng discarded some of its events in this setting)")
            finally:
                if session:
                    session.close()
        rows += got
        if setting == "rseq overwrite":
            for kind in ("no field", "u64", "four u64"):
                metrics[f"{kind}/clock"] = find(got, f"trbuf {kind}", "clock")
                metrics[f"lttng/{kind}"] = find(got, f"LTTng {kind}", "trbuf")
            metrics["u64/dpdk"] = find(got, "trbuf u64", "DPDK")
            metrics["string/no field"] = find(got, "trbuf 11-byte string", "trbuf no field")
        elif setting == "locked overwrite":
            slower = find(got, "LTTng u64", "trbuf")
            metrics["locked u64/lttng"] = slower and 1 / slower
        elif setting == "coarse":
            metrics["coarse u64/dpdk"] = find(got, "trbuf u64", "DPDK")
    return rows, metrics


def disabled(cx):
    plug_ins = [cx.twins.lttng] if cx.twins.lttng else []
    with tempfile.TemporaryDirectory(dir=SHM) as out:
        session = Lttng(out) if plug_ins else None
        try:
            rows = rows_of(with_region() + [bench("disabled"), "--json", "--rounds",
                                            cx.pick(300, 2000), *plug_ins])
        finally:
            if session:
                session.close()
    over = {r["name"]: float(r["setting"].split()[0]) for r in rows}
    metrics = {"disabled ns": over.get("trbuf off")}
    if "LTTng off" in over:
        metrics["disabled ns over lttng"] = over["trbuf off"] - over["LTTng off"]
    return rows, metrics


def latency(cx):
    rows = []
    for setting, region, env in (("overwrite", [], {}), ("overwrite, 4k pages", ["--page-size", "4k"], {}),
                                 ("full, discard", ["--mode", "discard", "--ring-size", "64k"], {}),
                                 ("locked, overwrite", [], LOCKED)):
        page = "4096" if "4k" in setting else "65536"
        rows += rows_of(with_region(*region) + [
            bench("latency"), "--json", "--setting", setting, "--page", page, "--events",
            cx.pick(300000, 2000000)], env)
    return rows, {}


def attach(cx):
    """Whole processes that emit one event. The region exists and tracing is on."""
    programs = [bench("one_event_none"), bench("one_event_trbuf")]
    with tempfile.TemporaryDirectory(dir=SHM) as out:
        session = None
        if cx.twins.lttng_one:
            session = Lttng(out)
            programs.append(cx.twins.lttng_one)
        try:
            rows = rows_of(with_region() + [bench("attach"), "--json", "--rounds",
                                            cx.pick(100, 1000), *programs], timeout=300)
        finally:
            if session:
                session.close()
    over = [float(r["setting"].split()[0]) for r in rows]
    metrics = {"attach ms": over[1]}
    if len(over) > 2 and over[1] > 0:
        metrics["attach lttng/trbuf"] = over[2] / over[1]
    return rows, metrics


def primes_once(program, seconds, wrap=()):
    out, _ = run([*wrap, program, "--seconds", seconds, "--threads", os.cpu_count()])
    found = re.search(r"numbers (\d+) primes \d+ \(([\d.]+) %\)", out)
    return int(found.group(1)), float(found.group(2))


def primes(cx):
    """Numbers tested: without trace points, with them and off, recording; in turns."""
    seconds, pairs = cx.pick((0.5, 10), (3, 10))
    example = os.path.join(BUILD, "examples", ".libs", "primes")
    example = example if os.path.exists(example) else os.path.join(BUILD, "examples", "primes")
    env_path = os.path.join(BUILD, "libtrbuf", ".libs")
    os.environ["LD_LIBRARY_PATH"] = env_path + ":" + os.environ.get("LD_LIBRARY_PATH", "")
    names = ["not instrumented", "off", "recording"]
    if cx.twins.lttng_primes:
        names += ["LTTng off", "LTTng recording"]
    numbers = {n: [] for n in names}
    shares = []
    with tempfile.TemporaryDirectory() as out, Daemon(out, "--ring-size", "16M") as daemon:
        for pair in range(pairs):
            for name in names if pair % 2 == 0 else reversed(names):
                numbers[name].append(primes_run(cx, name, example, seconds, daemon, out, shares))
    base = numbers["not instrumented"]
    rows, metrics = [], {}
    for name in names:
        lost = median([100 * (1 - n / b) for n, b in zip(numbers[name], base)])
        rows.append({"bench": "primes", "name": name, "setting": f"{lost:+.2f} % lost",
                     "ns": seconds * 1e9 / median(numbers[name]), "cycles": float("nan"),
                     "ratio": median([n / b for n, b in zip(numbers[name], base)]),
                     "ratio_to": "not instrumented"})
        if name in ("off", "recording"):
            metrics[f"primes lost {name}"] = lost
    share = sum(shares) / len(shares)
    rows.append({"bench": "primes", "name": "share of primes", "setting": f"{share:.3f} %, must be "
                 f"4.73 +- 0.05: {'holds' if abs(share - 4.73) <= 0.05 else 'DOES NOT HOLD'}"})
    return rows, metrics


def primes_run(cx, name, example, seconds, daemon, out, shares):
    if name == "not instrumented":
        got = primes_once(bench("primes_off"), seconds)
    elif name.startswith("LTTng"):
        trace = tempfile.mkdtemp(dir=out)
        session = Lttng(trace, "primes:*", None, subbuf="4M") if "recording" in name else None
        try:
            got = primes_once(cx.twins.lttng_primes, seconds)
            if session and session.stop():
                say("  (LTTng discarded some events of primes)")
        finally:
            if session:
                session.close()
            shutil.rmtree(trace, ignore_errors=True)
    else:
        os.environ.update(daemon.env)
        trace = os.path.join(out, "recording")
        if name == "recording":
            daemon.start(trace)
        got = primes_once(example, seconds)
        if name == "recording":
            daemon.ctl("off")
            daemon.ctl("stop")
            shutil.rmtree(trace, ignore_errors=True)
        del os.environ["TRBUF_REGION"]
    shares.append(got[1])
    return got[0]


def size_of(path):
    total = 0
    for where, _, files in os.walk(path):
        total += sum(os.path.getsize(os.path.join(where, f)) for f in files
                     if f != "metadata" and not f.endswith(".idx") and not f.startswith("."))
    return total


KINDS = {"no field": 0, "u64": 1, "four u64": 2, "11-byte string": 3, "100-byte string": 4,
         "16 fields": 5}


def bytes_on_disk(cx):
    """Stream bytes per event: trbuf with and without context, LTTng likewise."""
    rows, metrics = [], {}
    events = 400000
    for kind, number in KINDS.items():
        for who in ("trbuf pid,tid", "trbuf no context", "LTTng", "LTTng vpid,vtid"):
            if who.startswith("LTTng") and not cx.twins.lttng:
                continue
            with tempfile.TemporaryDirectory(dir=SHM) as out:
                per = one_size(cx, who, number, events, out)
            rows.append({"bench": "bytes", "name": f"{who} {kind}", "setting": f"{per:.2f} bytes"})
            if kind == "four u64" and who.startswith("trbuf"):
                metrics["bytes four u64" + (" bare" if "no " in who else "")] = per
    return rows, metrics


def one_size(cx, who, kind, events, out):
    command = ["--kind", kind, "--rate", 2000000, "--events", events]
    if who.startswith("trbuf"):
        trace = os.path.join(out, "t")
        with Daemon(out, "--ring-size", "64M", "--context", "none" if "no " in who else "pid,tid") as d:
            d.start(trace)
            run(produce(*command), env=d.env)
            d.ctl("stop")
            got, missed = d.missed()
        if missed or got != events:
            say(f"  (trbuf: {got} of {events} events, {missed} missed)")
        return size_of(trace) / max(got, 1)
    context = ("vpid", "vtid") if "vpid" in who else ()
    with Lttng(out, subbuf="4M", context=context) as session:
        run(produce("--twin", cx.twins.lttng, *command))
        lost = session.stop()
    return size_of(out) / max(events - lost, 1)


def trial(cx, who, rate, seconds, out):
    """One recording at a rate: (missed, seconds it took, CPU seconds of the daemons, bytes)."""
    threads = os.cpu_count()
    events = int(rate * seconds / threads)
    command = ["--rate", int(rate), "--events", events, "--threads", threads]
    import json
    if who == "trbuf":
        trace = os.path.join(out, "t")
        with Daemon(out) as d:
            d.start(trace)
            text, _ = run(produce(*command), env=d.env)
            d.ctl("stop")
            from machine import cpu_seconds
            cpu = cpu_seconds(d.pid)
            _, missed = d.missed()
    else:
        with Lttng(out) as session:
            before = session.cpu()
            text, _ = run(produce("--twin", cx.twins.lttng, *command))
            missed = session.stop()
            cpu = session.cpu() - before
    took = json.loads(text)["seconds"]
    return missed, took, cpu, size_of(out)


def rate(cx):
    """The highest rate, four u64, without a miss; equal bytes of buffer; bisected."""
    rows, metrics = [], {}
    seconds, steps = cx.pick((0.7, 4), (5, 7))
    spots = [("disk", None)] + ([("tmpfs", SHM)] if SHM else [])
    for spot, where in spots:
        best, cost = {}, {}
        for who in ["trbuf"] + (["LTTng"] if cx.twins.lttng else []):
            low, high = 0, 64e6
            for _ in range(steps):
                middle = (low + high) / 2 if low else high / 4 if high > 32e6 else high / 2
                tries = []
                for _ in range(2):
                    with tempfile.TemporaryDirectory(dir=where) as out:
                        tries.append(trial(cx, who, middle, seconds, out))
                    if tries[-1][0] == 0:
                        break
                missed, took, cpu, size = tries[-1]
                achieved = middle * seconds / took
                if missed == 0:
                    low = middle
                    if achieved > best.get(who, 0):
                        best[who] = achieved
                        cost[who] = cpu / (size / 1e9) if size else float("nan")
                    if achieved < 0.8 * middle:
                        break  # the producers cannot go faster
                else:
                    high = middle
            rows.append({"bench": "rate", "name": f"{who} to {spot}", "setting":
                         f"{best.get(who, 0) / 1e6:.2f} million/s, {cost.get(who, 0):.3f} CPU s/GB"})
        if best.get("LTTng"):
            metrics[f"rate {spot}/lttng"] = best.get("trbuf", 0) / best["LTTng"]
            if cost.get("LTTng") and "trbuf" in cost:
                metrics["cpu per GB/lttng"] = cost["trbuf"] / cost["LTTng"]
    return rows, metrics
