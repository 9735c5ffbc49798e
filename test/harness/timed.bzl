"""Tests of which some cases measure time (`@timed`): these are a target of their own, beside which nothing runs."""

def partly_timed_test(name, tags, **rest):
    """NAME has the cases that measure no time, NAME_timed has those that do."""
    native.sh_test(
        name = name,
        tags = tags,
        **rest
    )
    native.sh_test(
        name = name + "_timed",
        args = ["--timed"],
        tags = tags + ["cpu:2"],
        **rest
    )
