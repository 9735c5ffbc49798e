#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The user interface of C, C++ and Fortran, compiled by each compiler, run, and read back: every count is exact."""

import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Bench, Profile, expect, installed, main, stage  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
C = [c for c in ("gcc", "clang") if installed(c)]
CXX = [c for c in ("g++", "clang++") if installed(c)]


def bench():
    return Bench(PREFIX, PROGRAMS)


def test_headers_are_clean_in_every_language():
    b = bench()
    include = f"-I{PREFIX}/include"
    for switch in ([], ["-DEPIK"]):
        for compiler in C:
            for standard in ("c99", "c11", "gnu17"):
                b.run([compiler, f"-std={standard}", "-pedantic-errors", *WARNINGS, *switch, include, "-c",
                       PROGRAMS / "regions.c", "-o", "x.o"])
        for compiler in CXX:
            for standard in ("c++98", "c++11", "c++20"):
                b.run([compiler, f"-std={standard}", "-pedantic-errors", *WARNINGS, *switch, include, "-xc++", "-c",
                       PROGRAMS / "regions.c", "-o", "x.o"])


def test_nothing_is_left_without_the_switch():
    b = bench()
    for compiler in C:
        b.run([compiler, *WARNINGS, f"-I{PREFIX}/include", "-c", PROGRAMS / "regions.c", "-o", "x.o"])
        assert "epik" not in b.run(["nm", "x.o"]).out
    for source in ("macros.F90", "fixed.F"):
        b.run(["gfortran", "-Wall", f"-I{PREFIX}/include", PROGRAMS / source, "-o", "plain"])
        assert "epik" not in b.run(["nm", "plain"]).out
        expect("output", b.run(["./plain"]).out, "done\n")


def test_programs_run_where_the_library_is_absent():
    b = bench()
    for compiler in C:
        for source in ("regions.c", "pauses.c", "children.c"):
            b.run([compiler, "-DEPIK", f"-I{PREFIX}/include", PROGRAMS / source, "-pthread", "-o", "alone"])
            b.run(["./alone"])
    for compiler in CXX:
        b.run([compiler, "-DEPIK", f"-I{PREFIX}/include", PROGRAMS / "scopes.cc", "-pthread", "-o", "alone"])
        expect("output", b.run(["./alone"]).out, "2\n")
    expect("archives", b.archives(), [])


REGIONS = {
    "": 1,
    "outer": 2,
    "outer > work": 1,
    "outer > step": 3,
    "outer > step > step=0": 1,
    "outer > step > step=0 > work": 1,
    "outer > step > step=1": 1,
    "outer > step > step=1 > work": 2,
    "outer > step > step=2": 1,
    "outer > step > step=2 > work": 3,
    "outer > sweep": 1,
    "outer > sweep > size=1": 1,
    "outer > sweep > size=1 > work": 1,
    "outer > sweep > size=2": 1,
    "outer > sweep > size=2 > work": 1,
    "outer > sweep > size=4": 1,
    "outer > sweep > size=4 > work": 1,
}
ITEMS = {
    "outer": 0.125,
    "outer > work": 5,
    "outer > step > step=0 > work": 1,
    "outer > step > step=1 > work": 2,
    "outer > step > step=2 > work": 3,
    "outer > sweep > size=1 > work": 1,
    "outer > sweep > size=2 > work": 2,
    "outer > sweep > size=4 > work": 4,
}


def without_measurement(paths):
    return {p: v for p, v in paths.items() if p != "measurement"}


def test_regions_phases_parameters_and_metrics_of_c():
    for compiler in C:
        for level in ("-O0", "-O2"):
            b = bench()
            profile, result = b.measure(b.compile(compiler, "regions.c", [level, *WARNINGS]))
            expect("output", result.out, "done\n")
            expect("call paths", without_measurement(profile.paths()), REGIONS)
            expect("items", {p: profile.sum("items", p) for p in REGIONS if profile.sum("items", p)}, ITEMS)
            expect("a metric called like one of ours", profile.sum("time (user)", "outer"), 2.5)
            expect("ends without a start", profile.manifest["unmatched_exits"], 2)
            expect("lost", [profile.manifest[k] for k in ("repairs", "dropped_events", "folded_visits")], [0, 0, 0])


def test_metrics_that_are_called_like_ours():
    b = bench()
    program = b.compile("gcc", "names.c", ["-O1", *WARNINGS])
    wanted = {"visits (user)": 7, "time (user)": 3, "min_time (user)": 3, "unfinished (user)": 7, "msgs_sent (user)": 7.5,
              "comp (user)": 2, "mpi_latesender (user)": 4, "unnamed": 9}
    for env in ({}, {"EPK_TRACE": "all"}, {"EPK_TRACE": "all", "EPK_SUMMARY": "no"}):
        profile, _ = b.measure(program, env=env)
        found = {name: profile.sum(name, "") for name in profile.rows[0] if "(user)" in name or name == "unnamed"}
        expect(f"metrics with {env}", found, wanted)
        expect(f"visits with {env}", profile.visits(""), 1)
        if not env:
            continue
        if "EPK_SUMMARY" not in env:
            b.run([b.epk, "check", profile.archive, "--trace-vs-summary"])
        b.run([b.epk, "analyze", profile.archive])


def test_more_regions_than_an_old_table_had_room_for():
    b = bench()
    profile, _ = b.measure(b.compile("gcc", "numerous.c", ["-O1"]))
    paths = profile.paths()
    expect("regions", sum(v for p, v in paths.items() if p.startswith("region ")), 60000)
    expect("parameters", sum(v for p, v in paths.items() if p.startswith("n=")), 20000)


def test_instrumented_by_the_compiler_as_well():
    b = bench()
    profile, _ = b.measure(b.compile("gcc", "regions.c", ["-g"], instrument=("--user",)), env={"EPK_MACHINE_NAME": "Ångström 2"})
    expect("main", profile.visits("main"), 1)
    report = b.run([b.epk, "report", profile.archive, "--format", "json"]).out
    expect("machine", json.loads(report)["machine"], "Ångström 2")
    expect("phases", profile.visits("main > outer > phases > step > step=2 > work > work"), 3)


def test_nothing_is_measured_when_it_is_off():
    b = bench()
    program = b.compile("gcc", "regions.c")
    b.run([program], env={"EPK_SUMMARY": "0"})
    expect("archives", b.archives(), [])


def test_pauses():
    for compiler in C:
        b = bench()
        program = b.compile(compiler, "pauses.c", ["-pthread", "-g", *WARNINGS])
        profile, result = b.measure(program)
        expect("is measuring", result.out, "0 1\n")
        expect("call paths", without_measurement(profile.paths()), {"": 1, "seen": 2, "paused": 1})
        expect("dropped", profile.manifest["dropped_events"], 0)
        expect("unmatched", profile.manifest["unmatched_exits"], 0)
        profile, _ = b.measure(program, ["exit"])
        expect("call paths", without_measurement(profile.paths()), {"": 1, "seen": 2, "paused": 2})
        assert "hidden metric" not in profile.rows[0]


def paths_of_functions():
    """A call that ends within a pause ends it for its caller, which has a pause of its own then."""
    paths = {"": 1, "off": 3, "off > paused": 3, "paused": 3 + 2, "seen": 1, "seen > paused": 1}
    for above, visits in ("", 5), ("on", 3), *((" > ".join(["on_deep"] * n), 1) for n in (1, 2, 3)):
        see = f"{above} > see" if above else "see"
        paths.update({above: 1 if above == "" else visits, see: visits, f"{see} > seen": visits})
    for n in range(1, 5):
        deep = " > ".join(["off_deep"] * n)
        paths.update({deep: 1, f"{deep} > paused": 1})
    paths.update({f"{deep} > off": 1, f"{deep} > off > paused": 1})
    return {f"main > functions > {path}" if path else "main > functions": n for path, n in paths.items()}


def test_one_function_begins_a_pause_and_another_one_ends_it():
    for compiler in C:
        b = bench()
        program = b.compile(compiler, "pauses.c", ["-O0", "-g", "-pthread", *WARNINGS], instrument=["--user"])
        for env in ({}, {"EPK_TRACE": "all"}):
            profile, _ = b.measure(program, ["functions"], env=env)
            expect(f"{compiler} {env}: call paths", profile.below("main > functions"), paths_of_functions())
            expect("unmatched", profile.manifest["unmatched_exits"], 0)
            if env:
                b.run([b.epk, "check", profile.archive, "--trace-vs-summary"])


def test_a_pause_is_of_its_thread_alone():
    for _ in range(3):
        b = bench()
        profile, _ = b.measure(b.compile("gcc", "pauses.c", ["-pthread"]), ["threads"])
        expect("hidden", profile.visits(region="hidden"), 0)
        expect("seen", profile.visits(region="seen"), 2 + 3 * 5 + 5 + 2)
        expect("paused", profile.visits(region="paused"), 2 + 2)
        expect("dropped", profile.manifest["dropped_events"], 0)


def profiles_of(b):
    return [Profile(b, archive) for archive in b.archives()]


def test_a_forked_child_is_as_paused_as_its_parent():
    b = bench()
    b.run([b.compile("gcc", "pauses.c", ["-pthread"]), "fork"])
    child, parent = sorted((without_measurement(p.paths()) for p in profiles_of(b)), key=len)
    expect("child", child, {"": 1, "seen": 4})
    expect("parent", parent, {"": 1, "seen": 2, "paused": 2})


def test_numbers_of_regions_hold_in_forked_children():
    b = bench()
    b.run([b.compile("gcc", "children.c")])
    found = [(without_measurement(p.paths()), p) for p in profiles_of(b)]
    expect("archives", len(found), 5)
    parent = {"": 1, "first": 1, "first > p=1": 1, "first > p=1 > second": 1}
    child = {"": 1, "third": 1, "third > second": 1}
    grandchild = {"": 1, "phase": 1, "phase > phase=7": 1, "phase > phase=7 > third": 1,
                  "phase > phase=7 > third > first": 1}
    for paths, times in ((parent, 1), (child, 2), (grandchild, 2)):
        expect(f"processes with {list(paths)}", sum(f == paths for f, _ in found), times)
    heat = sorted(sum(float(r.get("heat") or 0) for r in p.rows) for _, p in found)
    expect("heat", heat, [0, 0, 1, 2, 2])


def test_scopes_of_cxx():
    for compiler in CXX:
        for level in ("-O0", "-O2"):
            b = bench()
            program = b.compile(compiler, "scopes.cc", [level, "-pthread", *WARNINGS])
            profile, result = b.measure(program)
            expect("output", result.out, "2\n")
            expect("call paths", {p: v for p, v in profile.below("all").items() if "thread" not in p}, {
                "all": 1,
                "all > middle": 2,
                "all > middle > leaf": 2,
                "all > middle > second half": 1,
                "all > middle > second half > leaf": 1,
                "all > paused": 1,
                "all > jumper": 1,
                "all > jumper > skipped": 1,
                "all > jumper > leaf": 1,
            })
            expect("in threads", profile.visits("all > thread > leaf"), 300)
            expect("repaired after longjmp", profile.manifest["repairs"], 1)
            expect("unmatched", profile.manifest["unmatched_exits"], 0)


def test_macros_of_fortran():
    b = bench()
    profile, result = b.measure(b.compile("gfortran", "macros.F90", ["-cpp", "-Wall"]))
    expect("output", result.out, "done\n")
    expect("call paths", without_measurement(profile.paths()), {
        "": 1,
        "time loop": 1,
        "time loop > step": 3,
        **{f"time loop > step > step={n}": 1 for n in (1, 2, 3)},
        **{f"time loop > step > step={n} > work": 1 for n in (1, 2, 3)},
        **{f"time loop > size={n}": 1 for n in (10, 20)},
        **{f"time loop > size={n} > work": 1 for n in (10, 20)},
        "time loop > size=20 > paused": 1,
    })
    expect("items", profile.sum("items", "time loop > step > step=3 > work"), 3)
    expect("unmatched", profile.manifest["unmatched_exits"], 2)
    report = json.loads(b.run([b.epk, "report", profile.archive, "--iterations", "--format", "json"]).out)
    rows = report["iterations"]
    expect("values", sorted((row["parameter"], row["value"], row["visits"]) for row in rows),
           [("size", "10", 1), ("size", "20", 1), ("step", "1", 1), ("step", "2", 1), ("step", "3", 1)])
    for row in rows:
        # One thread: all times are its own. The pause is no computation.
        expect("longest", row["longest_s"], row["time_s"])
        assert 0 < row["computation_s"] <= row["time_s"], row


def test_fixed_form():
    b = bench()
    profile, result = b.measure(b.compile("gfortran", "fixed.F", ["-Wall"]))
    expect("output", result.out, "done\n")
    expect("call paths", without_measurement(profile.paths()), {"": 1, "time loop": 1, "time loop > work": 3})
    expect("items", profile.sum("items", "time loop > work"), 6)


def test_module_of_fortran():
    b = bench()
    b.run(["gfortran", "-fsyntax-only", "-std=f2008", *WARNINGS, PREFIX / "include/epik/epik.f90"])
    profile, result = b.measure(b.compile("gfortran", "module.f90", ["-Wall", f"-I{b.folder}"]))
    expect("output", result.out, "0\n1\n")
    expect("call paths", without_measurement(profile.paths()), {
        "": 1, "time loop": 1, "time loop > step": 2, "time loop > step > step=1": 1, "time loop > step > step=2": 1,
        "time loop > kind=small": 1, "time loop > paused": 1,
    })
    expect("items", [profile.sum("items", f"time loop > {p}") for p in ("step > step=2", "kind=small")], [2, 8])


def test_sources_of_the_original():
    b = bench()
    (b.folder / "old.c").write_text('#include "epik_user.h"\n'
                                    'int main(void) { EPIK_FUNC_START(); EPIK_FUNC_END(); return 0; }\n')
    b.run([b.epk, "instrument", "--user", "--no-compiler", "gcc", f"-I{PREFIX}/include/epik", "old.c", "-o", "old"])
    profile, _ = b.measure(b.folder / "old")
    expect("main", profile.visits("main"), 1)


if __name__ == "__main__":
    sys.exit(main(globals()))
