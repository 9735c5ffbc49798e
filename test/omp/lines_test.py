#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Constructs have the lines of their directives. Comments in the programs tell the right lines."""

import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, "test/omp")
from omp_programs import PREFIX, Omp, expect, harness  # noqa: E402


def wanted(source, compiler):
    """(line, kind), as often as in the source's comments."""
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


def test_barriers_that_functions_jump_to():
    """Constructs of clang have no line."""
    check("gcc", "jumps.c")


def test_macros():
    for compiler in ("gcc", "clang"):
        check(compiler, "macros.c")


def test_macros_of_other_folders():
    """By <folder/file>: debug information names a file beside the one with the macros, or with -g3 that one itself."""
    for compiler in ("gcc", "clang"):
        for debug, more in (("-g", "static inline int Twice(int n) { return 2 * n; }\n"), ("-g3", "")):
            if compiler == "clang" and debug == "-g3":
                continue  # its table has only files with code or types
            bench = harness.Bench(PREFIX, "test/omp/programs")
            (bench.folder / "headers/project").mkdir(parents=True)
            shutil.copyfile(bench.programs / "macros.h", bench.folder / "headers/project/macros.h")
            (bench.folder / "headers/project/types.h").write_text(more)
            text = (bench.programs / "macros.c").read_text()
            text = text.replace('#include "macros.h"', "#include <project/macros.h>").replace("#define TOGETHER", '#include <project/types.h>\n#define TOGETHER')
            if more:
                text = text.replace("sum += value;", "sum += Twice(value);")
            source = bench.folder / "macros.c"
            source.write_text(text)
            bench.run([compiler, debug, "-O1", "-fopenmp", "-I", "headers", source, "-o", "macros"])
            profile, _ = bench.measure(bench.folder / "macros", env=Omp.settings(2, {}))
            expect(f"{compiler} {debug}", places(profile, "macros.c"),
                   wanted(source, "clang" if compiler == "clang" else "gcc"))


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
    """The regions of a program whose source was changed after the build."""
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
    """The lines of the calls; the program itself has the names of its critical sections."""
    sources = {"gone": pathlib.Path.unlink, "a pipe": make_pipe, "newer": make_newer, "large": make_large}
    for what, change in sources.items():
        regions = of_copy(change)
        assert any(re.fullmatch(r"critical\(cash\) @lines\.c:\d+", region) for region in regions), (what, regions)
    regions = of_copy(lambda source: None)
    assert any(region.startswith("critical(cash) @") for region in regions), regions


def critical_sections(compiler, source, *flags):
    """The names in a program whose source is gone, and their visits."""
    bench = harness.Bench(PREFIX, "test/omp/programs")
    copy = bench.folder / source
    shutil.copyfile(bench.programs / source, copy)
    program = bench.folder / "named"
    bench.run([compiler, "-fopenmp", *flags, copy, "-o", program])
    copy.unlink()
    profile, _ = bench.measure(program, env=Omp.settings(2, {}))
    found = {}
    for row in profile.rows:
        kind, _, _ = row["region"].partition(" @")
        if kind == "critical" or kind.startswith("critical("):
            found[kind] = found.get(kind, 0) + int(row["visits"])
    return found


def test_names_of_critical_sections():
    for compiler, source in (("gcc", "named.c"), ("clang", "named.c"), ("gfortran", "named.f90")):
        if not harness.installed(compiler):
            continue
        for flags in (("-O0",), ("-O1", "-g"), ("-O2",), ("-O3", "-no-pie", "-fno-pie"), ("-O2", "-fPIC")):
            found = critical_sections(compiler, source, *flags)
            expect(f"{compiler} {flags}", found, {"critical(first)": 4, "critical(second)": 6, "critical": 2})
        # A program without symbols does not have the names.
        expect(f"{compiler} -s", critical_sections(compiler, source, "-O2", "-s"), {"critical": 12})


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
