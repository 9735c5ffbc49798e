#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hooks after inlining, by `epk instrument gcc` as it is installed: exactly the functions that are left of a program
are measured. inlining_test.py LIBCOUNT"""

import platform
import shutil
import sys
import tempfile

sys.path[:0] = ["test/user", "test/programs", "test/inlining"]
import programs  # noqa: E402
import programs_test  # noqa: E402
from counting import (LIBCOUNT, PREFIX, PROGRAMS, bench, check_times, compare, counted, functions, plugin_of,  # noqa: E402
                      symbols, why_no_plugin)
from harness import expect, installed, long, main, need, skip_all  # noqa: E402

PLUGIN = plugin_of("gcc")
LEVELS = ["-O0", "-Og", "-O1", "-O2", "-O3", "-Os", "-O2 -flto", "-O2 -fPIC -fno-plt", "-O3 -g -fchecking",
          "-O2 -fnon-call-exceptions", "-Os -flto"]


@long
def test_cxx_is_counted_exactly_on_all_levels():
    for level in LEVELS:
        b = bench()
        program = b.compile("g++", "ways.cc", [*level.split(), "-rdynamic"], instrument=())
        found, profile = compare(b, program, level)
        # Functions that became part of another have no hooks; functions with the same body stay two.
        for name in ("ways::Like1(int)", "ways::Like2(int)", "int ways::Sum<int>(int, int)",
                     "unsigned int ways::Sum<unsigned int>(unsigned int, unsigned int)"):
            expect(f"{level}: {name}", found.get(name), 20 if name.endswith("Like1(int)") else 40)
        expect(f"{level}: left inlined", [name for name in found if "Note" in name], [] if level != "-O0" else
               ["ways::Note::~Note()"])
        expect(f"{level}: a constructor that may throw", found.get("ways::Both::Both(int)"), 40)
        paths = profile.below("main > ways::CatchAll(int)")
        expect(f"{level}: call paths", max(paths, key=len).count(" > "), 6)


def test_unusual_functions_of_c():
    for level in [*LEVELS, "-O2 -fexceptions", "-O2 -fcf-protection=full -fopenmp"]:
        b = bench()
        program = b.compile("gcc", "kinds.c", [*level.split(), "-rdynamic"], instrument=())
        # A longjmp leaves Jump without its exit; exit() leaves End and main.
        found, _ = compare(b, program, level, repairs=80, unlike=("Solve",))
        split = any(name.startswith("Solve.part") for name in symbols(b, program))
        expect(f"{level}: Solve", found["Solve"], 15 if split else 26)
        expect(f"{level}: without hooks", {"Hidden", "Naked", "Choose", "PrintVisited"} & set(found), set())


def check_every_function(*levels):
    """The programs with counts worked out by hand, which also test -finstrument-functions."""
    for level in levels:
        wrong = []
        for program in programs.SOURCES:
            with tempfile.TemporaryDirectory() as folder:
                programs.build(program, folder, "gcc", [*level.split(), f"-fplugin={PLUGIN}"])
                for case in programs.CASES:
                    if case.program == program:
                        wrong += programs_test.check(case, "gcc", folder, True, LIBCOUNT)
        expect(level, wrong, [])


@long
def test_every_function_when_nothing_is_inlined():
    check_every_function("-O2 -fno-inline -fno-optimize-sibling-calls")


@long
def test_every_function_on_other_levels():
    check_every_function("-O0", "-Os -fno-inline -fno-optimize-sibling-calls")


def test_calls_of_the_source_and_calls_that_are_made():
    """A tail call to itself has become a jump by then: it is no call, and no visit. --all-calls keeps the calls of the
    source."""
    for options, level, wanted in (((), "-O2", 1), ((), "-O0", 1973), (["--all-calls"], "-O2", 1973)):
        b = bench()
        program = b.compile("gcc", "tails.c", [level, "-g"], instrument=options)
        expect(f"{options} {level}", functions(b.measure(program)[0]), {"main": 1, "Down": wanted})


@long
def test_no_hook_is_reached_by_a_jump():
    """So that each call of one can be patched out."""
    if platform.machine() != "x86_64":
        return
    for source, compiler in (("ways.cc", "g++"), ("kinds.c", "gcc"), ("sort.cc", "g++"), ("mesh.f90", "gfortran")):
        for level in ("-O1", "-O2", "-O3"):
            b = bench()
            program = b.compile(compiler, source, [level, "-g"], instrument=())
            code = b.run(["objdump", "-d", "--no-show-raw-insn", program]).out
            jumps = [line for line in code.splitlines() if "jmp" in line and "*" not in line and "<__cyg_profile_func_" in line]
            expect(f"{source} {level}", jumps, [])
    b = bench()
    program = b.compile("g++", "sort.cc", ["-O2", "-g"], instrument=())
    (b.folder / "filter").write_text("Odd\n")
    profile, _ = b.measure(program, env={"EPK_FILTER": str(b.folder / "filter")})
    expect("what is left", set(functions(profile)), {"main"})
    assert any(note.startswith("2 calls of hooks") for note in profile.manifest["notes"]), profile.manifest["notes"]


def test_headers_of_the_system_have_no_hooks():
    b = bench()
    program = b.compile("g++", "sort.cc", ["-O2"], instrument=())
    expect("functions", set(functions(b.measure(program)[0])), {"main", "Odd(std::vector<int, std::allocator<int> > const&)"})


@long
def test_filters_mean_in_the_build_what_they_mean_in_the_run():
    b = bench()
    for compiler, source, flags, texts in (
        ("g++", "ways.cc", ["-O2", "-g"], [
            "ways::Throw(int)\nways::Catch*\n",
            "EXCLUDE *\nINCLUDE ways::Part::*\nINCLUDE regex:Twin|^main$\n",
            "EXCLUDE MANGLED _ZN4ways4DeepEi\nEXCLUDE FILE programs/other.cc\nEXCLUDE GROUP mpi\nEXCLUDE ab\n",
            "EXCLUDE FILE programs/ways.cc\nINCLUDE ways::Both::*\n",
            "SCOREP_REGION_NAMES_BEGIN\n EXCLUDE *\n INCLUDE *Deep* main\nSCOREP_REGION_NAMES_END\n",
            "BEGIN_EXCLUDE_LIST\nint ways::Never(int)\nEND_EXCLUDE_LIST\n",
        ]),
        ("gcc", "kinds.c", ["-O2", "-g"], ["Last\nMany\nO*\n", "EXCLUDE FILE kinds.c\nINCLUDE main\n", "Solve\nJump\n"]),
        ("gfortran", "mesh.f90", ["-O0", "-g"], ["mesh::*\n", "EXCLUDE *\nINCLUDE mesh::sweep*\n", "outside\nall\n"]),
        ("gfortran", "mesh.f90", ["-O0"], ["mesh::*\n", "EXCLUDE *\nINCLUDE mesh::sweep*\n", "outside\nall\n"]),
        ("g++", "ways.cc", ["-O2", "-g", "-flto"], ["EXCLUDE *\nINCLUDE ways::Catch*\nINCLUDE main\n"]),
    ):
        if not installed(compiler):
            continue
        whole = b.compile(compiler, source, flags, output="whole", instrument=())
        counts = functions(b.measure(whole)[0])
        for text in texts:
            (b.folder / "filter").write_text(text)
            by_run = functions(b.measure(whole, env={"EPK_FILTER": str(b.folder / "filter")})[0])
            part = b.compile(compiler, source, flags, output="part", instrument=["--filter", b.folder / "filter"])
            profile, _ = b.measure(part)
            expect(f"{source} {flags} {text!r}", functions(profile), by_run)
            assert len(by_run) < len(counts) or "other.cc" not in text, text
            if profile.manifest["repairs"] == 0:
                check_times(profile)


def test_fortran():
    need(shutil.which("gfortran"), "gfortran is not installed")
    for level in ("-O0", "-O2", "-O3 -g", "-O2 -flto"):
        b = bench()
        program = b.compile("gfortran", "mesh.f90", level.split(), instrument=())
        profile, result = b.measure(program)
        expect(level, result.out.strip(), "102.0")
        found = functions(profile)
        inner = "mesh::sweep::inner" if "-g" in level.split() else "inner"
        everything = {"main": 1, "all": 1, "mesh::sweep": 1, "mesh::touch": 50, inner: 1, "mesh::twice": 100,
                      "outside": 1}
        expect(level, {name: n for name, n in everything.items() if name in found}, found)
        if level == "-O0":
            expect(level, found, everything)


def test_openmp():
    for level in ("-O0", "-O2"):
        b = bench()
        program = b.compile("gcc", "loops.c", [*level.split(), "-fopenmp"], instrument=())
        profile, _ = b.measure(program, env={"OMP_NUM_THREADS": "2"})
        # The bodies of constructs are the OpenMP adapter's.
        expect(level, functions(profile), {"main": 1, "Loop": 1, "Piece": 104})


def check_coroutines(*levels):
    # On the other levels gcc's own chains end in a stack overflow, measured or not.
    for level in levels:
        b = bench()
        program = b.compile("g++", "coroutines.cc", ["-std=c++20", level, "-rdynamic"], instrument=())
        profile, result = b.measure(program, ["1000"])
        expect(level, (result.out, profile.manifest["repairs"]), ("500\n", 0))
        counts, _ = counted(b, program, ["1000"])
        expect(f"{level}: exits", sum(n for _, n in counts.values()), sum(n for n, _ in counts.values()))
        expect(f"{level}: enters", sum(n for n, _ in counts.values()), sum(functions(profile).values()))
        if level in ("-O2", "-Os"):
            expect(f"{level}: a long chain", b.measure(program, ["1000000"])[1].out, "500000\n")


def test_coroutines():
    check_coroutines("-O2")


@long
def test_coroutines_on_other_levels():
    check_coroutines("-O0", "-O1", "-Os")


@long
def test_functions_compiled_when_linking():
    b = bench()
    wanted = None
    for what, compiling, linking in (("-flto", ["-flto"], ["-flto"]),
                                     ("said to the compiler only", ["-flto"], []),
                                     ("fat objects", ["-flto", "-ffat-lto-objects"], ["-flto"]),
                                     ("fat objects as they are", ["-flto", "-ffat-lto-objects"], ["-fno-lto"])):
        object_file = b.compile("g++", "ways.cc", ["-O2", "-c", *compiling], output="ways.o", instrument=())
        b.run([b.epk, "instrument", "g++", "-O2", *linking, object_file, "-o", b.folder / "ways"])
        found, _ = compare(b, b.folder / "ways", what)
        wanted = wanted or found["ways::Deep(int)"]
        expect(what, found["ways::Deep(int)"], wanted)


def test_all_calls_and_what_remains_without_the_plugin():
    b = bench()
    plain = "-finstrument-functions "

    def command(*words, env=None):
        result = b.run([b.epk, "instrument", *words, "-n", "gcc", "-O2", "-c", PROGRAMS / "kinds.c"], env=env)
        return result.out, result.err

    out, err = command()
    assert f"-fplugin={PLUGIN}" in out and plain not in out and err == "", (out, err)
    out, err = command("--all-calls")
    assert "-fplugin" not in out and plain in out, out
    # No plugin; and one that this gcc does not take.
    for content, reason in ((None, "no libepk_gcc"), ("not a library", "another build")):
        other = b.folder / "lib"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(PREFIX / "lib", other)
        (other / PLUGIN.name).unlink()
        if content is not None:
            (other / PLUGIN.name).write_text(content)
        out, err = command("--libdir", other)
        assert "-fplugin" not in out and plain in out and err == "", (out, err)
        _, err = command("--libdir", other, env={"EPK_VERBOSE": "1"})
        assert reason in err, err
        program = b.compile("g++", "accessors.cc", ["-O2"], instrument=["--libdir", other])
        assert len(functions(b.measure(program, ["1"])[0])) > 10


def test_hooks_of_somebody_else_stand():
    """With -finstrument-functions in addition, no function gets two pairs of hooks."""
    for flags in (["-O2"], ["-O2", "-flto"]):
        b = bench()
        half = b.compile("g++", "ways.cc", [*flags, "-c", "-finstrument-functions"], output="ways.o", instrument=None)
        b.run([b.epk, "instrument", "g++", *flags, half, "-o", b.folder / "ways"])
        compare(b, b.folder / "ways", " ".join(flags))


def test_what_gcc_makes_besides():
    b = bench()
    source = PROGRAMS / "sort.cc"
    for words in (["-E", source], ["-M", source], ["-fsyntax-only", source]):
        expect(f"{words[0]}", b.run([b.epk, "instrument", "g++", *words]).out, b.run(["g++", *words]).out)
    # Dependencies are the program's; a precompiled header is used.
    b.run([b.epk, "instrument", "g++", "-O2", "-MMD", "-c", source, "-o", b.folder / "sort.o"])
    expect("dependencies", (b.folder / "sort.d").read_text().replace("\\", "").split()[1:],
           [str(source)])
    (b.folder / "all.h").write_text("#include <vector>\ninline int Twice(int x) { return 2 * x; }\n")
    (b.folder / "use.cc").write_text('#include "all.h"\nint main() { return Twice(0); }\n')
    b.run([b.epk, "instrument", "g++", "-O2", "-x", "c++-header", "all.h"])
    b.run([b.epk, "instrument", "g++", "-O2", "-Winvalid-pch", "-Werror", "use.cc", "-o", "use"])
    expect("precompiled", functions(b.measure(b.folder / "use")[0]), {"main": 1})
    assembly = b.run([b.epk, "instrument", "g++", "-O2", "-S", source, "-o", "-"]).out
    assert "__cyg_profile_func_enter" in assembly


if __name__ == "__main__":
    if why_no_plugin("gcc"):
        skip_all(why_no_plugin("gcc"))
    sys.exit(main(globals()))
