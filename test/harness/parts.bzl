"""Tests in parts, which are targets of their own: see the marks of cases in cases.py."""

def test_in_parts(name, parts, tags, args = [], **rest):
    """NAME has the cases without a mark.

    Args:
      name: of the default part.
      parts: "timed": NAME_timed has cases that measure time, and nothing runs beside it. "long": NAME_long has cases
        that take long. ./dev test runs it with --long.
      tags: of each part.
      args: of each part.
      **rest: attributes of the targets.
    """
    native.sh_test(name = name, args = args, tags = tags, **rest)
    alone = ["cpu:4"] if "timed" in parts else []
    if "timed" in parts:
        native.sh_test(name = name + "_timed", args = args + ["--timed"], tags = tags + alone, **rest)
    if "long" in parts:
        native.sh_test(name = name + "_long", args = args + ["--long"], tags = tags + alone + ["long_part"], **rest)
