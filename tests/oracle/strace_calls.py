# SPDX-License-Identifier: MIT
"""What system calls mean, from their arguments as `strace -y` prints them.

Subjects and operations are in the words of events.def. The witness's own table
(supervisor/witness_calls.def) is used only to know which calls it watches.
"""

import os
import re

ESCAPES = {"n": 10, "t": 9, "r": 13, "v": 11, "f": 12, "a": 7, "b": 8, '"': 34, "\\": 92}
WALL_CLOCKS = ("CLOCK_REALTIME", "CLOCK_REALTIME_COARSE", "CLOCK_REALTIME_ALARM", "CLOCK_TAI")

# call -> (operation, position of folder or None, position of path)
SIMPLE = {
    "stat": ("stat", None, 0), "lstat": ("stat", None, 0), "newfstatat": ("stat", 0, 1),
    "stat64": ("stat", None, 0), "lstat64": ("stat", None, 0), "fstatat64": ("stat", 0, 1),
    "oldstat": ("stat", None, 0), "oldlstat": ("stat", None, 0),
    "statx": ("stat", 0, 1), "access": ("access", None, 0), "faccessat": ("access", 0, 1),
    "faccessat2": ("access", 0, 1), "readlink": ("readlink", None, 0), "readlinkat": ("readlink", 0, 1),
    "execve": ("execute", None, 0), "execveat": ("execute", 0, 1), "unlink": ("unlink", None, 0),
    "rmdir": ("rmdir", None, 0), "mkdir": ("mkdir", None, 0), "mkdirat": ("mkdir", 0, 1),
    "mknod": ("mknod", None, 0), "mknodat": ("mknod", 0, 1), "truncate": ("truncate", None, 0),
    "truncate64": ("truncate", None, 0), "uselib": ("load", None, 0),
    "chmod": ("chmod", None, 0), "fchmodat": ("chmod", 0, 1), "fchmodat2": ("chmod", 0, 1),
    "chown": ("chown", None, 0), "lchown": ("chown", None, 0), "fchownat": ("chown", 0, 1),
    "chown32": ("chown", None, 0), "lchown32": ("chown", None, 0),
    "utime": ("utime", None, 0), "utimes": ("utime", None, 0), "futimesat": ("utime", 0, 1),
    "utimensat": ("utime", 0, 1), "utimensat_time64": ("utime", 0, 1),
    "chdir": ("chdir", None, 0), "statfs": ("statfs", None, 0), "statfs64": ("statfs", None, 0),
    "symlink": ("symlink", None, 1), "symlinkat": ("symlink", 1, 2),
    "name_to_handle_at": ("stat", 0, 1), "inotify_add_watch": ("stat", None, 1),
    "getxattr": ("stat", None, 0), "lgetxattr": ("stat", None, 0),
    "listxattr": ("stat", None, 0), "llistxattr": ("stat", None, 0),
    "setxattr": ("set-attribute", None, 0), "lsetxattr": ("set-attribute", None, 0),
    "removexattr": ("set-attribute", None, 0), "lremovexattr": ("set-attribute", None, 0),
    "getxattrat": ("stat", 0, 1), "listxattrat": ("stat", 0, 1), "file_getattr": ("stat", 0, 1),
    "setxattrat": ("set-attribute", 0, 1), "removexattrat": ("set-attribute", 0, 1),
    "file_setattr": ("set-attribute", 0, 1),
}
# call -> operation; the first argument is a descriptor
DESCRIPTOR = {
    "fchmod": "chmod", "fchown": "chown", "fchown32": "chown", "fchdir": "chdir",
    "getdents": "list", "getdents64": "list",
    "fsetxattr": "set-attribute", "fremovexattr": "set-attribute",
}
PAIRS = {
    "rename": ("rename", None, 0, None, 1), "renameat": ("rename", 0, 1, 2, 3),
    "renameat2": ("rename", 0, 1, 2, 3), "link": ("link", None, 0, None, 1),
    "linkat": ("link", 0, 1, 2, 3),
}
# call -> (operation, position of what holds the address)
ADDRESSED = {"connect": ("connect", 1), "bind": ("bind", 1), "sendto": ("send", 4),
             "sendmsg": ("send", 1), "sendmmsg": ("send", 1)}
VALUES = {
    "gettimeofday": ("clock", "realtime"), "time": ("clock", "realtime"),
    "clock_gettime": ("clock", "realtime"), "clock_gettime64": ("clock", "realtime"),
    "getrandom": ("random", "getrandom"), "uname": ("host", "kernel"), "olduname": ("host", "kernel"),
    "oldolduname": ("host", "kernel"), "sysinfo": ("memory", "system"),
    "sched_getaffinity": ("cpu", "affinity"), "getcpu": ("cpu", "current"),
    "io_uring_setup": ("host", "kernel"), "bpf": ("host", "kernel"),
}
VALUE_OPERATIONS = {operation for operation, _ in VALUES.values()}
ADDRESS_OPERATIONS = {operation for operation, _ in ADDRESSED.values()}
FORKS = ("clone", "clone3", "fork", "vfork")
OPENS = ("open", "openat", "openat2", "creat", "unlinkat")
# Blind spots when they are made; what they name is not compared.
APART = ("chroot", "pivot_root", "mount", "umount2", "move_mount", "open_tree", "fsopen",
         "open_by_handle_at", "open_tree_attr", "setns", "socketcall")
CALLS = sorted({*SIMPLE, *DESCRIPTOR, *PAIRS, *ADDRESSED, *VALUES, *FORKS, *OPENS, "socketcall"})


def watched_calls():
    """The names of witness_calls.def; each must have a meaning here."""
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         "../../supervisor/witness_calls.def")
    with open(table, encoding="utf-8") as file:
        names = set(re.findall(r"^CALL\((\w+),", file.read(), re.M))
    unknown = names - set(CALLS) - set(APART)
    if unknown or not names:
        raise SystemExit(f"strace_calls.py: no meaning for: {', '.join(sorted(unknown)) or table}")
    return names


def unquote(text):
    """The bytes of a C string as strace prints it, as text with surrogates for stray bytes."""
    out = bytearray()
    i = 0
    while i < len(text):
        if text[i] != "\\":
            out += text[i].encode("utf-8", "surrogateescape")
            i += 1
            continue
        octal = re.match(r"[0-7]{1,3}", text[i + 1:])
        if octal:
            out.append(int(octal.group(), 8) & 255)
            i += 1 + len(octal.group())
        elif text[i + 1] == "x":
            out.append(int(text[i + 2:i + 4], 16))
            i += 4
        else:
            out.append(ESCAPES.get(text[i + 1], ord(text[i + 1])))
            i += 2
    return out.decode("utf-8", "surrogateescape")


def split_arguments(text):
    """The arguments of a call; commas inside quotes, brackets and <...> do not separate."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        character = text[i]
        if character == '"':
            i += 1
            while i < len(text) and text[i] != '"':
                i += 2 if text[i] == "\\" else 1
        elif character == "<":
            end = text.find(">", i)
            i = end if end > 0 else i
        elif character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
        i += 1
    parts.append(text[start:].strip())
    return parts


def string_in(argument):
    """The text that an argument quotes, None where it is no string."""
    text = re.match(r'^"((?:[^"\\]|\\.)*)"', argument or "")
    return unquote(text.group(1)) if text else None


def file_of(argument):
    """The path behind a descriptor, None where it has none (any more)."""
    named = re.match(r"^(?:AT_FDCWD|\d+)<(/.*)>$", argument or "")
    return unquote(named.group(1)) if named else None


def open_operations(flags):
    """What an open(2) with these flags is."""
    if "O_PATH" in flags:
        return ["stat"]
    if "O_DIRECTORY" in flags and "O_TMPFILE" not in flags:
        return ["list"]
    if "O_RDWR" in flags and not re.search(r"O_CREAT|O_TRUNC|O_TMPFILE", flags):
        return ["write", "read"]
    return ["write"] if re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", flags) else ["read"]


def addresses(argument, cwd):
    """The names of all addresses in the argument, as events.def's network records spell them."""
    for found in re.finditer(r"\{sa_family=(AF_\w+)((?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*)\}", argument):
        family, rest = found.groups()
        port = re.search(r"port=htons\((\d+)\)", rest)
        if family == "AF_INET":
            yield re.search(r'inet_addr\("([^"]+)"\)', rest).group(1) + ":" + port.group(1)
        elif family == "AF_INET6":
            yield "[" + re.search(r'AF_INET6, "([^"]+)"', rest).group(1) + "]:" + port.group(1)
        elif family == "AF_NETLINK":
            yield "netlink:0"
        elif family == "AF_UNIX":
            name = re.search(r'sun_path=(@?)("(?:[^"\\]|\\.)*")', rest)
            path = name and string_in(name.group(2))
            if path and not name.group(1) and not path.startswith("/"):
                path = cwd + "/" + re.sub(r"^(\./)+", "", path)
            if path:
                yield "unix:" + name.group(1) + path
        elif family != "AF_UNSPEC":
            yield "family:?"


def passed(name, arguments):
    """Why the witness's filter lets this call pass unseen (witness_filter.h), None when it does not."""
    flags = {"newfstatat": 3, "fstatat64": 3, "statx": 2}.get(name)
    if flags and "AT_EMPTY_PATH" in arguments[flags] and not arguments[0].startswith("AT_FDCWD"):
        return "stat of a descriptor" if string_in(arguments[1]) == "" else "stat by AT_EMPTY_PATH with a name"
    if name == "sendto" and arguments[4] == "NULL":
        return "sendto without address"
    if name == "getrandom" and arguments[1] in ("8", "4") and arguments[2] == "GRND_NONBLOCK":
        return "malloc's getrandom"
    if name in ("clock_gettime", "clock_gettime64") and arguments[0] not in WALL_CLOCKS:
        return "clocks that do not tell the time of day"
    return None
