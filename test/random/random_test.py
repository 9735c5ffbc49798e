#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random programs, measured in every mode: the visits of each call path are those of the program's plan.

A plan (programs/plan.c) is a random tree of calls, loops, regions, jumps, threads, OpenMP and MPI. This test computes
the visits from the plan, without running it. Each seed makes one plan for each kind of program, and runs it in all
modes.
"""

import collections
import pathlib
import random
import sys

sys.path.insert(0, "test/user")
from harness import Bench, Profile, installed, left_out, long_cases, main, mpis, stage, times_add_up  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
MOST_VISITS = 4000
SEEDS = 50  # of a case of the long part
MPIS = mpis()
Step = collections.namedtuple("Step", "kind number inner")


class Planner:
    """`kinds`: which steps there are."""

    def __init__(self, seed, kinds):
        self.random = random.Random(seed)
        self.kinds = kinds

    def steps(self, depth, times, kinds):
        count = self.random.randint(1, 4) if depth < 2 else self.random.randint(0, 3)
        return [self.step(depth, times, kinds) for _ in range(count)] if depth < 7 and times < MOST_VISITS else []

    def step(self, depth, times, kinds):
        kind = self.random.choice(kinds)
        number = {"c": 8, "u": 3, "t": 8, "m": 1, "k": 1, "x": 1, "r": 1}.get(kind)
        number = self.random.randrange(number) if number else self.random.randint(2, 3 if kind == "p" else 12)
        inner = kinds
        if kind == "p":  # within a team: neither another one, nor threads, nor MPI, nor a jump
            inner = "cculmxk"
        elif kind in "kx":  # no task and no barrier within
            inner = "cculm"
        elif kind == "t":
            inner = "ccculmr"
        elif kind == "r":
            inner = "ccum"
        if kind in "mas":
            return Step(kind, number, [])
        more = times * (number if kind in "lp" else 1)
        return Step(kind, number, self.steps(depth + 1, more, inner))

    def plan(self):
        return self.steps(0, 1, self.kinds)


def text_of(steps):
    return "".join(f"{s.kind}{s.number}{{{text_of(s.inner)}}}" for s in steps)


class Truth:
    """The visits and free locks of a plan by call path; `out`: functions that are not measured."""

    def __init__(self, steps, out=()):
        self.visits, self.locks = collections.Counter(), collections.Counter()
        self.out = out
        self.enter(("main",), 1, steps)

    def enter(self, path, times, inner):
        if path[-1] in self.out:
            path = path[:-1]
        else:
            self.visits[path] += times
        self.walk(path, times, inner)

    def walk(self, path, times, steps):
        for kind, number, inner in steps:
            if kind in "cu":
                self.enter((*path, f"{'F' if kind == 'c' else 'U'}{number}"), times, inner)
            elif kind == "l":
                self.walk(path, times * number, inner)
            elif kind == "t":
                if f"F{number}" in self.out and not self.is_seen(inner):
                    continue
                self.visits[(*path, "thread")] += times
                self.enter((*path, "thread", f"F{number}"), times, inner)
            elif kind == "p":
                self.enter((*path, "parallel"), times * number, inner)
            elif kind in "kxr":
                self.enter((*path, {"k": "task", "x": "critical", "r": "Leave"}[kind]), times, inner)
            elif kind == "m":
                self.locks[path] += times
            else:
                self.visits[(*path, {"a": "MPI_Allreduce", "s": "MPI_Sendrecv"}[kind])] += times


    def is_seen(self, steps):
        """Whether a thread with these steps gets a location: free locks alone do not give it one."""
        return any(s.kind in "ur" or (s.kind == "c" and f"F{s.number}" not in self.out) or self.is_seen(s.inner)
                   for s in steps)


NAMES = {"main", "thread", "parallel", "task", "critical", "Leave", "MPI_Allreduce", "MPI_Sendrecv",
         *(f"F{n}" for n in range(8)), *(f"U{n}" for n in range(3))}


def found_in(profile, column):
    found = collections.Counter()
    for row in profile.rows:
        path = tuple(name.split(" @")[0].split("(")[0] for name in row["path"].split(" > ")) if row["path"] else ()
        is_path = path and (path[-1] in NAMES or column == "locks_free")  # the block of a critical section is one more
        if is_path and int(row.get(column) or 0) != 0:
            found[tuple(name for name in path if name in NAMES)] += int(row[column])
    return found


def sums(by_path):
    """By the last name of call paths."""
    by_name = collections.Counter()
    for path, count in by_path.items():
        by_name[path[-1:]] += count
    return by_name


def expect_same(what, found, wanted, times):
    """Compares by call path; reports only differences."""
    paths = {path for path in {*found, *wanted} if found[path] != times * wanted[path]}
    assert not paths, f"{what}: " + "; ".join(
        f"{' > '.join(path)} has {found[path]}, not {times * wanted[path]}" for path in sorted(paths)[:8])


class Case:
    """One plan in one program."""

    def __init__(self, seed, b, name, program, kinds, launcher=(), ranks=1):
        self.b, self.program, self.launcher, self.ranks = b, program, launcher, ranks
        planner = Planner(f"{seed} {name}", kinds)
        self.steps, self.random = planner.plan(), planner.random
        self.what = f"seed {seed}, {name}"
        self.plan = b.folder / f"{seed}.plan"
        self.plan.write_text(text_of(self.steps))

    def run(self, *words, env=None):
        before = set(self.b.archives())
        self.b.run([self.b.epk, "run", *self.launcher, self.program, self.plan, *words], env=env, check=not words)
        archive, = [a for a in self.b.archives() if a not in before]
        return Profile(self.b, archive)

    def holds(self, mode, profile, truth, locks=True):
        what = f"{self.what}, {mode}"
        expect_same(what, found_in(profile, "visits"), truth.visits, self.ranks)
        if locks:
            expect_same(f"{what}: free locks", found_in(profile, "locks_free"), truth.locks, self.ranks)
        times_add_up(profile, what, relative=1e-6)

    def check(self):
        truth = Truth(self.steps)
        self.holds("summary", self.run(), truth)
        self.holds("sampled", self.run(env={"EPK_HOT": "sample", "EPK_THROTTLE_CALLS": str(self.random.choice((3, 20)))}),
                   truth)
        traced = self.run(env={"EPK_TRACE": "all"})
        self.holds("traced", traced, truth)
        self.b.run([self.b.epk, "check", traced.archive, "--trace-vs-summary"])
        self.holds("trace alone", self.run(env={"EPK_TRACE": "all", "EPK_SUMMARY": "no"}), truth, locks=False)
        out = {f"F{n}" for n in self.random.sample(range(8), 3)}
        excluded = self.b.folder / "excluded"
        excluded.write_text("".join(f"EXCLUDE {name}\n" for name in sorted(out)))
        # A thread whose function is excluded is not known before its first measured call, and neither are its locks.
        self.holds(f"without {sorted(out)}", self.run(env={"EPK_FILTER": str(excluded)}), Truth(self.steps, out),
                   locks="t" not in self.plan.read_text())
        folded = self.run(env={"EPK_RECURSION": "fold"})
        expect_same(f"{self.what}, folded", sums(found_in(folded, "visits")), sums(truth.visits), self.ranks)
        times_add_up(folded, f"{self.what}, folded", relative=1e-6)
        if not self.launcher:
            self.holds("killed", self.run("kill"), truth)
            killed = self.run("kill", env={"EPK_TRACE": "all"})
            self.holds("killed while traced", killed, truth)
            self.b.run([self.b.epk, "check", killed.archive, "--trace-vs-summary"])


def kinds_of_programs(b):
    """Name, program, the steps of its plans, launcher and ranks."""
    flags = ["-O1", "-g", "-pthread", "-finstrument-functions"]
    for compiler in filter(installed, ("gcc", "clang")):
        yield (f"{compiler} with threads",
               b.compile(compiler, "plan.c", flags, f"threads_{compiler}"), "ccccuulmtr", (), 1)
        yield (f"{compiler} with OpenMP",
               b.compile(compiler, "plan.c", [*flags, "-fopenmp"], f"omp_{compiler}"), "cccuulmp", (), 1)
    for name, words in MPIS:
        yield (f"{name}", b.compile(f"mpicc.{name}", "plan.c", [*flags, "-DWITH_MPI"], f"mpi_{name}"), "cccuulmas",
               (f"mpirun.{name}", *words, "-n", "2"), 2)
    if not MPIS:
        left_out("there is no MPI")


def check_seeds(seeds):
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(OMP_WAIT_POLICY="passive")
    for name, program, kinds, launcher, ranks in kinds_of_programs(b):
        for seed in seeds:
            Case(seed, b, name, program, kinds, launcher, ranks).check()


def test_some_random_programs():
    check_seeds(range(1))


globals().update(long_cases("test_random_programs_from", check_seeds, 1000, 6, SEEDS))


if __name__ == "__main__":
    sys.exit(main(globals()))
