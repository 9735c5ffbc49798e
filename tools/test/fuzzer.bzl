# SPDX-License-Identifier: BSD-3-Clause
"""Fuzzers: `./dev fuzz` runs them with libFuzzer, and the test `NAME_test` with inputs that are the same in every run."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_test")

def fuzzer(name, deps, srcs = None, test = True):
    """test: False where another test feeds the fuzzer with inputs of its own."""
    srcs = srcs or [name + ".cc"]
    cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        linkopts = ["-fsanitize=fuzzer,address"],
        tags = [
            "fuzz",
            "manual",
        ],
        deps = deps,
    )
    if test:
        cc_test(
            name = name + "_test",
            timeout = "moderate",
            srcs = srcs,
            deps = deps + ["//tools/test:fuzz_inputs"],
        )
