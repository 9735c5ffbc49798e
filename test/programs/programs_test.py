#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every program, by gcc and clang, without measurement and with counting hooks: output, status and counts are as
expected.

programs_test.py LIBCOUNT: the oracle is itself checked here, against counts worked out by hand.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import cases  # noqa: E402
import programs  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
# name: flags, with hooks
BUILDS = {
    "plain": (["-O2", *WARNINGS], False),
    "hooks": (["-O2"], True),
    "hooks_debug": (["-O0"], True),
}
SECONDS = 240


def read_counts(path):
    """{function: (enters, exits)}, C++ names without their parameters; nameless functions are left out."""
    text = subprocess.run(["c++filt"], input=path.read_text(), capture_output=True, text=True, check=True).stdout
    counts = {}
    for line in text.splitlines():
        _, _, enters, exits, symbol = line.split(" ", 4)
        name = symbol.split("(")[0].split("[")[0]
        if name != "-":
            before = counts.get(name, (0, 0))
            counts[name] = (before[0] + int(enters), before[1] + int(exits))
    return counts


def wrong_counts(case, family, path):
    if not case.counts:
        return []
    if not path.exists():
        return ["no count was written"]
    counts = read_counts(path)
    wrong = []
    for name, expected in case.counts.items():
        expected = expected if isinstance(expected, tuple) else (expected, expected)
        found = counts.get(name, (0, 0))
        # after inlining clang forgets the exit hook of a frame that an exception leaves
        either = expected[1] is None or (family == "clang" and case.program == "throws")
        if found != expected and not (either and found[0] == expected[0]):
            wrong.append(f"{name}: {found} calls, expected {expected}")
    return wrong


def check(case, family, folder, hooks, library):
    """The errors in one run of one program, as a list of lines."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EPK_")}
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        count_file = pathlib.Path(scratch) / "count"
        if hooks:
            environment.update(LD_PRELOAD=str(library), COUNT_FILE=str(count_file))
        done = subprocess.run(programs.command_of(case, folder), env=environment, cwd=scratch, capture_output=True,
                              text=True, timeout=SECONDS, check=False)
        wrong = []
        if done.stdout != case.output:
            wrong.append(f"printed {done.stdout!r}, expected {case.output!r}")
        if done.returncode != case.status:
            wrong.append(f"status {done.returncode}, expected {case.status}: {done.stderr.strip()}")
        if hooks:
            wrong += wrong_counts(case, family, count_file)
    return [f"{case.program} {' '.join(case.arguments)}: {line}" for line in wrong]


def check_program(program, family, build, root, library):
    flags, hooks = BUILDS[build]
    folder = root / family / build / program
    folder.mkdir(parents=True)
    programs.build(program, folder, family, flags, hooks)
    own = [case for case in programs.CASES if case.program == program]
    return [f"{family} {build} {line}" for case in own for line in check(case, family, folder, hooks, library)]


def main():
    library = pathlib.Path(sys.argv[1]).resolve()
    results = cases.Results(os.environ.get("TEST_TARGET", "programs"))
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as root:
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            jobs = {f"{program} by {family}, {build}":
                    pool.submit(check_program, program, family, build, pathlib.Path(root), library)
                    for family in programs.COMPILERS for build in BUILDS for program in programs.SOURCES
                    if family == "gcc" or program != "fortran"}
            for name, job in jobs.items():
                results.run(name, expect_nothing_wrong, job)
    return results.finish()


def expect_nothing_wrong(job):
    wrong = job.result()
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    sys.exit(main())
