#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the deepest stack that each function of the shim can use, the worst first.

  stack_depth.py FOLDER [LIMIT]

FOLDER holds what gcc -fcallgraph-info=su wrote (*.ci). Exits 1 when one needs LIMIT bytes or more,
or when a frame's size or a recursion makes the depth unknown. What libc's functions need is not
counted: a program needs that without the shim, too.
"""
import glob
import os
import re
import sys

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
SIZE = re.compile(r"(\d+) bytes \((static|dynamic|dynamic,bounded)\)")
RETURN_ADDRESS = 8


def read(folder):
    sizes, calls, problems = {}, {}, []
    for path in glob.glob(os.path.join(folder, "**", "*.ci"), recursive=True):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for title, label in NODE.findall(text):
            size = SIZE.search(label)
            if size and size.group(2) == "dynamic":
                problems.append(f"{title}: the size of its frame is not known")
            if size:
                sizes[title] = int(size.group(1))
        for source, target in EDGE.findall(text):
            calls.setdefault(source, set()).add(target)
    return sizes, calls, problems


def depth(name, sizes, calls, known, path, problems):
    """The deepest use below and with `name`, and the chain that makes it."""
    if name in path:
        problems.append("recursion: " + " > ".join(path[path.index(name):] + [name]))
        return 0, []
    if name not in sizes:
        return 0, []
    if name not in known:
        best, chain = 0, []
        for callee in calls.get(name, ()):
            size, below = depth(callee, sizes, calls, known, path + [name], problems)
            if size > best:
                best, chain = size, below
        known[name] = (best + sizes[name] + RETURN_ADDRESS, [name] + chain)
    return known[name]


def main():
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else None
    sizes, calls, problems = read(sys.argv[1])
    known = {}
    roots = sorted(
        (depth(name, sizes, calls, known, [], problems) for name in sizes), reverse=True)
    for size, chain in roots[:20]:
        print(size, " > ".join(name.split(":")[-1] for name in chain))
    for problem in sorted(set(problems)):
        print("problem:", problem)
    if not roots or problems or (limit and roots[0][0] >= limit):
        sys.exit(1)


if __name__ == "__main__":
    main()
