#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random combinations of settings: the program behaves as without EPIK, it ends, and its archive is complete.

Each seed takes one program and a few settings, which other tests try one by one. Settings may affect each other: a
filter is asked about a region while a group that the program switches is looked up.
"""

import pathlib
import random
import sys

sys.path.insert(0, "test/user")
from harness import RUNFILES, Bench, expect, installed, long_cases, main, stage  # noqa: E402

PREFIX = stage()
SEEDS = 12
SEEDS_OF_A_CASE = 250  # of the long part
FILTERS = ("EXCLUDE REGION tiny\nEXCLUDE GROUP openmp\nINCLUDE REGION crit*\n",
           "EXCLUDE GROUP pthread\nEXCLUDE REGION *a*\n")
FLAGS = ["-O1", "-g", "-pthread"]

# Compiler, source, flags, the words of a run. Each prints the same in every run.
PROGRAMS = [
    *((compiler, "filter/programs/switched.c", [*FLAGS, "-ldl"],
       ("group tiny", "group many", "nest 5 2", "nest -3 4", "jump", "threads", "regions", "last", "exit"))
      for compiler in ("gcc", "clang")),
    *((compiler, "filter/programs/constructs.c", [*FLAGS, "-fopenmp"], ("", "openmp", "region=barrier @*"))
      for compiler in ("gcc", "clang")),
    *((compiler, "omp/programs/fib_tasks.c", [*FLAGS, "-fopenmp"], ("12",)) for compiler in ("gcc", "clang")),
    *((f"mpicc.{mpi}", "filter/programs/switched_ring.c", FLAGS, ("", "mpi", "MPI_Send")) for mpi in ("openmpi", "mpich")),
    *((compiler, f"programs/{source}", FLAGS, ("",))
      for compiler, source in (("gcc", "jumps.c"), ("gcc", "signals.c"), ("gcc", "pthreads.c"), ("g++", "throws.cc"),
                               ("g++", "stl.cc"))),
]
LAUNCHERS = {"mpicc.openmpi": ["mpirun.openmpi", "--oversubscribe", "-n", "2"], "mpicc.mpich": ["mpirun.mpich", "-n", "2"]}

SETTINGS = {
    "EPK_ENABLED": ("yes", "yes", "no"),
    "EPK_SUMMARY": ("yes", "yes", "no"),
    "EPK_TRACE": ("off", "all", "comm", "msgs", "slow:1us", "slow:100us", "visits:3", "all,visits:2"),
    "EPK_TRACE_START": ("yes", "no"),
    "EPK_TRACE_FORMAT": ("epilog", "otf2"),
    "EPK_ANALYZE": ("yes", "no"),
    "ELG_BUFFER_SIZE": ("64k", "128k", "1M", "16M"),
    "ELG_COMPRESSION": ("0", "1", "9"),
    "EPK_TIMER": ("auto", "tsc", "monotonic"),
    "EPK_FORK": ("own", "off"),
    "EPK_CONTROL_SIGNAL": ("off", "USR2"),
    "EPK_RANKS": ("all", "0", "1"),
    "EPK_FILTER": FILTERS,
    "EPK_GROUPS": ("-tiny", "many", "-main", "-region=*critical*", "-object=libc*", "-openmp", "-pthread"),
    "EPK_DEPTH": ("1", "2", "5"),
    "EPK_HOT": ("full", "sample", "drop"),
    "EPK_THROTTLE": ("yes", "no"),
    "EPK_THROTTLE_CALLS": ("1", "2", "50"),
    "EPK_THROTTLE_PERCALL": ("1ns", "1s"),
    "EPK_BUDGET": ("1%", "50%"),
    "EPK_PATCH": ("yes", "no"),
    "EPK_MPI_ENABLED": ("P2P", "COLL,ENV"),
    "EPK_MPI_MATRIX": ("yes", "no"),
    "EPK_COLL_TREE": ("flat", "binary"),
    "EPK_CLOCK_SYNC": ("0", "1ms"),
    "EPK_METRICS": ("rusage::ru_minflt", "perf::PAGE-FAULTS", "heap::allocations", "io::bytes_written"),
    "EPK_MONITOR_BUFFER": ("4k", "64k", "1M"),
    "EPK_MONITOR": ("COLL", "P2P", "OMP", "ALL"),
    "EPK_MONITOR_SCHEDULE": ("up", "down"),
    "EPK_MONITOR_STATISTICS": ("yes", "no"),
    "EPK_WAITS": ("yes", "no"),
    "EPK_MEMORY": ("1M", "4M"),
    "EPK_OVERFLOW": ("grow", "ring", "stop"),
    "EPK_RECURSION": ("fold", "full"),
    "ESD_PATHS": ("1", "10", "unlimited"),
    "ESD_FRAMES": ("1", "4", "unlimited"),
    "ESD_MAX_THREADS": ("1", "2", "64"),
}


class Guest:
    def __init__(self, b, compiler, source, flags, runs):
        self.b, self.runs = b, [run.split() for run in runs]
        self.name = f"{pathlib.Path(source).stem} of {compiler}"
        self.launcher = LAUNCHERS.get(compiler, [])
        self.program = b.compile(compiler, RUNFILES / "test" / source, flags, output=self.name.replace(" ", "_"),
                                 instrument=["--user", "--all-calls"])
        self.bare = {}

    def without(self, words):
        key = tuple(words)
        if key not in self.bare:
            result = self.b.run([*self.launcher, self.program, *words], env={"EPK_ENABLED": "no"}, check=False)
            self.bare[key] = (result.status, result.out)
        return self.bare[key]

    def check(self, seed, chance):
        words = chance.choice(self.runs)
        settings = {name: chance.choice(SETTINGS[name]) for name in chance.sample(sorted(SETTINGS), chance.choice((1, 2, 4, 8)))}
        start = [self.b.epk, "run"] if chance.random() < 0.5 else []
        what = f"seed {seed}: {settings} {' '.join(start[1:])} {self.name} {words}"
        if "EPK_FILTER" in settings:
            (self.b.folder / "filter").write_text(settings["EPK_FILTER"])
            settings["EPK_FILTER"] = str(self.b.folder / "filter")
        before = set(self.b.archives())
        result = self.b.run([*start, *self.launcher, self.program, *words], env=settings, check=False)
        expect(what, (result.status, result.out), self.without(words))
        made = [path for path in self.b.archives() if path not in before]
        expect(f"{what}: unfinished", [path.name for path in made if path.name.endswith(".unfinished")], [])
        if settings.get("EPK_ENABLED") != "no" and settings.get("EPK_SUMMARY") != "no":
            assert made, f"{what} left no archive: {result.err}"
        for archive in made:
            self.read(what, archive)

    def read(self, what, archive):
        for words in (["check"], ["report"], ["analyze"]):
            if words == ["report"] and not (archive / "summary.cubex").exists():
                continue
            if words == ["analyze"] and not (archive / "defs.epk").exists():
                continue
            result = self.b.run([self.b.epk, *words, archive], check=False)
            empty = words == ["analyze"] and "the trace has no events" in result.err
            assert result.status == int(empty), f"{what}: {words} ended with {result.status}: {result.out}{result.err}"


def check_seeds(seeds):
    b = Bench(PREFIX, RUNFILES / "test")
    b.env.update(OMP_NUM_THREADS="3", OMP_WAIT_POLICY="passive")
    guests = [Guest(b, *program) for program in PROGRAMS if installed(program[0])]
    for seed in seeds:
        chance = random.Random(f"settings {seed}")
        chance.choice(guests).check(seed, chance)


def test_some_random_settings():
    check_seeds(range(SEEDS))


globals().update(long_cases("test_random_settings_from", check_seeds, 10000, 4, SEEDS_OF_A_CASE))


if __name__ == "__main__":
    sys.exit(main(globals()))
