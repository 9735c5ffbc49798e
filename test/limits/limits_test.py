#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the limits of docs/guarantees.md: the last thing that has room, and the first that does not."""

import collections
import json
import re
import signal
import sys
import tarfile

sys.path.insert(0, "test/user")
import harness  # noqa: E402
from harness import expect, installed, long, need  # noqa: E402

PREFIX = harness.stage()
PROGRAMS = "test/limits/programs"
COMPILERS = [compiler for compiler in ("gcc", "clang") if installed(compiler)]


class Runs:
    """One program, compiled once and run with several words."""

    def __init__(self, compiler, source, flags=()):
        self.bench = harness.Bench(PREFIX, PROGRAMS)
        self.program = self.bench.compile(compiler, source, ("-g", "-O1", *flags), instrument=())

    def measure(self, *words, env=None):
        """The results from the archive and the program. The archive must be right in spite of the limit."""
        profile, result = self.bench.measure(self.program, list(map(str, words)), env=env)
        self.bench.run([self.bench.epk, "check", profile.archive])
        profile.manifest["lost"] = profile.manifest.get("trace", {}).get("lost")
        return profile, result

    def printed(self, profile):
        return self.bench.run([self.bench.epk, "print", profile.archive]).out

    def analyze(self, profile):
        self.bench.run([self.bench.epk, "analyze", profile.archive])
        return json.loads((profile.archive / "analysis.json").read_text())


@long
def test_locks_in_a_trace():
    runs = Runs(COMPILERS[0], "contended.c", ["-pthread"])
    for locks in 8192, 8193:
        profile, _ = runs.measure(locks, env={"EPK_TRACE": "comm"})
        expect("calls", profile.visits(region="wants"), locks)
        # The second thread wants each lock.
        wanted = len(re.findall("lock wanted", runs.printed(profile)))
        expect("locks that are wanted", wanted, 8192)
        lost = profile.manifest["lost"]
        assert lost == 0 if locks == 8192 else lost > 0, (locks, lost)
        runs.analyze(profile)


def test_locks_that_a_thread_holds():
    for compiler in COMPILERS:
        runs = Runs(compiler, "holding.c", ["-fopenmp"])
        for locks in 32, 33:
            profile, _ = runs.measure(locks, env={"EPK_TRACE": "comm"})
            expect("records that were lost, one in each of two rounds", profile.manifest["lost"], 2 * (locks - 32))
            runs.analyze(profile)


def test_threads_that_there_is_no_memory_for():
    """EPIK reports these and no others, and the calls of all others are complete."""
    for compiler in COMPILERS:
        runs = Runs(compiler, "alive.c", ["-pthread"])
        for memory in "2M", "4M":
            profile, _ = runs.measure(300, env={"EPK_MEMORY": memory})
            note, = profile.manifest["notes"]
            without = int(re.fullmatch(r"(\d+) threads were not measured: see ESD_MAX_THREADS, EPK_MEMORY", note)[1])
            assert 0 < without < 300, without
            expect("calls", profile.visits(region="lives"), 300 - without)
            expect("calls of main", profile.visits(region="main"), 1)


def test_memory_of_an_analysis():
    """It grows with the threads, not with their square: 400 took 750 MB, and take 42."""
    harness.needs_no_sanitizer(PREFIX, "it takes terabytes of address space")
    runs = Runs(COMPILERS[0], "alive.c", ["-pthread"])
    profile, _ = runs.measure(400, env={"EPK_TRACE": "comm"})
    runs.bench.run(["sh", "-c", f"ulimit -v 500000 && exec '{runs.bench.epk}' analyze '{profile.archive}'"])


@long
def test_threads_that_live_at_once():
    runs = Runs(COMPILERS[0], "alive.c", ["-pthread"])
    for threads in 8192, 8193:
        profile, _ = runs.measure(threads, env={"EPK_TRACE": "comm", "EPK_MEMORY": "2G"})
        expect("notes", profile.manifest["notes"], [])
        expect("threads", profile.visits(region="Life"), threads)
        kinds = collections.Counter(re.findall(r"(thread begin|thread end|join got)", runs.printed(profile)))
        expect("births", kinds["thread begin"], threads)
        expect("lost", profile.manifest["lost"], 0)
        facts = runs.analyze(profile)
        expect("joins", kinds["join got"], threads)
        assert facts["critical_path"]["end_s"] > 0, facts["critical_path"]


def members_count(compiler, *arguments):
    runs = Runs(compiler, "team.c", ["-fopenmp"])
    for words in arguments:
        profile, result = runs.measure(*words, env={"EPK_TRACE": "comm", "OMP_STACKSIZE": "128k",
                                                    "OMP_WAIT_POLICY": "passive"})
        expect(f"members of {words}", profile.visits(region="member"), int(result.out))
        expect("notes", profile.manifest["notes"], [])
        runs.analyze(profile)


def test_levels_of_teams():
    """libomp 14 itself writes behind an array of its own where there are more than 8 levels."""
    for compiler in COMPILERS:
        members_count(compiler, (8, "nested"), *([(9, "nested"), (12, "nested")] if compiler == "gcc" else []))


@long
def test_members_of_a_team():
    members_count(COMPILERS[0], (2048,), (2049,))


def test_calls_that_are_open_while_a_window_pauses():
    """main is the first of 4 096. From the next one on, the window stays closed until the calls beyond are over."""
    for compiler in COMPILERS:
        runs = Runs(compiler, "deep.c")
        for calls, inner in (4094, 1), (4095, 1), (4096, 0), (5000, 0):
            profile, _ = runs.measure(calls, env={"EPK_MEASURE": "window:beside:1-9"})
            expect(f"{compiler}: calls within the window, {calls} deep", profile.visits(region="beside"), inner + 1)


def test_moments_of_a_measurement():
    runs = Runs(COMPILERS[0], "deep.c")
    for spans in 32, 33:
        words = ",".join(f"time:{10 * i}s-{10 * i + 5}s" for i in range(spans))
        _, result = runs.measure(1, env={"EPK_MEASURE": words})
        told = re.findall("EPK_MEASURE: (.*)", result.err)
        expect(f"{spans} spans", told, [] if spans == 32 else ["only the first 64 moments are used"])


def test_signals_that_control():
    """All signals that may be named. Each pauses the measurement, and goes on again."""
    numbers = {name: getattr(signal, "SIG" + name) for name in ("USR1", "USR2", "HUP", "WINCH", "URG", "IO")}
    numbers.update({f"RTMIN+{i}": signal.SIGRTMIN + i for i in range(signal.SIGRTMAX - signal.SIGRTMIN + 1)})
    for compiler in COMPILERS:
        runs = Runs(compiler, "signals.c")
        profile, _ = runs.measure(*map(int, numbers.values()),
                                  env={"EPK_CONTROL_SIGNAL": ",".join(f"{name}:pause" for name in numbers)})
        expect("calls", profile.visits(region="counts"), len(numbers))


def test_bytes_of_a_command_line():
    """The name of the program, 1, and many x, with a byte between them."""
    runs = Runs(COMPILERS[0], "deep.c")
    for more, kept in (-1, -1), (0, 0), (1, 0), (100_000, 0):
        room = 16384 - len(str(runs.program)) - len("1") - 2
        profile, _ = runs.measure("1", "x" * (room + more))
        expect("arguments", profile.manifest["command"], [str(runs.program), "1", "x" * (room + kept)])


def topologies(archive):
    with tarfile.open(archive / "summary.cubex") as cube:
        anchor = cube.extractfile("anchor.xml").read().decode()
    return anchor.count("<cart "), anchor.count("<dim ")


def jobs(source):
    """A function for each MPI that measures a job of two ranks of this program, and returns its archive."""
    for mpi, words in ("openmpi", ["--oversubscribe"]), ("mpich", []):
        if not installed(f"mpirun.{mpi}"):
            harness.left_out(f"{mpi} is not installed")
            continue
        bench = harness.Bench(PREFIX, PROGRAMS)
        program = bench.compile(f"mpicc.{mpi}", source, ("-g", "-O1"), instrument=())

        def measure(*arguments, env=None, bench=bench, mpi=mpi, words=words, program=program):
            before = bench.archives()
            bench.run([bench.epk, "run", f"mpirun.{mpi}", *words, "-n", "2", program, *arguments], env=env)
            archive, = set(bench.archives()) - set(before)
            return archive

        yield mpi, bench, measure


def test_topologies():
    for mpi, _, measure in jobs("grids.c"):
        for shapes, dimensions, found in (64, 7, 64), (65, 7, 64), (1, 32, 1), (1, 33, 0):
            archive = measure(shapes, dimensions)
            expect(f"{mpi}: {shapes} of {dimensions}", topologies(archive), (found, found * dimensions))
            notes = json.loads((archive / "manifest.json").read_text())["notes"]
            expect(f"{mpi}: notes of {shapes}", len([note for note in notes if "topologies" in note]), int(shapes > 64))


def test_runs_of_neighbours():
    """The trace keeps 256 runs. If there are 257, it keeps none, and counts all of them as lost."""
    for mpi, bench, measure in jobs("edges.c"):
        for runs in 256, 257:
            archive = measure(runs, env={"EPK_TRACE": "comm"})
            found = len(re.findall("collective peers", bench.run([bench.epk, "print", archive]).out))
            lost = json.loads((archive / "manifest.json").read_text())["trace"]["lost"]
            expect(f"{mpi}: found and lost of {runs}", (found, lost), (256, 0) if runs == 256 else (0, 257))
            bench.run([bench.epk, "analyze", archive])


@long
def test_untied_tasks_that_are_given_up():
    """Each is one visit. So are the parts of one that has no room; the program's stand-in for libomp tells why."""
    runs = Runs(COMPILERS[0], "untied.c")
    for tasks in 4194304, 4194305:
        profile, _ = runs.measure(tasks)
        beyond = tasks - 4194304
        expect("tasks", sum(int(row["visits"] or 0) for row in profile.rows if row["region"].startswith("task @")),
               tasks + beyond)
        expect("notes", ["each part of a further one" in note for note in profile.manifest["notes"]], [True] * beyond)


def test_loops_that_are_ordered():
    """The program counts the values that an iteration gets from the iteration that it waits for."""
    if not installed("gcc"):
        harness.skip("gcc is not installed")
    for loops in 24, 25, 256:
        nest = "".join(f"for (int i{i} = 0; i{i} < {40 if i == 0 else 3 if i == loops - 1 else 1}; ++i{i})\n"
                       for i in range(loops))
        sink = ", ".join(["i0 - 1", *(f"i{i}" for i in range(1, loops))])
        runs = Runs("gcc", "deep.c")
        source = runs.bench.folder / f"loops{loops}.c"
        source.write_text(f"""
            #include <stdio.h>
            int got[41][3];
            int main(void) {{
              #pragma omp parallel num_threads(4)
              #pragma omp for ordered({loops}) schedule(static, 1)
              {nest} {{
                #pragma omp ordered depend(sink : {sink})
                got[i0 + 1][i{loops - 1}] = got[i0][i{loops - 1}] + 1;
                #pragma omp ordered depend(source)
              }}
              printf("%d %d %d\\n", got[40][0], got[40][1], got[40][2]);
              return 0;
            }}""")
        runs.program = runs.bench.compile("gcc", source, ("-g", "-O1", "-fopenmp"), instrument=())
        profile, result = runs.measure(env={"EPK_TRACE": "comm"})
        expect(f"{loops}: what the iterations got", result.out, "40 40 40\n")
        printed = runs.printed(profile)
        for what, count in ("done", 120), ("needed", 117):
            expect(f"{loops}: {what}", len(re.findall(f"iteration {what}", printed)), count)


@long
def test_levels_between_calls_of_a_function():
    """Folding looks 1 024 levels up. Further out, a call of the same function has a call path of its own."""
    runs = Runs(COMPILERS[0], "deep.c")
    for others in 1023, 1024:
        source = runs.bench.folder / f"levels{others}.c"
        names = [f"other{i}" for i in range(others)]
        source.write_text("volatile int calls;\nvoid again(void);\n" + "".join(
            f"__attribute__((noinline)) void {name}(void) {{ {inner}(); ++calls; }}\n"
            for name, inner in zip(reversed(names), ["again", *reversed(names[1:])])) +
            "__attribute__((noinline)) void again(void) { if (++calls == 1) other0(); }\n"
            "int main(void) { again(); return 0; }\n")
        runs.program = runs.bench.compile(COMPILERS[0], source, ("-g", "-O1"), instrument=())
        profile, _ = runs.measure(env={"EPK_RECURSION": "fold"})
        rows = [int(row["visits"]) for row in profile.rows if row["region"] == "again"]
        expect(f"{others}: visits of call paths", rows, [2] if others == 1023 else [1, 1])


def test_depth_of_counters_in_a_trace():
    """The program and main are open, too. A call further in has values at its end; those of its begin are lost."""
    harness.needs_no_sanitizer(PREFIX, "its malloc is in front of ours")
    runs = Runs(COMPILERS[0], "counted.c")
    for calls in 16381, 16382, 16390:
        before = runs.bench.archives()
        env = {"EPK_TRACE": "all", "EPK_RECURSION": "fold", "EPK_METRICS": "heap::allocations"}
        runs.bench.run([runs.bench.epk, "run", runs.program, calls], env=env)
        archive, = set(runs.bench.archives()) - set(before)
        expect("lost", json.loads((archive / "manifest.json").read_text())["trace"]["lost"], max(calls - 16381, 0))
        value, values = 0, []  # until each call
        for line in runs.bench.run([runs.bench.epk, "print", archive]).out.splitlines():
            value = int(line.split()[-1]) if "heap::allocations" in line else value
            if line.endswith("> down"):
                values.append(value)
        expect("calls", len(values), calls)
        with_values = min(calls, 16381)
        expect("values", values, [values[0] + i for i in range(with_values)] + [values[0] + with_values - 1] * (calls - with_values))


if __name__ == "__main__":
    need(COMPILERS, "there is no compiler")
    sys.exit(harness.main(globals()))
