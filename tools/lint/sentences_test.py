#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Headless sentences are found in every kind of comment, with their line; questions and code are left alone."""
import importlib.util
import pathlib
import sys

RULE = importlib.util.spec_from_file_location("sentences", pathlib.Path(sys.argv[1]).resolve())
sentences = importlib.util.module_from_spec(RULE)
RULE.loader.exec_module(sentences)


def lines(name, text):
    return [int(problem.split(":")[0]) for problem in sentences.check(pathlib.Path(name), text)]


REFUSED = [
    ("begin.h", "int a;\n// What a thread logs is compressed.\n", [2]),
    ("later.cc", "// The first one is good. Whoever reads it\n// knows.\n", [1]),
    ("next_line.cc", "// The first one is good.\n// Who reads it knows.\n", [2]),
    ("end_of_line.h", "int a;  // Whatever it was\n", [1]),
    ("question_before.h", "// Is it there? Whose it is, nobody knows.\n", [1]),
    ("paragraph.h", "// A heading\n//\n// What follows is text.\n", [3]),
    ("block.c", "/* The first one is good.\n * What comes now is not. */\n", [2]),
    ("behind_string.cc", 'Say("/* a \\" // string");  // What it says\n', [1]),
    ("comment.py", "a = 1\n# What it is\n", [2]),
    ("docstring.py", 'def f():\n    """Good.\n    What it gives is a number."""\n', [3]),
]
ALLOWED = [
    ("question.h", "// What became of a figure?\n// Who waits for whom?\n"),
    ("over_lines.h", "// What became of a figure\n// from run to run?\n"),
    ("middle.h", "// Tells what it is, and who it is.\n"),
    ("name.h", "// What::kMutex and Whose() are names.\nenum class What { kMutex };\n"),
    ("other_words.h", "// Whether it is there. Whatsoever.\n"),
    ("string.cc", 'Say("// What it is");\nSay(R"(// Who it is)");\n'),
    ("character.cc", "constexpr char kQuote = '\"';\nconstexpr int kMost = 1'000'000;  // a bound\n"),
    ("text.py", 'text = "# What it is"\nmessage = """What it is."""\n'),
]
wrong = [f"{name}: {lines(name, text)}, not {want}" for name, text, want in REFUSED if lines(name, text) != want]
wrong += [f"{name}: {lines(name, text)}, not allowed" for name, text in ALLOWED if lines(name, text)]
sys.exit("\n".join(wrong) or 0)
