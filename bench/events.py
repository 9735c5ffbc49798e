#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares EPIK's stated cost of events of MPI and OpenMP with their true cost, kind by kind.

The MPI does nothing, and OpenMP's constructs are empty, so the difference between a run with EPIK and one without is
the cost of measuring. The two runs follow each other, several times, and the fastest ones count, in CPU time. The unit
is the pair: the enter and exit of a function that does nothing, as the run calibrated it. `--check` demands that each
statement is right within a factor, of that difference or of the usual one of two runs that follow each other.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from cost import ROOT, fields_of, options_of

# Name of the row, program, its argument, rounds.
KINDS = [
    ("MPI: send", "mpi", "send", 1000000),
    ("MPI: receive", "mpi", "recv", 1000000),
    ("MPI: Sendrecv", "mpi", "sendrecv", 1000000),
    ("MPI: Isend, Wait", "mpi", "isend", 500000),
    ("MPI: Irecv, Wait", "mpi", "irecv", 500000),
    ("MPI: Irecv, Isend, Waitall", "mpi", "exchange", 500000),
    ("MPI: Test", "mpi", "test", 1000000),
    ("MPI: Iprobe", "mpi", "iprobe", 1000000),
    ("MPI: Allreduce", "mpi", "allreduce", 1000000),
    ("MPI: Bcast", "mpi", "bcast", 1000000),
    ("MPI: Reduce", "mpi", "reduce", 1000000),
    ("MPI: Alltoall", "mpi", "alltoall", 1000000),
    ("MPI: Barrier", "mpi", "barrier", 1000000),
    ("MPI: Put", "mpi", "put", 1000000),
    ("MPI: Win_flush", "mpi", "flush", 1000000),
    ("MPI: Type_size", "mpi", "type_size", 1000000),
    *((f"OpenMP: {name}, {compiler}", compiler, kind, rounds) for compiler in ("gcc", "clang") for name, kind, rounds in (
        ("parallel, 1 thread", "parallel", 300000),
        ("dynamic loop", "loop", 1000000),
        ("static loop", "static", 1000000),
        ("sections", "sections", 1000000),
        ("single", "single", 1000000),
        ("barrier", "barrier", 500000),
        ("critical", "critical", 1000000),
        ("lock", "lock", 1000000),
        ("taskwait", "taskwait", 1000000),
        ("taskgroup", "taskgroup", 1000000),
        ("task, made and run", "task", 3000),
    ) if (compiler, kind) != ("gcc", "static")),  # libgomp is not called for it
]
# A machine that others use has slow minutes. A row that is off then is measured on, this many times as long again: the
# fastest runs count, so they come closer to the truth.
MOST_TRIES = 4
COMPILERS = {"mpi": "mpicc.openmpi", "gcc": "gcc", "clang": "clang"}


class Runner:
    def __init__(self, options):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="epik_events."))
        built = pathlib.Path(options.bin).resolve()
        stage = pathlib.Path(options.stage).resolve() / "lib" if options.stage else None
        libraries = self.scratch / "lib"
        libraries.mkdir()
        for source, name in (("adapters", "libepk.so"), ("adapters/mpi", "libepk_mpi_openmpi.so"),
                             ("archive", "libepk_archive.so")):
            if ((stage or built / source) / name).exists():
                shutil.copy((stage or built / source) / name, libraries)
        self.epik, self.mpi = libraries / "libepk.so", libraries / "libepk_mpi_openmpi.so"
        self.programs = {compiler: self.build(compiler, f"omp_{compiler}", "bench/programs/omp_calls.c", "-fopenmp")
                         for compiler in ("gcc", "clang")}
        self.nothing = None
        if self.mpi.exists():
            self.programs["mpi"] = self.build(COMPILERS["mpi"], "mpi_calls", "bench/programs/mpi_calls.c")
            self.nothing = self.build(COMPILERS["mpi"], "mpi_nothing.so", "bench/floors/mpi.c", "-fPIC", "-shared",
                                      "-ftls-model=initial-exec")

    def build(self, compiler, name, source, *flags):
        """None: the compiler is missing."""
        if shutil.which(compiler) is None:
            return None
        output = self.scratch / name
        subprocess.run([compiler, "-O2", "-I", ROOT, *flags, ROOT / source, "-o", output], check=True)
        return output

    def run(self, program, kind, rounds, measured):
        """CPU seconds of the program's loop, its number of calls, and the manifest."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("EPK_", "ESD_", "ELG_"))}
        preload = [self.epik] if measured else []
        if program == "mpi":
            preload += [self.mpi, self.nothing] if measured else [self.nothing]
        environment.update(EPK_GDIR=str(folder), OMP_NUM_THREADS="2", KMP_USE_YIELD="0",
                           LD_PRELOAD=":".join(map(str, preload)),
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        done = subprocess.run([self.programs[program], str(rounds), kind], env=environment, cwd=folder,
                              capture_output=True, text=True, check=True)
        printed = fields_of(done.stdout)
        manifests = list(folder.glob("epik_*/manifest.json"))
        manifest = json.loads(manifests[0].read_text()) if manifests else None
        shutil.rmtree(folder)
        return float(printed["cpu_ns"]), float(printed["count"]), manifest

    def row(self, program, kind, rounds):
        return Row(lambda measured: self.run(program, kind, rounds, measured))


class Row:
    """One kind of event: the fastest of interleaved runs, with EPIK and without."""

    def __init__(self, run):
        self.run = run
        self.bare, self.spent, self.pair, self.stated, self.count = [], [], [], [], 1

    def measure(self, repeats):
        for _ in range(repeats):
            ns, self.count, _ = self.run(False)
            self.bare.append(ns)
            ns, _, manifest = self.run(True)
            self.spent.append(ns)
            self.pair.append(manifest["pair_alone_ns"])
            self.stated.append(manifest["cost_by_prices_seconds"] * 1e9)

    def added(self):
        """Nanoseconds that measuring adds to a call."""
        return (min(self.spent) - min(self.bare)) / self.count

    def usually_added(self):
        """The same by runs that follow one another: the fastest ones of both kinds may have had processors of two speeds."""
        return statistics.median(spent - bare for spent, bare in zip(self.spent, self.bare)) / self.count

    def pairs(self):
        return self.added() / min(self.pair)

    def stated_pairs(self):
        return min(self.stated) / self.count / min(self.pair)

    def ratio(self, added=None):
        added = self.added() if added is None else added
        return min(self.stated) / self.count / added if added > 0 else float("inf")

    def is_right(self, factor):
        return factor is None or any(1 / factor <= self.ratio(added) <= factor
                                     for added in (self.added(), self.usually_added()))


def read_arguments():
    parser = options_of(__doc__, rounds=7)
    parser.add_argument("--check", type=float, metavar="FACTOR", help="status 1 when a statement is off by more")
    return parser.parse_args()


def main():
    options = read_arguments()
    runner = Runner(options)
    off = again = 0
    print(f"{'':34}{'added':>10}{'pairs':>8}{'stated':>8}{'stated ÷ true':>15}")
    try:
        for name, program, kind, rounds in KINDS:
            if options.only not in name:
                continue
            if runner.programs.get(program) is None:
                print(f"{name:34} no {COMPILERS[program]}")
                continue
            row = runner.row(program, kind, rounds)
            row.measure(options.rounds)
            for _ in range(MOST_TRIES):
                if row.is_right(options.check):
                    break
                again += 1
                row.measure(options.rounds)
            word = "" if row.is_right(options.check) else "  off"
            off += bool(word)
            print(f"{name:34}{row.added():7.1f} ns{row.pairs():8.2f}{row.stated_pairs():8.2f}{row.ratio():15.2f}{word}",
                  flush=True)
    finally:
        shutil.rmtree(runner.scratch, ignore_errors=True)
    if again:
        print(f"rows that were off at first were measured again: {again} times")
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
