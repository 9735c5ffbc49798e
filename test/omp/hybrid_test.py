#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPI and OpenMP in one program, at each thread level: visits, times and traces of every location; the example's
deliberate imbalance."""

import collections
import json
import pathlib
import sys

sys.path.insert(0, "test/user")
import harness  # noqa: E402
from harness import expect, installed  # noqa: E402

PREFIX = harness.stage()
HOOKS = "-finstrument-functions"
RANKS, THREADS, ROUNDS = 2, 3, 12
MPIS = [(name, [*words, "--bind-to", "none"] if name == "openmpi" else words) for name, words in harness.mpis()]
LEVELS = ("funneled", "serialized", "multiple")
CHECK = pathlib.Path("archive/cubex/cubex_check.py").resolve()


def bench(programs="test/omp/programs"):
    b = harness.Bench(PREFIX, programs)
    b.env.update(OMP_WAIT_POLICY="passive")
    return b


def run(b, mpi, ranks, threads, *words, env=None):
    """The Profile of `epk run mpirun … words`."""
    name, flags = mpi
    before = set(b.archives())
    b.run([b.epk, "run", f"mpirun.{name}", *flags, "-n", ranks, *words],
          env={"OMP_NUM_THREADS": str(threads), **(env or {})})
    archive, = [a for a in b.archives() if a not in before]
    return harness.Profile(b, archive)


def rows_by_location(profile):
    rows = collections.defaultdict(list)
    for row in profile.rows:
        rows[int(row["rank"]), int(row["thread"])].append(row)
    return rows


def counted(b, prefix, ranks):
    counts = collections.Counter()
    for rank in range(ranks):
        for line in (b.folder / f"{prefix}.{rank}").read_text().splitlines():
            _, thread, name, count = line.split()
            counts[rank, int(thread), name] = int(count)
    return counts


def check_time(rows, what):
    for location, mine in rows.items():
        total = sum(float(r["incl_s"]) for r in mine if " > " not in r["callpath"])
        parts = sum(float(r["excl_s"]) for r in mine)
        assert total > 0, f"{what}: location {location} has no time"
        assert abs(total - parts) <= 1e-9 + 1e-6 * total, f"{what}: location {location}: {parts} s of {total} s"
        for row in mine:
            assert float(row["excl_s"]) >= -1e-9, f"{what}: {location}: {row['callpath']}: {row['excl_s']} s"


def check_level(mpi, level, compiler):
    what = f"{mpi[0]} {level} {compiler}"
    b = bench()
    b.env.update(OMPI_CC=compiler, MPICH_CC=compiler)
    program = b.compile(f"mpicc.{mpi[0]}", "hybrid.c", ("-g", "-O1", "-fopenmp", HOOKS), instrument=None)
    profile = run(b, mpi, RANKS, THREADS, program, level, ROUNDS, b.folder / "counts", env={"EPK_TRACE": "all"})
    counts, rows = counted(b, "counts", RANKS), rows_by_location(profile)
    expect(f"{what}: locations", sorted(rows), [(r, t) for r in range(RANKS) for t in range(THREADS)])
    names = sorted({name for _, _, name in counts})
    for rank, thread in rows:
        found = collections.Counter()
        for row in rows[rank, thread]:
            found[row["region"].split(" @")[0]] += int(row["visits"] or 0)
        for name in names:
            expect(f"{what}: {name} on {rank}:{thread}", found[name], counts[rank, thread, name])
        expect(f"{what}: regions on {rank}:{thread}", found["parallel"], ROUNDS)
        expect(f"{what}: loops on {rank}:{thread}", found["for dynamic"], ROUNDS)
    check_time(rows, what)
    b.run([b.epk, "check", profile.archive, "--trace-vs-summary"])
    # An independent reader finds the report's figures in the file, and the imbalance defined on the page.
    b.run([b.epk, "report", profile.archive, "--format", "json", "-o", b.folder / "report.json"])
    b.run([sys.executable, CHECK, profile.archive / "summary.cubex", "--json", b.folder / "report.json"])
    check_imbalance(b, profile.archive, what)
    # MPI within a region stands below it, on the thread that called it.
    callers = {(int(r["rank"]), int(r["thread"])) for r in profile.rows
               if r["region"] == "MPI_Send" and int(r["visits"] or 0) and " > parallel @" in r["callpath"]}
    senders = {(rank, thread) for rank, thread, name in counts if name == "MPI_Send"}
    expect(f"{what}: senders", callers, senders)
    if level == "multiple":
        expect(f"{what}: all threads send", len(senders), RANKS * THREADS)
    if level == "funneled":
        expect(f"{what}: one thread sends", senders, {(rank, 0) for rank in range(RANKS)})


def test_thread_levels():
    for mpi in MPIS:
        for level in LEVELS:
            check_level(mpi, level, "gcc")
    for level in LEVELS:
        check_level(MPIS[0], level, "clang")


def line_of(source, function):
    """The line of the parallel loop in that function."""
    inside = False
    for number, line in enumerate(source.read_text().splitlines(), 1):
        inside = inside or f" {function}(" in line and line.endswith("{")
        if inside and "#pragma omp parallel for" in line:
            return number
    raise AssertionError(f"{function} has no parallel loop")


def check_imbalance(b, archive, what):
    """Computes the metrics `imbalance…` of a file again from its time and visits, by docs/report.md."""
    report = json.loads(b.run([b.epk, "report", archive, "--format", "json"]).out)
    cells = {v["metric"]: {(p, l): x for p, l, x in zip(v["callpath"], v["location"], v["value"])} for v in report["values"]}
    paths, regions, n = report["callpaths"], report["regions"], len(report["locations"])
    leads = [l for l, x in enumerate(report["locations"]) if l == 0 or report["locations"][l - 1]["process"] != x["process"]]
    parallel = []
    found = set()
    for p, path in enumerate(paths):
        region = regions[path["region"]]
        parallel.append((path["parent"] is not None and parallel[path["parent"]]) or
                        (region["paradigm"] == "openmp" and region["role"] == "parallel"))
        who = range(n) if parallel[p] else leads
        time = {l: cells["comp"].get((p, l), 0) for l in who}
        mean = sum(time.values()) / len(who)
        came = [l for l in who if cells["visits"].get((p, l), 0)]
        for l in range(n):
            wanted = dict.fromkeys(("imbalance", "imbalance_above", "imbalance_above_single", "imbalance_below",
                                    "imbalance_below_bypass", "imbalance_below_singularity"), 0.0)
            if l in who and mean > 0:
                wanted["imbalance"] = abs(time[l] - mean)
                wanted["imbalance_above" if time[l] > mean else "imbalance_below"] = abs(time[l] - mean)
                if came and len(came) < len(who):
                    if l not in came:
                        wanted["imbalance_below_bypass"] = mean
                    if len(came) == 1:
                        single = "imbalance_above_single" if l in came else "imbalance_below_singularity"
                        wanted[single] = abs(time[l] - mean)
            for name, value in wanted.items():
                stored = cells.get(name, {}).get((p, l), 0)
                assert abs(stored - value) <= 1e-9 * mean, f"{what}: {name} of path {p} on {l}: {stored}, not {value}"
                found.update([name] if value else [])
    return found


def check_example(mpi, ranks):
    """Deep rows react six times as much: the last thread of the last rank has most to do, and the others wait."""
    source = pathlib.Path("examples/heat/heat.c").resolve()
    line = line_of(source, "React")
    b = bench("examples/heat")
    flags = ("-g", "-O2", "-fopenmp", HOOKS, "-Wl,--no-as-needed,-lm")
    program = b.compile(f"mpicc.{mpi[0]}", "heat.c", flags, instrument=None)
    # One rank after the other has both processors, or they share them. So the test compares only threads of one rank.
    profile = run(b, mpi, ranks, 2, program, 800, 800, 40)
    found = check_imbalance(b, profile.archive, mpi[0])
    harness.expect_time({"imbalance_above", "imbalance_below"} <= found, f"{mpi[0]}: {found}")
    report = json.loads(b.run([b.epk, "report", profile.archive, "--omp", "--format", "json"]).out)
    regions = {row["region"]: row for row in report["regions"]}
    react, = [r for name, r in regions.items() if name.startswith("parallel @heat.c:") and
              abs(int(name.rsplit(":", 1)[1]) - line) <= 1]
    busiest = react["busiest"]
    harness.expect_time(busiest == f"{ranks - 1}:1", f"{mpi[0]}: the thread with most to do is {busiest}")
    # From the rows of the source: the second of two threads has 3.4 times as much, or 3.25 times on the second of two
    # ranks. On a busy machine both take longer, not only one.
    harness.expect_time(1.15 < react["imbalance"] < 1.9, f"{mpi[0]}: {react}")
    waits = collections.Counter()
    for row in profile.rows:
        if row["region"].startswith("implicit barrier") and react["region"] in row["callpath"]:
            waits[int(row["rank"]), int(row["thread"])] += float(row["excl_s"])
    harness.expect_time(waits[ranks - 1, 0] > waits[ranks - 1, 1], f"{mpi[0]}: {waits}")


@harness.timed
def test_the_example_shows_its_imbalance():
    for mpi, ranks in ((MPIS[0], 1), (MPIS[-1], 2)):
        # Times are wall times: if many programs share the processors, a thread may lose as much to them.
        harness.retried(check_example, mpi, ranks)


if __name__ == "__main__":
    sys.exit(harness.main(globals()) if MPIS else harness.skip_all("there is no MPI"))
