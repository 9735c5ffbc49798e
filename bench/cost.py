#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the cost that a run states with its true cost: the CPU time of one program with and without measuring.

The two runs follow each other, several times, and the median of the differences counts: the machine changes, but its
CPU clock far less. `--check` demands that the statement lies within 15 %, or that the truth lies between the least and
the most that the run states.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOOKS = "-finstrument-functions"

# Name of the row, the program of bench/programs and its arguments.
MICRO = [
    ("tiny leaf", "leaf", ["20000000"]),
    ("fib", "fib", ["32"]),
    ("chains", "deep", ["20"]),
    ("300 callees at random", "wide", ["10000000"]),
    ("762 call paths", "paths", ["600000", "19"]),
    ("181 000 call paths", "paths", ["240000"]),
    ("leaf in 2 threads", "threads", ["10000000", "2"]),
    ("8 steps of work", "work", ["10000000", "8"]),
    ("16 steps of work", "work", ["10000000", "16"]),
    ("50 steps of work", "work", ["5000000", "50"]),
    ("100 steps of work", "work", ["3000000", "100"]),
]
# Name of the row, compilers, sources, flags, libraries, arguments.
REAL = [
    ("C++ accessors", ["g++"], ["test/inlining/programs/accessors.cc"], ["-O2", "-falign-loops=64"], [], ["60"]),
    ("mesh in C++", ["g++"], ["bench/programs/real/multigrid.cc"], ["-O2"], [], ["5"]),
    ("stencil in Fortran", ["gfortran"], ["bench/programs/real/waves.f90"], ["-O2"], [], ["4000"]),
]
RELATIVE = 0.15
NOTHING = 0.004  # s: so little that start and end are all that is measured


def fields_of(text):
    return dict(word.partition("=")[::2] for word in text.split() if "=" in word)


class Runner:
    def __init__(self, options):
        self.bin = pathlib.Path(options.bin).resolve()
        self.hot = options.hot
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="epik_cost."))
        libraries = self.scratch / "lib"
        libraries.mkdir()
        stage = pathlib.Path(options.stage).resolve() / "lib" if options.stage else None
        for source, name in (("adapters", "libepk.so"), ("archive", "libepk_archive.so")):
            shutil.copy((stage or self.bin / source) / name, libraries)
        self.epik = libraries / "libepk.so"

    def run(self, program, arguments, measured):
        """CPU seconds of the process, its output, and its manifest."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("EPK_", "ESD_", "ELG_"))}
        environment.update(EPK_GDIR=str(folder), EPK_HOT=self.hot, OMP_NUM_THREADS="1")
        reading, writing = os.pipe()
        command = [self.bin / "bench/launch", str(writing), self.epik if measured else "-", program, *arguments]
        done = subprocess.run(command, env=environment, cwd=folder, pass_fds=[writing], capture_output=True, text=True,
                              check=True)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            counted = fields_of(pipe.read())
        manifests = list(folder.glob("epik_*/manifest.json"))
        manifest = json.loads(manifests[0].read_text()) if manifests else None
        shutil.rmtree(folder)
        return float(counted["cpu_ns"]) * 1e-9, fields_of(done.stdout), manifest

    def micro(self, name, arguments, measured):
        """CPU time of the program's loop alone, which it times itself."""
        program = self.bin / "bench/programs" / (name if measured else name + "_plain")
        _, printed, manifest = self.run(program, arguments, measured)
        return float(printed["ns"]) * float(printed["count"]) * 1e-9, manifest

    def built(self, number, compilers, sources, flags, libraries):
        """The program without hooks, and with hooks everywhere; None: the compiler is missing."""
        compiler = next(filter(None, map(shutil.which, compilers)), None)
        if compiler is None:
            return None
        programs = []
        for hooks in ([], [HOOKS]):
            output = self.scratch / f"real{number}{'_hooks' * bool(hooks)}"
            subprocess.run([compiler, *flags, *hooks, *(ROOT / source for source in sources), "-o", output, *libraries],
                           check=True, cwd=self.scratch)  # gfortran writes modules into its current folder
            programs.append(output)
        return programs

    def real(self, programs, arguments, measured):
        """CPU time of the whole process, less that of an empty one."""
        spent, _, manifest = self.run(programs[measured], arguments, measured)
        empty = self.bin / "bench/programs" / ("empty" if measured else "empty_plain")
        return spent - self.run(empty, [], measured)[0], manifest


def compared(rounds, once):
    """One row, in seconds, the middle of the rounds: bare, true cost, stated cost, stated least, stated most."""
    rows = []
    for _ in range(rounds):
        bare, _ = once(False)
        spent, manifest = once(True)
        stated = manifest["cost_seconds"]
        rows.append((bare, spent - bare, stated, manifest["cost_least_seconds"], stated + manifest["cost_error_seconds"]))
    return tuple(statistics.median(column) for column in zip(*rows))


def options_of(description, rounds):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "bazel-bin"), metavar="DIR", help="what Bazel built")
    parser.add_argument("--stage", metavar="PREFIX", help="installation to measure; default: straight from --bin")
    parser.add_argument("-n", "--rounds", type=int, default=rounds, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows with this in their name")
    return parser


def read_arguments():
    parser = options_of(__doc__, rounds=5)
    parser.add_argument("--hot", default="full", metavar="WORD", help="EPK_HOT: full or probe")
    parser.add_argument("--check", action="store_true", help="status 1 when a statement is off")
    return parser.parse_args()


def main():
    options = read_arguments()
    runner = Runner(options)
    off = 0
    print(f"{'CPU time':24}{'bare':>10}{'true cost':>12}{'stated':>10}{'least':>10}{'most':>10}{'stated ÷ true':>15}")
    try:
        rows = [(what, lambda measured, name=name, arguments=arguments: runner.micro(name, arguments, measured))
                for what, name, arguments in MICRO if options.only in what]
        for number, (what, compilers, sources, flags, libraries, arguments) in enumerate(REAL):
            if options.only not in what:
                continue
            programs = runner.built(number, compilers, sources, flags, libraries)
            if programs is None:
                print(f"{what:24} no compiler")
                continue
            rows.append((what, lambda measured, programs=programs, arguments=arguments:
                         runner.real(programs, arguments, measured)))
        for what, once in rows:
            bare, true, stated, least, most = compared(options.rounds, once)
            good = abs(stated - true) <= max(RELATIVE * true, NOTHING)
            off += not good and not least <= true <= most
            ratio = f"{stated / true:.2f}" if true > NOTHING else "-"
            print(f"{what:24}{bare:8.3f} s{true:10.3f} s{stated:8.3f} s{least:8.3f} s{most:8.3f} s{ratio:>15}"
                  f"{'' if good else '  within' if least <= true <= most else '  off'}", flush=True)
    finally:
        shutil.rmtree(runner.scratch, ignore_errors=True)
    return 1 if options.check and off else 0


if __name__ == "__main__":
    sys.exit(main())
