# SPDX-License-Identifier: BSD-3-Clause
"""Forked children of programs with threads: locks that another thread held stay locked there for ever."""
import os
import subprocess

from harness import case, check, long, main

SOURCE = "forked.c"


def library(lab, name):
    path = os.path.join(lab.folder(), "lib" + name + ".so")
    source = os.path.join(lab.here, "programs", name + ".c")
    done = subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", path], capture_output=True,
                          env=lab.environment(TMPDIR=lab.root))
    check(done.returncode == 0, done.stderr.decode())
    return path


def check_children(lab, words, children, **variables):
    for what, outcome in lab.same(SOURCE, words, **variables):
        check(outcome.out == b"stuck 0\n", what, words, outcome.out, outcome.said())
        archives = lab.archives(outcome.folder, count=children + 1)
        leaves = sorted(archive.visits("leaf", below="childs") for archive in archives)
        check(leaves == [0] + [3] * children, what, words, leaves, outcome.said())


@case
def children_of_a_thread_in_the_loader(lab):
    waits = library(lab, "waits")
    for words in "loader", "loader_first", "loader_unannounced":
        check_children(lab, [words, waits], 3)
    check_children(lab, ["loader", waits], 3, EPK_TRACE="all", EPK_FILTER="/dev/null")


@case
def children_of_a_thread_in_malloc(lab):
    lab.needs_no_sanitizer("it has a malloc of its own")
    for words in "malloced", "malloced_first":
        check_children(lab, [words, "-"], 3, flags=("-DOWN_MALLOC",))


@case
def children_of_a_thread_that_loads_and_unloads(lab):
    outcome = lab.run([lab.build(SOURCE, "gcc"), "loading", library(lab, "late_library"), "60"])
    check(outcome.out == b"stuck 0\n", outcome.out, outcome.said())


@long
@case
def many_children_of_a_thread_that_loads_and_unloads(lab):
    outcome = lab.run([lab.build(SOURCE, "gcc"), "loading", library(lab, "late_library"), "500"])
    check(outcome.out == b"stuck 0\n", outcome.out, outcome.said())


if __name__ == "__main__":
    main(__file__)
