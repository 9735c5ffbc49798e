# SPDX-License-Identifier: BSD-3-Clause
"""Refuses namespaces that are not the name of the file's folder, or of a folder around it."""
import re

FOLDERS = ("adapters/", "analysis/", "archive/", "config/", "report/", "runtime/", "tools/", "view/")
BLOCK = re.compile(r"^namespace epik::(\w+)[\w:]* \{\n(.*?)^\}(?!;)", re.M | re.S)

# Folders whose namespace has another name, each with the reason.
OTHER_NAMES = {
    "adapters/omp": {"ompt"},        # libomp's tool interface and libgomp's functions are two adapters of one paradigm
    "archive/image": {"epitome"},    # readers have the name of what they read: EPITOME's arenas and profiles, ...
    "archive/profile": {"epitome"},
    "archive/trace": {"epilog"},     # ... and EPILOG's traces
    "runtime/abi": {"archive"},      # functions of libepk_archive.so
}


def check(path, text):
    if not str(path).startswith(FOLDERS):
        return
    allowed = set(path.parts[:-1]) | OTHER_NAMES.get(str(path.parent), set())
    for block in BLOCK.finditer(text):
        # A header may declare functions that a room above it defines, in the namespace of that room.
        code = re.sub(r"//[^\n]*", "", block.group(2))
        declares_only = path.suffix == ".h" and not re.search(r"^(struct|class) \w+ \{|\) [^;]*\{", code, re.M)
        if block.group(1) not in allowed and not declares_only:
            yield f"namespace epik::{block.group(1)} is not its folder's"
