#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Build systems as docs/start.md says: each program is built, run and read back."""

import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Bench, expect, installed, main, need, stage  # noqa: E402

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
for compiler in ("gcc", "cc"):
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


def test_meson():
    need(installed("meson") and installed("ninja"), "meson and ninja")
    b = bench()
    (b.folder / "meson.build").write_text("project('hello', 'c')\nexecutable('hello', 'hello.c')\n")
    b.run(["meson", "setup", "build"], env={"CC": "epk-gcc"})
    b.run(["meson", "compile", "-C", "build"])
    measured(b, b.folder / "build/hello")


def test_ccache():
    need(installed("ccache"), "ccache")
    b = bench()
    for output in ("first", "second"):  # the second comes out of the cache
        b.run([b.epk, "instrument", "ccache", "gcc", "-c", "hello.c", "-o", "hello.o"])
        b.run([b.epk, "instrument", "ccache", "gcc", "hello.o", "-o", output])
        measured(b, b.folder / output)


if __name__ == "__main__":
    sys.exit(main(globals()))
