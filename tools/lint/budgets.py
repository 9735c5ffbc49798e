# SPDX-License-Identifier: BSD-3-Clause
"""Holds functions and mutable globals to their budgets. It reads text that clang-format has laid out."""
import collections
import re

FUNCTION_LINES = 70
OUTSIDE = ("bench/", "examples/", "test/")

# Mutable globals, room by room: how many there may be, and why they are not in an object that is passed on. Hooks are C
# functions without an argument of ours, the process has one measurement, and a thread has one location; so hooks reach
# their data by name. Per-thread state and the state of a part count, too. Rooms that are not listed may have none.
GLOBALS = {
    "adapters/compiler": (3, "what the compiler that loads the plugin asked for"),
    "adapters/heap": (8, "malloc has no argument of ours"),
    "adapters/io": (6, "read and write have no argument of ours"),
    "adapters/mpi": (54, "wrappers of MPI: tables of its handles, which are global in MPI"),
    "adapters/omp": (26, "entry points of libgomp and callbacks of libomp"),
    "adapters/process": (13, "the functions of libc that ours stand in front of"),
    "adapters/thread": (5, "the same for threads"),
    "analysis/library": (1, "the last error of a thread, as C asks for it"),
    "archive/cubex": (1, "epk --max-anchor, which holds for each reader"),
    "runtime/base": (27, "one clock, one arena and one heap a process"),
    "runtime/choice": (26, "state of the parts that choose; hooks read it"),
    "runtime/counters": (5, "state of the parts that count; hooks read it"),
    "runtime/endings": (9, "signal handlers have no argument of ours"),
    "runtime/epilog": (12, "state of the trace; hooks read it"),
    "runtime/episode": (38, "the process's measurement, its lifecycle, and the locations of threads"),
    "runtime/epitome": (9, "tables of children, beside the arena that is a process's"),
    "runtime/fibers": (5, "stacks that the process follows"),
    "runtime/job": (4, "the job that this process is a part of"),
    "runtime/metrics": (2, "libraries that are loaded once"),
    "runtime/monitor": (8, "collectors that other processes read"),
    "runtime/teams": (7, "what a thread takes part in"),
    "tools/epk": (1, "signal handlers have no argument of ours"),
    "tools/serve": (1, "the same"),
    "tools/top": (6, "the terminal and its signals are a process's"),
    "view": (1, "epk --csv-safe, which holds for each table"),
}

OPENS = re.compile(r"^( {0,4})(?!namespace|struct|class|enum|union|if|for|while|switch|else|do\b|//|#|return|\}|case)\S.*\{$")
VARIABLE = re.compile(
    r"^(?:static |inline |EPIK_HIDDEN |EPIK_PER_THREAD |constinit |thread_local |__thread |alignas\(\w+\) )*"
    r"(?!using|typedef|inline constexpr|static constexpr|return|constexpr|const |static_assert|template|namespace|struct \w+;|class|enum|friend|goto|case|extern|asm|"
    r"union|#|//|\}|EPIK_COLD|EPIK_HOT)[A-Za-z_][\w:<>,\* &]*[ \*&]\w+(\[[^\]]*\])*( __attribute__\(\(.*?\)\))?"
    r"( = [^;]*|\{[^;]*\})?;(\s*//.*)?$")


def is_for_tests(path):
    return path.name.endswith(("_test.cc", "_bench.cc")) or path.name.startswith(("fake_", "fuzz_", "sample_", "test_"))


def functions(lines):
    """First and last line of each function, by its indentation."""
    i = 0
    while i < len(lines):
        opens = OPENS.match(lines[i])
        if opens and "(" in lines[i] + lines[i - 1] and "= {" not in lines[i] and not lines[i].lstrip().startswith("{"):
            # The list of initialisers of a constructor is four columns further in than its end.
            indent = opens.group(1)[4:] if lines[i].lstrip().startswith(":") else opens.group(1)
            end = next((k for k in range(i + 1, len(lines)) if lines[k].startswith(indent + "}")), i)
            yield i, end
            i = end
        i += 1


def check(path, text):
    if str(path).startswith(OUTSIDE) or path.suffix not in (".cc", ".h") or is_for_tests(path):
        return
    lines = text.split("\n")
    for begin, end in functions(lines):
        if end - begin + 1 > FUNCTION_LINES:
            yield f"{begin + 1}: a function of {end - begin + 1} lines, at most {FUNCTION_LINES}"
        for i in range(begin, end):
            if re.match(r"\s*#\s*if", lines[i]):
                yield f"{i + 1}: #if in a function; let it choose between whole functions"


def globals_of(path, text):
    if str(path).startswith(OUTSIDE) or path.suffix not in (".cc", ".h") or is_for_tests(path):
        return 0
    return sum(1 for line in text.split("\n") if VARIABLE.match(line) and "constexpr " not in line and "const " not in line)


def check_globals(texts):
    counts = collections.Counter()
    for path, text in texts.items():
        room = "/".join(path.parts[:2]) if len(path.parts) > 2 else path.parts[0]
        counts[room] += globals_of(path, text)
    for room, count in sorted(counts.items()):
        most, _ = GLOBALS.get(room, (0, ""))
        if count > most:
            yield f"{room}: {count} mutable globals, at most {most} (tools/lint/budgets.py)"
