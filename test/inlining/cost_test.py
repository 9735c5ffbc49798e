#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions that a compiler inlines cost nothing, because they have no hooks. cost_test.py LIBCOUNT"""

import collections
import pathlib
import resource
import subprocess
import sys

sys.path[:0] = ["test/user", "test/inlining"]
from counting import PROGRAMS, bench, functions, regions, why_no_plugin  # noqa: E402
from harness import SECONDS, expect, expect_time, long, main, need, retried  # noqa: E402

FLAGS = ["-O2", "-falign-loops=64", "-falign-functions=64"]  # where a loop happens to begin makes as much as 40 % here


def cpu_seconds(b, words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(w) for w in words], env=b.env, cwd=b.folder, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True, timeout=SECONDS)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check_places(b, profile):
    source = PROGRAMS / "accessors.cc"
    lines = source.read_text().splitlines()
    for name, text in (("Sweep(Grid const&, Grid&)", "NI void Sweep("), ("main", "int main(")):
        region = regions(b, profile)[name]
        expect("file", pathlib.Path(region["file"]).resolve(), source)
        assert lines[region["begin_line"] - 1].startswith(text), region


def check_accessors(compiler, sweeps):
    b = bench()
    plain = b.compile(compiler, "accessors.cc", FLAGS, output="plain", instrument=None)
    left = b.compile(compiler, "accessors.cc", FLAGS, output="left", instrument=())
    profile, result = b.measure(left, ["30"])
    expect("output", result.out, b.run([plain, "30"]).out)
    expect("what is left", functions(profile), {"main": 1, "Sweep(Grid const&, Grid&)": 60, "Norm(Grid const&)": 30})
    times = collections.defaultdict(list)
    for _ in range(5):
        for name, program in (("plain", plain), ("left", left)):
            times[name].append(cpu_seconds(b, [program, sweeps]))
    best = {name: min(values) for name, values in times.items()}
    print({name: round(value, 3) for name, value in best.items()}, "ratio", round(best["left"] / best["plain"], 3))
    expect_time(best["left"] < 1.3 * best["plain"], best)
    return b, profile, best["plain"]


def check_gcc():
    b, profile, plain = check_accessors("g++", 40000)
    check_places(b, profile)
    full = b.compile("g++", "accessors.cc", FLAGS, output="full", instrument=["--all-calls"])
    assert len(functions(b.measure(full, ["1"])[0])) > 10
    expect_time(400 * cpu_seconds(b, [full, 100]) > 20 * plain, plain)


@long
def test_accessors_of_gcc():
    need(not why_no_plugin("gcc"), why_no_plugin("gcc"))
    retried(check_gcc, times=3)


def test_accessors_of_clang():
    need(not why_no_plugin("clang"), why_no_plugin("clang"))
    retried(lambda: check_accessors("clang++", 20000), times=3)


if __name__ == "__main__":
    sys.exit(main(globals()))
