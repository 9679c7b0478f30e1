# SPDX-License-Identifier: MIT
"""Runs the cases of run.sh and prints a table: medians, ratio to plain, spread."""

import argparse
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time

TALLYMAN = os.environ["TALLYMAN"]
PROGRAMS = os.environ["BENCH_PROGRAMS"]
CALLS = ("open", "stat", "getenv", "clock_gettime")
CALL_COUNT = 300000
EXEC_COUNT = 2000
# What stands between the kernel and the command: nothing; a library that does nothing; the shim alone;
# the shim and the witness, for what the shim does not see and for everything; strace(1), which looks at
# the same calls.
WITNESS = {"shim": "off", "gaps": "gaps", "full": "full"}
SIDES = ("plain", "empty", *WITNESS, "strace")
DEFAULT_SIDES = "plain,empty,shim,gaps"
WATCHED = ("%file,%network,%process,getdents64,getrandom,uname,sysinfo,sched_getaffinity,"
           "clock_gettime,gettimeofday,time")


def spread(values):
    """Half the distance between the quartiles, as a part of the median."""
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2 / statistics.median(values)


class Supervisor:
    """Runs `tallyman run` and watches its memory."""

    def __init__(self, database, witness):
        self.database, self.witness, self.peak_kib, self.done = database, witness, 0, False

    def watch(self, pid):
        while not self.done:
            try:
                with open(f"/proc/{pid}/status", encoding="ascii") as status:
                    found = re.search(r"VmHWM:\s+(\d+)", status.read())
            except OSError:
                return
            if found:
                self.peak_kib = max(self.peak_kib, int(found.group(1)))
            time.sleep(0.02)

    def run(self, command, **options):
        process = subprocess.Popen([TALLYMAN, "run", "--quiet", "--witness", self.witness, "-o",
                                    self.database, "--"] + command, **options)
        watcher = threading.Thread(target=self.watch, args=(process.pid,))
        watcher.start()
        output, _ = process.communicate()
        self.done = True
        watcher.join()
        return process.returncode, output


class Bench:
    """One command measured on all sides."""

    def __init__(self, name, command, folder, prepare=None):
        self.name, self.command, self.folder, self.prepare = name, command, folder, prepare
        self.inner, self.outer, self.cost = {}, {}, {}

    def once(self, side, work):
        if self.prepare:
            self.prepare()
        taken = os.path.join(work, "taken")
        command = [os.path.join(PROGRAMS, "timed"), taken] + self.command
        options = {"cwd": self.folder, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL,
                   "stdin": subprocess.DEVNULL}
        start = time.perf_counter()
        if side in WITNESS:
            database = os.path.join(work, "bench.db")
            if os.path.exists(database):
                os.unlink(database)
            supervisor = Supervisor(database, WITNESS[side])
            status, output = supervisor.run(command, **options)
            self.cost[side] = database_cost(database) + (supervisor.peak_kib,)
        else:
            if side == "strace":
                command = ["strace", "-f", "--seccomp-bpf", "-o", os.path.join(work, "strace.out"), "-e",
                           "trace=" + WATCHED] + command
            environment = dict(os.environ)
            if side == "empty":
                environment["LD_PRELOAD"] = os.path.join(PROGRAMS, "libempty.so")
            done = subprocess.run(command, env=environment, check=False, **options)
            status, output = done.returncode, done.stdout
        self.outer[side].append(time.perf_counter() - start)
        if status != 0:
            raise SystemExit(f"{self.name}, {side}: exit status {status}")
        if re.fullmatch(rb"[0-9.]+\n", output):
            self.inner[side].append(float(output) / 1e9)
        else:
            with open(taken, encoding="ascii") as file:
                self.inner[side].append(int(file.read()) / 1e9)

    def run(self, rounds, sides, work):
        for number in range(rounds + 1):
            if number <= 1:  # the first round warms the caches
                self.inner = {side: [] for side in sides}
                self.outer = {side: [] for side in sides}
            for side in sides:
                self.once(side, work)
        return self

    def unit(self, seconds):
        return f"{seconds * 1e9:10.1f} ns" if self.name in CALLS else \
            f"{seconds * 1e6:10.1f} us" if self.name == "exec" else f"{seconds:10.3f} s "

    def show(self):
        middle = {side: statistics.median(values) for side, values in self.inner.items()}
        whole = {side: statistics.median(values) for side, values in self.outer.items()}
        for side in self.inner:
            extra = ""
            if side != "plain":
                extra = f"  ratio {middle[side] / middle['plain']:5.3f}"
                if self.name in CALLS:
                    extra += f"  adds {(middle[side] - middle['plain']) * 1e9:7.1f} ns"
            print(f"{self.name:14} {side:9} {self.unit(middle[side])}  ±{spread(self.inner[side]):5.1%}{extra}")
        if self.name in CALLS:
            return
        for side, (per_access, per_row, peak) in self.cost.items():
            print(f"{self.name:14} {side:9} the whole of `tallyman run`, start and database included: ratio"
                  f" {whole[side] / whole['plain']:5.3f}; database {per_access:.0f} bytes per thousand"
                  f" accesses, {per_row:.0f} per thousand rows; supervisor {peak} KiB at its peak",
                  flush=True)


def database_cost(path):
    """Bytes per thousand accesses, and per thousand rows of the table."""
    size = os.path.getsize(path)
    database = sqlite3.connect(path)
    rows, accesses = database.execute("SELECT count(*), coalesce(sum(count), 0) FROM access").fetchone()
    database.close()
    return size * 1000 / max(accesses, 1), size * 1000 / max(rows, 1)


def count_instructions(call, work):
    """Instructions of one call, plain and under the shim, as callgrind counts them."""
    counts = {}
    for side in ("plain", "tallyman"):
        totals = []
        for rounds in (1000, 11000):
            out = os.path.join(work, "callgrind.out")
            command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out,
                       os.path.join(PROGRAMS, "call_storm"), call, str(rounds), work]
            if side == "tallyman":
                command = [TALLYMAN, "run", "--quiet", "--witness", "off", "-o", os.path.join(work, "i.db"),
                           "--"] + command
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with open(out, encoding="utf-8") as file:
                totals.append(int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M).group(1)))
        counts[side] = (totals[1] - totals[0]) / 10000
    print(f"{call:14} instructions per call: plain {counts['plain']:.0f}, tallyman {counts['tallyman']:.0f}")


def cases(options, work):
    """All benches that can be run here, by name."""
    target = os.path.join(work, "file")
    with open(target, "w", encoding="ascii"):
        pass
    for call in CALLS:
        yield Bench(call, [os.path.join(PROGRAMS, "call_storm"), call, str(CALL_COUNT), target], work)
    yield Bench("exec", [os.path.join(PROGRAMS, "exec_storm"), str(EXEC_COUNT), "/bin/true"], work)
    for name, source, command in (("lua", options.lua, ["make", "-s", "linux"]),
                                  ("hello", options.hello, ["./configure", "-q"])):
        if not source:
            continue
        tree = os.path.join(work, name)

        def prepare(tree=tree, source=source):
            shutil.rmtree(tree, ignore_errors=True)
            shutil.copytree(source, tree, symlinks=True)

        prepare()
        yield Bench(name, command, tree, prepare)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--lua")
    parser.add_argument("--hello")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--sides", default=DEFAULT_SIDES)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    sides = options.sides.split(",")
    if "plain" not in sides or not set(sides) <= set(SIDES):
        parser.error(f"--sides: plain and some of {', '.join(SIDES[1:])}")
    with tempfile.TemporaryDirectory() as work:
        if options.instructions:
            for call in options.cases or CALLS:
                count_instructions(call, work)
            return
        for bench in cases(options, work):
            if not options.cases or bench.name in options.cases:
                bench.run(options.rounds, sides, work).show()


main()
