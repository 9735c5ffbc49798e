#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Planted delays: the costs for others are traced back to them, also through processes that had waited for them, and
the critical path leads over them. The program itself notes how long they took."""

import collections
import csv
import io
import json
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import RUNFILES, Bench, expect, long, main, mpis, stage, timed  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
shutil.copy(RUNFILES / "analysis/in_situ/libepk_analysis.so", PREFIX / "lib")
FLAGS = ["-O1", "-g", "-finstrument-functions", "-I", PREFIX / "include"]
MPIS = mpis()
# A part of other patterns, or no waiting for a process that came late.
PARTS = ("mpi_latesender_wo", "mpi_lswo_different", "mpi_lswo_same", "mpi_barrier_completion", "mpi_nxn_completion",
         "mpi_init_completion")
SLICE = 0.012  # another process may have the processor between a clock read of the program and one of the measurement


def worked(folder):
    """work -> seconds"""
    seconds = {}
    for log in folder.glob("chain.*.log"):
        for line in log.read_text().splitlines():
            name, begin, end = line.split()
            seconds[name] = (int(end) - int(begin)) / 1e9
    return seconds


def table(b, archive, view):
    return list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, view, "--format", "csv"]).out)))


def last(row):
    return row["callpath"].split(" > ")[-1].split("::")[-1].removesuffix("_")


def traced(b, name, words, trace):
    """trace "": the default of `epk run --analyze`."""
    before = set(b.archives())
    options, env = ([], {"EPK_TRACE": trace}) if trace else (["--analyze"], {})
    said = b.run([b.epk, "run", *options, f"mpirun.{name}", *words, "-n", 4, b.program], env=env).err
    expect("proposed: epk analyze", "or for who waits for whom: epk analyze" in said, bool(trace))
    made = [a for a in b.archives() if a not in before]
    expect("archives", len(made), 1)
    if trace:
        b.run([b.epk, "analyze", made[0]])
    return made[0]


def check_sums(b, archive):
    """Each nanosecond of waiting has a cause; the critical path has no holes."""
    waited = sum(float(row["seconds"]) for row in table(b, archive, "--waits") if row["pattern"] not in PARTS)
    rows = table(b, archive, "--causes")
    expect("columns", list(rows[0]), ["rank", "thread", "callpath", "kind", "seconds"])
    cost = sum(float(row["seconds"]) for row in rows)
    assert abs(cost - waited) < 1e-6, f"costs are {cost} s, waits {waited} s"
    causes = json.loads((archive / "analysis.json").read_text())["causes"]
    assert abs(causes["waited_s"] - waited) < 1e-6
    assert abs(sum(pair["seconds"] for pair in causes["pairs"]) - waited) < 1e-6
    path = table(b, archive, "--critical")
    expect("columns", list(path[0]), ["from_s", "to_s", "rank", "thread", "callpath"])
    facts = json.loads((archive / "analysis.json").read_text())["critical_path"]
    now = facts["begin_s"]
    for row in path:
        assert abs(float(row["from_s"]) - now) < 1e-9, f"a hole at {now}"
        now = float(row["to_s"])
    assert abs(now - facts["end_s"]) < 1e-9
    return rows, path


def check_chain(b, archive):
    rows, path = check_sums(b, archive)
    work = worked(b.folder)
    check_costs(rows, work)
    on_path = collections.Counter()
    for row in path:
        on_path[int(row["rank"]), last(row)] += float(row["to_s"]) - float(row["from_s"])
    for who, name in ((0, "assemble"), (3, "refine")):
        apart = abs(on_path[who, name] - work[name])
        assert apart < max(0.05 * work[name], SLICE), f"{name} on the path: {on_path[who, name]} s of {work[name]}"
        expect(f"ranks on the path in {name}", [r for (r, n) in on_path if n == name and r != who], [])


def check_costs(rows, work):
    costs = collections.Counter()
    for row in rows:
        costs[int(row["rank"]), last(row), row["kind"]] += float(row["seconds"])
    wanted = {
        (0, "assemble", "delay_latesender"): work["assemble"],           # rank 1
        (0, "assemble", "delay_latesender_longterm"): work["assemble"],  # rank 2, by way of rank 1
        (3, "refine", "delay_n2n"): 3 * work["refine"],
    }
    for key, seconds in wanted.items():
        expect("the largest cost", max((s, k) for k, s in costs.items() if k[2] == key[2])[1], key)
        # On a busy machine others come late by themselves, too: causes_test.cc has the exact numbers.
        assert costs[key] > 0.5 * seconds, f"{key}: {costs[key]} s of {seconds}"
    # Rank 3 waits for them at the barrier: which of them comes last is not known.
    barrier = sum(s for (r, n, k), s in costs.items() if n == "assemble" and k.startswith("delay_barrier"))
    assert barrier > 0.5 * work["assemble"], f"of the barrier: {barrier} s"


def check_estimate(b, archive):
    """The trace has no call of assemble and refine, but the summary has."""
    rows, path = check_sums(b, archive)
    assert {last(row) for row in path}.isdisjoint(("assemble", "refine")), path
    check_costs(rows, worked(b.folder))
    text = " ".join(b.run([b.epk, "report", archive, "--critical"]).out.split())
    assert "estimated by the summary" in text, text
    assert "assemble" in text.split("The path")[0], text
    chain = "for rank 1, which waited for rank 0, which spent about "
    text = " ".join(b.run([b.epk, "report", archive]).out.split())
    assert chain in text and text.split(chain)[1].split(" more in ")[1].startswith("chained::assemble"), text[:3000]


def check_words(b, archive):
    text = " ".join(b.run([b.epk, "report", archive]).out.split())
    chain = "rank 2 waits in MPI_Waitall for rank 1, which waited for rank 0, which spent "
    assert chain in text, text[:3000]
    assert text.split(chain)[1].split(" more in ")[1].startswith(("assemble", "chain")), text[:3000]
    assert text.index(chain) < text.index("call path"), "causes come first"
    assert "worst" in text.split(chain)[1]
    for view in ("--causes", "--critical", "--instances"):
        b.run([b.epk, "report", archive, view])
        json.loads(b.run([b.epk, "report", archive, view, "--format", "json"]).out)
    instances = table(b, archive, "--instances")
    longest = [row for row in instances if row["kind"] == "delay_latesender"][0]
    assert 0.1 < float(longest["to_s"]) - float(longest["from_s"]) < 1


def check_workers(b, archive, counts=(2, 5)):
    """Threads, and ranks in any number under any launcher: the same bytes, written once."""
    def written():
        return [(archive / name).read_bytes() for name in ("analysis.json", "trace.cubex")]

    b.run([b.epk, "analyze", "-j", 1, archive])
    alone = written()
    b.run([b.epk, "check", archive])
    b.run([b.epk, "analyze", "-j", 3, archive])
    assert written() == alone, "threads find something else"
    for name, words in MPIS:
        for ranks in counts:
            (archive / "analysis.json").unlink()
            result = b.run([f"mpirun.{name}", *words, "-n", ranks, b.epk, "analyze", archive])
            assert written() == alone, f"{ranks} ranks of {name} find something else"
            assert "met no rank 0" not in result.err, result.err
            missing = b.run([f"mpirun.{name}", *words, "-n", ranks, b.epk, "analyze", archive / "traces"], check=False)
            assert missing.status != 0
            expect("errors", missing.err.count("epk analyze: "), 1)
    expect("left behind", [p.name for p in archive.glob(".epk*")], [])


@timed
def test_in_situ():
    """EPK_ANALYZE: the job leaves the results of the analysis, and no trace. A trace that is asked for in another
    format is kept."""
    for name, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        b.program = b.compile(f"mpicc.{name}", "chain.c", FLAGS, instrument=None)
        result = b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", 4, b.program], env={"EPK_ANALYZE": "yes"})
        expect("archives", len(b.archives()), 1)
        archive = b.archives()[0]
        there = sorted(p.name for p in archive.iterdir())
        for wanted in ("analysis.json", "trace.cubex", "summary.cubex", "manifest.json"):
            assert wanted in there, (wanted, there, result.err)
        expect("of the trace", [p for p in there if p in ("defs.epk", "maps.epk") or p.startswith(".")], [])
        expect("trace files", list(archive.glob("**/*.elg")), [])
        assert "traces" not in there, there
        again = b.run([b.epk, "analyze", archive], check=False)
        expect("again", again.status, 1)
        assert "did not keep it (EPK_ANALYZE)" in again.err, again.err
        assert "the trace is analysed and not kept" in result.err, result.err
        check_sums(b, archive)
        text = " ".join(b.run([b.epk, "report", archive]).out.split())
        chain = "rank 2 waits in MPI_Waitall for rank 1, which waited for rank 0, which spent about "
        assert chain in text, text[:3000]
        assert text.split(chain)[1].split(" more in ")[1].startswith("assemble"), "the summary has the function"
        b.run([b.epk, "check", archive])
        assert json.loads((archive / "manifest.json").read_text())["trace"]["format"] == "analysis"


@long
@timed
def test_chain():
    for name, words in MPIS:
        for compiler, source in (("mpicc", "chain.c"), ("mpifort", "chain.f90")):
            b = Bench(PREFIX, PROGRAMS)
            b.program = b.compile(f"{compiler}.{name}", source, FLAGS, instrument=None)
            archive = traced(b, name, words, "all" if compiler == "mpicc" else "")
            if compiler == "mpicc":
                check_chain(b, archive)
                check_words(b, archive)
                if name == "openmpi":
                    check_workers(b, archive)
            else:
                check_estimate(b, archive)


def test_planted():
    """The sums are right for waits of all kinds."""
    name, words = MPIS[0]
    for trace in ("all", "msgs", "comm,ranks:0-1"):
        b = Bench(PREFIX, PROGRAMS)
        b.program = b.compile(f"mpicc.{name}", "planted.c", FLAGS, instrument=None)
        archive = traced(b, name, words, trace)
        facts = json.loads((archive / "analysis.json").read_text())
        cost = sum(float(row["seconds"]) for row in table(b, archive, "--causes"))
        assert abs(cost - facts["causes"]["waited_s"]) < 1e-6
        assert abs(facts["sums"]["waited_s"] - facts["causes"]["waited_s"]) < 1e-6, (trace, facts["sums"])
        assert facts["sums"]["beyond_calls_s"] < 1e-6, (trace, facts["sums"])


@timed
def test_counters():
    """The differences in the call path that took longer."""
    name, words = MPIS[0]
    b = Bench(PREFIX, PROGRAMS)
    b.program = b.compile(f"mpicc.{name}", "filling.c", FLAGS, instrument=None)
    for trace in ("all", "comm"):  # comm lacks the calls of fill, which the summary has
        before = set(b.archives())
        env = {"EPK_TRACE": trace, "EPK_METRICS": "rusage::ru_minflt"}
        b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", 2, b.program], env=env)
        archive = next(a for a in b.archives() if a not in before)
        b.run([b.epk, "analyze", archive])
        chains = json.loads((archive / "analysis.json").read_text())["causes"]["chains"]
        chain = next(c for c in chains if c["kind"] == "delay_latesender" and c["rank"] == 1)
        assert " more in fill (there, in the whole run, rusage::ru_minflt " in chain["text"], chain["text"]
        [difference] = chain["differences"]
        expect("counter", difference["counter"], "rusage::ru_minflt")
        assert difference["here"] >= 2000 > difference["there"], difference
        assert chain["text"] in " ".join(b.run([b.epk, "report", archive]).out.split()), "the report has it, too"


def test_nothing_but_calls():
    """Replay has little to do, so rank 0 reads a part of the threads itself. Calls that are too short for a segment of the
    critical path have their own time in its table all the same."""
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "calls.c", [*FLAGS, "-pthread"], instrument=None)
    b.run([b.epk, "run", program], env={"EPK_TRACE": "all"})
    archive, = b.archives()
    check_workers(b, archive, [2])
    b.run([b.epk, "check", "--trace-vs-summary", archive])
    path = json.loads(b.run([b.epk, "report", archive, "--critical", "--format", "json"]).out)
    seconds = collections.Counter()
    for row in path["places"]:
        seconds[last(row)] += row["seconds"]
    whole = path["totals"]["end_s"] - path["totals"]["begin_s"]
    assert abs(sum(seconds.values()) - whole) < 1e-6, (seconds, whole)
    assert seconds["leaf"] > 0 and seconds["branch"] > 0, seconds


def test_not_analysed():
    name, words = MPIS[0]
    b = Bench(PREFIX, PROGRAMS)
    b.program = b.compile(f"mpicc.{name}", "chain.c", FLAGS, instrument=None)
    b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", 4, b.program], env={"EPK_TRACE": "comm"})
    for view in ("--causes", "--critical", "--instances"):
        result = b.run([b.epk, "report", b.archives()[0], view], check=False)
        assert result.status == 1 and "epk analyze" in result.err, result.err


if __name__ == "__main__":
    sys.exit(main(globals()))
