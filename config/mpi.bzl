"""The headers of an installed MPI, as its own compiler command names them: `@NAME//:mpi`. Without one there is no adapter for it, and a line says so."""

def _mpi_headers_impl(ctx):
    compiler = ctx.which(ctx.attr.compiler)
    folders = []
    if compiler:
        shown = ctx.execute([compiler, "-show"])
        folders = [word[2:] for word in shown.stdout.split(" ") if word.startswith("-I")]
    folders = [folder.strip() for folder in folders if ctx.path(folder.strip() + "/mpi.h").exists]
    ctx.file("found.bzl", "FOUND = %s\n" % bool(folders))
    if not folders:
        # buildifier: disable=print
        print("%s is not installed: libepk_mpi_%s.so is not built (apt-get install %s)" %
              (ctx.attr.compiler, ctx.attr.flavour, ctx.attr.package))
        ctx.file("BUILD", "")
        return
    ctx.symlink(folders[0], "include")
    extensions = "#include <mpi-ext.h>\n" if ctx.path(folders[0] + "/mpi-ext.h").exists else ""
    ctx.file("all.h", "#include <mpi.h>\n" + extensions)
    ctx.file("BUILD", """
load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

exports_files(["all.h"])

filegroup(
    name = "headers",
    srcs = glob(["include/**/*.h"]),
)

cc_library(
    name = "mpi",
    hdrs = [":headers"],
    includes = ["include"],
)
""")

mpi_headers = repository_rule(
    implementation = _mpi_headers_impl,
    attrs = {
        "compiler": attr.string(mandatory = True),
        "flavour": attr.string(mandatory = True),
        "package": attr.string(mandatory = True),
    },
    environ = ["PATH"],
    local = True,
)
