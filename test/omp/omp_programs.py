# SPDX-License-Identifier: BSD-3-Clause
"""OpenMP programs under measurement, and checks that hold for each of their profiles."""

import collections
import re
import sys

sys.path.insert(0, "test/user")
import harness  # noqa: E402
from harness import expect, expect_time  # noqa: E402

PREFIX = harness.stage()
THREADS = 3
HOOKS = "-finstrument-functions"


class Omp:
    """A program built once with one compiler, and run preloaded."""

    built = {}

    def __init__(self, compiler, source, flags=()):
        self.bench = harness.Bench(PREFIX, "test/omp/programs")
        self.compiler = compiler
        name = f"{source.split('.')[0]}_{compiler}{len(flags)}"
        key = compiler, source, tuple(flags)
        if key not in self.built:
            self.built[key] = self.bench.compile(compiler, source, ("-g", "-O1", "-fopenmp", *flags), name,
                                                 instrument=None)
        self.program = self.built[key]

    def run(self, *words, threads=THREADS, env=None):
        return self.bench.measure(self.program, words, env=self.settings(threads, env))

    def start(self, *words, threads=THREADS, env=None, check=True):
        """Runs it without reading the archive."""
        return self.bench.run([self.program, *words], env=self.settings(threads, env), check=check)

    @staticmethod
    def settings(threads, env):
        return {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive",
                "LD_PRELOAD": str(PREFIX / "lib/libepk.so"), **(env or {})}

    def threads_of_another(self):
        """The environment of a run in which a library in front of EPIK's makes the threads."""
        front = self.bench.compile("gcc", "in_front.c", ("-shared", "-fPIC"), "in_front.so", None)
        return {"LD_PRELOAD": f"{front}:{PREFIX / 'lib/libepk.so'}"}

    def epk(self, *words):
        return self.bench.run([self.bench.epk, *words]).out

    def plain(self, *words):
        return self.bench.run([self.program, *words], env={"OMP_NUM_THREADS": str(THREADS)})


def kind_of(region):
    """Without the name of a critical section, and without the place."""
    return region.split(" @")[0].split("(")[0]


def visits_by_kind(profile):
    counts = collections.Counter()
    for row in profile.rows:
        counts[kind_of(row["region"])] += int(row["visits"] or 0)
    return counts


def counted(text):
    return {kind: int(count) for kind, count in re.findall(r"^count (.*) (\d+)$", text, re.M)}


def number(text, word):
    return float(re.search(rf"^{word} (\S+)$", text, re.M).group(1))


def threads_of(profile):
    return sorted({int(row["thread"]) for row in profile.rows})


def seconds(profile, column, thread, want):
    return sum(float(r[column] or 0) for r in profile.rows if int(r["thread"]) == thread and want(r))


def check_time(profile, what):
    """The exclusive times of a thread are its total, none is negative, and an idle thread has a region."""
    for thread in threads_of(profile):
        mine = [r for r in profile.rows if int(r["thread"]) == thread]
        total = sum(float(r["incl_s"]) for r in mine if " > " not in r["callpath"])
        parts = sum(float(r["excl_s"]) for r in mine)
        assert abs(total - parts) <= 1e-9 + 1e-6 * total, f"{what}: thread {thread}: {parts} s of {total} s"
        for row in mine:
            assert float(row["excl_s"]) >= -1e-9, f"{what}: {row['callpath']}: {row['excl_s']} s"
    expect(f"{what}: repairs", profile.manifest["repairs"], 0) if "repairs" in profile.manifest else None


def check_pool(profile, what):
    """A thread of the pool is in a region or idle, and never longer in a region than its leader."""
    for thread in threads_of(profile):
        if thread == 0:
            continue
        total = seconds(profile, "incl_s", thread, lambda r: " > " not in r["callpath"])
        idle = seconds(profile, "incl_s", thread, lambda r: r["region"] == "idle")
        tops = {r["callpath"] for r in profile.rows if kind_of(r["region"]) == "parallel"}
        tops = {p for p in tops if not any(p.startswith(q + " > ") for q in tops)}
        inside = seconds(profile, "incl_s", thread, lambda r: r["callpath"] in tops)
        expect_time(abs(total - idle - inside) <= 0.01 * total,
                    f"{what}: thread {thread}: {idle} + {inside} of {total} s")
        for top in tops:
            own = seconds(profile, "incl_s", thread, lambda r, top=top: r["callpath"] == top)
            leader = seconds(profile, "incl_s", 0, lambda r, top=top: r["callpath"] == top)
            expect_time(own <= leader * 1.001 + 1e-6,
                        f"{what}: thread {thread}: {own} s in {top}, its leader {leader} s")
