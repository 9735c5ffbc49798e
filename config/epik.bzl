"""How the parts that live inside the measured program are compiled."""

load("@rules_cc//cc:defs.bzl", "cc_library")

# Symbols are hidden unless they are exported, neither exceptions nor RTTI reach the program, and one instruction finds
# thread data.
RUNTIME_COPTS = [
    "-fPIC",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-ftls-model=initial-exec",
    "-fno-stack-protector",
    "-fno-tree-slp-vectorize",
    "-fomit-frame-pointer",
    "-O2",
]

def runtime_room(name, visibility, deps):
    """A room of the runtime: all sources of its folder but tests. The list of parts needs each, so each is linked."""
    cc_library(
        name = name,
        srcs = native.glob(
            ["*.cc"],
            exclude = ["*_test.cc"],
        ),
        hdrs = native.glob(
            ["*.h"],
            exclude = ["*_test.h"],
        ),
        copts = RUNTIME_COPTS,
        visibility = visibility,
        deps = deps,
        alwayslink = True,
        linkstatic = True,  # no shared library for each room: rooms share hidden variables
    )
