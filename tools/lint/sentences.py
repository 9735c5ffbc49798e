# SPDX-License-Identifier: BSD-3-Clause
"""Refuses headless sentences in comments: one that begins with `What`, `Who` or the like, and is no question, does not name
its subject."""
import ast
import io
import re
import tokenize

WORDS = ("What", "Whatever", "Whoever", "Who", "Whose")
HEADLESS = re.compile(rf"(?:{'|'.join(WORDS)})\b(?!::|\()")
SENTENCE = re.compile(r"[^\s](?:.*?[.?!](?=\s|$)|.*$)", re.S)

# Strings and characters come first: a comment does not begin within them.
CPP = re.compile(r'R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])\'|'
                 r"(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)", re.S)


def joined(comments):
    """Comments that continue each other, as (line, text): on the next line, in the same column."""
    begin, last, column, lines = 0, 0, 0, []
    for line, at, text in comments:
        if lines and line == last + 1 and at == column:
            lines.append(text)
        else:
            if lines:
                yield begin, "\n".join(lines)
            begin, column, lines = line, at, [text]
        last = line
    if lines:
        yield begin, "\n".join(lines)


def comments_of_cpp(text):
    lines = []
    for found in CPP.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found["block"]:
            yield line, re.sub(r"^\s*\*+ ?", "", found["block"][2:-2], flags=re.M)
        elif found["line"]:
            lines.append((line, found.start() - text.rfind("\n", 0, found.start()), found["line"].lstrip("/")))
    yield from joined(lines)


def comments_of_python(text):
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    yield from joined((*token.start, token.string.lstrip("#")) for token in tokens if token.type == tokenize.COMMENT)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False) is not None:
            yield node.body[0].lineno, node.body[0].value.value


def check(path, text):
    comments = comments_of_python(text) if path.suffix == ".py" else comments_of_cpp(text)
    for begin, comment in comments:
        for paragraph in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|$))+", comment):
            for sentence in SENTENCE.finditer(paragraph[0]):
                if HEADLESS.match(sentence[0]) and not sentence[0].rstrip().endswith("?"):
                    line = begin + comment.count("\n", 0, paragraph.start() + sentence.start())
                    words = " ".join(sentence[0].split())
                    yield f"{line}: the sentence does not name its subject: {words[:60]}{'…' if len(words) > 60 else ''}"
