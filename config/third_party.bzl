"""System libraries as Bazel targets: `@NAME//:NAME`. A missing one is named together with the package that brings it."""

_INCLUDE_DIRS = ["/usr/include", "/usr/local/include"]

def _system_library_impl(ctx):
    found = [folder for folder in _INCLUDE_DIRS if ctx.path(folder + "/" + ctx.attr.header).exists]
    if not found:
        fail("\n\n%s is not installed (no %s): apt-get install %s   (or ./dev setup)\n" %
             (ctx.name, ctx.attr.header, ctx.attr.package))
    ctx.file("BUILD", """
load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "%s",
    linkopts = %s,
    visibility = ["//visibility:public"],
)
""" % (ctx.name, repr(ctx.attr.linkopts)))

system_library = repository_rule(
    implementation = _system_library_impl,
    attrs = {
        "header": attr.string(mandatory = True),
        "linkopts": attr.string_list(),
        "package": attr.string(mandatory = True),
    },
    local = True,
)
