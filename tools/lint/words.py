# SPDX-License-Identifier: BSD-3-Clause
"""Comments begin with the noun that they are about, or with a verb: not with "What is …" or "Whoever does …"."""
import re

HEADLESS = re.compile(r"^\s*(?://|/\*|\*) (What|Whatever|Whoever|Who|Whose) ")
COMMENT = re.compile(r"^\s*(?://|/\*|\*)")


def check(text):
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        found = HEADLESS.match(line)
        if not found or (number > 1 and COMMENT.match(lines[number - 2]) and "SPDX" not in lines[number - 2]):
            continue
        sentence = re.split(r"(?<=[.?]) ", " ".join(lines[number - 1:number + 2]), maxsplit=1)[0]
        if not sentence.rstrip().endswith("?"):
            yield f"line {number}: the comment begins with '{found.group(1)}', and not with the noun that it is about"
