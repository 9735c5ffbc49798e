#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces of runs that were killed between any two instructions are analysed, and each record of a message is accounted
for: it is a part of a message, or it is counted as unmatched. An analysis that is killed leaves nothing half-written."""

import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, long, main, mpis, need, stage  # noqa: E402

PREFIX = stage()
PROGRAMS = pathlib.Path("test/replay/programs").resolve()
MPIS = mpis()
SENDS, RECEIVES = ("send", "send begin"), ("receive", "receive end")
MODES = ("all", "comm", "msgs")
RANKS = 3


def bench(compiler, flags, output):
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(ELG_BUFFER_SIZE="256K")
    return b, b.compile(compiler, "until_killed.c", ["-O1", "-g", "-fopenmp", "-finstrument-functions", *flags], output,
                        None)


def killed(b, words, mode):
    """The archive of a run that is killed; None: it had not begun."""
    b.run([b.epk, "run", *words], env={"EPK_TRACE": mode}, check=False)
    b.run([b.epk, "recover", "."], check=False)
    made = [a for a in b.archives() if (a / "defs.epk").exists()]
    assert len(made) <= 1, made
    return made[0] if made else None


def counted(b, archive):
    """kind -> records in the trace."""
    lines = b.run([b.epk, "print", archive, "--format", "json"]).out.splitlines()
    return collections.Counter(row.get("kind") or row.get("event") for row in map(json.loads, lines))


def check_analysis(b, archive, what):
    said = b.run([b.epk, "analyze", archive])
    found = json.loads((archive / "analysis.json").read_text())
    unmatched = collections.Counter()
    for row in found["unmatched"]:
        # Messages whose calls are not in the trace still count as messages.
        unmatched[row["kind"]] += row["count"] if row["reason"] != "call_not_logged" else 0
        assert row["reason"] and "unmatched: " in said.err, (what, row, said.err)
    records = counted(b, archive)
    for kinds, kind in ((SENDS, "send"), (RECEIVES, "receive")):
        expect(f"{what}: {kind}", found["messages"] + unmatched[kind], sum(records[k] for k in kinds))
    for row in found["waits"]:
        assert row["seconds"] >= 0, (what, row)
    for view in ("--waits", "--causes", "--critical"):
        b.run([b.epk, "report", archive, view, "--format", "csv"])
    return found


def kill_many(seeds):
    rng = random.Random(seeds)
    analysed = messages = 0
    kinds = [("threads", "gcc", ["-pthread", "-DWITH_THREADS"], [], 1), ("openmp", "gcc", [], [], 1)]
    kinds += [(name, f"mpicc.{name}", ["-DWITH_MPI"], [f"mpirun.{name}", *words, "-n", RANKS], RANKS)
              for name, words in MPIS]
    for seed in range(seeds):
        for name, compiler, flags, launcher, ranks in kinds:
            mode, threads = rng.choice(MODES), 3 if ranks == 1 else rng.choice((1, 2))
            b, program = bench(compiler, flags, f"killed_{name}")
            us = int(10 ** rng.uniform(4, 5.5))
            words = [*launcher, program, us, rng.randrange(ranks), threads]
            archive = killed(b, words, mode)
            if archive is not None:
                analysed += 1
                messages += check_analysis(b, archive, f"seed {seed}, {name}, {mode}, {us} us")["messages"]
            shutil.rmtree(b.folder)
    print(f"         ({analysed} of {seeds * len(kinds)} killed runs left a trace, {messages} messages)")
    assert analysed > seeds, "too few runs came to their traces"
    assert messages > 0 or not MPIS


@long
def test_killed_runs_are_analysed():
    kill_many(3)


@long
def test_many_killed_runs_are_analysed():
    kill_many(40)


def contents(archive):
    return {p.relative_to(archive): p.read_bytes() for p in archive.rglob("*") if p.is_file()}


def test_a_killed_analysis_leaves_nothing_half_written():
    need(shutil.which("strace"), "strace")
    need(subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode == 0,
         "processes that may be traced")
    b, program = bench("gcc", [], "killed_once")
    archive = killed(b, [program, 150000, 0, 2], "all")
    assert archive is not None
    before = contents(archive)
    words = [b.epk, "analyze", "-j", "1", str(archive)]
    log = b.folder / "calls"
    b.run(["strace", "-qq", "-o", log, *words])
    whole = contents(archive)
    made = set(whole) - set(before)
    expect("files", {str(name) for name in made}, {"trace.cubex", "analysis.json"})
    counts, calls = collections.Counter(), []
    writes = None
    for call in re.findall(r"^(\w+)\(", log.read_text(errors="replace"), re.M):
        counts[call] += 1
        calls.append((call, counts[call]))
        if writes is None and call == "openat" and ".tmp" in log.read_text(errors="replace").splitlines()[len(calls) - 1]:
            writes = len(calls) - 1
    assert writes is not None, "the analysis wrote no file"
    luck, writing = random.Random(19), calls[writes:]
    chosen = luck.sample(calls[:writes], min(writes, 12)) + luck.sample(writing, min(len(writing), 40))
    for call, which in chosen:
        for name in set(contents(archive)) - set(before):
            (archive / name).unlink()
        b.run(["strace", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=SIGKILL:when={which}", *words],
              check=False)
        left = contents(archive)
        for name, bytes_of in left.items():
            if name.suffix == ".tmp":  # of a process that is no more: nobody reads it
                continue
            assert bytes_of == whole[name], f"killed at {call} {which}: {name} is half-written"
        expect(f"killed at {call} {which}", set(before) - set(left), set())
        b.run([b.epk, "report", archive])
    b.run(words)
    expect("after all", {n: c for n, c in contents(archive).items() if n.suffix != ".tmp"}, whole)
    print(f"         ({len(chosen)} kills, {min(len(writing), 40)} of the {len(writing)} calls at or after the first file)")


if __name__ == "__main__":
    sys.exit(main(globals()))
