#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares a run under strace with the same run under tallyman (see compare.sh).

compare.py STRACE-PREFIX DATABASE FOLDER [--list N]

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
RANDOM_NAME = re.compile(
    r"/(cc|st|sed|tmp\.?|sort|conf|ar-|sh-thd\.|\.nfs)[A-Za-z0-9]{6,}(?=[./]|$)")


class Names:
    """Makes the names of two runs comparable: process ids and random endings differ."""

    def __init__(self, pids):
        self.number = re.compile(r"\d{3,}")
        self.pids = set(pids)

    def __call__(self, path):
        path = self.number.sub(lambda m: "PID" if m.group() in self.pids else m.group(), path)
        return RANDOM_NAME.sub(r"/\1??????", path)


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
        "SELECT o.name, s.name, a.outcome, a.flags, a.hook, t.name FROM access a"
        " JOIN process p ON p.id = a.process JOIN operation o ON o.id = a.operation"
        " JOIN channel c ON c.id = o.channel JOIN subject s ON s.id = a.subject"
        " LEFT JOIN subject t ON t.id = a.other"
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


def compare_programs(seen, recorded):
    """Prints both counts; returns programs that only one of the two saw."""
    seen = collections.Counter(os.path.realpath(p) for p in seen)
    recorded = collections.Counter(os.path.realpath(p) for p in recorded)
    print(f"programs executed: strace {sum(seen.values())} of {len(seen)} kinds,"
          f" tallyman {sum(recorded.values())} of {len(recorded)} kinds")
    missed, invented = seen - recorded, recorded - seen
    show("  executions missed", missed, 10)
    show("  executions invented", invented, 10)
    return missed, invented


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix")
    parser.add_argument("database")
    parser.add_argument("folder")
    parser.add_argument("--list", type=int, default=15, help="how many of each kind to print")
    options = parser.parse_args()

    log = strace_log.Log(options.prefix, options.folder)
    rows, executed, pids, evidence = read_database(options.database)
    name_seen, name_recorded = Names(log.tasks), Names(pids)

    seen = {}
    for access in log.accesses:
        key = (name_seen(access.path), access.operation, access.outcome)
        if seen.get(key, "-") != "":
            seen[key] = access.why  # one occurrence that should be seen is enough
    recorded, apart, loads = {}, collections.Counter(), set()
    for operation, subject, outcome, flags, hook, other in rows:
        path = name_recorded(strace_log.normalise(text(subject)))
        key = (path, operation, outcome_of(outcome))
        if flags & IMPLIED:
            apart["implied by " + hook] += 1
        elif operation in FUNCTION_LEVEL:
            apart["by function " + hook] += 1
        elif operation == "load":
            loads.add(path)
        else:
            recorded.setdefault(key, hook)

    names_seen = {key for key in seen}
    for path, operation, outcome in list(seen):
        for spelling in spellings(path):
            names_seen.add((spelling, operation, outcome))
    invented = {key: hook for key, hook in recorded.items()
                if not any((s, key[1], key[2]) in names_seen for s in spellings(key[0]))}
    names_recorded = {(s, k[1], k[2]) for k in recorded for s in spellings(k[0])}
    loaded = {s for path in loads for s in spellings(path)}
    missed = {key: why for key, why in seen.items()
              if not any((s, key[1], key[2]) in names_recorded for s in spellings(key[0]))
              and not (key[1] == "read" and any(s in loaded for s in spellings(key[0])))}

    print(f"accesses (path, operation, outcome): strace {len(seen)}, tallyman {len(recorded)}"
          f" and {len(loads)} libraries; evidence {evidence}")
    show("recorded apart, not calls of the program", apart, options.list)
    holes = {key: why for key, why in missed.items() if not why}
    print(f"missed: {len(missed)}, of them {len(missed) - len(holes)} that no preloaded library can see")
    show("  why", collections.Counter(why or "asked of a hooked function" for why in missed.values()),
         options.list)
    for key in sorted(holes)[:options.list]:
        print("  HOLE     " + printable(key))
    print(f"invented: {len(invented)}")
    for key, hook in sorted(invented.items())[:options.list]:
        print("  INVENTED " + printable(key) + " by " + hook)
    missed_programs, invented_programs = compare_programs(log.executed, executed)
    return 1 if invented or holes or missed_programs or invented_programs else 0


if __name__ == "__main__":
    sys.exit(main())
