# SPDX-License-Identifier: BSD-3-Clause
"""An installation made of what Bazel built, programs compiled against it, and profiles read back by `epk report`."""

import collections
import csv
import functools
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append("test/harness")
import cases  # noqa: E402
import ending  # noqa: E402
import sanitizer  # noqa: E402
from cases import expect_time, installed, left_out, long, long_cases, need, retried, skip, skip_all, timed  # noqa: E402, F401 (for those who import from here)
from patience import patient  # noqa: E402

RUNFILES = pathlib.Path.cwd()
SECONDS = 240
PREFIXES = []  # of all installations


def stage():
    """bin/epk, lib/ and include/ like in an installation, in a folder of this test."""
    prefix = pathlib.Path(tempfile.mkdtemp(prefix="epik_stage_", dir=os.environ.get("TEST_TMPDIR"))).resolve()
    for place, files in {
        "bin": ["tools/epk/epk"],
        "lib": ["adapters/libepk.so", "archive/libepk_archive.so",
                *sorted(p.relative_to(RUNFILES) for p in RUNFILES.glob("adapters/libepk_*.so")),
                *sorted(p.relative_to(RUNFILES) for p in RUNFILES.glob("adapters/mpi/libepk_mpi_*.so")),
                *sorted(p.relative_to(RUNFILES) for p in RUNFILES.glob("adapters/compiler/**/libepk_*.so"))],
        "include/epik": sorted((RUNFILES / "include/epik").glob("*.[hfi]*")),
    }.items():
        (prefix / place).mkdir(parents=True)
        for file in files:
            copy = prefix / place / pathlib.Path(file).name
            shutil.copyfile(RUNFILES / file, copy)
            copy.chmod(0o755 if place == "bin" else 0o644)
    PREFIXES.append(prefix)
    return prefix


@functools.cache
def sanitizer_of(prefix):
    """The sanitizer that the libraries of an installation have, or none."""
    return sanitizer.Sanitizer(str(prefix / "lib/libepk.so"), str(prefix / "reports"))


def mpis():
    """The MPIs of this machine: the name of each, and the options of its launcher for more processes than processors."""
    return [(name, words) for name, words in (("openmpi", ["--oversubscribe"]), ("mpich", []))
            if installed(f"mpirun.{name}")]


def needs_no_sanitizer(prefix, why):
    """Skips the case if the libraries have a sanitizer whose runtime does not support the case."""
    need(sanitizer_of(prefix).runtime is None, "with a sanitizer: " + why)


class Result:
    def __init__(self, process):
        self.status, self.out, self.err = process.returncode, process.stdout, process.stderr


class Bench:
    """One folder to work in, with the installation in its environment."""

    def __init__(self, prefix, programs):
        self.prefix = prefix
        self.programs = pathlib.Path(programs).resolve()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="epik_work_", dir=os.environ.get("TEST_TMPDIR"))).resolve()
        self.epk = str(prefix / "bin/epk")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("EPK_", "ESD_", "ELG_", "LD_"))}
        self.env.update(LC_ALL="C.UTF-8", TMPDIR=str(self.folder), HOME=str(self.folder))
        self.sanitizer = sanitizer_of(prefix)
        self.env = self.sanitizer.started(self.env)

    def run(self, words, env=None, check=True):
        given = env or {}
        if "LD_PRELOAD" in given:
            given = self.sanitizer.started(given)
        process = ending.run([str(w) for w in words], SECONDS, cwd=self.folder, env={**self.env, **given},
                             stdin=subprocess.DEVNULL)
        self.sanitizer.check(process.stderr)
        if check and process.returncode != 0:
            raise AssertionError(f"{words} ended with {process.returncode}:\n{process.stdout}{process.stderr}")
        return Result(process)

    built = {}  # by everything that affects the result: programs that several cases need are compiled once

    def compile(self, compiler, source, flags=(), output=None, instrument=("--user", "--no-compiler")):
        """Compiles by `epk instrument` unless instrument is None. Returns the program's path."""
        output = self.folder / (output or pathlib.Path(source).stem)
        prefix = [] if instrument is None else [self.epk, "instrument", *instrument]
        words = [*map(str, [*prefix, *compiler.split(), *flags, self.programs / source])]
        key = (*words, *sorted((k, v) for k, v in self.env.items() if k not in ("TMPDIR", "HOME")))
        if not self.same_everywhere(words):
            self.run(patient([*words, "-o", output]))
        elif key in self.built:
            shutil.copy(self.built[key], output)
        else:
            self.run(patient([*words, "-o", output]))
            self.built[key] = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))) / output.name
            shutil.copy(output, self.built[key])
        return output

    def same_everywhere(self, words):
        """Nothing of this folder takes part, and nothing but the program is left in it: Fortran leaves modules."""
        here = [word for word in words if str(self.folder) in word or
                not word.startswith("/") and (self.folder / word).is_file()]
        return not here and "-c" not in words and not words[-1].lower().endswith((".f90", ".f"))

    def archives(self):
        return sorted(p for p in self.folder.glob("epik_*") if p.is_dir())

    def measure(self, program, words=(), env=None):
        """Runs it, and returns its Profile and its output."""
        before = set(self.archives())
        result = self.run([program, *words], env=env)
        made = [a for a in self.archives() if a not in before]
        assert len(made) == 1, f"{program}: archives {made}\n{result.err}"
        return Profile(self, made[0]), result


class Profile:
    """rows: of the CSV report. Call paths are written without the program's own name before them."""

    def __init__(self, bench, archive):
        self.archive = archive
        self.manifest = json.loads((archive / "manifest.json").read_text())
        report = bench.run([bench.epk, "report", archive, "--format", "csv"]).out
        self.rows = list(csv.DictReader(io.StringIO(report)))
        for row in self.rows:
            row["path"] = row["callpath"].split(" > ", 1)[1] if " > " in row["callpath"] else ""

    def visits(self, path=None, region=None):
        return sum(int(r["visits"] or 0) for r in self.rows
                   if (path is None or r["path"] == path) and (region is None or r["region"] == region))

    def sum(self, column, path):
        return sum(float(r[column] or 0) for r in self.rows if r["path"] == path)

    def paths(self):
        visits = {}
        for row in self.rows:
            visits[row["path"]] = visits.get(row["path"], 0) + int(row["visits"] or 0)
        return {path: count for path, count in visits.items() if count}

    def below(self, name):
        return {p: v for p, v in self.paths().items() if p == name or p.startswith(name + " > ")}


def expect(what, found, wanted):
    assert found == wanted, f"{what}: {found!r}, expected {wanted!r}"


def times_add_up(profile, what="", relative=1e-9):
    """On each thread, exclusive times add up to the whole."""
    own, whole = collections.Counter(), collections.Counter()
    for row in profile.rows:
        place = row["rank"], row["thread"]
        assert float(row["excl_s"] or 0) >= -1e-9, f"{what} negative time: {row}"
        own[place] += float(row["excl_s"] or 0)
        if " > " not in row["callpath"]:
            whole[place] += float(row["incl_s"] or 0)
    for place, seconds in whole.items():
        assert abs(own[place] - seconds) <= 1e-9 + relative * seconds, f"{what} {place}: {own[place]} of {seconds}"


def watched(test, name):
    """Makes the test fail if a sanitizer reports an error: the report explains failures of other checks."""
    @functools.wraps(test)
    def function():
        try:
            test()
        finally:
            for prefix in PREFIXES:
                sanitizer_of(prefix).check()
    function.__name__ = name
    return function


def main(tests):
    """Runs every function called test_*, or those that the command line asks for. Returns an exit status."""
    functions = [watched(test, name) for name, test in sorted(tests.items()) if name.startswith("test_")]
    return cases.main(functions)
