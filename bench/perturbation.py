#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows how much of the time that measuring adds to a run `epk compensate` removes: the uninstrumented run, the
measured one, and the lower and the upper bound, as in figure 1 of the paper of 2005 and in the tables of the one of
1991. As a table, and with
--svg as a picture.

Each round runs the program bare and measured, one after the other; the median of the rounds counts.
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
PROGRAM = ROOT / "bench/perturbation.c"
THREADED = ROOT / "bench/perturbation_omp.c"
# The work of the small function in each row. With 8 steps an AMD processor does all of it while it reads the clock, so
# its time cannot be measured. With 50 steps a visit takes 50 ns.
STEPS = ["8", "50"]
# Each row has a name, the arguments for the smaller number of steps, and ranks. With the larger number of steps, the
# program makes a fifth of the calls.
ROWS = [("pi, master and workers", ["pi", "40", 400000], 2), ("pi, master and workers", ["pi", "20", 200000], 4),
        ("pipeline", ["pipeline", "200", 100000], 2), ("pipeline", ["pipeline", "60", 100000], 4),
        ("solver, n to n", ["solver", "400", 50000], 2), ("solver, n to n", ["solver", "100", 50000], 4)]
THREADED_ROWS = [("barriers", ["barriers", "800", 40000]), ("locks", ["locks", "800", 30000]),
                 ("ordered", ["ordered", "800", 30000]), ("dynamic loop", ["dynamic", "1600", 30000]),
                 ("tasks", ["tasks", "1600", 30000])]
LIVERMORE = [("Livermore loop 3", ["loop3", "100", "1000"]), ("Livermore loop 4", ["loop4", "300", "200"]),
             ("Livermore loop 17", ["loop17", "700", "1000"])]
SERIES = ["bare", "measured", "lower", "upper"]
COLOURS = ["#4c78a8", "#e45756", "#72b7b2", "#54a24b"]


class Runner:
    def __init__(self, prefix, mpi):
        self.epk = pathlib.Path(prefix).resolve() / "bin/epk"
        self.mpirun = [f"mpirun.{mpi}", *(["--oversubscribe"] if mpi == "openmpi" else [])]
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="epik_perturbation."))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("EPK_", "ESD_", "ELG_"))}
        self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.programs = {}
        for hooks in (False, True):
            self.programs[hooks] = self.scratch / f"perturbation{hooks:d}"
            flags = ["-finstrument-functions"] if hooks else []
            if mpi:
                self.call([f"mpicc.{mpi}", "-O2", *flags, PROGRAM, "-o", self.programs[hooks]])
            self.programs["omp", hooks] = self.scratch / f"perturbation_omp{hooks:d}"
            self.call(["gcc", "-O2", "-fopenmp", *flags, THREADED, "-o", self.programs["omp", hooks]])

    def call(self, words, **environment):
        done = subprocess.run([str(word) for word in words], env={**self.environment, **environment}, cwd=self.scratch,
                              capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
        return done.stdout

    def once(self, arguments, ranks, threads, trace, hot):
        """Seconds: bare, measured, and between the bounds. Without ranks it is the threaded program."""
        job = [*self.mpirun, "-n", ranks] if ranks else []
        bare_program, program = (self.programs[hooks if ranks else ("omp", hooks)] for hooks in (False, True))
        # A thread that waits takes no processor from one that computes.
        team = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"} if threads else {}
        bare = float(self.call([*job, bare_program, *arguments], **team))
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        measured = float(self.call([self.epk, "run", *job, program, *arguments], EPK_TRACE=trace, EPK_HOT=hot,
                                   EPK_GDIR=str(folder), **team))
        archive = next(folder.glob("epik_*"))
        found = json.loads(self.call([self.epk, "compensate", archive, "--format", "json"]))
        # Starting MPI and the measurement is in the archive's run time and not in the program's own.
        manifest = json.loads((archive / "manifest.json").read_text())
        own = manifest["own_seconds"] / len(found["locations"])
        gone = [found["measured_s"] - found[bound] - own for bound in ("lower_s", "upper_s")]
        shutil.rmtree(folder)
        return bare, measured, measured - gone[0], measured - gone[1]


def draw(path, rows):
    """Bars, one group for each program."""
    width, height, left, group = 120 * len(rows) + 80, 320, 60, 120
    most = max(max(values) for _, values in rows) or 1
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 70}" font-family="sans-serif" '
           'font-size="11">']
    for step in range(5):
        y = height - 20 - step * (height - 60) / 4
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{width - 10}" y2="{y:.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{most * step / 4:.2f} s</text>')
    for number, (name, values) in enumerate(rows):
        x = left + 10 + number * group
        for bar, value in enumerate(values):
            tall = value / most * (height - 60)
            out.append(f'<rect x="{x + bar * 24}" y="{height - 20 - tall:.1f}" width="20" height="{tall:.1f}" '
                       f'fill="{COLOURS[bar]}"><title>{SERIES[bar]}: {value:.3f} s</title></rect>')
        out.append(f'<text x="{x + 48}" y="{height}" text-anchor="middle">{name}</text>')
    for bar, name in enumerate(SERIES):
        x = left + 10 + bar * 100
        out.append(f'<rect x="{x}" y="{height + 30}" width="12" height="12" fill="{COLOURS[bar]}"/>'
                   f'<text x="{x + 18}" y="{height + 40}">{name}</text>')
    path.write_text("\n".join([*out, "</svg>"]) + "\n")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stage", required=True, metavar="PREFIX", help="installation to measure")
    found = [name for name in ("openmpi", "mpich") if shutil.which(f"mpirun.{name}")]
    parser.add_argument("--mpi", default=found[0] if found else "", help="openmpi or mpich")
    parser.add_argument("--trace", default="comm", metavar="SELECTION", help="EPK_TRACE")
    parser.add_argument("--hot", default="probe", metavar="WORD", help="EPK_HOT: full or probe")
    parser.add_argument("-n", "--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows with this in their name")
    parser.add_argument("--ranks", type=int, default=8, metavar="N", help="rows with at most so many ranks")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="of programs without MPI")
    parser.add_argument("--svg", type=pathlib.Path, metavar="FILE")
    return parser.parse_args()


def main():
    options = read_arguments()
    runner = Runner(options.stage, options.mpi)
    drawn = []
    print(f"{'run time':36}{'bare':>10}{'measured':>11}{'lower':>10}{'upper':>10}{'dilation':>10}{'bracket ÷ bare':>18}")
    try:
        rows = [(what, arguments, ranks, 0) for what, arguments, ranks in ROWS if options.mpi and ranks <= options.ranks]
        rows += [(what, arguments, 0, options.threads) for what, arguments in THREADED_ROWS]
        rows = [(f"{what}, {steps} ns", [*some, calls if steps == STEPS[0] else calls // 5, steps], ranks, threads)
                for what, (*some, calls), ranks, threads in rows for steps in STEPS]
        rows += [(what, arguments, 0, options.threads) for what, arguments in LIVERMORE]
        for what, arguments, ranks, threads in rows:
            if options.only not in what:
                continue
            rounds = [runner.once(arguments, ranks, threads, options.trace, options.hot) for _ in range(options.rounds)]
            bare, measured, lower, upper = (statistics.median(column) for column in zip(*rounds))
            many = ranks or threads
            drawn.append((f"{arguments[0]}, {many}", (bare, measured, lower, upper)))
            print(f"{what + ', ' + str(many):36}{bare:8.3f} s{measured:9.3f} s{lower:8.3f} s{upper:8.3f} s"
                  f"{measured / bare:9.2f}x{lower / bare:10.2f} – {upper / bare:.2f}", flush=True)
    finally:
        shutil.rmtree(runner.scratch, ignore_errors=True)
    if options.svg:
        draw(options.svg, drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
