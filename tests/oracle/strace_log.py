# SPDX-License-Identifier: MIT
"""Reads what `strace -f -y [-k] -o FILE` wrote; with -k a stack follows each call.

Gives accesses as (subject, operation, outcome) with the words of events.def, paths absolute and
without "." and "//"; from stacks the reason why a preloaded library could have missed them.
"""

import collections
import os
import re

from strace_calls import (ADDRESSED, DESCRIPTOR, FORKS, PAIRS, SIMPLE, VALUES, addresses, file_of,
                          open_operations, passed, split_arguments, string_in)

AT_CALL = re.compile(r"^(\w+)\((.*)\)\s+= (\S+)(?: (\w+))?")
STACK = re.compile(r"^ > (\S+?)\((?:([^()+]*)\+0x[0-9a-f]+)?\) \[")
NO_STACK = "not looked into"

# Functions of libc that make the access their caller asked for: a miss under one of these is a hole.
DIRECT = re.compile(
    r"^_*(?:x?(?:f|l)?stat(?:at)?(?:64)?|l?xstat(?:64)?|fxstatat(?:64)?|statx|open(?:at)?2?(?:64)?(?:_2)?|"
    r"creat(?:64)?|i?o?_?fopen(?:64)?|freopen(?:64)?|opendir|scandir(?:at)?(?:64)?|(?:f|e|euid)?access(?:at)?|"
    r"readlink(?:at)?|exec(?:ve|v|vp|vpe|l|le|lp)|fexecve|execveat|posix_spawnp?|rename(?:at2?)?|"
    r"unlink(?:at)?|remove|rmdir|mkdir(?:at)?|link(?:at)?|symlink(?:at)?|truncate(?:64)?|f?chmod(?:at)?|"
    r"[fl]?chown(?:at)?|utime|utimes|lutimes|utimensat|futimens|chdir|fchdir|mkstemps?(?:64)?|"
    r"mkostemps?(?:64)?|mkdtemp|mknod(?:at)?|mkfifo(?:at)?|statfs(?:64)?|statvfs(?:64)?)$")


class Access:
    """One use of one subject; `given` is the name as the program gave it, `image` the program's path."""

    def __init__(self, path, operation, outcome, call, given, image):
        self.path, self.operation, self.outcome = path, operation, outcome
        self.call, self.given, self.image = call, given, image
        self.why = ""


def normalise(path):
    """Without "." and "//"; ".." goes unless the name before it is a link."""
    parts = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and parts and parts[-1] != ".." and not os.path.islink("/" + "/".join(parts)):
            parts.pop()
        elif part != ".." or parts:
            parts.append(part)
    return "/" + "/".join(parts)


def outcome_of(result, error):
    """found, absent, or the errno's name."""
    if result != "-1":
        return "found"
    return "absent" if error in ("ENOENT", "ENOTDIR") else error


class Task:
    """One task, read in order; follows the working folder and the image."""

    def __init__(self, log, cwd, image):
        self.log, self.cwd, self.image = log, cwd, image
        self.given, self.at = "", 0

    def path_of(self, folder, argument):
        """Absolute path, or None where the call names none."""
        path = self.given = string_in(argument)
        if not path:
            return None
        if not path.startswith("/"):
            path = (file_of(folder) or self.cwd) + "/" + path
        return normalise(path)

    def take(self, line, why):
        """Yields the accesses of one line."""
        call = AT_CALL.match(line)
        if not call or call.group(3) == "?":
            return
        name, arguments = call.group(1), split_arguments(call.group(2))
        outcome = outcome_of(call.group(3), call.group(4))
        if name in FORKS:
            self.fork(call.group(3))
            return
        let_pass = passed(name, arguments)
        if let_pass:
            self.log.passed[let_pass] += 1
        for operation, path in self.named(name, arguments):
            if not path:
                continue
            access = Access(path, operation, outcome, name, self.given, self.image)
            if let_pass:
                self.log.unwatched.append(access)
                continue
            if operation == "chdir" and outcome == "found":
                self.cwd = path
            if operation == "execute" and outcome == "found":
                if path not in ("/proc/self/exe", "/proc/thread-self/exe"):
                    self.image = path
                self.log.executed.append(self.image)
                why = ""  # the stack is the new image's
            access.why = why
            yield access

    def fork(self, result):
        child = re.match(r"\d+", result)
        if child:
            self.log.born(child.group(), self.at, (self.cwd, self.image))

    def named(self, name, arguments):
        """Yields (operation, subject) of a call."""
        def pick(folder, path):
            return self.path_of(None if folder is None else arguments[folder],
                                arguments[path] if path < len(arguments) else "")

        def behind(descriptor):
            self.given = file_of(descriptor)
            return self.given and normalise(self.given)

        if name in ("utimensat", "utimensat_time64", "futimesat") and arguments[1] == "NULL":
            yield "utime", behind(arguments[0])
        elif name in SIMPLE:
            operation, folder, path = SIMPLE[name]
            yield operation, pick(folder, path)
        elif name in DESCRIPTOR:
            yield DESCRIPTOR[name], behind(arguments[0])
        elif name in PAIRS:
            operation, folder, old, other, new = PAIRS[name]
            yield operation, pick(folder, old)
            yield operation + "-to", pick(other, new)
        elif name in ("open", "openat", "openat2"):
            flags, at = (arguments[1], (None, 0)) if name == "open" else (arguments[2], (0, 1))
            for operation in open_operations(flags):
                yield operation, pick(*at)
            if "O_RDWR" in flags and "O_CREAT" in flags:
                self.log.perhaps_read.add(pick(*at))
        elif name == "creat":
            yield "write", pick(None, 0)
        elif name == "unlinkat":
            yield "rmdir" if "AT_REMOVEDIR" in arguments[2] else "unlink", pick(0, 1)
        else:
            yield from self.asked(name, arguments)

    def asked(self, name, arguments):
        """The same for what is no file."""
        self.given = ""
        if name in ADDRESSED:
            operation, at = ADDRESSED[name]
            for address in addresses(arguments[at] if at < len(arguments) else "", self.cwd):
                yield operation, address
        elif name in VALUES:
            yield VALUES[name]


def reason(frames):
    """Why a preloaded library might not see a call with this stack; '' if it should."""
    if not frames:
        return NO_STACK
    base = os.path.basename
    if base(frames[0][0]).startswith("ld-"):
        return "the loader"
    if not base(frames[0][0]).startswith("libc"):
        return "a system call of the program's own"
    inside = []
    for module, symbol in frames:
        if not base(module).startswith("libc."):
            break
        inside.append(symbol or "")
    entry = inside[-1]
    # fopen's body is a local function: strace gives it the name of the exported one before it.
    if inside[-2:-1] == ["_IO_file_fopen"]:
        entry = "fopen"
    return "" if DIRECT.match(entry) else "inside libc: " + entry


class Life:
    """What one task did from its birth to its end; process ids are used again."""

    def __init__(self, start, pid):
        self.start, self.pid, self.calls = start, pid, []


class Log:
    """All tasks of one run."""

    def __init__(self, path, cwd):
        self.executed, self.accesses, self.tasks = [], [], set()
        self.births = {}
        self.perhaps_read = set()  # opened to be read, too, unless it was made by that
        self.passed = collections.Counter()  # why the witness's filter lets calls pass: how many
        self.unwatched = []  # what those were
        self.lives = {}  # pid -> lives in the order of their start
        self.read(path)
        pending = sorted((life for lives in self.lives.values() for life in lives),
                         key=lambda life: life.start)
        if pending:
            self.births[pending[0]] = (cwd, "")
        # A life can be followed once its parent's has been, which tells where it starts.
        while pending:
            ready = [life for life in pending if life in self.births] or pending[:1]
            pending = [life for life in pending if life not in ready]
            for life in ready:
                self.follow(life, self.births.get(life, (cwd, "")))

    def read(self, path):
        """Sorts the lines into lives; joins calls that were interrupted by another task's line."""
        alive, unfinished, frames = {}, {}, []
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:
            for number, line in enumerate(lines):
                stack = STACK.match(line)
                if stack:
                    frames.append((stack.group(1), stack.group(2)))
                    continue
                pid, _, line = line.rstrip("\n").partition(" ")
                line = line.lstrip()
                if line.startswith("+++"):
                    # One that did nothing must not hand its parent on to a later one of that number.
                    if alive.pop(pid, None) is None:
                        self.lives.setdefault(pid, []).append(Life(number, pid))
                    continue
                life = alive.get(pid)
                if life is None:
                    life = alive[pid] = Life(number, pid)
                    self.lives.setdefault(pid, []).append(life)
                    self.tasks.add(pid)
                start = number
                if line.endswith("<unfinished ...>"):
                    unfinished[pid] = (number, line[:-len("<unfinished ...>")])
                    continue
                resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", line)
                if resumed:
                    start, before = unfinished.pop(pid, (number, ""))
                    line = before + resumed.group(1)
                frames = []
                life.calls.append((start, line, frames))

    def follow(self, life, born):
        """Takes the calls of one life."""
        task = Task(self, *born)
        for start, line, frames in life.calls:
            task.at = start
            self.accesses += task.take(line, reason(frames))

    def born(self, pid, after, state):
        """A call that began at line `after` made this task."""
        for life in self.lives.get(pid, ()):
            if life.start > after:
                self.births.setdefault(life, state)
                return
