#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares two versions of a program, and all their runs over time, like people do with archives of CI."""

import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Bench, expect, installed, main, need, stage  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
COMMITS = ["0123456789abcdef0123456789abcdef01234567", "89abcdef0123456789abcdef0123456789abcdef"]


def versions(b):
    """A run of each version, each of its own commit."""
    need(installed("gcc"), "gcc")
    text = (PROGRAMS / "constructs.c").read_text()
    (b.folder / ".git").mkdir()
    archives = []
    for commit, moved in zip(COMMITS, ("", "// Moved.\n\n// Twice.\n")):
        head, tail = text.split("void work", 1)
        (b.folder / "constructs.c").write_text(f"{head}{moved}void work{tail}")
        (b.folder / ".git/HEAD").write_text(commit + "\n")
        b.run([b.epk, "instrument", "gcc", "-g", "-fopenmp", "constructs.c", "-o", "constructs"])
        before = set(b.folder.glob("epik_*"))
        b.run([b.epk, "run", "--title", "app", "./constructs"], env={"OMP_NUM_THREADS": "2"})
        archives += set(b.folder.glob("epik_*")) - before
    return [a.name for a in archives]


def test_moved_constructs_are_compared_and_runs_have_a_history():
    b = Bench(PREFIX, PROGRAMS)
    before, after = versions(b)

    diff = json.loads(b.run([b.epk, "diff", before, after, "--format", "json", "--min", "0"]).out)
    constructs = [c for c in diff["call_paths"] if " @constructs.c:" in c["region"]]
    assert len(constructs) >= 6, constructs
    for c in constructs:
        expect(f"visits of {c['path']}", c["visits"]["after"]["mean"], c["visits"]["before"]["mean"])
    manifests = [json.loads((b.folder / a / "manifest.json").read_text()) for a in (before, after)]
    expect("wall times", [diff["wall"]["before"]["mean"], diff["wall"]["after"]["mean"]],
           [m["wall_seconds"] for m in manifests])
    expect("status", b.run([b.epk, "diff", before, after, "--fail-if", "wall > 1000000%"]).status, 0)
    expect("status", b.run([b.epk, "diff", before, after, "--fail-if", "wall > -100%"], check=False).status, 1)

    history = json.loads(b.run([b.epk, "history", "--format", "json"]).out)
    (series,) = history["series"]
    expect("runs", [(pathlib.Path(r["path"]).name, r["revision"]) for r in series["runs"]],
           list(zip((before, after), COMMITS)))
    expect("series", (series["title"], series["ranks"], series["threads"]), ("app", 1, 2))
    wall = next(f for f in series["figures"] if f["name"] == "wall time")
    expect("wall times", wall["values"], [m["wall_seconds"] for m in manifests])
    moved = [f for f in series["figures"] if " @constructs.c:" in f["name"]]
    assert moved and all(min(f["values"]) > 0 for f in moved), moved
    text = b.run([b.epk, "history", ".", before]).out
    assert COMMITS[0][:8] in text and "3 runs" in text, text
    b.run([b.epk, "history", ".", "--format", "html", "-o", "history.html"])
    assert "<svg" in (b.folder / "history.html").read_text()
    (b.folder / "nothing").mkdir()
    nothing = b.run([b.epk, "history", "nothing"], check=False)
    expect("nothing", (nothing.status, nothing.err), (1, "epk history: no archive of a run was found\n"))


def test_each_program_of_make_check_is_measured_and_counted():
    need(installed("make"), "make")
    b = Bench(PREFIX, PROGRAMS)
    b.compile("gcc", "constructs.c", ["-fopenmp"], instrument=())
    (b.folder / "Makefile").write_text("check:\n" + "\t./constructs\n" * 5)
    said = b.run([b.epk, "run", "make", "check"]).err
    expect("archives", len(b.archives()), 5)
    assert f"epk run: 5 archives in {b.folder}: " in said, said


def test_selections_that_match_nothing_fail_and_the_newest_archive_is_taken():
    b = Bench(PREFIX, PROGRAMS)
    b.compile("gcc", "constructs.c", ["-fopenmp"], instrument=())
    b.run([b.epk, "run", "-t", "all", "./constructs"], env={"OMP_NUM_THREADS": "2"})
    for words in (["report", "--path", "Nope"], ["report", "--load", "--path", "Nope"], ["report", "--load", "--rank", "9"], ["report", "--rank", "9"], ["report", "--thread", "7"], ["report", "--callers-of", "Nope"],
                  ["print", "--rank", "9"], ["print", "--thread", "7"], ["print", "--region", "Nope"],
                  ["convert", "--to", "chrome", "--rank", "9"]):
        nothing = b.run([b.epk, *words], check=False)
        expect(f"{words}", nothing.status, 1)
        assert words[-1] in nothing.err or "--rank" in nothing.err, (words, nothing.err)
    for command in ("report", "print", "score"):
        negative = b.run([b.epk, command, "--top", "-3"], check=False)
        expect(f"{command} --top -3", negative.status, 2)
        expect(f"{command} --top -3", negative.err, f"epk {command}: --top: '-3' is not a whole number from 0 on\n")
    sorting = b.run([b.epk, "report", "--sort", "foo"], check=False)
    expect("--sort foo", (sorting.status, sorting.err), (2, "epk report: --sort: foo not in {bytes,excl,incl,name,visits}\n"))
    one = b.run([b.epk, "report", "--load", "--thread", "1", "--format", "csv"]).out
    expect("threads", len(one.splitlines()), 2)
    part = b.run([b.epk, "report", "--load", "--path", "main > work*"]).out
    assert "0:0" in part and "0:1" in part, part
    for words in (["score"], ["reduce", "-o", "f"], ["convert", "--to", "folded"], ["convert", "--to", "chrome"]):
        assert ", the newest here" in b.run([b.epk, *words]).err, words


TEMPLATES = """
#include <map>
#include <string>
#include <vector>
template <class Key, class Value>
__attribute__((noinline)) double Sweep(const std::map<Key, std::vector<Value>>& rows, int times) {
  volatile double sum = 0;
  for (int i = 0; i < times; ++i) sum = sum + i;
  return sum + rows.size();
}
int main() {
  std::map<std::string, std::vector<double>> reals;
  std::map<std::string, std::vector<float>> halves;
  return Sweep(reals, 300000) + Sweep(halves, 200000) < 0;
}
"""


def test_a_narrow_screen_gets_short_lines():
    """60 columns: tables go without columns, prose is wrapped; functions of one template stay apart."""
    need(installed("g++"), "g++")
    b = Bench(PREFIX, PROGRAMS)
    b.env["COLUMNS"] = "60"
    (b.folder / "sweep.cc").write_text(TEMPLATES)
    b.run([b.epk, "instrument", "g++", "-O1", "sweep.cc", "-o", "sweep"])
    archives = []
    for _ in range(2):
        b.run([b.epk, "run", "-t", "all", "./sweep"])
        archives = sorted(a.name for a in b.archives())
    b.run([b.epk, "analyze"])
    for words in (["info"], ["check"], ["check", "--trace-vs-summary"], ["diff", *archives, "--min", "0"], ["score"],
                  ["report"], ["report", "--flat"], ["report", "--load"], ["report", "--waits"], ["report", "--io"],
                  ["report", "--compensated"], ["report", "--callers-of", "*Sweep*"], ["history"]):
        out = b.run([b.epk, *words]).out
        # A path that is longer than the screen stands alone.
        wide = [line for line in out.splitlines() if len(line) > 60 and " " in line.strip()]
        expect(f"{words}: lines that are too long", wide, [])
    for words in (["diff", *archives, "--min", "0"], ["report"], ["report", "--flat"], ["report", "--callers-of", "*Sweep*"]):
        out = b.run([b.epk, *words], env={"COLUMNS": "90"}).out
        shown = {line[line.index("Sweep<"):] for line in out.splitlines() if "Sweep<" in line}
        apart = [sum(kind in name for name in shown) for kind in ("float", "double")]
        assert sum(apart) == len(shown) and all(apart), (words, shown)


def test_the_fixed_point_measures_by_itself_and_leaves_no_empty_filter():
    b = Bench(PREFIX, PROGRAMS)
    b.compile("gcc", "constructs.c", ["-fopenmp"], instrument=())
    b.run([b.epk, "reduce", "--until-fixed-point", "-o", "found", "--", "./constructs"])
    assert (b.folder / "found").exists()
    failed = b.run([b.epk, "reduce", "--until-fixed-point", "-o", "none", "--", "false"], check=False)
    expect("status", failed.status, 1)
    assert "the command failed" in failed.err and not (b.folder / "none").exists(), failed.err


def test_a_counter_that_a_run_lacks_neither_passes_nor_fails():
    need(installed("gcc"), "gcc")
    b = Bench(PREFIX, PROGRAMS)
    (b.folder / "small.c").write_text("int main(void) { return 0; }\n")
    b.run([b.epk, "instrument", "gcc", "small.c", "-o", "small"])
    archives = []
    for metrics in ("rusage::ru_minflt", "rusage::ru_minflt", "", "nowhere::counted"):
        before = set(b.folder.glob("epik_*"))
        b.run([b.epk, "run", "./small"], env={"EPK_METRICS": metrics} if metrics else {})
        archives += (a.name for a in set(b.folder.glob("epik_*")) - before)
    one, other, without, uncounted = archives
    condition = ["--fail-if", "rusage::ru_minflt > 1000000%"]
    expect("both have it", b.run([b.epk, "diff", one, other, *condition]).status, 0)
    for pair in ((one, without), (without, one)):
        refused = b.run([b.epk, "diff", *pair, *condition], check=False)
        expect("status", (refused.status, refused.out), (2, ""))
        assert f"{without} has no rusage::ru_minflt" in refused.err, refused.err
        shown = b.run([b.epk, "diff", *pair, "--metric", "rusage::ru_minflt"])
        assert f"{without} has no rusage::ru_minflt" in shown.err, shown.err
    # A counter that could not be read is in the profile without values.
    for pair in ((one, uncounted), (uncounted, one), (uncounted, uncounted)):
        shown = b.run([b.epk, "diff", *pair], check=False)
        expect("status of a comparison with a counter that could not be read", shown.status, 0)
        shown = b.run([b.epk, "diff", *pair, "--metric", "nowhere::counted"], check=False)
        assert f"{pair[0]} has no nowhere::counted" in shown.err, shown.err
    # Messages and kinds of time are 0 in a run that has none; a time without a change passes.
    expect("status", b.run([b.epk, "diff", one, without, "--fail-if", "time > 1000000%"]).status, 0)


def test_a_trace_that_is_not_analysed_is_not_asked_for_again():
    need(installed("gcc"), "gcc")
    b = Bench(PREFIX, PROGRAMS)
    (b.folder / "small.c").write_text("int main(void) { return 0; }\n")
    b.run([b.epk, "instrument", "gcc", "small.c", "-o", "small"])
    for trace, wanted in (("all", "has a trace that is not analysed yet: type: epk analyze"), ("off", "trace the run")):
        b.run([b.epk, "run", "--title", trace, "-t", trace, "./small"])
        for view in ("--causes", "--critical"):
            refused = b.run([b.epk, "report", f"epik_{trace}", view], check=False)
            expect("status", (refused.status, refused.out), (1, ""))
            assert wanted in refused.err, refused.err


if __name__ == "__main__":
    sys.exit(main(globals()))
