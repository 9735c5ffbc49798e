# SPDX-License-Identifier: BSD-3-Clause
"""Three counts of one run, compared: programs count for themselves, hooks that share nothing with EPIK count (the first
argument of the test is their library), and EPIK does."""

import collections
import json
import pathlib
import platform
import shutil
import subprocess
import sys

from harness import Bench, expect, stage

LIBCOUNT = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
OURS = {"measurement", "thread"}


def bench():
    return Bench(PREFIX, PROGRAMS)


def plugin_of(compiler):
    """The path of the plugin of gcc or clang, if one was built."""
    version = subprocess.run([compiler, "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True).stdout if (
        shutil.which(compiler)) else ""
    return PREFIX / f"lib/libepk_{compiler}{version.split('.')[0].strip()}.so"


def why_no_plugin(compiler):
    """Why there is no plugin; empty: there is one."""
    known = platform.machine() in ("x86_64", "aarch64")
    return "" if known and plugin_of(compiler).exists() else f"no plugin for {compiler} was built (./dev setup)"


def functions(profile):
    """Visits of functions with hooks, by name."""
    counts = collections.Counter()
    for row in profile.rows:
        if row["role"] == "function" and row["region"] not in OURS:
            counts[row["region"]] += int(row["visits"] or 0)
    return {region: n for region, n in counts.items() if n}


def check_times(profile):
    """Exclusive times add up to the time of the outermost call paths."""
    own = sum(float(row["excl_s"] or 0) for row in profile.rows)
    whole = sum(float(row["incl_s"] or 0) for row in profile.rows if " > " not in row["callpath"])
    assert abs(own - whole) <= 1e-6 + 1e-6 * whole, f"{own} of {whole}"


def own_counts(output):
    """The program's own counts: lines "12 name"."""
    lines = [line.split(" ", 1) for line in output.splitlines() if line[0].isdigit()]
    return {name: int(count) for count, name in lines}


def counted(b, program, words=()):
    """(enters, exits) by symbol, from the independent hooks, and its output. Local functions have no symbol there."""
    file = b.folder / "counts"
    result = b.run([program, *words], env={"LD_PRELOAD": str(LIBCOUNT), "COUNT_FILE": str(file)})
    counts = collections.defaultdict(lambda: (0, 0))
    for line in file.read_text().splitlines():
        _, _, enters, exits, symbol = line.split(" ", 4)
        counts[symbol] = tuple(a + int(n) for a, n in zip(counts[symbol], (enters, exits)))
    file.unlink()
    return dict(counts), result


def regions(b, profile):
    text = b.run([b.epk, "report", profile.archive, "--format", "json"]).out
    return {region["name"]: region for region in json.loads(text)["regions"]}


def symbols(b, program):
    """The linker's names of functions."""
    return {line.split()[-1] for line in b.run(["nm", program]).out.splitlines() if line.split()[-2] in "tTwW"}


def demangled(b, symbol):
    return b.run(["c++filt", symbol]).out.strip()


def compare(b, program, what, repairs=0, unlike=()):
    """One program, three counts. unlike: names whose own count means something else."""
    profile, result = b.measure(program)
    check_times(profile)
    found = functions(profile)
    for name, count in own_counts(result.out).items():
        if name not in unlike:
            expect(f"{what}: {name}", found.get(name), count)
    expect(f"{what}: repairs", profile.manifest["repairs"], repairs)
    counts, again = counted(b, program)
    expect(f"{what}: output", again.out, result.out)
    expect(f"{what}: enters", sum(enters for enters, _ in counts.values()), sum(found.values()))
    seen = collections.Counter()
    for symbol, (enters, exits) in counts.items():
        seen[demangled(b, symbol)] += enters
        if repairs == 0:
            expect(f"{what}: exits of {symbol}", exits, enters)
    local = seen.pop("-", 0)
    for name, enters in seen.items():
        # Local functions, such as copies of a function, have no name there.
        assert found.get(name, 0) - local <= enters <= found.get(name, 0), f"{what}: {name}: {enters}, {found}"
    return found, profile
