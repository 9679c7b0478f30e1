#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares a run under strace with the same run under tallyman (see compare.sh).

compare.py STRACE-LOG DATABASE FOLDER [--list N] [--suspects] [--stacks STRACE-LOG] [--summary FILE]

Without a witness only files are compared, and exit status 1 means that tallyman recorded an access
that strace did not see, or missed one that the program asked a hooked function for. With a witness
every watched call of any channel must have been recorded by one of the two, in a process of the same
program, and with the same outcome where both know it.
"""

import argparse
import collections
import errno
import functools
import os
import re
import sqlite3
import sys

import strace_calls
import strace_log

# What no other tracer can see as it is recorded: results of a function, not calls.
FUNCTION_LEVEL = ("realpath",)
IMPLIED = 0x40
OTHER_CHANNELS = strace_calls.VALUE_OPERATIONS | strace_calls.ADDRESS_OPERATIONS
RANDOM_NAME = re.compile(r"(?:(?<=^/tmp)|(?<=^/var/tmp))/(?:[\w.]*[._-])?[A-Za-z0-9]{6,}(?=[./]|$)|"
                         r"/(?:cc|st|sed|tmp|sort|conf)[A-Za-z0-9]{6}(?=[./]|$)|"
                         r"/go-(?:link|build)-?\d+(?=/|$)")


class Names:
    """Makes the names of two runs comparable: process ids and random endings differ."""

    def __init__(self, pids):
        # Not within the hash that a cache names its files by.
        self.number = re.compile(r"(?<![0-9a-f]{8})\d{3,}(?![0-9a-f]{8})")
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


class Row:
    """One access as the database has it."""

    def __init__(self, operation, subject, outcome, flags, hook, source, image, channel):
        self.operation, self.hook, self.channel = operation, hook, channel
        self.path, self.image = text(subject), text(image) or ""
        if operation == "memory" and self.path in ("physical", "available"):
            self.path = "system"  # sysconf(3) asks by sysinfo(2)
        self.outcome = outcome_of(outcome)
        self.implied = bool(flags & IMPLIED)
        self.by_witness = source == 1


class Run:
    """The last run of a database."""

    def __init__(self, path):
        database = sqlite3.connect("file:" + path + "?mode=ro", uri=True)
        run, self.evidence, self.witness = database.execute(
            "SELECT id, evidence, witness FROM run ORDER BY id DESC LIMIT 1").fetchone()
        self.rows = [Row(*row) for row in database.execute(
            "SELECT o.name, s.name, a.outcome, a.flags, a.hook, a.source, x.name, c.name FROM access a"
            " JOIN process p ON p.id = a.process JOIN operation o ON o.id = a.operation"
            " JOIN channel c ON c.id = o.channel JOIN subject s ON s.id = a.subject"
            " LEFT JOIN subject x ON x.id = p.exe"
            " WHERE p.run = ? AND c.name <> 'environment'", (run,))]
        self.executed = [text(name) for name, in database.execute(
            "SELECT s.name FROM process p JOIN subject s ON s.id = p.exe"
            " WHERE p.run = ? AND p.how IN ('first', 'exec', 'spawn', 'unobserved')", (run,))]
        self.pids = [str(pid) for pid, in database.execute("SELECT pid FROM process WHERE run = ?", (run,))]
        self.blind_spots = database.execute(
            "SELECT class, sum(count) FROM blind_spot WHERE run = ? GROUP BY 1", (run,)).fetchall()


@functools.lru_cache(maxsize=None)
def spellings(path):
    """A path and the name that the kernel has for it."""
    return tuple(spelt(path)) if path.startswith("/") else (path,)


def spelt(path):
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


@functools.lru_cache(maxsize=None)
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


def found(others, key):
    """Whether `others` has the key under some spelling."""
    return any((s, *key[1:]) in others for s in spellings(key[0]))


def lacking(mine, others, outcomes=True):
    """What of `mine` is in `others` under no spelling."""
    end = None if outcomes else 2
    known = {(s, *key[1:end]) for key in others for s in spellings(key[0])}
    return {key: value for key, value in mine.items()
            if known.isdisjoint((s, *key[1:end]) for s in spellings(key[0]))}


def can_be_foreseen(key):
    """Whether a look at the path before the call tells this outcome."""
    _, operation, outcome = key
    return operation not in OTHER_CHANNELS and (
        outcome in ("found", "absent", "EACCES", "ELOOP", "ENAMETOOLONG") or
        (operation, outcome) in (("mkdir", "EEXIST"), ("symlink", "EEXIST"), ("readlink", "EINVAL")))


def every_outcome(key, others):
    """The outcomes with which `others` has the key."""
    names = set(spellings(key[0]))
    return sorted({k[2] for k in others if k[1] == key[1] and not names.isdisjoint(spellings(k[0]))})


def walked(path):
    """Every name that resolving the path looks at."""
    names, left, here, links = [], path.strip("/").split("/"), "", 0
    while left:
        here += "/" + left.pop(0)
        names.append(here)
        if os.path.islink(here) and links < 40:
            links += 1
            text_of_link = os.readlink(here)
            start = "" if text_of_link.startswith("/") else os.path.dirname(here)
            left = strace_log.normalise(start + "/" + text_of_link).strip("/").split("/") + left
            here = ""
    return names


class Comparison:
    """What each side has that the other lacks; keys are (path, operation, outcome)."""

    def __init__(self, log, run):
        self.witness = run.witness != "off"
        self.watched = strace_calls.watched_calls()
        self.seen, self.recorded, self.by_kernel, self.loads = {}, {}, {}, set()
        self.covered = {}  # recorded as something else
        self.apart = collections.Counter()
        self.resolved = set()  # what realpath looks at on its way
        self.known = set()  # what may be recorded but need not
        self.images = {}  # (program, path, operation) -> access, by strace
        self.placed = set()  # the same by tallyman
        name = Names({*log.tasks, *run.pids})  # both, or a number of a file's is one run's process
        self.take_log(log, name)
        self.take_run(run, name)
        self.judge()

    def take_log(self, log, name):
        self.perhaps_read = {name(path) for path in log.perhaps_read if path}
        for access in log.accesses[1:] + log.unwatched:  # the first is the command itself
            key = (name(access.path), access.operation, access.outcome)
            if access.operation in OTHER_CHANNELS and not self.witness:
                continue
            if self.witness and (access.call not in self.watched or access in log.unwatched):
                self.known.add(key)
                continue
            self.seen.setdefault(key, access)
            self.images.setdefault((name(image_of(access.image)), *key[:2]), access)

    def take_run(self, run, name):
        for path in run.executed:
            self.covered.setdefault((name(path), "execute", "found"), "")
        for row in run.rows:
            path = name(strace_log.normalise(row.path) if row.channel == "filesystem" else row.path)
            image = name(image_of(row.image))
            self.placed.update((image, path, operation)
                               for operation in (row.operation, made_by(row.hook, row.operation)))
            if row.operation == "load":
                self.loads.update(spellings(path))
                self.placed.update((image, s, "read") for s in spellings(path))
            elif row.operation in FUNCTION_LEVEL:
                self.apart["by function " + row.hook] += 1
                self.resolved.update(walked(path))
            elif row.operation in OTHER_CHANNELS and not self.witness:
                continue
            elif row.channel not in ("filesystem", "network") and not row.by_witness:
                self.covered.setdefault((path, row.operation, row.outcome), row.hook)
            elif row.operation == "clock" or row.operation == "lookup":
                self.covered.setdefault((path, row.operation, row.outcome), row.hook)
                self.apart["a clock without vDSO, a name looked up"] += 1
            else:
                self.take_access(row, path)

    def take_access(self, row, path):
        key = (path, row.operation, row.outcome)
        if row.by_witness:
            self.by_kernel.setdefault(key, row.hook)
            return
        if row.implied:
            self.apart["implied by " + row.hook] += 1
        else:
            self.recorded.setdefault(key, row.hook)
        self.covered.setdefault((path, made_by(row.hook, row.operation), row.outcome), row.hook)

    def judge(self):
        seen = {**self.seen, **{key: None for key in self.known}}
        self.invented = {
            key: hook for key, hook in lacking(self.recorded, seen).items()
            if not found(seen, (key[0], made_by(hook, key[1]), key[2]))
            and not (key[1] == "read" and key[0] in self.perhaps_read)}
        # What the kernel's reports say of the outcome was found before the call: compared below.
        self.invented.update(
            (key, hook + " (witness)")
            for key, hook in lacking(self.by_kernel, seen, outcomes=False).items()
            if not (key[1] == "read" and key[0] in self.perhaps_read))
        by_shim = {**self.recorded, **self.covered}
        missed = {key: access for key, access in lacking(self.seen, by_shim).items()
                  if key[1] != "read" or self.loads.isdisjoint(spellings(key[0]))}
        self.seen_by_shim = len(self.seen) - len(missed)
        self.differing, self.misplaced = {}, {}
        if self.witness:
            missed = {key: access for key, access in missed.items()
                      if not self.within_realpath(key[0], access)}
            self.apart["calls of a realpath"] = len(self.seen) - self.seen_by_shim - len(missed)
            self.seen_by_shim += self.apart["calls of a realpath"]
            every = {**by_shim, **self.by_kernel}
            other_outcome = lacking(missed, self.by_kernel)
            missed = lacking(missed, every, outcomes=False)
            other_outcome = [key for key in other_outcome if key not in missed]
            self.apart["outcomes that no look before the call can tell"] = sum(
                not can_be_foreseen(key) for key in other_outcome)
            self.differing = {key: every_outcome(key, every)
                              for key in other_outcome if can_be_foreseen(key)}
            self.place(missed)
        self.missed = missed

    def place(self, missed):
        """Accesses that are recorded, but of no process of that program."""
        lost = {(s, key[1]) for key in missed for s in spellings(key[0])}
        for (image, path, operation), access in self.images.items():
            if (path, operation) in lost or self.within_realpath(path, access):
                continue
            if not any((image, s, operation) in self.placed for s in spellings(path)):
                self.misplaced[(path, operation, image)] = access

    def within_realpath(self, path, access):
        """Whether it may be one of the calls that libc's realpath is made of."""
        return path in self.resolved and access.call in ("readlink", "faccessat2")

    def suspects(self):
        """Paths as given that a run with stacks should look into; a few of each folder."""
        by_folder = collections.defaultdict(set)
        for (path, operation, _), access in sorted(self.missed.items()):
            if (operation == "readlink" and path in self.resolved) or not access.given:
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


def report(comparison, run, log, reasons, limit):
    """Prints what was found; true when something is wrong."""
    holes = sorted(key for key, why in reasons.items() if comparison.witness or not why)
    print(f"accesses (path, operation, outcome): strace {len(comparison.seen)}, of these by the shim"
          f" {comparison.seen_by_shim}; by the witness alone"
          f" {len(comparison.seen) - comparison.seen_by_shim - len(comparison.missed)};"
          f" {len(comparison.loads)} names of libraries; evidence {run.evidence}")
    show("recorded apart, not calls of the program", +comparison.apart, limit)
    if comparison.witness:
        show("passed by the filter, not compared", log.passed, limit)
        show("blind spots", collections.Counter(dict(run.blind_spots)), limit)
        print(f"missed: {len(reasons)}")
    else:
        print(f"missed: {len(reasons)}, of them {len(reasons) - len(holes)} that no preloaded library can see")
    show("  why", collections.Counter(why or "asked of a hooked function" for why in reasons.values()),
         limit)
    for key in holes[:limit]:
        print("  HOLE     " + printable(key) + " by " + comparison.missed[key].call)
    print(f"invented: {len(comparison.invented)}")
    for key, hook in sorted(comparison.invented.items())[:limit]:
        print("  INVENTED " + printable(key) + " by " + hook)
    if comparison.witness:
        print(f"with another outcome: {len(comparison.differing)}")
        for key, outcomes in sorted(comparison.differing.items())[:limit]:
            print(f"  OUTCOME  {printable(key)}, recorded: {' '.join(outcomes)}")
        print(f"of another program: {len(comparison.misplaced)}")
        for (path, operation, image), access in sorted(comparison.misplaced.items())[:limit]:
            print(f"  PLACE    {operation:10} {path!r} by {access.call} of {image}")
    return bool(comparison.invented or holes or comparison.differing or comparison.misplaced)


def write_summary(path, comparison, run):
    """One line for a table: all.sh."""
    by_kernel = len(comparison.seen) - comparison.seen_by_shim - len(comparison.missed)
    with open(path, "w", encoding="utf-8") as file:
        print(len(comparison.seen), comparison.seen_by_shim, by_kernel, len(comparison.missed),
              len(comparison.invented), len(comparison.differing), len(comparison.misplaced),
              run.evidence, sep="\t", file=file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("log")
    parser.add_argument("database")
    parser.add_argument("folder")
    parser.add_argument("--list", type=int, default=15, help="how many of each kind to print")
    parser.add_argument("--suspects", action="store_true",
                        help="print what a run with stacks should look into, a NUL after each")
    parser.add_argument("--stacks", metavar="LOG", help="the log of a run with stacks")
    parser.add_argument("--summary", metavar="FILE", help="where to leave the numbers for a table")
    options = parser.parse_args()

    log = strace_log.Log(options.log, options.folder)
    run = Run(options.database)
    comparison = Comparison(log, run)
    if options.suspects:
        sys.stdout.buffer.write(b"".join(os.fsencode(path) + b"\0" for path in comparison.suspects()))
        return 0
    stacks = strace_log.Log(options.stacks, options.folder) if options.stacks else None
    failed = report(comparison, run, log, explain(comparison, stacks), options.list)
    missed_programs, invented_programs = compare_programs(log.executed, run.executed)
    if options.summary:
        write_summary(options.summary, comparison, run)
    return 1 if failed or missed_programs or invented_programs else 0


if __name__ == "__main__":
    sys.exit(main())
