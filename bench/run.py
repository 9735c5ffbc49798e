#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the targets of the design: the cost of measuring, as ratios to the floor of this machine.

Every program runs in every variant, one after the other, N times over; a ratio is taken within each round, so that
both sides saw the same machine, and its median over the rounds counts. Micro programs print the CPU time of their timed
loop; all other figures are the kernel's for the whole process. A run during which others used the machine is repeated.
Results are kept in .cache/bench; `./dev bench compare` compares two of them.
"""

import argparse
import contextlib
import csv
import datetime
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import peers
from machine import Machine, facts, said_of, said_of_sharing

ROOT = pathlib.Path(__file__).resolve().parent.parent

# ---- the tables -----------------------------------------------------------------------------------------------------

# name: arguments in full, arguments with --quick, runs in a round
PROGRAMS = {
    "leaf": (["20000000"], ["5000000"], 1),
    "fib": (["34"], ["30"], 1),
    "deep": (["20"], ["5"], 1),
    "wide": (["10000000"], ["3000000"], 1),
    "paths": (["240000"], ["240000"], 1),
    "threads": (["10000000", "2"], ["3000000", "2"], 1),
    "spawn": (["10000"], ["2000"], 1),
    "empty": ([], [], 10),
    # 4 000 call paths: 2 tops, 44 below each, 44 below each of these
    "paths_4000": (["50000", "44"], ["20000", "44"], 1),
    # On two ranks: 8 bytes to and fro, 8 bytes reduced
    "pingpong": (["200000"], ["50000"], 1),
    "allreduce": (["200000", "reduce"], ["50000", "reduce"], 1),
    # The two micro benchmarks of the event spaces: allreduces over two communicators in turn; half of the time computing
    "gsum": (["200000", "gsum"], ["50000", "gsum"], 1),
    "compute": (["200000", "compute"], ["50000", "compute"], 1),
    # Message rate: windows of messages between two ranks, messages of a rank to itself, one-sided puts
    "window": (["400000", "window"], ["100000", "window"], 1),
    "self": (["400000", "self"], ["100000", "self"], 1),
    "put": (["2000000", "put"], ["400000", "put"], 1),
    # MPI that does nothing, in one process
    "mpi_send": (["5000000", "send"], ["1000000", "send"], 1),
    "mpi_recv": (["5000000", "recv"], ["1000000", "recv"], 1),
    "mpi_allreduce": (["5000000", "allreduce"], ["1000000", "allreduce"], 1),
    "mpi_exchange": (["2000000", "exchange"], ["500000", "exchange"], 1),
    # Init and Finalize alone
    "ranks_2": (["0", "none"], ["0", "none"], 1),
    "ranks_8": (["0", "none"], ["0", "none"], 1),
    "ranks_32": (["0", "none"], ["0", "none"], 1),
    "unify_scale": (["16384", "4000", "one"], ["16384", "4000", "one"], 1),
    # Traces that are made, read and analysed
    "analyze_calls": (["calls", "20"], ["calls", "4"], 1),
    "analyze_messages": (["messages", "8"], ["messages", "2"], 1),
    "analyze_many": (["calls", "20", "4096"], ["calls", "5", "4096"], 1),
    "analyze_dense": (["calls", "20", "4096", "16"], ["calls", "5", "4096", "16"], 1),
    "analyze_long": (["calls", "200"], ["calls", "40"], 1),
    "library_speed": (["@trace_scale", "8", "20"], ["@trace_scale", "8", "4"], 1),
    "accessors": (["40000"], ["10000"], 1),
    "multigrid": (["200"], ["60"], 1),
    "waves": (["2500"], ["800"], 1),
}
# The cost of OpenMP's constructs, with each compiler's runtime.
OMP_COMPILERS = ("gcc", "clang")
for each in OMP_COMPILERS:
    PROGRAMS |= {
        f"omp_region_{each}": (["region", "50000"], ["region", "10000"], 1),
        f"omp_chunk_{each}": (["chunk", "1000000"], ["chunk", "200000"], 1),
        f"omp_task_{each}": (["task", "120000"], ["task", "30000"], 1),
    }
BINARY = {"paths_4000": "paths"}
MESSAGES = {"window": 2, "self": 1, "put": 2}
RANKS = {**MESSAGES, "pingpong": 2, "allreduce": 2, "gsum": 2, "compute": 2, "ranks_2": 2, "ranks_8": 8, "ranks_32": 32}
WITHOUT_MPI_BENEATH = {"mpi_send", "mpi_recv", "mpi_allreduce", "mpi_exchange"}
ONCE = {"unify_scale", "analyze_calls", "analyze_messages", "analyze_many", "analyze_dense", "analyze_long",
        "library_speed"}  # it measures itself; a round is long
# Programs built by `epk instrument`, as users build theirs: compilers, sources, flags, libraries. In the accessors, the
# address at which a loop happens to begin changes the time by up to 40 %.
BY_USERS = {
    "heat": (["mpicc.openmpi", "mpicc"], "examples/heat/*.c", ["-O2", "-fopenmp"], ["-lm"]),
    "accessors": (["g++"], "test/inlining/programs/accessors.cc",
                  ["-O2", "-falign-loops=64", "-falign-functions=64"], []),
    "multigrid": (["g++"], "bench/programs/real/multigrid.cc", ["-O2"], []),
    "waves": (["gfortran"], "bench/programs/real/waves.f90", ["-O2"], []),
}

# name: (preloaded library, environment, instrumented binary, is in the runtime)
# The last column is turned on with the feature; until then its rows read "not there yet".
VARIANTS = {
    "plain": (None, {}, False, True),
    "empty": ("libhooks_empty.so", {}, True, True),
    "floor": ("libhooks_floor.so", {}, True, True),
    "summary": ("libepk.so", {}, True, True),
    "in_memory": ("libepk.so", {"EPK_INTERNAL_NO_FILE": "1"}, True, True),
    "off": ("libepk.so", {"EPK_ENABLED": "no"}, True, True),
    "mpi_floor": ("mpi_floor.so", {}, False, True),
    "mpi_clock": ("mpi_clock.so", {}, False, True),
    "openmp": ("libepk.so", {}, False, True),  # the adapter alone
    "omp_floor": ("omp_floor.so", {}, True, True),
    "sample": ("libepk.so", {"EPK_HOT": "sample"}, True, True),
    "drop": ("libepk.so", {"EPK_HOT": "drop"}, True, True),
    "budget": ("libepk.so", {"EPK_BUDGET": "5%"}, True, True),
    "filtered": ("libepk.so", {"EPK_FILTER": "@filter", "EPK_PATCH": "no"}, True, True),
    "patched": ("libepk.so", {"EPK_FILTER": "@filter", "EPK_PATCH": "yes"}, True, True),
    # Two readings a call, of one counter of the source.
    "rusage": ("libepk.so", {"EPK_METRICS": "rusage::ru_minflt"}, True, True),
    "perf": ("libepk.so", {"EPK_METRICS": "perf::PAGE-FAULTS"}, True, True),
    "perf_clock": ("libepk.so", {"EPK_METRICS": "perf::TASK-CLOCK:perf::PAGE-FAULTS:perf::CONTEXT-SWITCHES"}, True, True),
    "heap": ("libepk_heap.so", {"EPK_METRICS": "heap::allocations:heap::bytes_allocated"}, True, True),
    "io": ("libepk_io.so", {"EPK_METRICS": "io::bytes_read:io::bytes_written"}, True, True),
    "papi": ("libepk.so", {"EPK_METRICS": "PAPI_TOT_INS"}, True, True),
    "energy": ("libepk.so", {"EPK_METRICS": "energy::package"}, True, True),
    "plugin": ("libepk.so", {"EPK_METRICS": "dice::throws,dice::highest", "EPK_METRIC_PLUGINS": "@dice"}, True, True),
    "collectors": ("libepk.so", {"EPK_MONITOR_BUFFER": "1M"}, True, True),
    "waits": ("libepk.so", {"EPK_WAITS": "yes"}, True, True),
    "statistics": ("libepk.so", {"EPK_MONITOR_STATISTICS": "yes"}, True, True),
    "statistics_up": ("libepk.so", {"EPK_COLL_TREE": "binomial", "EPK_MONITOR_STATISTICS": "yes",
                                    "EPK_MONITOR_SCHEDULE": "up"}, True, True),
    "tree": ("libepk.so", {"EPK_COLL_TREE": "binomial"}, True, True),
    **{f"waits_{when}": ("libepk.so", {"EPK_COLL_TREE": "binomial", "EPK_WAITS": "yes", "EPK_MONITOR_SCHEDULE": when},
                         True, True) for when in ("none", "up", "down")},
    "tree_links": ("libepk.so", {"EPK_COLL_TREE": "binomial", "EPK_MONITOR_BUFFER": "1M"}, True, True),
    "trace": ("libepk.so", {"EPK_TRACE": "all", "ELG_BUFFER_SIZE": "1G"}, True, True),
    "trace_comm": ("libepk.so", {"EPK_TRACE": "comm"}, True, True),
    "comm_flush": ("libepk.so", {"EPK_TRACE": "comm", "ELG_BUFFER_SIZE": "1M"}, True, True),
    "trace_flush": ("libepk.so", {"EPK_TRACE": "all", "ELG_BUFFER_SIZE": "1M"}, True, True),
}
# A program runs in a variant only if a row needs it.

# The kinds of rows. x: the variant, b: the variant it is compared with, p: the program.
#   added   (ns of x - ns of plain) / (ns of b - ns of plain)     what measuring adds to a call
#   whole   ns of x / ns of b                                     what a call takes
#   above   x - b, in UNIT                                        absolute, of the whole process or a call
#   least   the same between the fastest runs                     for wall time: a busy machine can only add to it
#   fastest ns of x / ns of b, of the fastest runs
ROWS = [
    # (section, row, kind, x, b, p, field, unit, target)
    ("enter + exit, summary", "leaf", "added", "summary", "floor", "leaf", "ns", "x", 1.15),
    ("enter + exit, summary", "recursive tree", "added", "summary", "floor", "fib", "ns", "x", 1.15),
    ("enter + exit, summary", "chains up to 1000 deep", "added", "summary", "floor", "deep", "ns", "x", 1.15),
    ("enter + exit, summary", "leaf in 2 threads", "added", "summary", "floor", "threads", "ns", "x", 1.15),
    ("enter + exit, summary", "300 callees, whole call", "whole", "summary", "floor", "wide", "ns", "x", 1.4),
    ("enter + exit, summary", "181 000 call paths, whole call", "whole", "summary", "floor", "paths", "ns", "x", 4.0),
    ("arena in a file ÷ in memory", "leaf, whole call", "whole", "summary", "in_memory", "leaf", "ns", "x", 1.05),
    ("arena in a file ÷ in memory", "181 000 call paths, whole call", "whole", "summary", "in_memory", "paths", "ns", "x",
     None),
    ("hot paths sampled", "leaf", "added", "sample", "floor", "leaf", "ns", "x", 0.5),
    ("hot paths sampled", "recursive tree", "added", "sample", "floor", "fib", "ns", "x", 0.5),
    ("hot paths dropped", "leaf, whole call", "whole", "drop", "empty", "leaf", "ns", "x", None),
    ("budget of 5 %", "leaf, whole call", "whole", "budget", "floor", "leaf", "ns", "x", 0.5),
    ("budget of 5 %", "recursive tree, whole call", "whole", "budget", "floor", "fib", "ns", "x", None),
    ("off", "leaf, whole call", "whole", "off", "empty", "leaf", "ns", "x", 1.2),
    ("off", "recursive tree, whole call", "whole", "off", "empty", "fib", "ns", "x", 1.2),
    ("filtered", "leaf, whole call", "whole", "filtered", "empty", "leaf", "ns", "x", 1.2),
    ("filtered", "patched out, leaf", "above", "patched", "plain", "leaf", "ns", "ns", 1.0),
    ("counters, added to a call", "rusage, 1", "above", "rusage", "summary", "leaf", "ns", "ns", None),
    ("counters, added to a call", "perf, 1 of the kernel", "above", "perf", "summary", "leaf", "ns", "ns", None),
    ("counters, added to a call", "perf, 3 of the kernel", "above", "perf_clock", "summary", "leaf", "ns", "ns", None),
    ("counters, added to a call", "heap, 2", "above", "heap", "summary", "leaf", "ns", "ns", None),
    ("counters, added to a call", "io, 2", "above", "io", "summary", "leaf", "ns", "ns", None),
    ("counters, added to a call", "plug-in, 2", "above", "plugin", "summary", "leaf", "ns", "ns", None),
    ("counters, added to a call", "papi, 1", "above", "papi", "summary", "leaf", "ns", "ns", None),
    ("counters, added to a call", "energy, 1", "above", "energy", "summary", "leaf", "ns", "ns", None),
    ("trace all and summary", "leaf, in the buffer", "added", "trace", "floor", "leaf", "ns", "x", 1.2),
    ("trace all and summary", "recursive tree, in the buffer", "added", "trace", "floor", "fib", "ns", "x", 1.2),
    ("trace all and summary", "leaf, sustained", "added", "trace_flush", "floor", "leaf", "ns", "x", 2.5),
    ("trace all and summary", "recursive tree, on disk", "above", "trace_flush", "plain", "fib", "traced", "B/event",
     0.5),
    ("trace of communication ÷ summary", "none of it, leaf, whole call", "whole", "trace_comm", "summary", "leaf", "ns",
     "x", 1.03),
    ("trace of communication ÷ summary", "none of it, recursive tree", "whole", "trace_comm", "summary", "fib", "ns", "x",
     1.03),
    ("MPI", "a send", "added", "summary", "mpi_floor", "mpi_send", "ns", "x", 2.0),
    ("MPI", "a receive", "added", "summary", "mpi_floor", "mpi_recv", "ns", "x", 2.0),
    ("MPI", "an allreduce", "added", "summary", "mpi_floor", "mpi_allreduce", "ns", "x", 2.0),
    ("MPI", "Irecv, Isend, Waitall", "added", "summary", "mpi_floor", "mpi_exchange", "ns", "x", 2.0),
    ("MPI", "8-byte ping-pong", "whole", "summary", "plain", "pingpong", "ns", "x", 1.2),
    ("MPI", "8-byte allreduce", "whole", "summary", "plain", "allreduce", "ns", "x", 1.15),
    *(("message rate", f"{what}, {kind}", "fastest", variant, "plain", program, "ns", "x", target)
      for what, program, targets in (("windows of 64 messages", "window", (1.3, 2.0)),
                                     ("messages to itself", "self", (None, None)), ("puts", "put", (2.0, 3.0)))
      for kind, variant, target in zip(("summary", "comm", "comm, sustained", "the clock read twice a call"),
                                       ("summary", "trace_comm", "comm_flush", "mpi_clock"), (*targets, None, None))),
    ("monitors", "8-byte allreduce, collectors ÷ none", "whole", "collectors", "summary", "allreduce", "ns", "x", 1.01),
    ("monitors", "8-byte allreduce, waits in the summary ÷ none", "whole", "waits", "summary", "allreduce", "ns", "x",
     1.02),
    *(("monitors", f"{what}, {kind} ÷ none", "whole", variant, base, program, "ns", "x", target)
      for what, program in (("Gsum", "gsum"), ("Compute-gsum", "compute"))
      for kind, variant, base, target in (("collectors", "collectors", "summary", 1.01),
                                          ("waits in the summary", "waits", "summary", 1.02),
                                          ("waits at half full, own tree", "waits_none", "tree", 1.02),
                                          ("waits while the result comes, own tree", "waits_up", "tree", 1.01),
                                          ("waits after the result, own tree", "waits_down", "tree", 1.01),
                                          ("statistics", "statistics", "summary", 1.03),
                                          ("statistics while the result comes, own tree", "statistics_up", "tree", 1.01))),
    ("monitors", "8-byte ping-pong, waits in the summary ÷ none", "whole", "waits", "summary", "pingpong", "ns", "x",
     None),
    ("monitors", "8-byte allreduce, EPIK's tree ÷ MPI", "whole", "tree", "summary", "allreduce", "ns", "x", None),
    ("monitors", "8-byte allreduce, collectors of links ÷ none", "whole", "tree_links", "tree", "allreduce", "ns", "x",
     1.01),
    *(("OpenMP", f"{name}, {compiler}", kind, "openmp", base, f"omp_{program}_{compiler}", "ns", unit, target)
      for name, kind, base, program, unit, target in (
          ("empty loop of 2 threads", "fastest", "plain", "region", "x", 1.25),
          ("chunk of a dynamic loop", "added", "omp_floor", "chunk", "x", 1.2),
          ("task", "added", "omp_floor", "task", "x", None),
          ("task, above bare", "above", "plain", "task", "ns", None),
      ) for compiler in OMP_COMPILERS),
    ("start and end", "serial, wall", "least", "summary", "plain", "empty", "wall_ns", "ms", 5.0),
    ("start and end", "serial, CPU", "above", "summary", "plain", "empty", "cpu_ns", "ms", 5.0),
    ("start and end", "off, wall", "least", "off", "plain", "empty", "wall_ns", "ms", None),
    ("start and end", "end of 181 000 call paths, of one", "above", "summary", "plain", "paths", "end_per_path", "us", 2.0),
    ("start and end", "2 ranks, wall", "least", "summary", "plain", "ranks_2", "wall_ns", "s", None),
    ("start and end", "8 ranks, wall", "least", "summary", "plain", "ranks_8", "wall_ns", "s", None),
    ("start and end", "32 ranks, wall", "least", "summary", "plain", "ranks_32", "wall_ns", "s", 0.1),
    ("threads", "birth and end of one, CPU", "above", "summary", "plain", "spawn", "per_thread", "us", 20.0),
    ("unification", "16 384 like ranks", "least", "plain", None, "unify_scale", "root_ns", "s", 1.0),
    # 20 M events and 5 M messages a second
    ("trace analysis, one core", "8 ranks that call, of an event", "least", "plain", None, "analyze_calls", "ns", "ns",
     50.0),
    ("trace analysis, one core", "8 ranks that send, of a message", "least", "plain", None, "analyze_messages", "ns",
     "ns", 200.0),
    ("trace analysis, one core", "4 096 ranks that call, of an event", "least", "plain", None, "analyze_many", "ns", "ns",
     None),
    ("trace analysis, one core", "the same, a message every 40 events", "least", "plain", None, "analyze_dense", "ns",
     "ns", 50.0),
    ("trace analysis, one core", "8 ranks that call, of 20 M events", "least", "plain", None, "analyze_calls", "peak_kb",
     "MB", None),
    ("trace analysis, one core", "8 ranks that call, of 200 M events", "least", "plain", None, "analyze_long", "peak_kb",
     "MB", None),
    ("own analyses", "an event of the library ÷ decoded", "least", "plain", None, "library_speed", "ratio", "x", None),
    ("own analyses", "an event of the library", "least", "plain", None, "library_speed", "ns", "ns", None),
    ("memory", "empty program, peak", "above", "summary", "plain", "empty", "rss_kb", "MB", 3.0),
    # 2 MB for the thread's profile beside the 3 MB of the empty program
    ("memory", "4 000 call paths, peak", "above", "summary", "plain", "paths_4000", "rss_kb", "MB", 5.0),
    ("real programs", "stencil: examples/heat, CPU", "whole", "summary", "plain", "heat", "cpu_ns", "x", 1.05),
    ("real programs", "multigrid in C++, CPU", "whole", "summary", "plain", "multigrid", "cpu_ns", "x", 1.05),
    ("real programs", "C++ of tiny accessors, CPU", "whole", "summary", "plain", "accessors", "cpu_ns", "x", 1.05),
    ("real programs", "shallow water in Fortran, CPU", "whole", "summary", "plain", "waves", "cpu_ns", "x", 1.05),
]
# Programs of one thread, whose rows --busy measures.
SINGLE = {"leaf", "fib", "deep", "wide", "paths"}
REPEATS = 2  # of a run that others disturbed
SHARED = ("-fPIC", "-shared", "-ftls-model=initial-exec")  # flags of a library to preload
# For orientation, without a target: ns a call.
ABSOLUTE = ["leaf", "fib", "deep", "threads", "wide", "paths"]
SCALE = {"s": 1e-9, "ms": 1e-6, "us": 1e-3, "MB": 1 / 1024, "ns": 1, "x": 1, "B/event": 1}


# ---- finding things -------------------------------------------------------------------------------------------------


class Places:
    """Finds programs and libraries, and has a scratch folder that is removed at the end."""

    def __init__(self, options):
        self.bin = pathlib.Path(options.bin).resolve()
        self.stage = pathlib.Path(options.stage).resolve() if options.stage else None
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="epik_bench.", dir=options.scratch)).resolve()
        self.epik = self._epik()
        self.launch = self.bin / "bench/launch"
        self.probe = self.bin / "bench/probe"
        self.built = {}
        self.filter = self.scratch / "all.filter"
        self.filter.write_text("EXCLUDE REGION *\n")

    def _epik(self):
        """libepk.so beside the libraries that it loads; straight from the build when nothing is staged."""
        if self.stage and (self.stage / "lib/libepk.so").exists():
            return self.stage / "lib/libepk.so"
        built = [self.bin / "adapters/libepk.so", self.bin / "archive/libepk_archive.so",
                 self.bin / "adapters/libepk_heap.so", self.bin / "adapters/libepk_io.so",
                 self.bin / "adapters/mpi/libepk_mpi_openmpi.so"]
        if not built[0].exists():
            return None
        folder = self.scratch / "lib"
        folder.mkdir()
        for library in built:
            if library.exists():
                shutil.copy(library, folder)
        return folder / "libepk.so"

    def library(self, name):
        """The path of a library to preload, None when it does not exist."""
        if name == "libepk.so":
            return self.epik
        if name in ("libepk_heap.so", "libepk_io.so"):  # behind the core
            path = self.epik and self.epik.parent / name
            return f"{self.epik}:{path}" if path and path.exists() else None
        if name == "mpi_floor.so":
            return self.beneath(name)
        if name == "mpi_clock.so":
            return self._compiled(name, "bench/floors/mpi_clock.c", *SHARED)
        if name == "omp_floor.so":
            return self._built("gcc", name, "bench/floors/omp.c", *SHARED)
        path = self.bin / "bench/floors" / name
        return path if path.exists() else None

    def program(self, name, instrumented):
        if name in BY_USERS:
            return self._by_user(name, instrumented)
        if name in WITHOUT_MPI_BENEATH or name.startswith("ranks_"):
            return self._compiled("mpi_calls", "bench/programs/mpi_calls.c")
        if name in MESSAGES:
            return self._compiled("messages", "bench/programs/messages.c")
        if name in RANKS:
            return self._compiled("pingpong", "bench/programs/pingpong.c")
        if name.startswith("omp_"):
            compiler = name.rpartition("_")[2]
            return self._built(compiler, f"omp_{compiler}{'_floor' * instrumented}", "bench/programs/omp.c", "-fopenmp",
                               *["-DFLOOR"] * instrumented)
        if name in ("unify_scale", "library_speed"):
            return self.bin / "bench" / name
        if name.startswith("analyze_"):
            return self.bin / "bench/analyze_speed"
        path = self.bin / "bench/programs" / (BINARY.get(name, name) + ("" if instrumented else "_plain"))
        return path if path.exists() else None

    def _by_user(self, name, instrumented):
        """Built here, because Bazel knows neither mpicc nor the staged installation."""
        if (name, instrumented) in self.built:
            return self.built[name, instrumented]
        compilers, pattern, flags, libraries = BY_USERS[name]
        compiler = next(filter(None, map(shutil.which, compilers)), None)
        output = self.scratch / (name + ("" if instrumented else "_plain"))
        sources = sorted(ROOT.glob(pattern))
        epk = self.stage / "bin/epk" if self.stage else None
        wrapper = [str(epk), "instrument"] if instrumented and epk and epk.exists() else []
        if instrumented and not wrapper:
            flags = [*flags, "-finstrument-functions"]
        self.built[name, instrumented] = None
        if name == "accessors" and instrumented and not (wrapper and list(self.stage.glob("lib/libepk_gcc*.so"))):
            return None  # with hooks in all of it it takes a few hundred times as long
        if compiler and sources:
            command = [*wrapper, compiler, *flags, *map(str, sources), "-o", str(output), *libraries]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                                  cwd=self.scratch)  # gfortran writes modules into its current folder
            if done.returncode == 0:
                self.built[name, instrumented] = output
            else:
                print(f"{name} was not built: " + done.stderr.strip()[-300:], file=sys.stderr)
        return self.built[name, instrumented]

    def _compiled(self, name, source, *flags):
        """Built by the MPI's own compiler, without hooks in any variant: only MPI is measured."""
        if not self.epik or not (self.epik.parent / "libepk_mpi_openmpi.so").exists():
            return None
        return self._built("mpicc.openmpi", name, source, *flags)

    def _built(self, compiler, name, source, *flags):
        """Built without hooks. None: the compiler is missing."""
        if shutil.which(compiler) is None:
            return None
        output = self.scratch / name
        if not output.exists():
            command = [compiler, "-O2", "-I", str(ROOT), *flags, str(ROOT / source), "-o", str(output)]
            subprocess.run(command, check=True)
        return output

    compiled = _built  # for peers.py

    def dice(self):
        """The example of a plug-in."""
        return self._built("gcc", "libdice.so", "examples/metric_plugin/dice.c", "-fPIC", "-shared",
                           f"-I{ROOT / 'include'}")

    def beneath(self, name):
        """The library that is preloaded in place of MPI."""
        return self._compiled(name, "bench/floors/mpi.c", *SHARED, *(["-DFLOOR"] if name == "mpi_floor.so" else []))

    def preloads(self, program, preload):
        """The libraries to load first."""
        libraries = [preload] if preload else []
        if program in RANKS or program in WITHOUT_MPI_BENEATH:
            libraries += [preload.parent / "libepk_mpi_openmpi.so"] if preload == self.epik else []
        if program in WITHOUT_MPI_BENEATH and (not preload or preload == self.epik):
            libraries.append(self.beneath("mpi_nothing.so"))
        return ":".join(map(str, libraries))

    def command(self, program, preload, binary):
        """The words that start the program, after the descriptor that `launch` writes to."""
        libraries = self.preloads(program, preload)
        if program not in RANKS:
            return [libraries or "-", str(binary)]
        mpirun = [shutil.which("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS[program])]
        return ["-", *mpirun, *(["-x", f"LD_PRELOAD={libraries}"] if libraries else []), str(binary)]


# ---- running --------------------------------------------------------------------------------------------------------


def fields_of(text):
    """key=value words of a line as a dictionary; numbers as numbers."""
    fields = {}
    for word in text.split():
        key, _, value = word.partition("=")
        try:
            fields[key] = float(value)
        except ValueError:
            fields[key] = value
    return fields


def folder_bytes(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def run_once(places, program, variant, options, notes):
    """The figures of one run, from the program and the kernel. None: the program is missing; empty: the run failed."""
    library, settings, instrumented, _ = VARIANTS[variant]
    binary = peers.binary(places, variant, program) if variant in peers.TOOLS else places.program(program, instrumented)
    preload = places.library(library) if library else None
    if binary is None or (library and preload is None):
        return None
    archives = pathlib.Path(tempfile.mkdtemp(dir=places.scratch))
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("EPK_", "ESD_", "ELG_"))}
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    # libomp's threads must not give the processor away between two tasks.
    environment.update(OMP_NUM_THREADS="2" if program.startswith("omp_") else "1", KMP_USE_YIELD="0",
                       EPK_GDIR=str(archives))
    files = {"@filter": lambda: places.filter, "@dice": places.dice}
    environment.update((key, str(files[value]()) if value in files else value) for key, value in settings.items())
    arguments = PROGRAMS[program][1 if options.quick else 0] if program in PROGRAMS else []
    arguments = [str(places.bin / "bench/trace_scale") if word == "@trace_scale" else word for word in arguments]
    reading, writing = os.pipe()
    libraries, *words = places.command(program, preload, binary)
    command = [str(places.launch), str(writing), libraries, *peers.words(variant, archives), *words, *arguments]
    pin = (lambda: os.sched_setaffinity(0, {0})) if options.busy else None
    done = subprocess.run(command, env=environment, cwd=archives, pass_fds=[writing], capture_output=True, text=True,
                          check=False, preexec_fn=pin)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        counted = fields_of(pipe.read())
    if done.returncode != 0 or counted.get("status") != 0:
        notes.add(f"{program} failed in variant {variant}: {done.stderr.strip()[-200:]}")
        return {}
    missing = [line for line in done.stderr.splitlines() if "cannot be counted" in line]
    if missing:
        notes.add(f"variant {variant}: " + missing[0].replace("[EPIK] ", ""))
        return None
    printed = fields_of(done.stdout) if program not in BY_USERS else {}
    complete = [path for path in archives.glob("epik_*") if not path.name.endswith(".unfinished")]
    if library == "libepk.so" and settings.get("EPK_ENABLED") != "no" and not complete:
        notes.add(f"{program} measured nothing in variant {variant}: it left no complete archive")
        return {}
    result = {key: counted[key] for key in ("wall_ns", "cpu_ns", "rss_kb")}
    result.update((key, printed.get(key)) for key in ("ns", "root_ns", "peak_kb", "ratio"))
    if program == "spawn":
        result["per_thread"] = printed["ns"]
    if program == "paths":  # 2 tops, 300 below each, and 300 below each of these
        result["end_per_path"] = (counted["cpu_ns"] - printed["cpu_ns"]) / (2 + 2 * 300 + 2 * 300 * 300)
    traces = [path / "traces" for path in complete if (path / "traces").is_dir()]
    if printed.get("count"):
        result["traced"] = sum(map(folder_bytes, traces)) / (2 * printed["count"])
    shutil.rmtree(archives)
    return result


def wanted(every):
    """(program, variant) pairs that some row needs, in a fixed order."""
    pairs = set()
    for _, _, kind, variant, base, program, _, _, _ in ROWS:
        if kind is None:
            continue
        for each in {variant, base, "plain"} if kind == "added" else {variant, base} - {None}:
            pairs.add((program, each))
    for program in ABSOLUTE:
        pairs.update((program, each) for each in ("plain", "empty", "floor", "summary"))
    order = list(VARIANTS)
    ready = {name for name, row in VARIANTS.items() if row[3] or every}
    programs = [*PROGRAMS, "heat"]  # which takes no arguments
    return sorted((pair for pair in pairs if pair[1] in ready), key=lambda p: (programs.index(p[0]), order.index(p[1])))


def run_undisturbed(places, machine, program, variant, options, notes):
    """The same; again while others use the machine. The least disturbed of these runs counts."""
    best = None
    for _ in range(1 + REPEATS):
        with machine.watch() as watch:
            result = run_once(places, program, variant, options, notes)
        if not result:
            return result
        result["others"] = watch.others
        if best is None or watch.others < best["others"]:
            best = result
        if not watch.disturbed:
            break
        best["repeated"] = True
    best["disturbed"] = watch.disturbed
    return best


def measure(places, machine, options, notes):
    """samples[program, variant] = one dictionary a run, in the order of rounds."""
    samples = {}
    pairs = wanted(options.all)
    for round_number in range(options.repetitions):
        for program, variant in pairs:
            if program in ONCE and round_number > 0:
                continue
            if sys.stderr.isatty():
                print(f"\r\x1b[Kround {round_number + 1} of {options.repetitions}: {program} {variant}", end="",
                      file=sys.stderr, flush=True)
            for _ in range(PROGRAMS[program][2] if program in PROGRAMS else 1):
                result = run_undisturbed(places, machine, program, variant, options, notes)
                if result is not None:
                    samples.setdefault((program, variant), []).append(result)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    return samples


# ---- evaluating -----------------------------------------------------------------------------------------------------


def series(samples, program, variant, field):
    return [run.get(field) for run in samples.get((program, variant), [])]


def evaluate(samples, row):
    """(median, lowest, highest) of a row over its rounds; None when a figure is missing."""
    _, _, kind, variant, base, program, field, unit, _ = row
    if kind is None:
        return None
    if base is None:
        values = [value * SCALE[unit] for value in series(samples, program, variant, field) if value is not None]
        return (min(values), min(values), max(values)) if values else None
    ours, theirs = series(samples, program, variant, field), series(samples, program, base, field)
    plain = series(samples, program, "plain", field) if kind == "added" else theirs
    if not ours or not theirs or not plain or None in ours + theirs + plain:
        return None
    if kind in ("least", "fastest"):
        least = min(ours) / min(theirs) if kind == "fastest" else (min(ours) - min(theirs)) * SCALE[unit]
        return least, least, least
    values = []
    for x, b, p in zip(ours, theirs, plain):
        if kind == "added":
            values.append((x - p) / (b - p) if b > p else None)
        else:
            values.append(x / b if kind == "whole" else (x - b) * SCALE[unit])
    values = [value for value in values if value is not None]
    return (statistics.median(values), min(values), max(values)) if values else None


def results_of(samples):
    results = []
    for row in ROWS:
        section, name, _, _, _, _, _, unit, target = row
        measured = evaluate(samples, row)
        verdict = "not there yet"
        if row[2] and any({} in samples.get((row[5], variant), []) for variant in row[3:5]):
            verdict = "failed"
        elif measured:
            verdict = "-" if target is None else "met" if measured[0] <= target else "missed"
        results.append({"section": section, "row": name, "unit": unit, "target": target, "verdict": verdict,
                        "value": measured[0] if measured else None, "low": measured[1] if measured else None,
                        "high": measured[2] if measured else None})
    return results


def absolutes_of(samples):
    """{program: {variant: median ns a call}}"""
    table = {}
    for program in ABSOLUTE:
        for variant in VARIANTS:
            values = [value for value in series(samples, program, variant, "ns") if value is not None]
            if values:
                table.setdefault(program, {})[variant] = statistics.median(values)
    return table


# ---- saying ---------------------------------------------------------------------------------------------------------


def machine_name():
    found = facts()
    kind = "virtual machine" if found["virtual"] else "machine"
    return f"{found['model']}, {found['family']}, {kind} of {found['processors']} processors"


def commit():
    done = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or "unknown"


def number(value):
    return "" if value is None else f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"


def disturbed_of(samples):
    """Numbers of runs: all, those that were repeated, those that stayed disturbed."""
    runs = [run for each in samples.values() for run in each if run]
    return len(runs), sum("repeated" in run for run in runs), sum(run.get("disturbed", False) for run in runs)


def show_machine(states, sharing, samples, busy):
    print(f"{machine_name()}, commit {commit()}")
    print(said_of_sharing(sharing))
    if busy:
        print("The programs ran on processor 0, and somebody worked on processor 1 all the time.")
    for when, state in zip(("at the start", "at the end  "), states):
        print(f"{when} {said_of(state)}")
    every, repeated, disturbed = disturbed_of(samples)
    if repeated:
        print(f"Others disturbed {repeated} of {every} runs, which were repeated; {disturbed} still were disturbed.")


def show(results, absolutes, notes):
    print("CPU time; x is a ratio within the same round: ratios are what counts, the rest depends on the machine.\n")
    width = max((len(result["row"]) for result in results), default=0)
    print(f"{'':{width + 2}}{'measured':>10}  {'from .. to':>16} {'target':>8}  unit     verdict")
    section = None
    for result in results:
        if result["section"] != section:
            section = result["section"]
            print(section)
        spread = f"{number(result['low'])} .. {number(result['high'])}" if result["value"] is not None else ""
        print(f"  {result['row']:{width}}{number(result['value']):>10}  {spread:>16} {number(result['target']):>8}"
              f"  {result['unit']:8} {result['verdict']}")
    if absolutes:
        variants = [name for name in VARIANTS if any(name in row for row in absolutes.values())]
        print("\nns a call" + " " * 11 + "".join(f"{name:>12}" for name in variants))
        for program, row in absolutes.items():
            print(f"  {program:18}" + "".join(f"{number(row.get(name)):>12}" for name in variants))
    for note in sorted(notes):
        print("note: " + note)


def append_history(path, results):
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(["date", "commit", "machine", "row", "value"])
        for result in results:
            if result["value"] is not None:
                writer.writerow([datetime.date.today().isoformat(), commit(), machine_name(),
                                 f"{result['section']}: {result['row']} [{result['unit']}]", f"{result['value']:.4g}"])


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "bazel-bin"), metavar="DIR", help="what Bazel built (bazel-bin)")
    parser.add_argument("--stage", metavar="PREFIX", help="installation to measure; default: straight from --bin")
    parser.add_argument("-n", "--repetitions", type=int, metavar="N", help="rounds (7; with --quick 3)")
    parser.add_argument("--quick", action="store_true", help="shorter programs, fewer rounds: for orientation")
    parser.add_argument("--only", metavar="SECTION", help="rows of the sections whose name has this in it")
    parser.add_argument("--all", action="store_true", help="try variants the runtime does not have yet, too")
    parser.add_argument("--busy", action="store_true", help="rows of one thread, with a busy neighbour")
    parser.add_argument("--peers", action="store_true", help="uftrace, perf and gprof beside EPIK, as far as installed")
    parser.add_argument("--check", action="store_true", help="status 1 when a target is missed")
    parser.add_argument("--scratch", metavar="DIR", help="folder for archives (default: the system's)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="write everything, samples included (.cache/bench/TIME-COMMIT.json)")
    parser.add_argument("--append-history", type=pathlib.Path, metavar="CSV", help="add a line for each row")
    options = parser.parse_args()
    options.repetitions = options.repetitions or (3 if options.quick else 7)
    return options


def keep(path, results, absolutes, samples, about):
    """Writes all data of this run, and says where."""
    now = datetime.datetime.now()
    if path is None:
        path = ROOT / f".cache/bench/{now:%Y%m%d-%H%M%S}-{commit()}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
    runs = [{"program": program, "variant": variant, "runs": runs} for (program, variant), runs in samples.items()]
    path.write_text(json.dumps({"date": now.isoformat(timespec="seconds"), "commit": commit(),
                                "machine": machine_name(), **about, "rows": results, "ns_per_call": absolutes,
                                "samples": runs}, indent=1) + "\n")
    print(f"kept in {path}; compare two results: ./dev bench compare [BEFORE [AFTER]]")


def choose_rows(options, notes):
    if options.busy and os.cpu_count() < 2:
        sys.exit("--busy needs a second processor")
    if options.peers:
        VARIANTS.update((name, (None, {}, False, True)) for name in peers.found())
        ROWS[:] = peers.rows()
        ABSOLUTE[:] = list(peers.PROGRAMS)
        notes.update(f"{name} is not installed" for name in peers.missing())
    if options.busy:
        ROWS[:] = [row for row in ROWS if row[5] in SINGLE and row[2] in ("added", "whole", "above") and row[6] == "ns"
                   and not row[0].startswith(("counters", "arena"))]
        ABSOLUTE[:] = [name for name in ABSOLUTE if name in SINGLE]
    if options.only:
        ROWS[:] = [row for row in ROWS if options.only.lower() in row[0].lower()]
        ABSOLUTE.clear()


def main():
    options = read_arguments()
    notes = set()
    choose_rows(options, notes)
    places = Places(options)
    try:
        if not places.launch.exists() or not places.probe.exists():
            print(f"{places.launch} is not there: bazel build //bench/...", file=sys.stderr)
            return 2
        if places.epik is None:
            notes.add("no libepk.so was found: its rows are not there yet")
        machine = Machine(places.probe)
        sharing = machine.slowdown(0, 1) if os.cpu_count() > 1 else None
        states = [machine.state()]
        with machine.busy(1) if options.busy else contextlib.nullcontext():
            samples = measure(places, machine, options, notes)
        states.append(machine.state())
    finally:
        shutil.rmtree(places.scratch, ignore_errors=True)
    results, absolutes = results_of(samples), absolutes_of(samples)
    show_machine(states, sharing, samples, options.busy)
    show(results, absolutes, notes)
    quiet = all(state["quiet"] for state in states) and not disturbed_of(samples)[2]
    keep(options.json, results, absolutes, samples,
         {"facts": facts(), "neighbour_slows": sharing, "states": states, "quiet": quiet, "busy": options.busy})
    if options.append_history:
        append_history(options.append_history, results)
    return 1 if options.check and any(result["verdict"] == "missed" for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
