#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A trace of a hundred million events, or as many as the first argument says: written, told, checked, printed and
converted in bounded memory. Takes minutes and gigabytes of disk:

    bazel run //test/trace:large_test           what each step took, on standard output
"""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

sys.path.insert(0, "test/user")
from harness import Bench, expect, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/trace/programs").resolve()
MEGABYTES = 192  # of memory at most, for each step
ROUNDS = 1 / 114.7  # for each event, on two threads


def step(b, name, words, to=None):
    """Runs it, and says what it took. In a child of its own: memory is that of the largest."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with open(to or os.devnull, "w") as out:
            began = time.time()
            status = subprocess.call([str(w) for w in words], cwd=b.folder, env=b.env, stdout=out)
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(writer, json.dumps([status, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime,
                                     time.time() - began]).encode())
        os._exit(0)
    os.close(writer)
    status, megabytes, cpu, wall = json.loads(os.read(reader, 4096))
    os.waitpid(child, 0)
    os.close(reader)
    print(f"{name:32} {cpu:8.1f} s CPU {wall:8.1f} s {megabytes:8.1f} MB", flush=True)
    expect(f"status of {name}", status, 0)
    assert megabytes < MEGABYTES, f"{name}: {megabytes} MB"


def main():
    events = float(sys.argv[1]) if len(sys.argv) > 1 else 1e8
    b = Bench(stage(), PROGRAMS)
    program = b.compile("gcc", "tree.c", ["-O1", "-g", "-finstrument-functions", "-pthread"], instrument=None)
    b.env.update(EPK_TRACE="all")
    try:
        step(b, "run", [b.epk, "run", program, int(events * ROUNDS), 2])
        archive = b.archives()[0]
        step(b, "info", [b.epk, "info", archive, "--format", "json"], b.folder / "info.json")
        facts = json.loads((b.folder / "info.json").read_text())
        print(f"{facts['events']} events, {facts['bytes'] / facts['events']:.2f} bytes an event, "
              f"{facts['flushes']} flushes", flush=True)
        assert facts["events"] > 0.9 * events and facts["gaps"] == 0, facts
        step(b, "check --trace-vs-summary", [b.epk, "check", archive, "--trace-vs-summary"])
        step(b, "print", [b.epk, "print", archive, "--format", "json"])
        for form in ("chrome", "perfetto", "otf2", "paraver"):
            made = b.folder / f"made.{form}"
            step(b, f"convert --to {form}", [b.epk, "convert", archive, "--to", form, "-o", made])
            for left in b.folder.glob("made.*"):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    finally:
        shutil.rmtree(b.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
