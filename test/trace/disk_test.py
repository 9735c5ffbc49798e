#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A disk that is full while a trace is written: the program does not notice, and EPIK counts the lost events."""

import json
import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, "test/user")
from harness import SECONDS, Bench, expect, main, skip, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/trace/programs").resolve()
PREFIX = stage()
FLAGS = ["-O1", "-g", "-finstrument-functions", "-pthread"]
EVENTS = {"EPK_TRACE": "all", "ELG_BUFFER_SIZE": "256k", "EPK_CONF": "/dev/null"}


def bench():
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(EVENTS)
    b.program = b.compile("gcc", "tree.c", FLAGS, instrument=None)
    return b


def facts(b, archive):
    manifest = json.loads((archive / "manifest.json").read_text())
    told = b.run([b.epk, "info", archive, "--format", "json"])
    report = json.loads(b.run([b.epk, "report", archive, "--format", "json"]).out)
    visits = int(sum(sum(values["value"]) for values in report["values"] if values["metric"] == "visits"))
    return manifest, json.loads(told.out), told.err, visits


def nothing_is_lost_silently(b, archive):
    manifest, info, told, visits = facts(b, archive)
    assert info["lost"] > 0 and manifest["trace"]["lost"] == info["lost"], info
    assert "could be written" in told, told
    # Every call is in the trace, or counted as lost: except calls that were open at its end, and events in blocks that
    # the disk did not take.
    there = info["by_kind"]["enter"] + info["by_kind"]["exit"]
    buffers = 4 * (256 << 10) // 8 * 2
    assert 2 * visits - buffers <= there + info["lost"] <= 2 * visits + 1000, (visits, there, info["lost"])
    # The events that are there are complete.
    text = b.run([b.epk, "check", archive], check=False).out
    assert "not nested" not in text and "go back" not in text, text


def test_a_limit_of_the_size_of_files():
    b = bench()
    limit = 1 << 20
    done = subprocess.run([b.epk, "run", b.program, "200000", "2"], cwd=b.folder, env=b.env, capture_output=True,
                          text=True, timeout=SECONDS, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    expect("status", done.returncode, 0)
    nothing_is_lost_silently(b, b.archives()[0])


def test_a_full_disk():
    """On a small disk of its own, so that no other program is affected."""
    b = bench()
    small = b.folder / "small"
    small.mkdir()
    words = ["unshare", "--mount", "--map-root-user"] if os.geteuid() != 0 else ["unshare", "--mount"]
    script = f"""
        mount -t tmpfs -o size=3m small {small} || exit 77
        cd {small}
        {b.epk} run {b.program} 300000 2; status=$?
        mount -o remount,size=64m {small}
        for left in *.unfinished; do
          test -d $left && {b.epk} recover $left
        done
        cp -a {small}/epik_* {b.folder}
        exit $status
    """
    done = subprocess.run([*words, "sh", "-c", script], cwd=b.folder, env=b.env, capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    if done.returncode == 77 or "unshare failed" in done.stderr:
        skip("no disk can be mounted here: " + done.stderr)
    expect("status", done.returncode, 0)
    nothing_is_lost_silently(b, b.archives()[0])


def test_a_disk_that_is_full_at_first():
    """The file of the trace can be read, although the thread that made it could write nothing."""
    b = bench()
    b.run([b.compile("gcc", "full_first.c", FLAGS)], check=False)
    file, = b.folder.glob("epik_*.unfinished/arenas/*.elg")
    expect("its first bytes", file.read_bytes()[:8], b"EPIKELG\n")


if __name__ == "__main__":
    sys.exit(main(globals()))
