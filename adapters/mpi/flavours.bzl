"""One adapter library for each MPI implementation that is installed."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")
load("//config:epik.bzl", "RUNTIME_COPTS")

# gcc clears large structs by `rep stos` unless we name a processor. To clear the 136 bytes of a request that way takes 13 ns
# more than plain stores on a Xeon of model 207. The option changes no instruction set.
_STORES = select({
    "@platforms//cpu:x86_64": ["-mtune=skylake"],
    "//conditions:default": [],
})

def mpi_adapter(flavour, repository):
    """libepk_mpi_<flavour>.so.

    Args:
      flavour: folder here with what is particular to it.
      repository: where its headers are.
    """
    headers = "@%s//:headers" % repository
    native.genrule(
        name = flavour + "_wrappers",
        srcs = [
            "mpi.def",
            "//config:settings.h",
            headers,
            "@%s//:all.h" % repository,
        ],
        outs = [
            flavour + "/header.i",
            flavour + "/c.cc",
            flavour + "/fortran.cc",
        ],
        cmd = " && ".join([
            "$(CC) -E -P -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 " +
            "-I $$(dirname $(location @%s//:all.h))/include " % repository +
            "-I $$(dirname $(location @%s//:all.h))/include/openmpi " % repository +
            "$(location @%s//:all.h) > $(location %s/header.i)" % (repository, flavour),
            "$(location :generate) %s --header $(location %s/header.i) " % (flavour, flavour) +
            "--table $(location mpi.def) --settings $(location //config:settings.h) --c $(location %s/c.cc) " % flavour +
            "--fortran $(location %s/fortran.cc)" % flavour,
        ]),
        toolchains = ["@bazel_tools//tools/cpp:current_cc_toolchain"],
        tools = [":generate"],
    )

    cc_library(
        name = flavour,
        srcs = native.glob(
            ["*.cc"],
            exclude = [
                "bookkeeping_test.cc",
                "channels_test.cc",
                "comms_test.cc",
                "fake_mpi.cc",
                "known_sizes_test.cc",
                "requests_test.cc",
                "spanning_tree_test.cc",
            ],
        ) + [
            flavour + "/c.cc",
            flavour + "/flavour.cc",
            flavour + "/flavour.h",
            flavour + "/fortran.cc",
        ] + native.glob(
            [
                "*.h",
                "operands.inc",
            ],
            exclude = [
                "fake_mpi.h",
                "test_process.h",
            ],
        ),
        alwayslink = True,
        copts = RUNTIME_COPTS + [
            "-Iadapters/mpi/" + flavour,
            "-Wno-cast-function-type",
        ] + _STORES,
        local_defines = [
            "OMPI_SKIP_MPICXX",
            "MPICH_SKIP_MPICXX",
            "OMPI_OMIT_MPI1_COMPAT_DECLS=0",
        ],
        deps = [
            "//adapters:abi_header",
            "//runtime/base",
            "//runtime/event",
            "@%s//:mpi" % repository,
        ],
    )

    cc_binary(
        name = "libepk_mpi_%s.so" % flavour,
        linkopts = [
            "-l:libstdc++.a",
            "-static-libgcc",
            "-Wl,--as-needed",
            "-Wl,--version-script=$(location exports.lds)",
            "-Wl,-z,nodelete",
            "-Wl,-soname,libepk_mpi_%s.so" % flavour,
            "-Wl,-rpath,$$ORIGIN",
            # The adapter finds the core in its own folder. It looks for MPI itself, and there may be none (pmpi.h).
            "$(location //adapters:libepk.so)",
            "-ldl",
        ],
        linkshared = True,
        additional_linker_inputs = [
            "exports.lds",
            "//adapters:libepk.so",
        ],
        visibility = ["//visibility:public"],
        deps = [
            ":" + flavour,
            "//runtime/base:own_clock",
        ],
    )
