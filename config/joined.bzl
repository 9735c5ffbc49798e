"""Libraries whose files are compiled together, since parsing the same headers again and again takes most of a compiler's time."""

load("@rules_cc//cc:defs.bzl", "cc_library")

def _joined_file_impl(ctx):
    joined = ctx.actions.declare_file(ctx.label.name + ".cc")
    ctx.actions.write(joined, "".join(['#include "%s"\n' % source.short_path for source in ctx.files.srcs]))
    return [DefaultInfo(files = depset([joined]))]

_joined_file = rule(
    implementation = _joined_file_impl,
    attrs = {"srcs": attr.label_list(allow_files = [".cc"])},
)

def joined_library(name, srcs, textual_hdrs = [], **attributes):
    """A cc_library that compiles one file, which includes the .cc files of `srcs`. `--config=apart` compiles each by itself."""
    sources = [source for source in srcs if source.endswith(".cc")]
    others = [source for source in srcs if not source.endswith(".cc")]
    _joined_file(name = name + "_joined", srcs = sources)
    cc_library(
        name = name,
        srcs = others + select({
            "//config:apart": sources,
            "//conditions:default": [":%s_joined" % name],
        }),
        textual_hdrs = textual_hdrs + select({
            "//config:apart": [],
            "//conditions:default": sources,
        }),
        **attributes
    )
