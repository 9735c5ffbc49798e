"""Libraries and tests whose files are compiled together, since parsing the same headers again and again takes most of a compiler's time."""

load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")

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

# Files of tests use the same names for different things, in namespaces without a name. Here each of these gets the name of its file.
_JOIN_TESTS = """
for file in "$@"; do
  name=${file##*/}
  printf '#line 1 "%s"\\n' "$file"
  sed "s/^namespace {$/namespace in_${name%.cc} {/" "$file"
done
"""

def _joined_tests_impl(ctx):
    joined = ctx.actions.declare_file(ctx.label.name + ".cc")
    sources = [source.path for source in ctx.files.srcs]
    ctx.actions.run_shell(
        outputs = [joined],
        inputs = ctx.files.srcs,
        arguments = sources,
        command = "{%s} > %s" % (_JOIN_TESTS, joined.path),
        mnemonic = "JoinTests",
    )
    return [DefaultInfo(files = depset([joined]))]

_joined_tests = rule(
    implementation = _joined_tests_impl,
    attrs = {"srcs": attr.label_list(allow_files = [".cc"])},
)

def joined_test(name, srcs, **attributes):
    """A cc_test that compiles one file, which has the .cc files of `srcs`. `--config=apart` compiles each by itself."""
    sources = [source for source in srcs if source.endswith(".cc")]
    others = [source for source in srcs if not source.endswith(".cc")]
    _joined_tests(name = name + "_joined", srcs = sources, testonly = True)
    cc_test(
        name = name,
        srcs = others + select({
            "//config:apart": sources,
            "//conditions:default": [":%s_joined" % name],
        }),
        **attributes
    )
