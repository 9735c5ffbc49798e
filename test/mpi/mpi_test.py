#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares profiles of MPI programs with the programs' own counts.

mpi_test.py FLAVOUR PREFIX-FILES…: programs/ compiled by the compilers of that MPI, nothing instrumented, run bare and
under `epk run` on several numbers of ranks; one of them also behind a script, linked by `epk instrument`, and with
groups switched off:
  * output and exit status are those of the bare program;
  * visits, bytes and messages of every MPI function are those that the program has counted itself, on each rank where
    there is one archive for the job, else summed over the archives of its ranks;
  * the sum of received bytes over all ranks has been sent.
"""
import collections
import csv
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "harness"))
import cases  # noqa: E402
import sanitizer  # noqa: E402
from patience import patient  # noqa: E402

SECONDS = 240
# Columns of the report for the names in programs/count.h: the sum and the count.
COLUMNS = {
    "sent": ("bytes_sent", "msgs_sent"),
    "received": ("bytes_received", "msgs_received"),
    "coll_out": ("bytes_sent_coll", "colls"),
    "coll_in": ("bytes_received_coll", None),
    "put": ("bytes_put", "rma_puts"),
    "got": ("bytes_get", "rma_gets"),
    "read": ("mpi_file_bytes_read", "mpi_file_reads"),
    "written": ("mpi_file_bytes_written", "mpi_file_writes"),
}
# Metrics that only records of a trace have (records_test.py).
IN_TRACES = ("from", "probed", "locked")


class Case(typing.NamedTuple):
    name: str
    source: str
    ranks: tuple
    flags: tuple = ()
    arguments: tuple = ()
    # Calls that the program leaves out, because they say nothing about messages.
    uncounted: frozenset = frozenset()
    # How it is measured: preloaded, script, linked.
    how: str = "preloaded"
    groups: str = "ALL"
    only: frozenset = frozenset()  # the functions that are in these groups; empty: all


OF_OBJECTS = frozenset({"MPI_Initialized"})  # objects of the C++ binding do that
CASES = [
    Case("messages", "messages.c", (1, 2, 3, 5), ("-pthread",)),
    Case("messages_behind_a_script", "messages.c", (2,), ("-pthread",), how="script"),
    Case("messages_linked", "messages.c", (2,), ("-pthread",), how="linked"),
    Case("messages_of_one_group", "messages.c", (2,), ("-pthread",), groups="COLL", only=frozenset({"MPI_Barrier"})),
    Case("collectives", "collectives.c", (1, 2, 5, 16), ("-pthread",)),
    Case("ignored", "ignored.c", (1, 2, 5), ("-pthread",)),
    Case("partners", "partners.c", (1, 2, 5), ("-pthread",)),
    Case("communicators", "communicators.c", (1, 3, 4), ("-pthread",)),
    Case("mpi4", "mpi4.c", (1, 2, 4), ("-pthread",)),
    Case("scattered", "scattered.c", (2, 5), ("-pthread",)),
    Case("storage", "storage.cc", (2, 3), ("-pthread",), ("{folder}/data",), OF_OBJECTS),
    Case("left", "left.cc", (1, 3), uncounted=OF_OBJECTS),
    Case("threads", "threads.c", (2, 4), ("-pthread",)),
] + [
    Case(f"bindings_{name}", "bindings.F90", (1, 2, 4), (f"-DBINDING={number}", "-fallow-argument-mismatch"), (),
         frozenset({"MPI_Comm_set_name", "MPI_Comm_get_name", "MPI_Wtime"}))
    for number, name in ((1, "mpif_h"), (2, "use_mpi"), (3, "use_mpi_f08"))
] + [
    Case(f"bindings_{name}_linked", "bindings.F90", (2,), (f"-DBINDING={number}", "-fallow-argument-mismatch"), (),
         frozenset({"MPI_Comm_set_name", "MPI_Comm_get_name", "MPI_Wtime"}), how="linked")
    for number, name in ((1, "mpif_h"), (3, "use_mpi_f08"))
]


class Wrong(AssertionError):
    pass


def check(truth, *what):
    if not truth:
        raise Wrong(" ".join(str(word) for word in what))


def stage(prefix, files):
    for file in map(pathlib.Path, files):
        folder = prefix / ("bin" if file.name == "epk" else "lib")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder / file.name)
    return prefix


def compiler(source, flavour):
    return {".c": "mpicc", ".cc": "mpicxx", ".F90": "mpifort"}[pathlib.Path(source).suffix] + "." + flavour


def build(case, flavour, epk, folder):
    program = folder / case.name
    instrument = [epk, "instrument"] if case.how == "linked" else []
    subprocess.run(patient([*instrument, compiler(case.source, flavour), *case.flags, "-w", "-g", "-O1",
                            str(HERE / "programs" / case.source), "-o", str(program)]), check=True, cwd=folder, timeout=SECONDS)
    return program


def launcher(flavour, ranks):
    options = ["--oversubscribe"] if flavour == "openmpi" else []
    return [f"mpirun.{flavour}", *options, "-n", str(ranks)]


def run(command, folder, watcher, **environment):
    """(status, lines of output in order, the error output). `watcher`: the sanitizer in the libraries, or none."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EPK_", "ESD_", "ELG_"))}
    done = subprocess.run(command, cwd=folder, env=watcher.started({**kept, **environment}), capture_output=True,
                          text=True, timeout=SECONDS)
    watcher.check(done.stderr)
    return done.returncode, sorted(done.stdout.splitlines()), done.stderr


def own_counts(folder):
    """The ranks' own counts: {rank: {(function, metric): (sum, count)}}."""
    counts = {}
    for file in folder.iterdir():
        counts[int(file.name)] = {(name, metric): (int(total), int(times))
                                  for name, metric, total, times in map(str.split, file.read_text().splitlines())}
    return counts


def measured_counts(epk, archives):
    counts = collections.defaultdict(lambda: collections.defaultdict(lambda: (0, 0)))
    for archive in archives:
        done = subprocess.run([epk, "report", archive, "--format", "csv"], capture_output=True, text=True, check=True)
        for row in csv.DictReader(io.StringIO(done.stdout)):
            of_rank = counts[int(row["rank"])]

            def add(metric, total, times):
                before = of_rank[row["region"], metric]
                of_rank[row["region"], metric] = (before[0] + int(float(total or 0)), before[1] + int(float(times or 0)))

            if row["region"].startswith(("MPI_", "MPIX_")):
                add("visits", 0, row["visits"])
            for metric, (total, times) in COLUMNS.items():
                if float(row.get(total) or 0) or float(row.get(times) or 0 if times else 0):
                    add(metric, row.get(total), row.get(times) if times else 0)
    return counts


def summed(counts):
    total = collections.defaultdict(lambda: (0, 0))
    for of_rank in counts.values():
        for key, (bytes_, times) in of_rank.items():
            total[key] = (total[key][0] + bytes_, total[key][1] + times)
    return total


def compare(expected, measured, uncounted, where):
    for key in sorted(set(expected) | set(measured)):
        function, metric = key
        if function in uncounted or metric in IN_TRACES:
            continue
        want, have = expected.get(key, (0, 0)), measured.get(key, (0, 0))
        if COLUMNS.get(metric, ("", ""))[1] is None:
            want, have = want[:1], have[:1]
        check(want == have, where, function, metric, "(bytes, times): the program says", want, "the profile", have)


def try_case(case, program, ranks, flavour, epk, watcher, folder):
    arguments = [word.format(folder=folder) for word in case.arguments]
    script = ["sh", "-c", '"$0" "$@"'] if case.how == "script" else []
    command = [*launcher(flavour, ranks), *script, str(program), *arguments]
    bare = run(command, folder, watcher, EPK_ENABLED="no")
    counted = folder / "counted"
    counted.mkdir()
    measure = [] if case.how == "linked" else [epk, "run"]
    measured = run([*measure, *command], folder, watcher, EPK_MPI_ENABLED=case.groups, COUNT_FOLDER=str(counted))
    check(measured[:2] == bare[:2], "bare:", bare, "measured:", measured)
    archives = sorted(folder.glob("epik_*"))
    check(archives, "no archive:", measured[2])
    expected = own_counts(counted)
    if case.only:
        expected = {rank: {key: value for key, value in of_rank.items() if key[0] in case.only}
                    for rank, of_rank in expected.items()}
    check(sorted(expected) == list(range(ranks)), "ranks that counted:", sorted(expected))
    profile = measured_counts(epk, archives)
    if len(archives) == 1:
        for rank in range(ranks):
            compare(expected[rank], profile[rank], case.uncounted, f"rank {rank}:")
    compare(summed(expected), summed(profile), case.uncounted, "all ranks:")
    compare_matrix(folder, archives[0], ranks)


def compare_matrix(folder, archive, ranks):
    """If the program has noted the receivers of its messages, communication.csv has the same."""
    rows = {rank: folder / f"rows.{rank}" for rank in range(ranks)}
    if not rows[0].exists():
        return
    expected = {(rank, *map(int, line.split())) for rank, row in rows.items() for line in row.read_text().splitlines()}
    with open(archive / "communication.csv", encoding="utf-8") as file:
        matrix = {tuple(int(row[name]) for name in ("from", "to", "messages", "bytes")) for row in csv.DictReader(file)}
    check(matrix == expected, "matrix:", sorted(matrix), "expected:", sorted(expected))


def a_planted_mistake_is_reported(flavour, epk, watcher, folder):
    """A mistake in one rank, in a library with a sanitizer: if it is not reported, the other cases show nothing."""
    library, program = folder / "planted.so", build(CASES[0], flavour, epk, folder)
    subprocess.run([f"mpicc.{flavour}", "-g", "-shared", "-fPIC", "-fsanitize=address", "-w",
                    str(HERE / "programs/planted.c"), "-o", str(library)], check=True)
    try:
        run([epk, "run", *launcher(flavour, 2), str(program)], folder, watcher, LD_PRELOAD=str(library))
    except AssertionError as report:
        check("heap-use-after-free" in str(report) and "planted.c" in str(report), report)
    else:
        raise Wrong("no sanitizer has reported it")


def main():
    flavour, *files = sys.argv[1:]
    if not cases.installed(f"mpicc.{flavour}"):
        return cases.Results(flavour).finish()
    results = cases.Results(os.environ.get("TEST_TARGET", flavour))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        prefix = stage(scratch / "prefix", files)
        epk = str(prefix / "bin" / "epk")
        watcher = sanitizer.Sanitizer(str(prefix / "lib" / "libepk.so"), str(scratch / "reports"))
        if watcher.runtime is not None:
            folder = scratch / "planted"
            folder.mkdir()
            results.run("a planted mistake is reported", a_planted_mistake_is_reported, flavour, epk, watcher, folder)
        only = os.environ.get("MPI_TEST_ONLY", "")
        for case in (case for case in CASES if only in case.name):
            program = build(case, flavour, epk, scratch)
            for ranks in case.ranks:
                folder = scratch / f"{case.name}_{ranks}"
                folder.mkdir()
                results.run(f"{case.name} on {ranks}", try_case, case, program, ranks, flavour, epk, watcher, folder)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
