# SPDX-License-Identifier: BSD-3-Clause
"""Every C++ file is part of a target: one that its BUILD file does not name is dead."""
import re

TAKES_ALL = ("glob(", "runtime_room(")
OUTSIDE = ("bench",)  # its scripts compile some


def rules(root, path, cache):
    """The text of the BUILD file for the path, which may be in a folder further out."""
    for folder in path.parents:
        if folder not in cache:
            build = root / folder / "BUILD"
            cache[folder] = build.read_text(encoding="utf-8") if build.exists() else None
        if cache[folder] is not None:
            return cache[folder]
    return ""


def check(root, paths):
    cache = {}
    for path in paths:
        text = rules(root, path, cache)
        if path.parts[0] in OUTSIDE or any(word in text for word in TAKES_ALL):
            continue
        if not re.search(rf'["/]{re.escape(path.stem)}(\{path.suffix})?"', text):  # lists have names without the ending
            yield f"{path}: no BUILD file names it"
