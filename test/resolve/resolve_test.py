#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""epk resolve: a stripped run gets the names, files and lines that the same run has unstripped."""

import json
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(pathlib.Path("test/user").resolve() if pathlib.Path("test/user").exists()
                       else HERE.parent / "user"))
from harness import Bench, Profile, expect, main, stage  # noqa: E402

PREFIX = stage()


class Build:
    """solver and two plug-ins called libmesh.so, whole in full/ and stripped in bare/."""

    def __init__(self, flags=("-g",)):
        self.bench = b = Bench(PREFIX, HERE / "programs")
        self.names = ["solver", "a/libmesh.so", "b/libmesh.so"]
        for name in self.names:
            for kind in ("full", "bare"):
                (b.folder / kind / name).parent.mkdir(parents=True, exist_ok=True)
        common = ["-O1", "-Wl,--build-id", *flags]
        b.compile("g++", "solver.cc", [*common, "-ldl"], output="full/solver", instrument=())
        for letter, scale in (("a", 2), ("b", 3)):
            b.compile("gcc", "mesh.c", [*common, "-shared", "-fPIC", f"-DSCALE={scale}"],
                      output=f"full/{letter}/libmesh.so", instrument=())
        for name in self.names:
            b.run(["strip", "-o", b.folder / "bare" / name, b.folder / "full" / name])

    def measure(self, kind):
        folder = self.bench.folder / kind
        return self.bench.measure(folder / "solver", [folder / name for name in self.names[1:]])[0]

    def files(self, kind="full"):
        return [word for name in self.names for word in ("--binary", self.bench.folder / kind / name)]

    def resolve(self, profile, *words, check=True):
        return self.bench.run([self.bench.epk, "resolve", profile.archive, *words], check=check)

    def regions(self, profile):
        text = self.bench.run([self.bench.epk, "report", profile.archive, "--format", "json"]).out
        return sorted((r["name"], r["mangled"], r["file"], r["begin_line"]) for r in json.loads(text)["regions"])


def test_a_stripped_run_gets_the_names_of_a_whole_one():
    build = Build()
    whole, bare = build.measure("full"), build.measure("bare")
    assert "Residual" not in str(bare.paths()) and "solver+0x" in str(bare.paths()), bare.paths()
    before = sum(float(r["excl_s"] or 0) for r in bare.rows)
    result = build.resolve(bare, *build.files())
    assert "names found, nothing is without a name" in result.out, result.out
    named = Profile(build.bench, bare.archive)
    expect("visits", named.paths(), whole.paths())
    # A library's exported functions have kept their names, and get their lines only when asked for.
    expect("but for lines", [r[:2] for r in build.regions(named)], [r[:2] for r in build.regions(whole)])
    build.resolve(bare, "--lines", *build.files())
    expect("names, files and lines", build.regions(named), build.regions(whole))
    assert abs(sum(float(r["excl_s"] or 0) for r in named.rows) - before) <= 1e-9 * before
    expect("again", build.resolve(bare, *build.files()).out.split(": ", 1)[1],
           "0 names found, nothing is without a name\n")


def test_one_file_after_the_other():
    build = Build()
    bare = build.measure("bare")
    result = build.resolve(bare, "--binary", build.bench.folder / "full/a/libmesh.so")
    assert "still without a name" in result.out and "b/libmesh.so: " in result.out, result.out
    assert "/a/libmesh.so: " not in result.out, result.out
    paths = Profile(build.bench, bare.archive).paths()
    expect("of a, and not of b", [sum(v for p, v in paths.items() if p.endswith("hidden"))], [2])
    build.resolve(bare, *build.files())
    paths = Profile(build.bench, bare.archive).paths()
    expect("of both", [sum(v for p, v in paths.items() if p.endswith("hidden"))], [5])


def test_a_file_of_another_build_is_refused():
    build = Build()
    bare = build.measure("bare")
    before = (bare.archive / "summary.cubex").read_bytes()
    other = Build(("-g", "-DOTHER", "-O2")).bench.folder / "full/solver"
    result = build.resolve(bare, *build.files(), "--binary", other, check=False)
    expect("status", result.status, 1)
    assert "was not part of this run: its build-id is" in result.err and "of the run has" in result.err, result.err
    expect("lines", result.err.count("\n"), 1)
    expect("profile", (bare.archive / "summary.cubex").read_bytes(), before)
    for words, status in ((["--binary", "missing"], 1), (["--binary", "/etc/passwd"], 1), (["--wrong"], 2)):
        expect(f"status of {words}", build.resolve(bare, *words, check=False).status, status)


def test_separate_debug_files():
    build = Build()
    whole, bare = build.measure("full"), build.measure("bare")
    for name in build.names:
        target = build.bench.folder / "debug" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        build.bench.run(["objcopy", "--only-keep-debug", build.bench.folder / "full" / name, target])
    build.resolve(bare, "--lines", *build.files("debug"))
    expect("names, files and lines", build.regions(Profile(build.bench, bare.archive)), build.regions(whole))


def test_lines_where_only_names_are_known():
    build = Build()
    whole = build.measure("full")
    for name in build.names:
        build.bench.run(["strip", "--strip-debug", "-o", build.bench.folder / "bare" / name,
                         build.bench.folder / "full" / name])
    bare = build.measure("bare")
    expect("visits", bare.paths(), whole.paths())
    assert build.regions(bare) != build.regions(whole)
    assert "0 names found, nothing" in build.resolve(bare, *build.files()).out
    result = build.resolve(bare, "--lines", *build.files())
    assert "0 names found, " in result.out and "lines added" in result.out, result.out
    expect("names, files and lines", build.regions(Profile(build.bench, bare.archive)), build.regions(whole))


def test_without_binaries_the_files_of_the_run_are_used():
    build = Build()
    whole, bare = build.measure("full"), build.measure("bare")
    for name in build.names:
        shutil.copy(build.bench.folder / "full" / name, build.bench.folder / "bare" / name)
    assert "nothing is without a name" in build.resolve(bare, "--lines").out
    expect("names", build.regions(Profile(build.bench, bare.archive)), build.regions(whole))


def test_lines_that_would_take_long_are_left_for_later():
    b = Bench(PREFIX, HERE / "programs")
    (b.folder / "large.c").write_text("int large(int x) { return x + 1; }\n")
    (b.folder / "small.c").write_text("int large(int);\n\nint main(void) { return large(-1); }\n")
    flags = ["-g", "-O0", "-finstrument-functions"]
    b.run(["gcc", *flags, "-S", "large.c"])
    # A unit of 33 MB: it repeats the end of the description of its functions.
    text = (b.folder / "large.s").read_text()
    length = re.search(r"\.section\t\.debug_info.*\n.*\n\t\.long\t(0x[0-9a-f]+)", text)
    more = 33 << 20
    text = text[:length.start(1)] + hex(int(length.group(1), 16) + more) + text[length.end(1):]
    text = text.replace("\t.section\t.debug_abbrev", f"\t.fill {more}, 1, 0\n\t.section\t.debug_abbrev", 1)
    (b.folder / "large.s").write_text(text)
    b.run(["gcc", *flags, "large.s", "small.c", "-o", "program"])
    said = b.run([b.epk, "run", b.folder / "program"]).err
    assert "[EPIK] no lines yet for 1 function, to end sooner: epk resolve --lines epik_program" in said, said
    profile = Profile(b, b.archives()[0])

    def lines():
        regions = json.loads(b.run([b.epk, "report", profile.archive, "--format", "json"]).out)["regions"]
        return {r["name"]: r["begin_line"] for r in regions if r["name"] in ("large", "main")}

    assert lines()["large"] <= 0 and lines()["main"] == 3, lines()
    notes = [note for note in profile.manifest["notes"] if note.startswith("lines: ")]
    assert len(notes) == 1 and "1 function was" in notes[0] and "epk resolve --lines" in notes[0], profile.manifest
    assert "1 line added" in b.run([b.epk, "resolve", "--lines", profile.archive]).out
    expect("lines", lines(), {"large": 1, "main": 3})


if __name__ == "__main__":
    sys.exit(main(globals()))
