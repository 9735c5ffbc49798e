#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`epk calibrate` finds prices, runs note them, and `epk compensate` and `score` use them; files that are no prices are
refused."""

import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, installed, long, main, need, retried, stage, timed  # noqa: E402

PROGRAMS = pathlib.Path("test/compensation/programs").resolve()
PREFIX = stage()
SUMMARY = ("function", "summary")


def bench():
    return Bench(PREFIX, PROGRAMS)


def calibrated(b):
    """The text of the file that the command writes."""
    file = b.folder / "costs.json"
    result = b.run([b.epk, "calibrate", "-o", file])
    assert f"wrote {file}" in result.err, result.err
    assert "left out, but called" in result.out and "function  summary" in result.out, result.out
    return file.read_text()


@functools.cache
def calibrated_once():
    return calibrated(bench())


def costs_file(b):
    file = b.folder / "costs.json"
    file.write_text(calibrated_once())
    return file


def check_prices(b):
    """The prices by event and mode."""
    prices = {(row["event"], row["mode"]): row for row in json.loads(calibrated(b))["prices_ns"]}
    summary = prices[SUMMARY]["quiet_small"]
    expect_time(1 < summary < 5000, prices)
    expect_time(prices["function", "sampled"]["quiet_small"] < summary, prices)
    expect_time(prices["function", "filtered"]["quiet_small"] < summary, prices)
    expect_time(prices["mpi", "both"]["quiet_small"] > prices["mpi", "summary"]["quiet_small"], prices)
    return prices


@long
@timed
def test_prices_of_this_machine():
    b = bench()
    prices = retried(check_prices, b)
    wanted = {("function", mode) for mode in ("summary", "trace", "both", "sampled", "filtered")}
    wanted |= {("mpi", "summary"), ("mpi", "both"), ("message", "trace")}
    assert wanted <= set(prices), prices
    for row in prices.values():
        assert all(row[condition] >= 0 for condition in ("quiet_small", "quiet_large")), row
        if len(os.sched_getaffinity(0)) > 1:
            assert row["busy_small"] >= 0 and row["busy_large"] >= 0, row
    expect("left in TMPDIR", [p.name for p in b.folder.glob("epik_calibrate*")], [])
    as_json = json.loads(b.run([b.epk, "calibrate", "-o", b.folder / "again.json", "--format", "json"]).out)
    expect("the same", as_json, json.loads((b.folder / "again.json").read_text()))


def run(b, **variables):
    before = set(b.archives())
    result = b.run([b.epk, "run", b.program, "3"], env=variables)
    made = [a for a in b.archives() if a not in before]
    expect("archives", len(made), 1)
    return made[0], result.err


def manifest(archive):
    return json.loads((archive / "manifest.json").read_text())


def program(b):
    b.program = b.folder / "prog"
    source = b.folder / "prog.c"
    source.write_text("""
#include <stdlib.h>
volatile double x;
__attribute__((noinline)) void tiny(void) { x += 1; }
int main(int argc, char** argv) {
  for (long i = 0; i < atol(argv[argc - 1]) * 100000; ++i) tiny();
  return 0;
}
""")
    need(installed("gcc"), "gcc")
    b.run(["gcc", "-O1", "-finstrument-functions", source, "-o", b.program])


@long
def test_runs_note_prices_and_compensate_uses_them():
    b = bench()
    program(b)
    plain, said = run(b)
    assert "costs" not in manifest(plain) and "prices" not in said, said
    file = costs_file(b)
    # Named, in the default place, and relative to the folder of the start.
    named, _ = run(b, EPK_COSTS=str(file))
    expect("file", manifest(named)["costs"]["file"], str(file))
    relative, _ = run(b, EPK_COSTS=file.name)
    expect("file", manifest(relative)["costs"]["file"], str(file))
    b.env["XDG_CONFIG_HOME"] = str(b.folder / "config")
    default = b.run([b.epk, "calibrate"]).err.split("wrote ")[1].strip()
    assert default.startswith(str(b.folder / "config/epik/costs_")), default
    found, _ = run(b)
    expect("file", manifest(found)["costs"]["file"], default)

    for archive, words in ((named, str(file)), (found, default), (plain, default)):
        assert f"by the prices of {words} (" in b.run([b.epk, "compensate", archive]).out
        expect("costs", json.loads(b.run([b.epk, "compensate", archive, "--format", "json"]).out)["costs"], words)
    del b.env["XDG_CONFIG_HOME"]
    bare = json.loads(b.run([b.epk, "compensate", plain, "--format", "json"]).out)
    expect("keys", set(bare), {"measured_s", "lower_s", "upper_s", "locations"})

    filter_file = b.folder / "filter"
    filter_file.write_text("EXCLUDE REGION tiny\n")
    shown = b.run([b.epk, "score", named, "-f", filter_file]).out
    assert "by the prices of" in shown and "the 300,000 calls that the filter leaves out cost" in shown, shown


def test_the_price_of_a_file_counts():
    b = bench()
    program(b)
    archive, _ = run(b)
    file = costs_file(b)
    costs = json.loads(file.read_text())
    widths = []
    for busy in (1, 9):  # how much more a visit costs beside a busy neighbour
        for row in costs["prices_ns"]:
            if (row["event"], row["mode"]) == SUMMARY:
                row.update(quiet_small=20, quiet_large=1, busy_small=20 * busy, busy_large=1000)
        file.write_text(json.dumps(costs))
        table = lambda form, *words: b.run([b.epk, *words, "--format", form], env={"EPK_COSTS": str(file)}).out
        for form in "json", "csv", "text":
            shown = table(form, "compensate", archive, "--callpaths")
            assert shown in table(form, "report", archive, "--compensated"), shown
        rows = json.loads(table("json", "compensate", archive, "--callpaths"))["callpaths"]
        widths.append(sum(row["upper_s"] - row["lower_s"] for row in rows))
    assert widths[1] > widths[0] > 0, widths
    shown = b.run([b.epk, "compensate", archive, "--callpaths", "--top", 1]).out
    assert f"{len(rows) - 1} more: `--top 0`" in shown, shown
    # A name that is no UTF-8 gets a mark in its place.
    other = os.fsencode(b.folder) + b"/prices\xe9.json"
    os.rename(file, other)
    shown = json.loads(b.run([b.epk, "compensate", archive, "--format", "json"], env={"EPK_COSTS": os.fsdecode(other)}).out)
    assert shown["costs"].endswith("/prices\ufffd.json"), shown["costs"]


@long
def test_files_that_are_refused():
    b = bench()
    program(b)
    archive, _ = run(b)
    file = costs_file(b)
    good = file.read_text()
    foreign = json.loads(good)
    foreign["processor"] += " of another kind"
    (b.folder / "foreign.json").write_text(json.dumps(foreign))
    (b.folder / "damaged.json").write_text(good[: len(good) // 2])
    (b.folder / "large.json").write_text(good + " " * 100_000)
    os.mkfifo(b.folder / "pipe.json")
    for name, why in (("foreign", "is of another machine"), ("damaged", "is damaged"), ("large", "64 KiB"),
                      ("pipe", "is not a file"), ("missing", "cannot be opened")):
        path = b.folder / f"{name}.json"
        made, said = run(b, EPK_COSTS=str(path))
        lines = [line for line in said.splitlines() if str(path) in line]
        expect(name, len(lines), 1)
        assert why in lines[0], lines
        assert "costs" not in manifest(made), name
        for words in (["compensate", archive], ["score", archive]):
            result = b.run([b.epk, *words], env={"EPK_COSTS": str(path)}, check=False)
            expect((name, words[0]), (result.status, result.out), (1, ""))
            expect(name, len(result.err.splitlines()), 1)
            assert why in result.err, result.err
    # Places at which the file cannot be written.
    for target in (b.folder, "/dev/null/x"):
        result = b.run([b.epk, "calibrate", "-o", target], check=False)
        expect("status", result.status, 1)
    result = b.run([b.epk, "calibrate"], env={"HOME": "", "XDG_CONFIG_HOME": ""}, check=False)
    expect("status", result.status, 1)
    assert "-o" in result.err, result.err


def test_a_signal_leaves_no_files():
    b = bench()
    scratch = b.folder / "scratch"
    scratch.mkdir()
    for number in (signal.SIGTERM, signal.SIGINT):
        process = subprocess.Popen([b.epk, "calibrate", "-o", b.folder / "costs.json"],
                                   env={**b.env, "TMPDIR": str(scratch)}, stderr=subprocess.PIPE)
        while not any(scratch.rglob("*")):
            expect("ended before its time", process.poll(), None)
            time.sleep(0.01)
        process.send_signal(number)
        expect("status", process.wait(timeout=60), -number)
        expect("left behind", sorted(scratch.rglob("*")), [])


def test_a_signal_right_after_the_start():
    """The signal comes when the folder for its files has been made, and nothing after that."""
    need(shutil.which("strace"), "strace")
    need(subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode == 0,
         "strace may not trace")
    b = bench()
    scratch = b.folder / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(["strace", "-qq", "-o", "/dev/null", "-e", "trace=mkdir", "-e",
                                "inject=mkdir:delay_exit=500000", b.epk, "calibrate", "-o", b.folder / "costs.json"],
                               env={**b.env, "TMPDIR": str(scratch)}, stderr=subprocess.PIPE)
    while not any(scratch.iterdir()):
        expect("ended before its time", process.poll(), None)
        time.sleep(0.01)
    traced = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    os.kill(int(traced), signal.SIGTERM)
    expect("status", process.wait(timeout=60), -signal.SIGTERM)
    expect("left behind", sorted(scratch.iterdir()), [])


sys.exit(main(globals()))
