# SPDX-License-Identifier: BSD-3-Clause
"""Each line of docs/guarantees.md names cases that exist, and each case of this folder and of jobs is named there."""
import os
import re
import sys


def cases(folder):
    found = set()
    for name in os.listdir(folder):
        if name.endswith(".py"):
            with open(os.path.join(folder, name)) as file:
                found.update(name[:-3] + "/" + case for case in re.findall(r"@case\ndef (\w+)\(lab\)", file.read()))
    return found


def cases_of_jobs(folder):
    with open(os.path.join(folder, "../jobs/jobs_test.py"), encoding="utf-8") as file:
        return {"jobs/" + case for case in re.findall(r"^def test_(\w+)\(\)", file.read(), re.M)}


def compare(folder, document, more=frozenset()):
    with open(os.path.join(folder, "../../docs", document), encoding="utf-8") as file:
        named = re.findall(r"([a-z]+)`/([\w*]+)`", file.read())
    there = cases(folder) | more
    covered = set()
    for group, case in named:
        pattern = re.compile(re.escape(group + "/" + case).replace(r"\*", ".*"))
        matches = {one for one in there if pattern.fullmatch(one)}
        if not matches:
            sys.exit("docs/%s names %s/%s, which does not exist" % (document, group, case))
        covered |= matches
    if there - covered:
        sys.exit("not in docs/" + document + ": " + ", ".join(sorted(there - covered)))
    print(len(covered), "cases,", len(named), "times named")


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    compare(here, "guarantees.md", cases_of_jobs(here))
