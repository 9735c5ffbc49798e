#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces of MPI jobs, 1 to 8 ranks of 1 to 4 threads: their profile is the summary; and the same written as OTF2."""

import collections
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import RUNFILES, Bench, expect, installed, main, mpis, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/trace/programs").resolve()
PREFIX = stage()
shutil.copy(RUNFILES / "archive/otf2/libepk_otf2.so", PREFIX / "lib")
FLAGS = ["-O1", "-g", "-finstrument-functions", "-DEPIK", "-I", PREFIX / "include"]
MPIS = mpis()
OTF2_KINDS = {"ENTER": "enter", "MPI_SEND": "send", "MPI_RECV": "receive", "MPI_ISEND": "send begin",
              "MPI_ISEND_COMPLETE": "send end", "MPI_IRECV_REQUEST": "receive posted", "MPI_IRECV": "receive end",
              "MPI_COLLECTIVE_BEGIN": "collective begin", "MPI_COLLECTIVE_END": "collective end",
              "PARAMETER_INT64": "parameter"}


def bench(name, source, flags=()):
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(EPK_TRACE="all", OMP_WAIT_POLICY="passive")
    b.program = b.compile(f"mpicc.{name}", source, [*FLAGS, *flags], instrument=None)
    return b


def traced(b, name, words, ranks, env=None):
    before = set(b.archives())
    result = b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", ranks, b.program], env=env)
    made = [a for a in b.archives() if a not in before]
    assert len(made) == 1, f"{made}\n{result.err}"
    return made[0], result


def events_by_kind(b, archive):
    return collections.Counter(json.loads(b.run([b.epk, "info", archive, "--format", "json"]).out)["by_kind"])


def no_calls_in_otf2(b, archive):
    """Visits of calls that only EPIK has: idle threads, and values of parameters, which are events in OTF2."""
    visits = 0
    for region in ("idle", "*=*"):
        printed = b.run([b.epk, "print", archive, "--region", region, "--format", "json"], check=False).out
        visits += sum(json.loads(line)["event"] == "enter" for line in printed.splitlines())
    return visits


def whole(b, archive):
    result = b.run([b.epk, "check", archive, "--trace-vs-summary"], check=False)
    assert result.status == 0, f"{archive.name}: {result.out}{result.err}"


def metrics(b, archive):
    """Sums over everything, by metric."""
    report = json.loads(b.run([b.epk, "report", archive, "--format", "json"]).out)
    sums = collections.Counter()
    for values in report["values"]:
        sums[values["metric"]] += sum(value for value in values["value"] if value is not None)
    return sums


def test_ranks_and_threads():
    for name, words in MPIS:
        b = bench(name, "ring.c", ["-fopenmp"])
        for ranks, threads in ((1, 4), (3, 2), (8, 1), (8, 4)):
            archive, _ = traced(b, name, words, ranks, {"OMP_NUM_THREADS": str(threads)})
            whole(b, archive)
            facts = json.loads(b.run([b.epk, "info", archive, "--format", "json"]).out)
            expect("ranks", [rank["rank"] for rank in facts["by_rank"]], list(range(ranks)))
            expect("threads", {rank["threads"] for rank in facts["by_rank"]}, {threads})
            kinds = collections.Counter(facts["by_kind"])
            expect("messages", (kinds["send begin"], kinds["receive end"]), (50 * ranks, 50 * ranks))


def test_bytes_and_messages():
    for name, words in MPIS:
        b = bench(name, "traffic.c")
        archive, _ = traced(b, name, words, 3)
        whole(b, archive)
        kinds = events_by_kind(b, archive)
        # Three of each step: "step" and "inner" of each rank.
        expect("parameters", kinds["parameter"], 2 * 5 * 3)
        expect("messages", kinds["send"] + kinds["send begin"], (3 + 3) * 5 * 3)
        # Without the summary, the report still has them.
        alone, _ = traced(b, name, words, 3, {"EPK_SUMMARY": "no"})
        assert not (alone / "summary.cubex").exists()
        with_summary, of_trace = metrics(b, archive), metrics(b, alone)
        names = [n for n in with_summary if n.startswith(("bytes", "msgs", "colls", "comms", "rma_"))]
        assert {"bytes_sent_p2p", "msgs_received", "colls", "rma_gets"} <= set(names), names
        for metric in names:
            expect(metric, of_trace[metric], with_summary[metric])


def test_what_differs_is_found():
    """A trace that lacks messages of the summary, because it did not log them."""
    name, words = MPIS[0]
    b = bench(name, "traffic.c")
    archive, _ = traced(b, name, words, 2)
    slow, _ = traced(b, name, words, 2, {"EPK_TRACE": "slow:1ns"})
    expect("kinds", events_by_kind(b, slow)["send"], 0)
    result = b.run([b.epk, "check", slow, "--trace-vs-summary"], check=False)
    assert result.status == 1 and "msgs_sent" in result.out, result.out
    for selection in ("comm", "msgs", "slow:1ms", "visits:3"):
        part, _ = traced(b, name, words, 2, {"EPK_TRACE": selection})
        result = b.run([b.epk, "check", part, "--trace-vs-summary"], check=False)
        said = result.err.splitlines()
        assert result.status != 0 and len(said) == 1 and f"EPK_TRACE={selection}" in said[0], result.err + result.out
    whole(b, archive)


def test_one_end_of_communication():
    for name, words in MPIS:
        b = bench(name, "cut_off.c")
        archive, _ = traced(b, name, words, 2)
        whole(b, archive)
        kinds = events_by_kind(b, archive)
        expect("receives that end, and that were posted", (kinds["receive end"], kinds["receive posted"]), (2 * 3, 0))
        b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", 2, b.program, "killed"], check=False)
        b.run([b.epk, "recover", "."], check=False)
        killed, = [a for a in b.archives() if a != archive]
        kinds = events_by_kind(b, killed)
        assert kinds["collective posted"] > 0, kinds  # of the rank that ends first
        expect("operations that end", kinds["collective end"], 0)
        whole(b, killed)


def otf2_counts(b, archive):
    if not installed("otf2-print"):
        return None
    result = b.run(["otf2-print", archive / "otf2/traces.otf2"])
    assert "ERROR" not in result.out + result.err and "arning" not in result.err, result.err
    counts, last = collections.Counter(), {}
    for line in result.out.splitlines():
        words = line.split(None, 3)
        if len(words) < 3 or not words[1].isdigit() or not words[2].isdigit():
            continue
        counts[words[0]] += 1
        counts["of communicators"] += words[0] == "MPI_COLLECTIVE_END" and "_HANDLE" in line
        location, time = int(words[1]), int(words[2])
        assert time >= last.get(location, 0), line
        last[location] = time
    counts["locations"] = len(last)
    return counts


def test_otf2_of_the_job_itself():
    for name, words in MPIS:
        for source, flags, ranks, threads in (("traffic.c", [], 3, 1), ("ring.c", ["-fopenmp"], 2, 2)):
            b = bench(name, source, flags)
            threaded = {"OMP_NUM_THREADS": str(threads)}
            archive, _ = traced(b, name, words, ranks, threaded)
            ours = events_by_kind(b, archive)
            # Small buffers: the trace also has the events that were written meanwhile.
            other, result = traced(b, name, words, ranks,
                                   {**threaded, "EPK_TRACE_FORMAT": "otf2", "ELG_BUFFER_SIZE": "64k"})
            assert "OTF2" not in result.err, result.err
            left = [p.name for p in other.rglob("*") if p.suffix in (".elg", ".epk")]
            expect("left", left, [])
            trace = json.loads((other / "manifest.json").read_text())["trace"]
            expect("format", trace["format"], "otf2")
            b.run([b.epk, "check", other])
            b.run([b.epk, "report", other])
            told = b.run([b.epk, "print", other], check=False)
            assert told.status == 1 and "otf2/traces.otf2" in told.err, told.err
            counts = otf2_counts(b, other)
            if counts is None:
                continue
            for ending, blocking in (("REQUEST", "BEGIN"), ("COMPLETE", "END")):
                counts[f"MPI_COLLECTIVE_{blocking}"] += counts[f"NON_BLOCKING_COLLECTIVE_{ending}"]
                counts[f"MPI_COLLECTIVE_{blocking}"] -= counts["of communicators"]  # EPIK has other records of these
            expect("communicators", (counts["COMM_CREATE"], counts["COMM_DESTROY"], counts["of communicators"]),
                   (ranks, ranks, 2 * ranks))
            flushes = counts["BUFFER_FLUSH"]  # each within a call of the measurement's own
            for kind, what in OTF2_KINDS.items():
                less = no_calls_in_otf2(b, archive) if kind == "ENTER" else 0
                expect(kind, counts[kind] - (flushes if kind == "ENTER" else 0), ours[what] - less)
            expect("leaves", counts["LEAVE"], counts["ENTER"])
            expect("locations", counts["locations"], ranks * threads)
            expect("programs", (counts["PROGRAM_BEGIN"], counts["PROGRAM_END"]), (ranks, ranks))
            defined = b.run(["otf2-print", "-G", other / "otf2/traces.otf2"]).out
            teams = re.findall(r'^COMM +\d+ +Name: "(threads of rank \d+)"', defined, re.M)
            expect("teams", teams, [f"threads of rank {r}" for r in range(ranks)] if threads > 1 else [])
            assert f'"{source.removesuffix(".c")}"' in defined, "the program's name"


def test_without_the_library_the_trace_is_ours():
    name, words = MPIS[0]
    b = bench(name, "ring.c")
    module = PREFIX / "lib/libepk_otf2.so"
    away = module.with_suffix(".away")
    os.rename(module, away)
    try:
        archive, result = traced(b, name, words, 2, {"EPK_TRACE_FORMAT": "otf2"})
    finally:
        os.rename(away, module)
    said = [line for line in result.err.splitlines() if "libepk_otf2.so" in line]
    expect("lines", len(said), 1)
    whole(b, archive)
    expect("format", json.loads((archive / "manifest.json").read_text())["trace"]["format"], "epilog")


if __name__ == "__main__":
    sys.exit(main(globals()))
