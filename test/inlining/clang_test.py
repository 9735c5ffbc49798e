#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hooks after inlining, by `epk instrument clang` as it is installed: its plugin knows filters, and a frame that an
exception leaves has its exit. clang_test.py LIBCOUNT"""

import shutil
import sys

sys.path[:0] = ["test/user", "test/inlining"]
from counting import PREFIX, PROGRAMS, bench, check_times, compare, functions, plugin_of, why_no_plugin  # noqa: E402
from harness import expect, long, main, skip_all  # noqa: E402

PLUGIN = plugin_of("clang")
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -fPIC -fno-plt -g"]


@long
def test_cxx_is_counted_exactly_on_all_levels():
    for level in LEVELS:
        b = bench()
        program = b.compile("clang++", "ways.cc", [*level.split(), "-rdynamic"], instrument=())
        found, profile = compare(b, program, level)
        expect(f"{level}: left inlined", [name for name in found if "Note" in name], [] if level != "-O0" else
               ["ways::Note::~Note()"])
        expect(f"{level}: a constructor that may throw", found.get("ways::Both::Both(int)"), 40)
        paths = profile.below("main > ways::CatchAll(int)")
        expect(f"{level}: call paths", max(paths, key=len).count(" > "), 6)


@long
def test_headers_of_the_system_have_no_hooks():
    b = bench()
    for standard in ([], ["-std=c++17"], ["-std=gnu++20"]):
        program = b.compile("clang++", "sort.cc", ["-O2", *standard], instrument=())
        expect(f"functions {standard}", set(functions(b.measure(program)[0])),
               {"main", "Odd(std::vector<int, std::allocator<int> > const&)"})


@long
def test_filters_mean_in_the_build_what_they_mean_in_the_run():
    b = bench()
    for compiler, source, flags, texts in (
        ("clang++", "ways.cc", ["-O2", "-g"], [
            "ways::Throw(int)\nways::Catch*\n",
            "EXCLUDE *\nINCLUDE ways::Part::*\nINCLUDE regex:Twin|^main$\n",
            "EXCLUDE FILE programs/ways.cc\nINCLUDE ways::Both::*\n",
        ]),
        ("clang", "kinds.c", ["-O2", "-g"], ["Last\nMany\nO*\n", "EXCLUDE FILE kinds.c\nINCLUDE main\n"]),
        # Inlining ends when linking: the plugin only says which functions clang puts its own hooks into.
        ("clang++", "ways.cc", ["-O2", "-g", "-flto", "-fuse-ld=lld"], ["EXCLUDE *\nINCLUDE ways::Catch*\nINCLUDE main\n"]),
    ):
        if "-flto" in flags and shutil.which("ld.lld") is None:
            continue
        whole = b.compile(compiler, source, flags, output="whole", instrument=())
        counts = functions(b.measure(whole)[0])
        for text in texts:
            (b.folder / "filter").write_text(text)
            by_run = functions(b.measure(whole, env={"EPK_FILTER": str(b.folder / "filter")})[0])
            part = b.compile(compiler, source, flags, output="part", instrument=["--filter", b.folder / "filter"])
            profile, _ = b.measure(part)
            expect(f"{source} {flags} {text!r}", functions(profile), by_run)
            assert 0 < len(by_run) < len(counts), (text, by_run)
            if profile.manifest["repairs"] == 0:
                check_times(profile)


def test_openmp():
    b = bench()
    program = b.compile("clang", "loops.c", ["-O2", "-fopenmp"], instrument=())
    profile, _ = b.measure(program, env={"OMP_NUM_THREADS": "2"})
    # The bodies of constructs are the OpenMP adapter's.
    expect("functions", functions(profile), {"main": 1, "Loop": 1, "Piece": 104})


def test_a_hook_that_is_called_while_the_loader_works():
    """A resolver of an ifunc with hooks of the user's choice: the loader resets thread-local variables after it."""
    b = bench()
    program = b.compile("clang", "kinds.c", ["-O2", "-finstrument-functions-after-inlining"], instrument=())
    found = functions(b.measure(program)[0])
    expect("visits", (found["main"], found["AsmGoto"]), (1, 20))


def test_what_remains_without_the_plugin():
    b = bench()

    def command(*words, env=None):
        result = b.run([b.epk, "instrument", *words, "-n", "clang", "-O2", "-c", PROGRAMS / "kinds.c"], env=env)
        return result.out, result.err

    own = "-finstrument-functions-after-inlining "
    out, err = command()
    assert f"-fpass-plugin={PLUGIN}" in out and own in out and err == "", (out, err)
    out, err = command("--all-calls")
    assert "-fpass-plugin" not in out and "-finstrument-functions " in out, out
    for content, reason in ((None, "no libepk_clang"), ("not a library", "another build")):
        other = b.folder / "lib"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(PREFIX / "lib", other)
        (other / PLUGIN.name).unlink()
        if content is not None:
            (other / PLUGIN.name).write_text(content)
        out, err = command("--libdir", other)
        assert "-fpass-plugin" not in out and own in out and err == "", (out, err)
        _, err = command("--libdir", other, env={"EPK_VERBOSE": "1"})
        assert reason in err, err


if __name__ == "__main__":
    if why_no_plugin("clang"):
        skip_all(why_no_plugin("clang"))
    sys.exit(main(globals()))
