# SPDX-License-Identifier: MIT
# Copyright The trbuf authors
"""The peers: their twins are built here, and a session of theirs is run here."""

import os
import re
import shutil
import subprocess
import tempfile
import time

from machine import BUILD, TOP, bench, cpu_seconds, run, say, tool, wait_for

CC = os.environ.get("CC", "cc").split()[0]
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-O2", "-I" + TOP]


def left_out(what, why):
    say(f"bench: LEFT OUT {what}: {why}")


def compile_twin(out, sources, flags):
    """Path of what was built, or None; says why."""
    path = os.path.join(BUILD, "bench", out)
    shared = ["-fPIC", "-shared"] if out.endswith(".so") else []
    args = [CC, *FLAGS, *shared, *flags[0], "-o", path,
            *[os.path.join(TOP, s) for s in sources], *flags[1]]
    done = subprocess.run(args, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        left_out(out, (done.stderr.strip().splitlines() or ["it does not compile"])[0])
        return None
    return path


class Twins:
    """What could be built: paths, or None."""

    def __init__(self):
        self.lttng = self.lttng_one = self.lttng_primes = self.dpdk = None
        os.makedirs(os.path.join(BUILD, "bench"), exist_ok=True)
        if not shutil.which("lttng-sessiond") or not shutil.which("lttng"):
            left_out("LTTng", "lttng-tools is not installed")
        else:
            libs = ["-llttng-ust", "-ldl", "-pthread"]
            self.lttng = compile_twin("lttng.so", ["bench/twins/lttng.c"], ([], libs))
            self.lttng_one = compile_twin("one_event_lttng", ["bench/twins/one_event_lttng.c"],
                                          ([], libs))
            self.lttng_primes = compile_twin(
                "primes_lttng", ["examples/primes.c"],
                (["-I" + os.path.join(TOP, "bench/twins/lttng_primes")], libs))
        found = subprocess.run(["pkg-config", "--cflags", "libdpdk"], text=True,
                               capture_output=True, check=False) if shutil.which("pkg-config") else None
        if not found or found.returncode != 0:
            left_out("DPDK", "dpdk-dev is not installed")
        else:
            self.dpdk = compile_twin(
                "dpdk.so", ["bench/twins/dpdk.c", "bench/twins/dpdk_register.c"],
                (["-w", "-DALLOW_EXPERIMENTAL_API", *found.stdout.split()], ["-lrte_eal"]))

    def plug_ins(self):
        return [p for p in (self.dpdk, self.lttng) if p]


class Lttng:
    """One LTTng session. Uses the session daemon that runs, or starts one and ends it again."""

    started = None

    def __init__(self, output, events="bench:*", exclude="bench:off", overwrite=False,
                 subbuf="1M", count=4, context=()):
        self.name = f"trbuf-bench-{os.getpid()}-{int(time.monotonic() * 1000)}"
        self.daemon()
        self.output = output
        run(["lttng", "--no-sessiond", "create", self.name, *(["--snapshot"] if overwrite else []),
             f"--output={output}"])
        run(["lttng", "--no-sessiond", "enable-channel", "-u", "-s", self.name,
             "--overwrite" if overwrite else "--discard", f"--subbuf-size={subbuf}",
             f"--num-subbuf={count}", "c"])
        for word in context:
            run(["lttng", "--no-sessiond", "add-context", "-u", "-s", self.name, "-c", "c", "-t", word])
        run(["lttng", "--no-sessiond", "enable-event", "-u", "-s", self.name, "-c", "c", events,
             *(["--exclude", exclude] if exclude else [])])
        run(["lttng", "--no-sessiond", "start", self.name])

    @classmethod
    def daemon(cls):
        if subprocess.run(["lttng", "--no-sessiond", "--no-sessiond", "list"], capture_output=True, check=False).returncode == 0:
            return
        cls.started = subprocess.Popen(["lttng-sessiond", "--quiet"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        wait_for(lambda: subprocess.run(["lttng", "--no-sessiond", "--no-sessiond", "list"], capture_output=True,
                                        check=False).returncode == 0, "lttng-sessiond", 60)

    @classmethod
    def end_daemon(cls):
        if cls.started:
            cls.started.terminate()
            cls.started.wait(20)
            cls.started = None

    @staticmethod
    def consumers():
        pids = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/comm", encoding="ascii", errors="replace") as f:
                    if f.read().strip() in ("lttng-consumerd", "lttng-sessiond"):
                        pids.append(int(pid))
            except OSError:
                pass
        return pids

    def cpu(self):
        return sum(cpu_seconds(p) for p in self.consumers())

    def stop(self):
        """Events discarded."""
        run(["lttng", "--no-sessiond", "stop", self.name])
        out, _ = run(["lttng", "--no-sessiond", "list", self.name])
        found = re.search(r"Discarded events:\s*(\d+)", out)
        return int(found.group(1)) if found else 0

    def close(self):
        run(["lttng", "--no-sessiond", "destroy", self.name], check=False)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()


class Daemon:
    """A private region with tracerd, as a user runs it."""

    def __init__(self, output, *settings):
        self.dir = tempfile.mkdtemp(prefix="trbuf-bench-", dir="/dev/shm" if os.access(
            "/dev/shm", os.W_OK) else None)
        self.env = {"TRBUF_REGION": os.path.join(self.dir, "region")}
        ready, write = os.pipe()
        args = [tool("tracerd"), "--no-config", "--output", output, "--ready-fd", str(write),
                "--log-level", "warning", *settings]
        self.process = subprocess.Popen(args, env={**os.environ, **self.env}, pass_fds=[write],
                                        stdin=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(ready) as f:
            if not f.readline():
                raise RuntimeError("tracerd does not get ready")
        self.pid = self.process.pid

    def ctl(self, *args):
        return run([tool("tracectl"), *args], env=self.env)[0]

    def start(self, trace):
        self.ctl("start", "-o", trace)
        self.ctl("on")

    def missed(self):
        """(events, missed) of the region so far."""
        import json
        status = json.loads(self.ctl("--json", "status"))
        return (sum(r.get("events", 0) for r in status["rings"]),
                sum(r.get("missed", 0) for r in status["rings"]))

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()


def produce(*args):
    return [bench("produce"), *args]
