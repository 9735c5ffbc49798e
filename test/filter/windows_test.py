#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_MEASURE: the calls within windows are those of the windows in a trace of a whole run, one by one."""

import collections
import json
import pathlib
import re
import sys

sys.path[:0] = ["test/user", "test/filter"]
from harness import Bench, expect, installed, long, main, stage  # noqa: E402
from oracle import check_times, named, tree  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
OURS = ("measurement", "paused", "idle", "thread")
COMPILERS = [c for c in ("gcc", "clang") if installed(c)]


class Call:
    """One call of a whole run, from its trace; `windows`: the windows that it opens."""

    def __init__(self, name, caller):
        self.name, self.caller, self.inner, self.seen = name, caller, [], False
        if caller is not None:
            caller.inner.append(self)

    def path(self):
        names, call = [], self
        while call.caller is not None:
            names.append(call.name)
            call = call.caller
        return " > ".join(reversed(names))

    def all(self):
        yield self
        for call in self.inner:
            yield from call.all()

    def callers(self):
        call = self.caller
        while call is not None:
            yield call
            call = call.caller


def calls_of(b, archive):
    """The outermost call of each thread."""
    threads, stacks = {}, {}
    for line in b.run([b.epk, "print", archive, "--format", "json"]).out.splitlines():
        event = json.loads(line)
        place = event["rank"], event["thread"]
        if event["event"] == "enter":
            stack = stacks.setdefault(place, [])
            call = Call(event["region"], stack[-1] if stack else None)
            threads.setdefault(place, []).append(call) if not stack else None
            stack.append(call)
        elif event["event"] == "exit":
            stacks[place].pop()
    return threads


def see(call):
    call.seen = True
    for inner in call.inner:
        see(inner)


def within(call, windows, counts):
    """Marks the inner calls that are measured, in the order of time."""
    for inner in call.inner:
        opens = False
        for number, (name, first, last) in enumerate(windows):
            if inner.name != name or any(c.name == name for c in inner.callers()):
                continue
            counts[number] += 1
            opens = opens or first <= counts[number] <= last
        if opens and not inner.seen:
            see(inner)
            for caller in inner.callers():
                caller.seen = True
        within(inner, windows, counts)


def wanted(outermost, windows):
    within(outermost, windows, collections.Counter())
    visits = collections.Counter()

    def add(call):
        counts = call.name not in OURS and not call.name.startswith("pthread_")  # as the tree of a profile
        if call.seen and call.caller is not None and counts:
            visits[call.path()] += 1
        for inner in call.inner:
            add(inner)

    add(outermost)
    return dict(visits)


def found(profile):
    """The thread of a creator that pauses hangs below the path on which the pause began, so the test compares each
    thread by itself."""
    visits = collections.Counter()
    for path, n in named(tree(profile)).items():
        path = path.split("thread > ")[-1]
        if path.split(" > ")[-1] not in OURS:
            visits[path] += n
    return dict(visits)


def whole(b, program, env, words=()):
    profile, _ = b.measure(program, words, env={**env, "EPK_TRACE": "all"})
    return profile


def test_visits_of_the_windows():
    for compiler in COMPILERS:
        for flags in (("-O0",), ("-O2",)):
            b = Bench(PREFIX, PROGRAMS)
            program = b.compile(compiler, "windows.c", [*flags, "-g", "-pthread", "-Wno-clobbered"],
                                instrument=["--user", "--all-calls"])
            full = whole(b, program, {})
            for text, windows in {
                    "window:step:3-5": [("step", 3, 5)],
                    "window:step:1-1": [("step", 1, 1)],
                    "window:other:2-3,window:step:9-9": [("other", 2, 3), ("step", 9, 9)],
                    "window:marked:4-4": [("marked", 4, 4)],
                    "window:leaf:7-20": [("leaf", 7, 20)],
                    "window:round_of:2-3,window:leaf:1-2": [("round_of", 2, 3), ("leaf", 1, 2)],
                    "window:catches:2-4,window:jumps:7-7": [("catches", 2, 4), ("jumps", 7, 7)],
                    "window:main:1-1": [("main", 1, 1)],
                    "window:step:900-901": [("step", 900, 901)],
            }.items():
                # A thread that is created outside is outside: it has visits of its own.
                threads = calls_of(b, full.archive)
                visits = collections.Counter(wanted(threads[0, 0][0], windows))
                creators = [call for call in threads[0, 0][0].all() if call.name == "threaded"]
                for creator, root in zip(creators, threads[0, 1], strict=True):
                    visits.update(everything(root) if creator.seen else wanted(root, windows))
                less, _ = b.measure(program, env={"EPK_MEASURE": text})
                check_times(less)
                expect(f"{compiler} {flags} {text}", found(less), dict(visits))
                expect("unmatched", less.manifest["unmatched_exits"], 0)
                expect("open", less.manifest["open_frames"], 0)
                expect("said", sum("EPK_MEASURE" in note for note in less.manifest["notes"]), 1)


def everything(root):
    see(root)
    return wanted(root, [])


def test_with_all_else_there_is():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "windows.c", ["-O1", "-g", "-pthread", "-w"], instrument=["--user", "--all-calls"])
    measure = {"EPK_MEASURE": "window:step:3-5,window:other:6-6"}
    plain, _ = b.measure(program, env=measure)
    for env in ({"EPK_HOT": "sample", "EPK_THROTTLE_CALLS": "3"}, {"EPK_TIMER": "monotonic"}, {"EPK_DEPTH": "100"},
                {"EPK_METRICS": "minor_faults"}, {"EPK_TRACE": "all"}, {"ESD_FRAMES": "200"}):
        less, _ = b.measure(program, env={**measure, **env})
        check_times(less)
        expect(str(env), found(less), found(plain))
        if "EPK_TRACE" in env:
            b.run([b.epk, "check", less.archive, "--trace-vs-summary"])
    # Excluded functions do not keep windows from opening, unless the window's own region is excluded.
    (b.folder / "filter").write_text("within\n")
    less, _ = b.measure(program, env={**measure, "EPK_FILTER": str(b.folder / "filter")})
    expect("a filter", found(less), {p.replace("within > ", ""): n for p, n in found(plain).items()
                                     if not p.endswith("within")})


def test_the_program_ends_within_or_outside():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "windows.c", ["-O1", "-g", "-pthread", "-w"], instrument=["--user", "--all-calls"])
    for text in ("window:main:1-1", "window:step:1-1"):
        less, _ = b.measure(program, ["exit"], env={"EPK_MEASURE": text})
        check_times(less)
        expect("main", found(less)["main"], 1)


def test_openmp():
    for compiler in COMPILERS:
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(compiler, "windows.c", ["-O1", "-g", "-pthread", "-fopenmp", "-w"],
                            instrument=["--user", "--all-calls"])
        env = {"OMP_NUM_THREADS": "2", "OMP_DYNAMIC": "false"}
        full, _ = b.measure(program, env=env)
        less, _ = b.measure(program, env={**env, "EPK_MEASURE": "window:round_of:3-5"})
        check_times(less)
        below = "main > round_of > loop"
        regions = {path: n for path, n in full.paths().items() if path.startswith(below)}
        assert any("parallel" in path for path in regions), regions
        expect(f"{compiler}: what each thread of a team does",
               {p: n for p, n in places(less).items() if p.startswith(below)},
               {path: n * 3 // 10 for path, n in places(full).items() if path.startswith(below)})


def places(profile):
    """libomp does not always say where a barrier is."""
    merged = collections.Counter()
    for path, n in profile.paths().items():
        merged[re.sub(r"> barrier @[^ ]+", "> barrier", path)] += n
    return merged


@long
def test_spans_of_time():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "windows.c", ["-O1", "-g", "-pthread", "-w"], instrument=["--user", "--all-calls"])

    def visits(text):
        profile, _ = b.measure(program, ["clock", "0.6"], env={"EPK_MEASURE": text})
        check_times(profile)
        expect("unmatched", profile.manifest["unmatched_exits"], 0)
        return [profile.visits(region=name) for name in ("first", "second", "third")], profile

    def is_about(what, text, many):
        # If the machine stops at a bad moment, a call or two more may be measured.
        for _ in range(3):
            (counts, profile) = visits(text)
            if all(n > 100 if wanted else n <= 2 for n, wanted in zip(counts, many)):
                return profile
        raise AssertionError(f"{what}: {counts}")

    is_about("in the middle", "time:800ms-1000ms", (False, True, False))
    profile = is_about("from the beginning, and again", "time:0-300ms,time:1400ms-", (True, False, True))
    paused = sum(float(row["excl_s"] or 0) for row in profile.rows if row["region"] == "paused")
    assert 1.0 < paused < 1.4, paused
    is_about("never", "time:1h-".replace("1h", "60min"), (False, False, False))
    (counts, _) = visits("time:800ms-1000ms,window:main:1-1")
    assert counts[0] <= 2 and counts[2] <= 2, counts


def test_what_is_wrong_is_said():
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "windows.c", ["-O1", "-g", "-pthread", "-w"], instrument=["--user", "--all-calls"])
    _, result = b.measure(program, env={"EPK_MEASURE": "window:step"})
    assert "EPK_MEASURE" in result.err and "window:REGION:A-B" in result.err, result.err
    profile, _ = b.measure(program, env={"EPK_MEASURE": "window:nobody:1-2"})
    expect("visits", found(profile), {})
    expect("said", sum("no function or region is called nobody" in n for n in profile.manifest["notes"]), 1)


def test_mpi():
    for flavour, words in (("openmpi", ["--oversubscribe"]), ("mpich", [])):
        if not installed(f"mpirun.{flavour}"):
            continue
        b = Bench(PREFIX, PROGRAMS)
        program = b.compile(f"mpicc.{flavour}", "ring.c", ["-O1", "-g", "-finstrument-functions"], instrument=None)
        start = [b.epk, "run", f"mpirun.{flavour}", *words, "-n", "2", program]
        less, _ = b.measure(start[0], start[1:], env={"EPK_MEASURE": "window:pass:5-8"})
        check_times(less)
        expect(flavour, found(less), {"main": 2, "main > pass": 8, "main > pass > MPI_Irecv": 8,
                                      "main > pass > MPI_Send": 8, "main > pass > MPI_Wait": 8})
        expect("bytes", sum(float(row["bytes_sent"] or 0) for row in less.rows), 8 * 100)


if __name__ == "__main__":
    sys.exit(main(globals()))
