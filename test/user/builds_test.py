#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes for build systems in docs/start.md: each program is built, run and read back."""

import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Bench, Profile, expect, installed, long, main, need, stage  # noqa: E402

RUNFILES = pathlib.Path.cwd()
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
VERSION = (RUNFILES / "VERSION").read_text().strip()
SOURCE = """
#ifdef USE_EPIK
#include <epik/epik_user.h>
#endif
__attribute__((noinline)) int twice(int x) { return 2 * x; }
int main(void) { return twice(21) == 42 ? 0 : 1; }
"""

for name, place in (("epik.pc", "lib/pkgconfig"), ("epik-config.cmake", "lib/cmake/epik"),
                    ("epik-config-version.cmake", "lib/cmake/epik")):
    (PREFIX / place).mkdir(parents=True, exist_ok=True)
    text = (RUNFILES / "config/install" / f"{name}.in").read_text()
    (PREFIX / place / name).write_text(text.replace("@VERSION@", VERSION))
for compiler in ("gcc", "g++", "cc", "gfortran"):
    (PREFIX / "bin" / f"epk-{compiler}").symlink_to("epk")


def bench():
    need(installed("gcc"), "gcc")
    b = Bench(PREFIX, PROGRAMS)
    b.env["PATH"] = f"{PREFIX}/bin:{b.env['PATH']}"
    (b.folder / "hello.c").write_text(SOURCE)
    return b


def measured(b, program):
    """Both functions were seen, each once."""
    profile, _ = b.measure(program)
    expect("visits", [profile.visits(f) for f in ("main", "main > twice")], [1, 1])
    return profile


def cmake(b, lists, *words, env=None, check=True):
    need(installed("cmake"), "cmake")
    (b.folder / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.16)\nproject(hello C)\n{lists}\nadd_executable(hello hello.c)\n")
    result = b.run(["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={PREFIX}", *words], env=env, check=check)
    if check:
        b.run(["cmake", "--build", "build"], env=env)
    return result


def test_find_package_with_a_version():
    b = bench()
    major, minor, _ = VERSION.split(".")
    cmake(b, f"find_package(epik {major}.{minor} REQUIRED)\nadd_compile_definitions(USE_EPIK)\nlink_libraries(epik::epik)")
    for wanted in (f"{int(major) + 1}.0", f"{major}.{int(minor) + 1}"):
        b = bench()
        refused = cmake(b, f"find_package(epik {wanted} REQUIRED)", check=False)
        assert refused.status != 0 and VERSION in refused.err, refused.err


def test_cmake_with_the_compiler_and_with_launchers():
    b = bench()
    cmake(b, "", env={"CC": "epk instrument gcc"})
    measured(b, b.folder / "build/hello")
    b = bench()
    launchers = [f"-DCMAKE_C_{what}_LAUNCHER=epk;instrument" for what in ("COMPILER", "LINKER")]
    cmake(b, "", *launchers)
    measured(b, b.folder / "build/hello")


def test_cmake_with_fortran():
    need(installed("cmake") and installed("gfortran"), "cmake and gfortran")
    b = bench()
    (b.folder / "hello.f90").write_text("program hello\ncall twice()\ncontains\nsubroutine twice()\nprint *, 42\n"
                                        "end subroutine\nend program\n")
    (b.folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(hello Fortran)\nadd_executable(hello hello.f90)\n")
    b.run(["cmake", "-B", "build"], env={"FC": "epk-gfortran"})
    b.run(["cmake", "--build", "build"])
    profile, _ = b.measure(b.folder / "build/hello")  # linked: it needs no `epk run`
    expect("visits", profile.visits(region="twice"), 1)


def test_pkg_config():
    need(installed("pkg-config"), "pkg-config")
    b = bench()
    where = {"PKG_CONFIG_PATH": str(PREFIX / "lib/pkgconfig")}
    expect("version", b.run(["pkg-config", "--modversion", "epik"], env=where).out.strip(), VERSION)
    b.run(["pkg-config", "--atleast-version=0.1", "epik"], env=where)
    flags = b.run(["pkg-config", "--cflags", "--libs", "epik"], env=where).out.split()
    b.run(["gcc", "-DUSE_EPIK", "hello.c", "-o", "hello", *flags])
    assert "libepk.so" in b.run(["ldd", "hello"]).out


def test_autotools():
    need(installed("autoconf") and installed("automake") and installed("make"), "autoconf and automake")
    b = bench()
    (b.folder / "configure.ac").write_text(
        "AC_INIT([hello],[1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n")
    (b.folder / "Makefile.am").write_text("bin_PROGRAMS = hello\nhello_SOURCES = hello.c\n")
    b.run(["autoreconf", "-i"])
    b.run(["./configure", "CC=epk-gcc"])
    b.run(["make"])
    measured(b, b.folder / "hello")


@long
def test_libtool():
    """Shared libraries with versions: libtool gives the linker its words one by one."""
    need(all(map(installed, ("autoconf", "automake", "libtoolize", "make"))), "autoconf, automake and libtool")
    b = bench()
    (b.folder / "configure.ac").write_text(
        "AC_INIT([hello],[1])\nAM_INIT_AUTOMAKE([foreign])\nAM_PROG_AR\nLT_INIT\nAC_PROG_CC\n"
        "AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n")
    (b.folder / "Makefile.am").write_text(
        "lib_LTLIBRARIES = libtwice.la\nlibtwice_la_SOURCES = twice.c\nlibtwice_la_LDFLAGS = -version-info 3:0:1\n"
        "bin_PROGRAMS = hello\nhello_SOURCES = hello.c\nhello_LDADD = libtwice.la\n")
    (b.folder / "twice.c").write_text("int twice(int x) { return 2 * x; }\n")
    (b.folder / "hello.c").write_text("int twice(int);\nint main(void) { return twice(21) != 42; }\n")
    b.run(["autoreconf", "-i"])
    b.run(["./configure", "CC=epk-gcc"])
    b.run(["make"])
    assert "libtwice.so.2]" in b.run(["readelf", "-d", ".libs/libtwice.so"]).out
    measured(b, b.folder / "hello")


def test_meson():
    need(installed("meson") and installed("ninja"), "meson and ninja")
    b = bench()
    (b.folder / "meson.build").write_text("project('hello', 'c', 'cpp')\nexecutable('hello', 'hello.c', 'early.cpp')\n")
    (b.folder / "early.cpp").write_text("__attribute__((noinline)) int early() { return 1; }\nint done = early();\n")
    b.run(["meson", "setup", "build"], env={"CC": "epk-gcc", "CXX": "epk-g++"})
    b.run(["meson", "compile", "-C", "build"])
    expect("visits", measured(b, b.folder / "build/hello").visits(region="early()"), 1)


def test_ccache():
    need(installed("ccache"), "ccache")
    b = bench()
    for output in ("first", "second"):  # the second comes out of the cache
        b.run([b.epk, "instrument", "ccache", "gcc", "-c", "hello.c", "-o", "hello.o"])
        b.run([b.epk, "instrument", "ccache", "gcc", "hello.o", "-o", output])
        measured(b, b.folder / output)


def test_ccache_notices_another_filter():
    """The command is a different one, inside the cache and outside of it. Without the plugin, a filter leaves the
    hooks."""
    need(installed("ccache"), "ccache")
    need(list((PREFIX / "lib").glob("libepk_gcc*.so")), "no plugin for gcc was built (./dev setup)")
    b = bench()
    for words in ([b.epk, "instrument", "--filter", "rules", "ccache", "gcc"],
                  ["ccache", b.epk, "instrument", "--filter", "rules", "gcc"]):
        for rules in "EXCLUDE twice\n", "EXCLUDE *\n", "EXCLUDE main\n":
            (b.folder / "rules").write_text(rules)
            b.run([*words, "-c", "hello.c", "-o", "hello.o"])
            hooks = "__cyg_profile_func_enter" in b.run(["nm", "hello.o"]).out
            expect(f"hooks with {rules}", hooks, rules != "EXCLUDE *\n")


def test_wrappers_as_spack_has_them():
    """Spack's cc is a script that adds its flags and calls the compiler that SPACK_CC names, by one absolute path."""
    b = bench()
    wrappers = b.folder / "spack/env"
    wrappers.mkdir(parents=True)
    (wrappers / "cc").write_text('#!/bin/sh\n[ -n "$SPACK_CC" ] || exit 9\nexec "$SPACK_CC" -DSPACK_WAS_HERE "$@"\n')
    (wrappers / "cc").chmod(0o755)
    (b.folder / "hello.c").write_text(SOURCE + "#ifndef SPACK_WAS_HERE\n#error not by the wrapper\n#endif\n")
    # As the compiler of the configuration, and around the wrapper.
    for words, env in (([wrappers / "cc"], {"SPACK_CC": f"{PREFIX}/bin/epk-gcc"}),
                       ([b.epk, "instrument", wrappers / "cc"], {"SPACK_CC": "/usr/bin/gcc"})):
        b.run([*words, "-c", "hello.c", "-o", "hello.o"], env=env)
        b.run([*words, "hello.o", "-o", "hello"], env=env)
        measured(b, b.folder / "hello")


def test_each_test_of_a_build_system_is_measured():
    b = bench()
    cmake(b, "enable_testing()\nforeach(n 1 2 3 4)\nadd_test(NAME test${n} COMMAND hello)\nendforeach()",
          env={"CC": "epk-gcc"})
    # ctest keeps the digest of its only test to itself; a shell does not.
    assert "epk run: 1 archive: epk report " in b.run([b.epk, "run", "ctest", "--test-dir", "build", "-R", "test1"]).err
    told = b.run([b.epk, "run", "sh", "-c", "./build/hello; true"]).err
    assert "[EPIK] epik_hello" in told and "epk run:" not in told, told
    (b.folder / "Makefile").write_text("check:\n\t./build/hello\n\t./build/hello\n")
    for words, programs in ((["ctest", "--test-dir", "build"], 4), (["make", "check"], 2)):
        need(installed(words[0]), words[0])
        before = set(b.folder.rglob("epik_*/manifest.json"))  # ctest starts programs elsewhere
        done = b.run([b.epk, "run", *words])
        made = [manifest.parent for manifest in b.folder.rglob("epik_*/manifest.json") if manifest not in before]
        expect(words[0], len(made), programs)
        assert f"epk run: {programs} archives" in done.err, done.err
        for archive in made:
            profile = Profile(b, archive)
            expect("visits", [profile.visits(f) for f in ("main", "main > twice")], [1, 1])


ENDINGS = """
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int twice(int x) { return 2 * x; }
int main(int argc, char** argv) {
  if (argc > 2) raise(SIGPIPE);
  if (argc > 1 && fork() == 0) _exit(twice(21) != 42);
  if (argc > 1) wait(NULL);
  _exit(twice(21) != 42);
}
"""


def test_epk_run_knows_the_archives_of_programs_that_end_early():
    """The helper of a process that calls _exit writes its archive, and `epk run` counts it and analyses its trace."""
    b = bench()
    (b.folder / "endings.c").write_text(ENDINGS)
    b.run([b.epk, "instrument", "gcc", "-g", "endings.c", "-o", "endings"])
    said = b.run([b.epk, "run", "./endings", "2"]).err
    assert "epk run: 2 archives" in said, said
    said = b.run([b.epk, "run", "./endings", "2", "3"], check=False).err
    assert "ended by SIGPIPE" in said, said
    said = b.run([b.epk, "run", "sh", "-c", "./endings 2> kept"]).err
    assert said.startswith("epk run: 1 archive: epk report ") and "epik_endings" in said, said
    said = b.run([b.epk, "run", "-t", "all", "--analyze", "--title", "t", "./endings"]).err
    assert "epk run: the trace is analysed" in said and said.count("[EPIK] epik_t: ") == 1, said
    assert (b.folder / "epik_t/analysis.json").exists()


def test_epk_run_analyses_each_archive_of_a_command_that_makes_many():
    """32 of them at most. The others are in a command that analyses them."""
    b = bench()
    (b.folder / "endings.c").write_text(ENDINGS)
    b.run([b.epk, "instrument", "gcc", "-g", "endings.c", "-o", "endings"])
    for programs in (4, 34):
        options = ["-t", "all", "--analyze", "--title", f"t{programs}"]
        loop = f"for i in $(seq {programs}); do ./endings; done"
        said = b.run([b.epk, "run", *options, "sh", "-c", loop]).err
        analysed = [a for a in b.folder.glob(f"epik_t{programs}*") if (a / "analysis.json").exists()]
        expect("analysed", len(analysed), min(programs, 32))
        expect("named", said.count("the trace is analysed"), min(programs, 32))
        left = [line.split(" are not: ")[1] for line in said.splitlines() if " are not: " in line]
        expect("commands for the rest", len(left), programs > 32)
        for command in left:
            b.run(["sh", "-c", command.replace("do epk ", f"do {b.epk} ")])
        analysed = [a for a in b.folder.glob(f"epik_t{programs}*") if (a / "analysis.json").exists()]
        expect("at last", len(analysed), programs)


def examples_of_the_page():
    """(title, statements) of each row of docs/user.md that has code for C; and the rows with only C++."""
    rows, alone = [], set()
    for line in (RUNFILES / "docs/user.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 3 or "EPIK_" not in cells[1]:
            continue
        rows.append((cells[0], re.findall(r"`(EPIK_[^`]*;)`", cells[1]), re.findall(r"`(EPIK_\w*\([^`]*\))`", cells[2])))
        if "(C++)" in cells[1]:
            alone.add(cells[0])
    return rows, alone


def test_the_examples_of_the_page_about_macros_compile():
    rows, alone = examples_of_the_page()
    named = {name for _, code, _ in rows for statement in code for name in re.findall(r"EPIK_\w+", statement)}
    header = (RUNFILES / "include/epik/epik.h").read_text() + (RUNFILES / "include/epik/epik.hpp").read_text()
    macros = {name for name in re.findall(r"#define (EPIK_\w+)\(", header) if not name.endswith("_")}
    expect("macros without an example", macros - named, set())
    b = bench()
    for source, compiler, rest in (("page.c", "gcc", ""), ("page.cc", "g++", "")):
        code = '#include "epik/epik.h"\n'
        for n, (what, statements, _) in enumerate(rows):
            if what in alone and source.endswith(".c"):
                continue
            code += (f"/* {what} */\nstatic void row{n}(void) {{\n  int n = 3;\n  double r = 0.5;\n  (void)n, (void)r;\n  "
                     + "\n  ".join(statements) + "\n}\n")
        calls = "".join(f"  row{n}();\n" for n, (what, *_) in enumerate(rows) if what not in alone or source == "page.cc")
        (b.folder / source).write_text(f"{code}int main(void) {{\n{calls}  return 0;\n}}\n")
        need(installed(compiler), compiler)
        b.run([b.epk, "instrument", "--user", "--no-compiler", compiler, "-Wall", "-Werror", source, "-o", "page"])
        profile, _ = b.measure(b.folder / "page")
        expect("time loop", profile.visits("time loop"), 1)
        expect("phases", profile.visits("step") + profile.visits("step > step=3"), 2)
        b.run([compiler, "-Wall", "-I", PREFIX / "include", source, "-o", "plain"])  # without EPIK they are nothing
    need(installed("gfortran"), "gfortran")
    declared, code = [], []
    for what, statements, own in rows:
        if what in alone:
            continue
        lines = own + [statement.rstrip(";") for statement in statements]
        declared += [line for line in lines if "_REG(" in line]
        code += [line for line in lines if "_REG(" not in line]
    declared = list(dict.fromkeys(declared))
    (b.folder / "page.F90").write_text("\n".join(['#include "epik/epik.inc"', "program page", "implicit none", "integer :: n = 3",
                                                 "real :: r = 0.5", *declared, *code, "end program page", ""]))
    b.run([b.epk, "instrument", "--user", "--no-compiler", "gfortran", "-Wall", "page.F90", "-o", "page"])
    profile, _ = b.measure(b.folder / "page")
    expect("time loop", profile.visits("time loop"), 1)


if __name__ == "__main__":
    sys.exit(main(globals()))
