"""Tests in parts, which are targets of their own: see the marks of cases in cases.py."""

def test_in_parts(name, parts, tags, args = [], sanitized_long = False, **rest):
    """NAME has the cases without a mark.

    Args:
      name: of the default part.
      parts: "timed": NAME_timed has cases that measure time, and nothing runs beside it. "long": NAME_long has cases
        that take long. ./dev test runs it with --long. "long_timed": cases of NAME_long measure time, so nothing runs
        beside it; where "timed" is, they do.
      tags: of each part.
      args: of each part.
      sanitized_long: whether sanitizers see NAME_long, too; see CONTRIBUTING.md.
      **rest: attributes of the targets.
    """
    native.sh_test(name = name, args = args, tags = tags, **rest)
    alone = tags + ["cpu:4"]
    if "timed" in parts:
        native.sh_test(name = name + "_timed", args = args + ["--timed"], tags = alone, **rest)
    if "long" in parts or "long_timed" in parts:
        is_alone = "timed" in parts or "long_timed" in parts
        unseen = [] if sanitized_long or "no_sanitizer" in tags else ["no_sanitizer"]
        tags_of_long = (alone if is_alone else tags) + ["long_part"] + unseen
        native.sh_test(name = name + "_long", args = args + ["--long"], tags = tags_of_long, **rest)
