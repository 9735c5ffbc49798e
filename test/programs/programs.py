# SPDX-License-Identifier: BSD-3-Clause
"""The programs that tests measure: how each is built, its output, its ending, and how often it calls each function.

Any test may import this: `build` compiles a program with the compilers and flags of its choice, CASES has the expected
results. Output and status are the same with and without measurement; counts are exact for the functions named.
"""

import pathlib
import subprocess
import typing

HERE = pathlib.Path(__file__).parent

# The sources of every program; the first source decides which compiler links it.
SOURCES = {
    "deep": ["deep.c"],
    "early_exit": ["early_exit.c"],
    "forks": ["forks.c"],
    "fortran": ["fortran.f90"],
    "jumps": ["jumps.c"],
    "many_paths": ["many_paths.c"],
    "mixed": ["mixed_cxx.cc", "mixed_fortran.f90", "mixed.c"],
    "nested": ["nested.cc"],
    "plugin_host": ["plugin_host.c"],
    "pthreads": ["pthreads.c"],
    "recurse": ["recurse.c"],
    "signals": ["signals.c"],
    "statics": ["statics.cc"],
    "stl": ["stl.cc"],
    "threads": ["threads.cc"],
    "throws": ["throws.cc"],
}

LANGUAGE = {".c": "c", ".cc": "cxx", ".f90": "fortran"}
# Compilers by name of their family; LLVM has no Fortran here.
COMPILERS = {
    "gcc": {"c": ["gcc"], "cxx": ["g++", "-std=c++20"], "fortran": ["gfortran"]},
    "clang": {"c": ["clang"], "cxx": ["clang++", "-std=c++20"], "fortran": ["gfortran"]},
}


class Case(typing.NamedTuple):
    """One way to call a program. Status as Python's: -9 for death by signal 9. {plugin} is the plugin's path."""

    program: str
    arguments: list
    output: str
    status: int = 0
    # function: enters, or (enters, exits) if frames are left without an exit hook; exits None: it depends. For the
    # parent process. Empty if the process ends in a way that runs no destructors, so that no count is written.
    counts: dict = {}


def _static_output(*end):
    begin = ["elf constructor", "static constructed", "first", "static constructed", "second", "main"]
    begin += ["thread-local constructed", "thread-local destroyed", "thread-local constructed"]
    return "\n".join([*begin, "static constructed", "late", *end]) + "\n"


_STATIC_END = ["thread-local destroyed", "static destroyed", "late", "atexit", "static destroyed", "second",
               "static destroyed", "first", "elf destructor"]


def _ends(how, status, **counts):
    return Case("early_exit", [how], "worked 1000\n", status, counts)


def _forks(how, output, **counts):
    return Case("forks", [how], output, 0, {"Work": 1010, "WorkSome": 2, **counts})


CASES = [
    Case("deep", ["100000"], "depth 100000\n", 0, {"Down": 100000, "Dive": 1}),
    Case("deep", ["1000", "30"], "depth 30000\n", 0, {"Down": 30000}),
    _ends("return", 0, Work=1002, Outer=1, Inner=1, End=1),
    _ends("exit", 3, Work=1000, Outer=(1, 0), Inner=(1, 0), End=(1, 0)),
    _ends("_exit", 4),
    _ends("quick_exit", 5),
    _ends("abort", -6),
    _ends("thread_exit", 6, Work=1000, Finish=(1, 0), EndInThread=(1, 0)),
    _ends("main_pthread_exit", 6, Work=1000, Finish=(1, 0), EndMainOnly=(1, 0)),
    _ends("term", -15),
    _ends("segv", -11),
    _ends("kill", -9),
    _ends("fpe", -8),
    # the count is the new program's, which replaces the old one's file
    Case("early_exit", ["exec"], "worked 1000\nworked 5\n", 0, {"Work": 7}),
    _forks("exit", "child worked 1010\nparent worked 1010\nstatus 3\n", ForkOne=1),
    _forks("_exit", "child worked 1010\nparent worked 1010\nstatus 4\n", ForkOne=1),
    _forks("exec", "new program worked 15\nparent worked 1010\nstatus 0\n", ForkOne=1),
    _forks("run", "child worked 1010\nparent worked 1010\nstatus 0\n", ForkOne=1),
    _forks("thread", "child worked 1010\nparent worked 1010\nstatus 3\n", ForkOne=1, ForkInThread=1),
    _forks("vfork", "new program worked 15\nparent worked 1010\nstatus 0\n", ByVfork=1),
    _forks("spawn", "new program worked 15\nparent worked 1010\nstatus 0\n", BySpawn=1),
    _forks("many", 20 * "child worked 1010\n" + "parent worked 1010\nstatus 60\n", ForkOne=20),
    _forks("nested", "child worked 1011\nchild worked 1010\nparent worked 1010\nstatus 3\n", ForkOne=1),
    _forks("none", "new program worked 1010\n"),
    # mean: 10 sweeps over 18 x 18 inner cells; hanoi(10): 2^11 - 1 calls
    Case("fortran", [], "total 2278.251851\nhanoi 1023\ncalls 2047\n", 0,
         {"__grids_MOD_fill": 2, "__grids_MOD_smooth": 1, "__grids_MOD_mean": 3240,
          "__numbers_MOD_hanoi": 2047}),
    Case("jumps", ["100"], "landed 300 worked 2600\n", 0,
         {"Work": 2600, "Jump": (200, 0), "JumpFrom": (2100, 0), "LandInside": 100, "LandOutside": 100,
          "Interrupted": (1050, 0), "LandFromSignal": 100, "Handler": (100, 0)}),
    Case("many_paths", ["5000"], "paths 5000 visits 56822\n", 0,
         {"One": sum(bin(n).count("1") for n in range(1, 5001)),
          "Zero": sum(bin(n)[2:].count("0") for n in range(1, 5001))}),
    Case("mixed", [], "mean 3383.500000\n", 0,
         {"CSquare": 100, "CxxMean": 1, "sum_of_squares": 1, "mixed::Numbers": 1}),
    Case("nested", ["4"], "visits 57\n", 0, {"Visit": 31, "Work": 31, "StartLeft": 15, "StartRight": 15}),
    Case("plugin_host", ["{plugin}"], "sum 7500\n", 0, {"CallPlugin": 5, "Round": 5}),
    Case("plugin_host", ["{plugin}", "5", "keep"], "sum 8500\n", 0,
         {"CallPlugin": 5, "Round": 5, "PluginRun": 50, "PluginHelper": 100}),
    # the plugin then finds glibc's empty hooks before any preloaded ones
    Case("plugin_host", ["{plugin}", "5", "deepbind"], "sum 7500\n", 0, {"CallPlugin": 5, "Round": 5}),
    Case("pthreads", ["100"], "results 7 8 1\ncounted 300\n", 0,
         {"Count": 204, "LeaveFrom": (4, 0), "Leave": (1, 0), "AtThreadEnd": 2, "CleanUp": 1,
          "WaitForever": (1, 0), "Sleeper": (1, 0)}),
    Case("recurse", ["10"], "fib 55\neven 1 odd 0\nackermann 23\n", 0,
         {"Fib": 177, "IsEven": 11, "IsOdd": 11, "Ackermann": 275}),
    Case("signals", ["200", "2000000"], "ticks 200 handled 400 worked 2000000\n", 0,
         {"Handler": 200, "HandlerWork": 200, "HandlerLeaf": 400, "StartTimer": 200, "Work": 2000000,
          "Leaf": 2000000}),
    Case("signals", ["200", "2000000", "altstack"], "ticks 200 handled 400 worked 2000000\n", 0,
         {"Handler": 200, "HandlerLeaf": 400, "Work": 2000000, "Leaf": 2000000}),
    Case("statics", ["return"], _static_output(*_STATIC_END), 0, {"Say": 20, "AtExit": 1, "ElfDestructor": 1}),
    Case("statics", ["exit"], _static_output(*_STATIC_END), 3, {"Say": 20, "AtExit": 1, "main": (1, 0)}),
    Case("statics", ["quick"], _static_output("at_quick_exit"), 4),
    Case("stl", ["200"], "rectangle 134\nsquare 66\nfold 751291\n", 0,
         {"MakeShapes": 1, "Areas": 1, "CountNames": 1, "Folded": 1, "shapes::Rectangle::Area": 200,
          "shapes::Square::Name": 66}),
    Case("threads", ["1000"], "total 363153\ntree 15\n", 0,
         {"Weigh": 1000, "RunJob": 1000, "Worker": 4, "Grow": 15, "Detached": (1, None)}),
    Case("throws", ["50"], "good 100 caught 200 destroyed 5525\n", 0,
         {"Safe": 50, "Construct": 50, "Throw": 275, "NoteDestroyed": 375, "CatchAndThrowAgain": 50,
          "CatchAndThrowOther": 50}),
]


# The flag that makes a compiler insert hooks. Functions that CASES counts are never inlined, so either flag gives the
# same counts. clang 14 with its plain flag refers to inline members of std::string and std::allocator that libstdc++ 12
# lacks.
HOOKS = {
    "gcc": {"c": "-finstrument-functions", "cxx": "-finstrument-functions", "fortran": "-finstrument-functions"},
    "clang": {"c": "-finstrument-functions", "cxx": "-finstrument-functions-after-inlining",
              "fortran": "-finstrument-functions"},
}


def build(program, folder, family="gcc", flags=("-O2",), hooks=False, wrapper=()):
    """Compiles a program into folder/PROGRAM and returns its path. wrapper: words before each compiler's name."""
    folder = pathlib.Path(folder)
    sources = [HERE / name for name in SOURCES[program]]
    output = folder / program

    def command(language):
        inserting = [HOOKS[family][language]] if hooks else []
        return [*wrapper, *COMPILERS[family][language], *flags, *inserting, "-pthread"]

    objects = []
    for source in sources:
        language = LANGUAGE[source.suffix]
        objects.append(folder / f"{source.stem}.o")
        modules = ["-J", folder] if language == "fortran" else []
        subprocess.run([*command(language), *modules, "-c", source, "-o", objects[-1]], check=True)
    libraries = ["-lgfortran", "-lm", "-ldl"] if program == "mixed" else ["-ldl"]
    linker = command(LANGUAGE[sources[0].suffix])
    subprocess.run([*linker, "-rdynamic", *objects, "-o", output, *libraries], check=True)
    if program == "plugin_host":
        plugin = ["-shared", "-fPIC", HERE / "plugin.c", "-o", folder / "plugin.so"]
        subprocess.run([*command("c"), *plugin], check=True)
    return output


def command_of(case, folder):
    """The command line of a case whose program was built into folder."""
    folder = pathlib.Path(folder)
    arguments = [argument.format(plugin=folder / "plugin.so") for argument in case.arguments]
    return [str(folder / case.program), *arguments]
