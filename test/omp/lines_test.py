#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Constructs have the lines of their directives. What the programs say in comments is the truth."""

import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, "test/omp")
from omp_programs import PREFIX, Omp, expect, harness  # noqa: E402


def wanted(source, compiler):
    """(line, kind), as often as the source says it."""
    found = []
    for number, text in enumerate(source.read_text().splitlines(), 1):
        said = re.search(r"here: ([^*]*)", text)
        for kind in said[1].strip(" \\").split(", ") if said else ():
            only = re.match(r"(gcc|clang) (.*)", kind)
            if not only:
                found.append((number, kind))
            elif only[1] == compiler:
                found.append((number, only[2]))
    return sorted(found)


def places(profile, source):
    """(line, kind) of each region; columns tell directives of one line apart."""
    regions = {row["region"] for row in profile.rows if " @" in row["region"]}
    found = []
    for region in regions:
        place = re.fullmatch(rf"(.*) @{re.escape(source)}:(\d+)(:\d+)?", region)
        assert place, region
        found.append((int(place[2]), place[1]))
    return sorted(found)


def check(compiler, name):
    for level in ("-O0", "-O1", "-O2", "-O3"):
        program = Omp(compiler, name, (level,))
        source = pathlib.Path("test/omp/programs") / name
        profile, _ = program.run(threads=2)
        expect(f"{compiler} {level}", places(profile, name), wanted(source, "clang" if compiler == "clang" else "gcc"))


def test_gcc():
    check("gcc", "lines.c")


def test_clang():
    check("clang", "lines.c")


def test_fortran():
    check("gfortran", "lines.f90")


def test_two_barriers_of_one_line():
    for compiler in ("gcc", "clang"):
        program = Omp(compiler, "lines.c")
        profile, _ = program.run(threads=2)
        line = next(number for number, text in enumerate(pathlib.Path("test/omp/programs/lines.c").read_text()
                                                         .splitlines(), 1) if "_Pragma" in text)
        visits = {}
        for row in profile.rows:
            if row["region"].startswith(f"barrier @lines.c:{line}"):
                visits[row["region"]] = visits.get(row["region"], 0) + int(row["visits"])
        expect(f"{compiler}: barriers", sorted(visits.values()), [2, 2])


def of_copy(change):
    """The regions of a program whose source was changed after it was made."""
    bench = harness.Bench(PREFIX, "test/omp/programs")
    source = bench.folder / "lines.c"
    shutil.copyfile(bench.programs / "lines.c", source)
    program = bench.folder / "lines"
    bench.run(["gcc", "-g", "-O1", "-fopenmp", source, "-o", program])
    change(source)
    profile, _ = bench.measure(program, env=Omp.settings(2, {}))
    return {row["region"] for row in profile.rows if " @" in row["region"]}


def make_pipe(source):
    source.unlink()
    os.mkfifo(source)


def make_newer(source):
    lines = source.read_text()
    source.write_text("\n" * 7 + lines)
    status = source.stat()
    os.utime(source, (status.st_atime, status.st_mtime + 10))


def make_large(source):
    program = source.with_suffix("").stat()
    with source.open("a") as file:
        file.truncate(1 << 33)
    os.utime(source, ns=(program.st_mtime_ns, program.st_mtime_ns - 1))


def test_without_a_source():
    """The lines of the calls, and no name of a critical section."""
    sources = {"gone": pathlib.Path.unlink, "a pipe": make_pipe, "newer": make_newer, "large": make_large}
    for what, change in sources.items():
        regions = of_copy(change)
        assert any(re.fullmatch(r"critical @lines\.c:\d+", region) for region in regions), (what, regions)
        assert not any("cash" in region for region in regions), (what, regions)
    regions = of_copy(lambda source: None)
    assert any(region.startswith("critical(cash) @") for region in regions), regions


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
