# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
"""What the numbers were measured on, and small helpers to run things."""

import json
import os
import shutil
import subprocess
import sys
import time

TOP = os.environ.get("top_srcdir") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("top_builddir") or os.getcwd()
DEADLINE = 120


def say(text):
    print(text, file=sys.stderr, flush=True)


def bench(program):
    return os.path.join(BUILD, "bench", program)


def tool(program):
    return os.path.join(BUILD, program, program)


def run(args, env=None, timeout=DEADLINE, check=True, stdin=None):
    """Runs to the end; (stdout, stderr). A failure is an error with the command's own words."""
    done = subprocess.run([str(a) for a in args], env={**os.environ, **(env or {})}, text=True,
                          stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=timeout, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"{args[0]} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout, done.stderr


def rows_of(args, env=None, timeout=DEADLINE):
    """The JSON lines that a program of ours prints."""
    out, err = run(args, env, timeout)
    for line in err.splitlines():
        if "LEFT OUT" in line:
            say("  " + line)
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def median(values):
    values = sorted(values)
    n = len(values)
    return (values[n // 2] + values[(n - 1) // 2]) / 2 if n else float("nan")


def clock_ticks(pid):
    """CPU seconds of all threads of a process so far: (user, system)."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    hz = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / hz, int(fields[12]) / hz


def cpu_seconds(pid):
    """Finer than clock ticks: what the scheduler counted, all threads."""
    total = 0
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as f:
                total += int(f.read().split()[0])
    except (OSError, ValueError, IndexError):
        return sum(clock_ticks(pid))
    return total / 1e9


def wakeups(pid):
    """Times that a thread of the process went to sleep of its own will."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii", errors="replace") as f:
            for line in f:
                if line.startswith("voluntary_ctxt_switches"):
                    total += int(line.split()[1])
    return total


def resident(pid):
    """(anonymous, shared) kB that are in memory."""
    anon = shared = 0
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
        for line in f:
            if line.startswith("RssAnon"):
                anon = int(line.split()[1])
            elif line.startswith(("RssShmem", "RssFile")):
                shared += int(line.split()[1])
    return anon, shared


def wait_for(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise RuntimeError(f"{what}: not within {seconds} s")


def version(args):
    if not shutil.which(args[0]):
        return "not installed"
    done = subprocess.run(args, text=True, capture_output=True, check=False)
    text = (done.stdout or done.stderr).strip().splitlines()
    return text[0] if text else "?"


def describe():
    """Machine, date and versions, for the head of the results."""
    model = "?"
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        lines = f.read().splitlines()
    for key in ("model name", "CPU implementer"):
        for line in lines:
            if line.startswith(key):
                model = line.split(":", 1)[1].strip()
                break
        if model != "?":
            break
    family = [l.split(":")[1].strip() for l in lines if l.startswith("cpu family")][:1]
    packages = {}
    for name in ("liblttng-ust1", "lttng-tools", "dpdk", "babeltrace2", "llvm-14", "uftrace"):
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], text=True,
                              capture_output=True, check=False) if shutil.which("dpkg-query") else None
        packages[name] = done.stdout if done and done.returncode == 0 else "not installed"
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "cpu": model + (f", family {family[0]}" if family else ""),
        "cpus": os.cpu_count(),
        "load": os.getloadavg()[0],
        "kernel": os.uname().release,
        "compiler": version(["gcc", "--version"]),
        "libc": os.confstr("CS_GNU_LIBC_VERSION") if hasattr(os, "confstr") else "?",
        "peers": packages,
    }
