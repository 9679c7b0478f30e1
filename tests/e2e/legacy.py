# SPDX-License-Identifier: MIT
"""Holds a JSON report against legacy.rows; prints a line per failing row or member.

legacy.py ROWS REPORT planted NAME   exit status 0 when the row of that name is reported
legacy.py ROWS REPORT others         prints what is reported and no row names
"""
import json
import re
import sys


def read_rows(path):
    with open(path, encoding="utf-8") as lines:
        return [[field.strip() for field in line.split(";")]
                for line in lines if line.strip() and not line.startswith("#")]


def commands(report, finding):
    by_id = {process["id"]: process for process in report["processes"]}
    return [" ".join(by_id[number]["argv"] or [by_id[number]["exe"]]) for number in finding["processes"]]


def members(report):
    """Yields (channel, operation, subject, commands) of everything reported."""
    for finding in report["findings"]:
        ran = commands(report, finding)
        for member in finding["members"]:
            yield finding["channel"], member["operation"], member["subject"], ran


def matches(row, channel, operation, subject):
    return all(re.fullmatch(pattern, text)
               for pattern, text in zip(row, (channel, operation, subject)))


def main():
    rows = read_rows(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    if sys.argv[3] == "planted":
        row, = [row for row in rows if row[4] == sys.argv[4]]
        return not any(matches(row, *member[:3]) and any(re.fullmatch(row[3], c) for c in member[3])
                       for member in members(report))
    for channel, operation, subject, ran in members(report):
        if not any(matches(row, channel, operation, subject) for row in rows):
            print(f"{channel} {operation} {subject} by {', '.join(ran)[:200]}")
    return 0


sys.exit(main())
