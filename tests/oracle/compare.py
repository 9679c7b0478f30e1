#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares a run under strace with the same run under tallyman (see compare.sh).

compare.py STRACE-LOG DATABASE FOLDER [--list N] [--suspects] [--stacks STRACE-LOG]

Exit status 1 when tallyman recorded an access that strace did not see, or missed one that the
program asked a hooked function for.
"""

import argparse
import collections
import errno
import os
import re
import sqlite3
import sys

import strace_log

# What no other tracer can see as it is recorded: results of a function, not calls.
FUNCTION_LEVEL = ("realpath",)
IMPLIED = 0x40
RANDOM_NAME = re.compile(r"(?:(?<=^/tmp)|(?<=^/var/tmp))/(?:[\w.]*[._-])?[A-Za-z0-9]{6,}(?=[./]|$)|"
                         r"/(?:cc|st|sed|tmp|sort|conf)[A-Za-z0-9]{6}(?=[./]|$)")


class Names:
    """Makes the names of two runs comparable: process ids and random endings differ."""

    def __init__(self, pids):
        self.number = re.compile(r"\d{3,}")
        self.pids = set(pids)

    def __call__(self, path):
        path = self.number.sub(lambda m: "PID" if m.group() in self.pids else m.group(), path)
        return RANDOM_NAME.sub("/??????", path)


def made_by(hook, operation):
    """The operation of the call that libc makes, for functions that are recorded as what they mean."""
    if operation == "access" and re.match(r"exec|posix_spawn", hook):
        return "execute"  # a search along PATH
    if operation == "access" and hook in ("eaccess", "euidaccess"):
        return "stat"
    return operation


def text(value):
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def outcome_of(number):
    if number == 0:
        return "found"
    if number in (errno.ENOENT, errno.ENOTDIR):
        return "absent"
    return errno.errorcode.get(number, str(number))


def read_database(path):
    """Accesses, programs and process ids of the last run."""
    database = sqlite3.connect("file:" + path + "?mode=ro", uri=True)
    run, = database.execute("SELECT max(id) FROM run").fetchone()
    rows = database.execute(
        "SELECT o.name, s.name, a.outcome, a.flags, a.hook FROM access a"
        " JOIN process p ON p.id = a.process JOIN operation o ON o.id = a.operation"
        " JOIN channel c ON c.id = o.channel JOIN subject s ON s.id = a.subject"
        " WHERE p.run = ? AND c.name = 'filesystem' AND a.source = 0", (run,)).fetchall()
    executed = [text(name) for name, in database.execute(
        "SELECT s.name FROM process p JOIN subject s ON s.id = p.exe"
        " WHERE p.run = ? AND p.how IN ('first', 'exec', 'spawn', 'unobserved')", (run,))]
    pids = [str(pid) for pid, in database.execute("SELECT pid FROM process WHERE run = ?", (run,))]
    evidence, = database.execute("SELECT evidence FROM run WHERE id = ?", (run,)).fetchone()
    return rows, executed, pids, evidence


def spellings(path):
    """A path and the name that the kernel has for it."""
    yield path
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    if real != path:
        yield real
    whole = os.path.realpath(path)
    if whole not in (path, real):
        yield whole


def show(title, counter, limit):
    if not counter:
        return
    print(f"{title}:")
    for item, count in counter.most_common(limit):
        print(f"  {count:6} {item}")
    if len(counter) > limit:
        print(f"         ... and {len(counter) - limit} more kinds")


def printable(key):
    path, operation, outcome = key
    return f"{operation:10} {outcome:8} {path!r}"


def image_of(path):
    """The program that runs when this file is executed: a script's is its interpreter."""
    for _ in range(4):
        path = os.path.realpath(path)
        try:
            with open(path, "rb") as file:
                first = file.readline(256)
        except OSError:
            return path
        if not first.startswith(b"#!") or not first[2:].split():
            return path
        path = os.fsdecode(first[2:].split()[0])
    return path


def compare_programs(seen, recorded):
    """Prints both counts; returns programs that only one of the two saw."""
    seen = collections.Counter(image_of(p) for p in seen)
    recorded = collections.Counter(os.path.realpath(p) for p in recorded)
    print(f"programs executed: strace {sum(seen.values())} of {len(seen)} kinds,"
          f" tallyman {sum(recorded.values())} of {len(recorded)} kinds")
    missed, invented = seen - recorded, recorded - seen
    show("  executions missed", missed, 10)
    show("  executions invented", invented, 10)
    return missed, invented


def ancestors(path):
    """The path and every folder above it."""
    while len(path) > 1:
        yield path
        path = os.path.dirname(path)


class Comparison:
    """What each side has that the other lacks; keys are (path, operation, outcome)."""

    def __init__(self, log, rows, executed, pids):
        name_seen, name_recorded = Names(log.tasks), Names(pids)
        self.seen, self.recorded, self.loads = {}, {}, set()
        self.apart = collections.Counter()
        self.resolved = set()  # what realpath looks at on its way
        covered = {(path, "execute", "found"): "" for path in executed}
        for access in log.accesses[1:]:  # the first is the command itself
            self.seen.setdefault((name_seen(access.path), access.operation, access.outcome), access)
        for operation, subject, outcome, flags, hook in rows:
            path = name_recorded(strace_log.normalise(text(subject)))
            key = (path, operation, outcome_of(outcome))
            if operation == "load":
                self.loads.update(spellings(path))
                continue
            if operation in FUNCTION_LEVEL:
                self.apart["by function " + hook] += 1
                self.resolved.update(ancestors(path))
                continue
            elif flags & IMPLIED:
                self.apart["implied by " + hook] += 1
            else:
                self.recorded.setdefault(key, hook)
            covered.setdefault((path, made_by(hook, operation), key[2]), hook)
        perhaps_read = {name_seen(path) for path in log.perhaps_read if path}
        self.invented = {
            key: hook for key, hook in self.lacking(self.recorded, self.seen).items()
            if not self.found(self.seen, (key[0], made_by(hook, key[1]), key[2]))
            and not (key[1] == "read" and key[0] in perhaps_read)}
        self.missed = {key: access
                       for key, access in self.lacking(self.seen, {**self.recorded, **covered}).items()
                       if key[1] != "read" or self.loads.isdisjoint(spellings(key[0]))}

    @staticmethod
    def found(others, key):
        return any((s, key[1], key[2]) in others for s in spellings(key[0]))

    @staticmethod
    def lacking(mine, others):
        """What of `mine` is in `others` under no spelling."""
        known = {(s, key[1], key[2]) for key in others for s in spellings(key[0])}
        return {key: value for key, value in mine.items()
                if known.isdisjoint((s, key[1], key[2]) for s in spellings(key[0]))}

    def suspects(self):
        """Paths as given that a run with stacks should look into; a few of each folder."""
        by_folder = collections.defaultdict(set)
        for (path, operation, _), access in sorted(self.missed.items()):
            if operation == "readlink" and path in self.resolved:
                continue
            if len(by_folder[os.path.dirname(path)]) < 2:
                by_folder[os.path.dirname(path)].add(access.given)
        return sorted(set().union(*by_folder.values()))[:80]


def explain(comparison, stacks):
    """Why each missed access was missed: from the same call in the run with stacks, else from another
    one in the same folder."""
    name = Names(stacks.tasks if stacks else ())
    exact, near = {}, {}
    for access in stacks.accesses if stacks else ():
        key = (name(access.given), access.operation, access.outcome)
        if exact.get(key, "-"):  # one call that should have been seen is enough
            exact[key] = access.why
        near.setdefault((os.path.dirname(access.given), access.operation), access.why)
    reasons = {}
    for key, access in comparison.missed.items():
        why = exact.get((name(access.given), key[1], key[2]))
        if why is None and key[1] == "readlink" and key[0] in comparison.resolved:
            why = "inside libc: realpath"
        if why is None:
            why = near.get((os.path.dirname(access.given), key[1]), access.why)
        reasons[key] = why
    return reasons


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("log")
    parser.add_argument("database")
    parser.add_argument("folder")
    parser.add_argument("--list", type=int, default=15, help="how many of each kind to print")
    parser.add_argument("--suspects", action="store_true",
                        help="print what a run with stacks should look into, a NUL after each")
    parser.add_argument("--stacks", metavar="LOG", help="the log of a run with stacks")
    options = parser.parse_args()

    log = strace_log.Log(options.log, options.folder)
    rows, executed, pids, evidence = read_database(options.database)
    comparison = Comparison(log, rows, executed, pids)
    if options.suspects:
        sys.stdout.buffer.write(b"".join(os.fsencode(path) + b"\0" for path in comparison.suspects()))
        return 0
    stacks = strace_log.Log(options.stacks, options.folder) if options.stacks else None
    reasons = explain(comparison, stacks)
    holes = sorted(key for key, why in reasons.items() if not why)

    print(f"accesses (path, operation, outcome): strace {len(comparison.seen)}, tallyman"
          f" {len(comparison.recorded)} and {len(comparison.loads)} names of libraries;"
          f" evidence {evidence}")
    show("recorded apart, not calls of the program", comparison.apart, options.list)
    print(f"missed: {len(reasons)}, of them {len(reasons) - len(holes)} that no preloaded library can see")
    show("  why", collections.Counter(why or "asked of a hooked function" for why in reasons.values()),
         options.list)
    for key in holes[:options.list]:
        print("  HOLE     " + printable(key))
    print(f"invented: {len(comparison.invented)}")
    for key, hook in sorted(comparison.invented.items())[:options.list]:
        print("  INVENTED " + printable(key) + " by " + hook)
    missed_programs, invented_programs = compare_programs(log.executed, executed)
    return 1 if comparison.invented or holes or missed_programs or invented_programs else 0


if __name__ == "__main__":
    sys.exit(main())
