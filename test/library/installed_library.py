# SPDX-License-Identifier: BSD-3-Clause
"""Puts the library for other people's analyses in the place where ./dev installs it."""

import importlib
import pathlib
import shutil
import sys

from harness import sanitizer_of


def epik_trace_of(prefix):
    """The Python module of the installation, into which this puts the library."""
    sanitizer_of(prefix).begin_again()
    version = pathlib.Path("VERSION").read_text().strip()
    for name, place in (("epik-trace.pc", "lib/pkgconfig"), ("epik-config.cmake", "lib/cmake/epik"),
                        ("epik-config-version.cmake", "lib/cmake/epik")):
        (prefix / place).mkdir(parents=True, exist_ok=True)
        text = pathlib.Path("config/install", f"{name}.in").read_text()
        (prefix / place / name).write_text(text.replace("@VERSION@", version))
    (prefix / "lib/python").mkdir()
    shutil.copy("analysis/library/epik_trace.py", prefix / "lib/python")
    shutil.copy("analysis/library/libepk_trace.so", prefix / "lib/libepk_trace.so.1")
    (prefix / "lib/libepk_trace.so").symlink_to("libepk_trace.so.1")
    sys.path.insert(0, str(prefix / "lib/python"))
    return importlib.import_module("epik_trace")
