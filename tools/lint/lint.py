#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the house rules that a machine can check: hot files stay hot, layers point one way, files stay small, headers have
guards, namespaces are those of folders, includes go in no circle, targets have all files, links of the docs lead somewhere,
sentences of comments name their subjects."""
import pathlib
import re
import subprocess
import sys

import budgets
import built
import cycles
import docs
import namespaces
import sentences
import subjects

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Forbidden in hot files, which every event of a program passes through.
HOT_FORBIDDEN = re.compile(r"\b(new|malloc|free|std::string|std::function|std::map|std::vector|throw|printf|getenv|"
                           r"mutex|SpinLock|Locked)\b|^\s*#\s*if(?!ndef EPIK_)", re.M)
HOT_LINES = 180

# The rooms around EPISODE.
MEASUREMENT = ["runtime/choice", "runtime/counters", "runtime/epilog", "runtime/fibers", "runtime/teams",
               "runtime/monitor", "runtime/endings", "runtime/job"]

# Includes that are allowed: folder -> prefixes. Everything else under these roots is refused.
LAYERS = {
    "runtime/base": ["runtime/base"],
    "runtime/event": ["runtime/base", "runtime/event"],
    "runtime/abi": ["runtime/abi"],
    "runtime/epitome": ["runtime/base", "runtime/event", "runtime/epitome"],
    "runtime/metrics": ["runtime/base", "runtime/event", "runtime/metrics", "config/nearest.h", "epik"],
    # The measurement: EPISODE, and the rooms around it from the bottom up.
    "runtime/episode": ["runtime/base", "runtime/event", "runtime/epitome", "runtime/episode", "config"],
    "runtime/choice": ["runtime/abi", "runtime/base", "runtime/event", "runtime/epitome", "runtime/episode",
                       "runtime/choice", "config"],
    "runtime/counters": ["runtime/base", "runtime/event", "runtime/metrics", "runtime/episode", "runtime/counters"],
    "runtime/epilog": ["runtime/base", "runtime/event", "runtime/episode", "runtime/choice", "runtime/counters",
                       "runtime/epilog"],
    "runtime/fibers": ["runtime/base", "runtime/event", "runtime/epitome", "runtime/episode", "runtime/choice",
                       "runtime/epilog", "runtime/fibers"],
    "runtime/teams": ["runtime/base", "runtime/event", "runtime/epitome", "runtime/episode", "runtime/choice",
                      "runtime/counters", "runtime/epilog", "runtime/teams"],
    "runtime/monitor": ["runtime/base", "runtime/event", "runtime/episode", "runtime/monitor"],
    "runtime/endings": ["runtime/abi", "runtime/base", "runtime/event", "runtime/episode", "runtime/epilog",
                        "runtime/endings"],
    "runtime/job": ["runtime/abi", "runtime/base", "runtime/event", "runtime/episode", "runtime/epilog",
                    "runtime/endings", "runtime/monitor", "runtime/job", "config/coll_tree.h"],
    "runtime/measurement": ["runtime/episode", *MEASUREMENT],
    "adapters": ["config/paradigms", "runtime/abi", "runtime/base", "runtime/event", "runtime/epitome", "runtime/episode", *MEASUREMENT,
                 "adapters", "epik"],
    # Lives in the compiler, not in the program.
    "adapters/compiler/after_inlining": ["adapters/compiler/after_inlining", "config/filter.h",
                                         "archive/symbols/names.h"],
    "config": ["config"],
    # The rooms of the archive, from the bottom up: a room may see rooms above its row.
    "archive/files": ["archive/files", "view"],
    "archive/profile": ["archive/profile", "config/paradigms"],
    "archive/cubex": ["archive/cubex", "archive/files", "archive/profile"],
    "archive/directory": ["archive/directory", "archive/cubex", "archive/files", "archive/profile"],
    "archive/symbols": ["archive/symbols", "archive/files", "archive/profile", "runtime/event"],
    "archive/image": ["archive/image", "runtime/event", "runtime/epitome/record_hot.h"],
    "archive/metrics": ["archive/metrics", "archive/cubex", "archive/profile", "runtime/event"],
    "archive/trace": ["archive/trace", "archive/files", "archive/profile", "archive/symbols", "runtime/event",
                      "runtime/epilog"],
    "archive/parts": ["archive/parts", "archive/files", "archive/image", "archive/metrics", "archive/profile",
                      "archive/symbols", "archive/trace", "config/paradigms", "runtime/abi", "runtime/event",
                      "runtime/epilog"],
    "archive/unify": ["archive/unify", "archive/files", "archive/image", "archive/metrics", "archive/parts",
                      "archive/profile", "runtime/abi", "runtime/event"],
    "archive/trace_profile": ["archive/trace_profile", "archive/files", "archive/metrics", "archive/parts",
                              "archive/profile", "archive/trace", "archive/unify", "runtime/event"],
    "archive/close": ["archive/close", "archive/cubex", "archive/directory", "archive/files", "archive/image",
                      "archive/metrics", "archive/parts", "archive/profile", "archive/trace", "archive/unify",
                      "config", "runtime/abi", "runtime/event", "view"],
    "archive/answers": ["archive/answers", "archive/files", "archive/symbols", "runtime/abi", "config"],
    "archive/otf2": ["archive/otf2", "archive/files", "archive/profile", "archive/trace", "runtime/abi"],
    "analysis": ["analysis", "archive", "config/filter.h", "config/nearest.h", "config/trace_selection.h", "config/words.h", "view",
                 "runtime/epilog", "runtime/event"],
    "analysis/library": ["analysis/library", "analysis/replay", "archive", "runtime/event", "epik/trace.h"],
    "analysis/in_situ": ["analysis", "archive", "runtime/abi"],
    "report": ["report", "analysis", "archive", "config/growing_match.h", "config/words.h", "view"],
    "view": ["view"],
}
# Headers of libraries that take a compiler seconds: the folder that may include them gives the others a small header.
SLOW_HEADERS = {"CLI/": "tools/cli"}
FILE_LINES = 600


def tracked(*patterns):
    out = subprocess.run(["git", "-C", ROOT, "ls-files", *patterns], capture_output=True, text=True, check=True)
    return [pathlib.Path(line) for line in out.stdout.splitlines()]


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def check(path, text):
    code = without_comments(text)
    lines = text.count("\n")
    if path.name.endswith("_hot.h"):
        for found in HOT_FORBIDDEN.finditer(code):
            yield f"hot file contains '{found.group(0).strip()}'"
        if lines > HOT_LINES:
            yield f"hot file has {lines} lines, at most {HOT_LINES}"
    if lines > FILE_LINES:
        yield f"{lines} lines, at most {FILE_LINES}"
    if path.suffix == ".h" and path.parts[0] not in ("bench", "test", "include"):
        guard = "EPIK_" + re.sub(r"[^A-Za-z0-9]", "_", str(path)).upper() + "_"
        if f"#ifndef {guard}" not in text:
            yield f"guard is not {guard}"
    if "SPDX-License-Identifier" not in text[:400]:
        yield "no SPDX line"
    for header, folder in SLOW_HEADERS.items():
        if re.search(rf'^#include [<"]{header}', text, re.M) and not str(path).startswith(folder + "/"):
            yield f"only {folder} includes {header}: it takes seconds to compile"
    for layer, allowed in LAYERS.items():
        for_tests = path.name.endswith(("_test.cc", "_test.h", "_bench.cc", "_samples.h")) or path.name.startswith("sample_")
        if for_tests or not str(path).startswith(layer + "/"):
            continue
        if any(other.startswith(layer + "/") and str(path).startswith(other + "/") for other in LAYERS):
            continue  # the rule of a folder further in applies
        for include in re.findall(r'^#include "([^"]+)"', text, re.M):
            if "/" in include and not any(include.startswith(prefix) for prefix in allowed):
                yield f"layer {layer} must not include {include}"


def main():
    problems, texts = 0, {}
    for path in tracked("*.h", "*.hpp", "*.cc", "*.c", "*.ts", "*.tsx", "*.mjs"):
        if not (ROOT / path).exists():
            continue
        texts[path] = (ROOT / path).read_text(encoding="utf-8")
        for problem in [*check(path, texts[path]), *budgets.check(path, texts[path]),
                        *namespaces.check(path, texts[path])]:
            print(f"{path}: {problem}")
            problems += 1
    for path in tracked("*.h", "*.hpp", "*.cc", "*.c", "*.ts", "*.tsx", "*.mjs", "*.py"):
        if not (ROOT / path).exists():
            continue
        for problem in sentences.check(path, texts.get(path) or (ROOT / path).read_text(encoding="utf-8")):
            print(f"{path}: {problem}")
            problems += 1
    for problem in budgets.check_globals(texts):
        print(problem)
        problems += 1
    cpp = [path for path in tracked("*.h", "*.cc") if (ROOT / path).exists()]
    page = [path for path in tracked("*.ts", "*.tsx") if (ROOT / path).exists()]
    for problem in [*cycles.check(ROOT, [*cpp, *page]), *built.check(ROOT, cpp)]:
        print(problem)
        problems += 1
    for problem in docs.check(ROOT):
        print(problem)
        problems += 1
    for problem in subjects.check(ROOT):
        print(problem)
        problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
