#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares profiles of real programs with facts that are known without EPIK.

truths.py FAMILY[_WORD]… PREFIX-FILES… LIBCOUNT: every program of test/programs that ends by itself, compiled by gcc or clang,
measured preloaded and linked, or one of both; `sampled`: with hot call paths sampled:
  * output and exit status are those of the bare program;
  * visits of every function equal the counts of an independent hook library;
  * on every location exclusive times are not negative, sum to the inclusive time of the roots, and no more than the
    wall time lies between first and last event;
  * a visit is never shorter than the minimum nor longer than the maximum, and the squares agree with both.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "programs"))
sys.path.append(str(HERE.parent / "harness"))
import cases  # noqa: E402
import programs  # noqa: E402
import sanitizer  # noqa: E402

SECONDS = 240
WAYS = ("preloaded", "linked")
# Programs that end without destructors, or in a child: test/guests tests these.
ELSEWHERE = {"early_exit", "forks"}
# Functions that the oracle cannot see, because it is unloaded before they run.
TOO_LATE_FOR_THE_ORACLE = {"statics": {"ElfDestructor()", "Say(char const*)", "Say(char const*, char const*)"}}
# Interrupts and schedules differ from run to run; programs.py names the counts that do not.
VARIES = {"signals", "jumps", "threads"}
# A handler that interrupts the making of a call path: its events are dropped in pairs, and counted.
IN_HANDLERS = {"Handler", "HandlerWork", "HandlerLeaf", "StartTimer", "LandFromSignal"}


class Wrong(AssertionError):
    pass


def check(truth, *what):
    if not truth:
        raise Wrong(" ".join(str(word) for word in what))


def stage(prefix, files):
    """An installation as `./dev install` makes it, as far as these tests need it."""
    for file in map(pathlib.Path, files):
        folder = prefix / ("bin" if file.name == "epk" else "lib")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder / file.name)
    return prefix


def run(command, folder, **environment):
    if "LD_PRELOAD" in environment:
        environment["LD_PRELOAD"] = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), environment["LD_PRELOAD"])))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EPK_", "ESD_", "ELG_"))}
    done = subprocess.run(command, cwd=folder, env={**kept, **environment}, capture_output=True, timeout=SECONDS)
    own = b"".join(line for line in done.stderr.splitlines(True) if not line.startswith(b"[EPIK] "))
    return done.returncode, done.stdout, own


def demangled(counts):
    """Names of one function for the linker (complete and base constructors) are one function for people."""
    names = subprocess.run(["c++filt"], input="\n".join(counts), capture_output=True, text=True, check=True)
    merged = {}
    for symbol, name in zip(counts, names.stdout.splitlines()):
        merged[name] = merged.get(name, 0) + counts[symbol]
    return merged


def oracle_counts(case, folder, library):
    path = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "count"
    run(programs.command_of(case, folder), folder, LD_PRELOAD=str(library), COUNT_FILE=str(path))
    counts = {}
    if not path.exists() and not case.counts:
        return counts  # ends without writing a count
    for line in path.read_text().splitlines():
        _, _, enters, _, symbol = line.split(" ", 4)
        if symbol != "-":
            counts[symbol] = counts.get(symbol, 0) + int(enters)
    return demangled(counts)


class Profile:
    def __init__(self, epk, archive):
        report = subprocess.run([epk, "report", archive, "--format", "json"], capture_output=True, check=True)
        self.json = json.loads(report.stdout)
        self.manifest = self.json["manifest"]
        self.parents = [path["parent"] for path in self.json["callpaths"]]
        self.regions = [self.json["regions"][path["region"]] for path in self.json["callpaths"]]
        self.locations = len(self.json["locations"])
        self.values = {}
        for values in self.json["values"]:
            cells = self.values.setdefault(values["metric"], {})
            for path, location, value in zip(values["callpath"], values["location"], values["value"]):
                cells[path, location] = value

    def visits_by_name(self):
        counts = {}
        for (path, _), visits in self.values["visits"].items():
            region = self.regions[path]
            if region["role"] == "function":
                counts[region["mangled"]] = counts.get(region["mangled"], 0) + visits
        return demangled(counts)

    def check_times(self):
        time, visits = self.values["time"], self.values["visits"]
        for location in range(self.locations):
            exclusive = [time.get((path, location), 0) for path in range(len(self.parents))]
            inclusive = list(exclusive)
            for path, parent in reversed(list(enumerate(self.parents))):
                if parent is not None:
                    inclusive[parent] += inclusive[path]
            total = sum(inclusive[path] for path, parent in enumerate(self.parents) if parent is None)
            check(all(value >= -1e-12 - 1e-9 * total for value in exclusive), "negative exclusive time", min(exclusive))
            kinds = sum(self.values.get(kind, {}).get((path, location), 0) for path in range(len(self.parents))
                        for kind in ("execution", "overhead", "omp_idle_threads"))
            check(abs(kinds - total) <= 1e-9 * total, "times by kind sum to", kinds, "and not to", total)
            check(total <= self.manifest["wall_seconds"] * (1 + 1e-9), "location", location, "has", total, "s of",
                  self.manifest["wall_seconds"])
        for (path, location), count in visits.items():
            if count == 0:
                continue
            low = self.values["min_time"].get((path, location))
            high = self.values["max_time"].get((path, location))
            check(low is not None and high is not None and low <= high, "min and max of a visited path", low, high)
            squares = self.values["time_squares"].get((path, location), 0)
            slack = 1e-9 * (count * high * high) + 1e-30
            # A visit that was cut off is not the shortest. One of a thread or a program is open at the end, and not unfinished.
            cut = self.values.get("unfinished", {}).get((path, location), 0) + (self.regions[path]["role"] != "function")
            check(max(count - cut, 0) * low * low - slack <= squares <= count * high * high + slack,
                  "squares out of bounds:", self.regions[path]["name"], count, low, high, squares)


def names_wrong(case, expected, found):
    ignored = TOO_LATE_FOR_THE_ORACLE.get(case.program, set())
    for name, calls in expected.items():
        if name not in ignored and found.get(name, 0) != calls:
            yield f"{name}: {found.get(name, 0)} visits, {calls} calls"


def measure(case, folder, prefix, preload, **limits):
    """The profile of one measured run, and the program's output."""
    runs = pathlib.Path(tempfile.mkdtemp(dir=folder))
    environment = {"EPK_GDIR": str(runs), **limits}
    if preload:
        environment["LD_PRELOAD"] = str(prefix / "lib" / "libepk.so")
    seen = run(programs.command_of(case, folder), folder, **environment)
    archives = [path for path in runs.iterdir() if not path.name.endswith(".unfinished")]
    check(len(archives) == 1, "expected one archive, found", [path.name for path in runs.iterdir()])
    return seen, Profile(prefix / "bin" / "epk", archives[0])


def check_case(case, folder, prefix, library, preload, **hot):
    bare = run(programs.command_of(case, folder), folder, EPK_ENABLED="no")
    expected = oracle_counts(case, folder, library)
    seen, profile = measure(case, folder, prefix, preload, **hot)
    check(seen == bare, "the program was changed:", bare, seen)
    check(bare[0] == case.status, "status", bare[0])
    visits = profile.visits_by_name()
    if case.program not in VARIES:
        wrong = list(names_wrong(case, expected, visits))
        check(not wrong, "; ".join(wrong[:5]))
    if not preload:
        return profile.check_times()  # other functions were inlined, so these counts belong to another program
    by_name = {}
    for name, count in visits.items():
        if ")::" in name:  # a lambda of the function
            continue
        plain = name.split("(")[0].split("[")[0]
        by_name[plain] = by_name.get(plain, 0) + count
    dropped = profile.manifest["dropped_events"]
    for name, count in case.counts.items():
        count = count[0] if isinstance(count, tuple) else count
        missing = count - by_name.get(name, 0)
        allowed = dropped // 2 if name in IN_HANDLERS else 0
        check(0 <= missing <= allowed, f"{name}: {count - missing} visits, expected {count}; dropped events: {dropped}")
        dropped -= 2 * missing
    profile.check_times()
    check(dropped == 0 or case.program in ("signals", "jumps"), "events were dropped")
    check(profile.manifest["folded_visits"] == 0, "visits were folded")
    return None


def check_limits(case, folder, prefix, preload, **limits):
    """If there is no room for all call paths or frames, no visit is lost, and no time counts twice."""
    seen, full = measure(case, folder, prefix, preload)
    limited_seen, limited = measure(case, folder, prefix, preload, **limits)
    check(seen == limited_seen, "the program was changed:", seen, limited_seen)
    folded = limited.manifest["folded_visits"]
    check(folded > 0, "nothing was folded by", limits)
    calls = sum(full.visits_by_name().values())
    check(sum(limited.visits_by_name().values()) + folded == calls, "visits were lost:", folded, "folded of", calls)
    limited.check_times()


# Every call path that is visited twice is sampled: the same truths hold.
SAMPLED = {"EPK_HOT": "sample", "EPK_THROTTLE_CALLS": "2", "EPK_THROTTLE_PERCALL": "1s"}

LIMITS = {"many_paths": {"ESD_PATHS": "8"}, "deep": {"ESD_FRAMES": "50"}}


def cases_of(program, watcher):
    for case in programs.CASES:
        if watcher.runtime is not None and "deepbind" in case.arguments:
            cases.left_out("with a sanitizer: it refuses RTLD_DEEPBIND")
        elif case.program == program and case.status >= 0:
            yield case


def main():
    family, *files, library = sys.argv[1:]
    family, *words = family.split("_")
    sampled = "sampled" in words
    hot = SAMPLED if sampled else {}
    library = pathlib.Path(library).resolve()
    results = cases.Results(os.environ.get("TEST_TARGET", family))
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        prefix = stage(root / "prefix", files)
        watcher = sanitizer.Sanitizer(str(prefix / "lib/libepk.so"), str(root / "reports"))
        os.environ.update(watcher.started({}))  # all processes get it
        jobs = {}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for how in [word for word in WAYS if word in words] or WAYS:
                # With all calls clang 14 refers to members of std::string that libstdc++ 12 does not have.
                every = ["--all-calls"] if family == "gcc" else []
                wrapper = [str(prefix / "bin" / "epk"), "instrument", *every] if how == "linked" else []
                for program in sorted({case.program for case in programs.CASES} - ELSEWHERE):
                    folder = root / f"{program}.{how}"
                    folder.mkdir()
                    programs.build(program, folder, family, hooks=how == "preloaded", wrapper=wrapper)
                    for case in cases_of(program, watcher):
                        job = pool.submit(check_case, case, folder, prefix, library, how == "preloaded", **hot)
                        jobs[job] = f"{program} {' '.join(case.arguments)} ({how})"
                for program, limits in ({} if sampled else LIMITS).items():
                    folder = root / f"{program}.{how}"
                    case = next(case for case in programs.CASES if case.program == program)
                    job = pool.submit(check_limits, case, folder, prefix, how == "preloaded", **limits)
                    jobs[job] = f"{program} with {limits} ({how})"
            for job, name in jobs.items():
                results.run(name, job.result)
        if watcher.runtime is not None:
            results.run("no sanitizer has a report", watcher.check)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
