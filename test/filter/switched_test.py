#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Groups that a program switches off and on: the state at its enter decides about a call, wherever it ends."""

import collections
import pathlib
import re
import sys

sys.path[:0] = ["test/user", "test/filter"]
from harness import Bench, expect, installed, long, main, stage  # noqa: E402
from oracle import check_times, cut, named, tree  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
COMPILERS = [c for c in ("gcc", "clang") if installed(c)]
SANE = ("unmatched_exits", "repairs", "dropped_events", "folded_visits", "open_frames")


def built(compiler="gcc", flags=("-O1",)):
    b = Bench(PREFIX, PROGRAMS)
    return b, b.compile(compiler, "switched.c", [*flags, "-g", "-pthread", "-ldl"], instrument=["--user", "--all-calls"])


def measured(b, program, words, env=None, sane=True):
    profile, _ = b.measure(program, words, env=env)
    check_times(profile)
    if sane:
        expect(f"{words}: what must not be", [profile.manifest[k] for k in SANE], [0] * len(SANE))
    return {path: n for path, n in named(tree(profile)).items() if not path.endswith("> atoi")}, profile


class Calls:
    """A model of the program, which tells the calls that are on."""

    def __init__(self):
        self.off, self.open, self.counts = set(), [], collections.Counter()

    def call(self, name, body=None):
        on = name not in self.off
        self.open.append((name, on))
        if on:
            self.counts[" > ".join(n for n, is_on in self.open if is_on)] += 1
        if body is not None:
            body()
        self.open.pop()

    def nest(self, n, off, on):
        def body():
            self.off |= {"nest"} if n == off else set()
            self.off -= {"nest"} if n == on else set()
            self.call("tiny")
            if n > 0:
                self.nest(n - 1, off, on)
            self.off |= {"nest"} if n == -off else set()
            self.off -= {"nest"} if n == -on else set()
        self.call("nest", body)


def test_names_of_groups():
    b, program = built()
    everything = {"main": 1, "main > many": 3, "main > many > tiny": 100}
    for group, wanted in {
            "tiny": {**everything, "main > many > tiny": 70},
            "region=many": {"main": 1, "main > many": 2, "main > many > tiny": 70, "main > tiny": 30},
            "file=switched.c": {"main": 1, "main > many": 2, "main > many > tiny": 70},
            "object=switched": {"main": 1, "main > many": 2, "main > many > tiny": 70},
            "compiler": {"main": 1, "main > many": 2, "main > many > tiny": 70},
            "main": everything,
            "user": everything,
    }.items():
        found, profile = measured(b, program, ["group", group])
        expect(group, found, wanted)
        expect("said", sum("no such thing is no group of this program" in note for note in profile.manifest["notes"]), 1)
        times = sum(f"switched {group} off 1 time" in note for note in profile.manifest["notes"])
        expect("said", times, 0 if group in ("main", "user") else 1)


def test_while_calls_are_open():
    for compiler in COMPILERS:
        for flags in (("-O0",), ("-O2",)):
            b, program = built(compiler, flags)
            for off, on in ((5, 2), (2, 5), (5, -3), (-3, 4), (-6, -2), (8, 8), (7, -7), (-1, -1), (4, 99)):
                calls = Calls()
                calls.call("main", lambda: calls.nest(8, off, on))
                found, _ = measured(b, program, ["nest", off, on])
                expect(f"{compiler} {flags}: off at {off}, on at {on}", found, dict(calls.counts))


def test_jumps_over_what_is_off():
    b, program = built()
    found, profile = measured(b, program, ["jump"], sane=False)
    path, wanted, open_calls = "main", collections.Counter({"main": 1}), 0
    for i in range(7, 0, -1):
        if i >= 3:  # the function that switches is on itself
            path += " > even"
            wanted[path] += 1
            open_calls += 1
        wanted[path + " > tiny"] += 1
        path += " > odd"
        wanted[path] += 1
        open_calls += 1
    wanted.update({"main > many": 1, "main > many > tiny": 2})
    expect("call paths", found, dict(wanted))
    expect("repairs are those of what was on", profile.manifest["repairs"], open_calls)
    expect("unmatched", profile.manifest["unmatched_exits"], 0)


def test_threads():
    b, program = built()
    found, _ = measured(b, program, ["threads"])
    expect("in threads", {path: n for path, n in found.items() if "work" in path and "in_step" not in path}, {
        "main > threads > thread > work": 3,
        "main > threads > thread > work > many": 9,
        "main > threads > thread > work > many > tiny": 600,
    } if "main > threads" in found else {
        "main > thread > work": 3,
        "main > thread > work > many": 9,
        "main > thread > work > many > tiny": 600,
    })
    for _ in range(3):
        found, _ = measured(b, program, ["race"])
        by_region = collections.Counter()
        for path, n in found.items():
            by_region[path.split(" > ")[-1]] += n
        expect("callers", (by_region["hammer"], by_region["many"]), (2, 300))
        assert 0 < by_region["nest"] < 6 * by_region["nest_from"], by_region


def test_regions_of_ones_own():
    b, program = built()
    found, _ = measured(b, program, ["regions"])
    expect("marked", {path.split("main > ")[-1].replace("regions > ", ""): n for path, n in found.items()}, {
        "main": 1, **({"regions": 1} if any("regions" in p for p in found) else {}),
        "marked": 4, "marked > size=7": 4, "marked > size=7 > tiny": 4, "tiny": 4})


def test_libraries_that_come_later():
    b, program = built()
    library = b.compile("gcc", "library.c", ["-O1", "-g", "-shared", "-fPIC"], output="liblate.so",
                        instrument=["--all-calls"])
    found, _ = measured(b, program, ["library", library])
    by_region = collections.Counter()
    for path, n in found.items():
        by_region[path.split(" > ")[-1]] += n
    expect("functions of the library", (by_region["library_run"], by_region["library_tiny"]), (15, 10))


def test_while_another_thread_loads_a_library():
    """EPIK loads a library of its own for names: it holds no lock meanwhile that the other thread wants for ever."""
    b = Bench(PREFIX, PROGRAMS)
    hooks = ["--user", "--all-calls"]
    program = b.compile("gcc", "meanwhile.c", ["-O1", "-pthread", "-rdynamic", "-ldl"], instrument=hooks)
    library = b.compile("gcc", "meanwhile_library.c", ["-O1", "-shared", "-fPIC"], output="libmeanwhile.so",
                        instrument=hooks)
    def calls(found):
        return sum(n for path, n in found.items() if path.endswith("work"))
    found, _ = measured(b, program, ["group", library])
    expect("a group", calls(found), 6)
    rules = b.folder / "rules"
    rules.write_text("EXCLUDE nothing\n")
    found, profile = measured(b, program, ["start", library], {"EPK_FILTER": str(rules)}, sane=False)
    # The library's calls come while the measurement begins, and wait for that only for a while.
    expect("calls and dropped calls", (calls(found), profile.manifest["dropped_events"]), (2, 3))


def test_the_last_one_decides():
    b, program = built()
    found, _ = measured(b, program, ["last"])
    expect("visits", found, {"main": 1, "main > many": 4, "main > many > tiny": 7})


def test_the_program_ends_within():
    b, program = built()
    profile, _ = b.measure(program, ["exit"])
    calls = Calls()
    calls.call("main", lambda: calls.nest(2, 1, 99))
    check_times(profile)
    expect("visits", named(tree(profile)), dict(calls.counts))


def test_groups_that_are_off_at_first():
    b, program = built()
    everything = {"main": 1, "main > many": 3, "main > many > tiny": 100}
    found, profile = measured(b, program, ["group", "tiny"], env={"EPK_GROUPS": "-tiny"})
    expect("switched on", found, {**everything, "main > many > tiny": 20})
    expect("not patched out", any("patched out" in note for note in profile.manifest["notes"]), False)
    found, _ = measured(b, program, ["group", "nothing"], env={"EPK_GROUPS": "many"})
    expect("stays off", found, {"main": 1, "main > many": 3})
    found, _ = measured(b, program, ["group", "many"], env={"EPK_GROUPS": "many"})
    expect("one off, and on", found, {"main": 1, "main > many": 2})
    # A filter cannot be switched off.
    (b.folder / "filter").write_text("tiny\n")
    found, _ = measured(b, program, ["group", "tiny"], env={"EPK_FILTER": str(b.folder / "filter")})
    expect("with a filter", found, {"main": 1, "main > many": 3})


@long
def test_with_all_else_there_is():
    b, program = built()
    calls = Calls()
    calls.call("main", lambda: calls.nest(8, 5, 2))
    for env in ({"EPK_HOT": "sample", "EPK_THROTTLE_CALLS": "2"}, {"EPK_BUDGET": "5%"}, {"EPK_METRICS": "minor_faults"},
                {"EPK_DEPTH": "100"}, {"EPK_TIMER": "monotonic"}, {"ESD_FRAMES": "100"}):
        found, profile = measured(b, program, ["nest", 5, 2], env=env)
        expect(str(env), found, dict(calls.counts))
    for words in (["nest", 5, 2], ["nest", 2, 5], ["nest", -3, 4], ["group", "many"], ["threads"], ["race"], ["regions"]):
        for trace in ("all", "slow:1us", "visits:3"):
            _, profile = measured(b, program, words, env={"EPK_TRACE": trace, "ELG_BUFFER_SIZE": "64k"})
            b.run([b.epk, "check", profile.archive, *(["--trace-vs-summary"] if trace == "all" else [])])
    b.run([b.epk, "check", profile.archive])


def test_what_is_entered_and_left_while_frames_are_scarce():
    b, program = built()
    profile, _ = b.measure(program, ["nest", 5, 2], env={"ESD_FRAMES": "4"})
    check_times(profile)
    expect("unmatched", profile.manifest["unmatched_exits"], 0)


def test_constructs_of_openmp():
    for compiler in COMPILERS:
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(compiler, "constructs.c", ["-O1", "-g", "-fopenmp"], instrument=["--user", "--all-calls"])
        env = {"OMP_NUM_THREADS": "3", "OMP_DYNAMIC": "false"}
        full, _ = b.measure(program, env=env)
        counts = tree(full)
        gcc = compiler == "gcc"

        def places(paths, unsure):
            """Without the lines of barriers of these kinds."""
            merged = collections.Counter()
            for path, n in paths.items():
                for kind in unsure:
                    path = re.sub(rf"> {kind} @[^ ]+", f"> {kind}", path)
                merged[path] += n
            return dict(merged)

        regions = {name for path in counts for name, _ in path}
        for kind in ("barrier @", "critical @", "critical block @", "single @", "for dynamic @", "implicit barrier @"):
            assert any(name.startswith(kind) for name in regions), (kind, regions)

        def compare(what, is_out, words=(), more=None):
            less, _ = b.measure(program, words, env={**env, **(more or {})})
            check_times(less)
            # libomp does not always say where a barrier is; the barrier of a construct that is left out may get another
            # construct's line.
            unsure = ([] if gcc else ["barrier"]) + (["implicit barrier"] if is_out("single @") else [])
            found, wanted = (places(named(paths), unsure) for paths in (tree(less), cut(counts, lambda name, *_: is_out(name))))
            expect(f"{compiler} {what}", found, wanted)
            expect("unmatched", less.manifest["unmatched_exits"], full.manifest["unmatched_exits"])

        def stays(name):
            return "@" not in name or name.startswith(("parallel @", "task @", "teams @"))

        place = next(name for name in regions if name.startswith("barrier @"))
        for text, is_out in {
                "EXCLUDE REGION barrier @*": lambda name: name.startswith("barrier @"),
                "EXCLUDE REGION *barrier @*": lambda name: "barrier @" in name,
                "EXCLUDE REGION implicit barrier @*": lambda name: name.startswith("implicit barrier @"),
                **({f"EXCLUDE REGION {place}": lambda name: name == place} if gcc else {}),
                "EXCLUDE REGION critical*@*": lambda name: name.startswith("critical"),
                "EXCLUDE REGION for*@*\nEXCLUDE REGION single @*": lambda name: name.startswith(("for", "single @")),
                "EXCLUDE GROUP openmp\nINCLUDE REGION critical*@*":
                    lambda name: not stays(name) and not name.startswith("critical"),
        }.items():
            (b.folder / "filter").write_text(text + "\n")
            compare(text, is_out, more={"EPK_FILTER": str(b.folder / "filter")})
        compare("EPK_GROUPS", lambda name: name.startswith("critical"), more={"EPK_GROUPS": "-region=critical*@*"})
        compare("switched by name", lambda name: name.startswith("barrier @"), ["region=barrier @*"])
        compare("switched off together", lambda name: not stays(name), ["openmp"])


def test_mpi():
    for flavour, words in (("openmpi", ["--oversubscribe"]), ("mpich", [])):
        if not installed(f"mpirun.{flavour}"):
            continue
        b, _ = built()
        program = b.compile(f"mpicc.{flavour}", "switched_ring.c", ["-O1", "-g", "-finstrument-functions", "-DEPIK",
                                                                    f"-I{PREFIX}/include"], instrument=None)
        start = [b.epk, "run", f"mpirun.{flavour}", *words, "-n", "2", program]
        full, _ = b.measure(start[0], start[1:])
        counts = named(tree(full))
        sent = sum(float(row["bytes_sent"] or 0) for row in full.rows)
        assert sent > 0
        for group, gone in (("mpi", ("MPI_Send", "MPI_Irecv", "MPI_Wait")), ("MPI_Send", ("MPI_Send",))):
            less, _ = b.measure(start[0], [*start[1:], group])
            check_times(less)
            wanted = dict(counts)
            for name in gone:
                wanted[f"main > pass > {name}"] -= 2 * 6
            expect(f"{flavour} {group}", named(tree(less)), wanted)
            expect("bytes", sum(float(row["bytes_sent"] or 0) for row in less.rows), sent)


def test_fortran():
    b = Bench(PREFIX, PROGRAMS)
    for source, flags in (("switched.F90", ["-cpp"]), ("switched_module.f90", [f"-I{b.folder}"])):
        b.run(["gfortran", "-fsyntax-only", PREFIX / "include/epik/epik.f90"])
        program = b.compile("gfortran", source, ["-O1", "-g", "-Wall", *flags], instrument=["--user", "--all-calls"])
        profile, _ = b.measure(program)
        check_times(profile)
        by_region = collections.Counter()
        for row in profile.rows:
            by_region[row["region"]] += int(row["visits"] or 0)
        expect("touch", by_region["touch"], 12)
        expect("unmatched", profile.manifest["unmatched_exits"], 0)


if __name__ == "__main__":
    sys.exit(main(globals()))
