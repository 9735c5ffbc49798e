"""Bazel 4.2 asks for a few repositories of its own; here they come from Debian's packages, not from a network."""

_RULES_CC = "/usr/share/bazel/rules/cc"

# Two helper rules of rules_cc need a Bazel newer than Debian's. Nothing here uses them.
_TOO_NEW = {
    "cc/private/rules_impl/cc_flags_supplier.bzl": "cc_flags_supplier = None\n",
    "cc/private/rules_impl/compiler_flag.bzl": "compiler_flag = None\n",
}

def _bundled_rules_cc_impl(ctx):
    source = ctx.path(_RULES_CC)
    if not source.exists:
        fail("rules_cc is not installed: apt-get install bazel-rules-cc")
    copied = ctx.execute(["cp", "-rL", _RULES_CC + "/cc", _RULES_CC + "/BUILD", "."])
    if copied.return_code != 0:
        fail("cannot copy %s: %s" % (_RULES_CC, copied.stderr))
    for path, content in _TOO_NEW.items():
        ctx.delete(path)
        ctx.file(path, content)
    ctx.file("WORKSPACE", "workspace(name = \"rules_cc\")\n")

bundled_rules_cc = repository_rule(implementation = _bundled_rules_cc_impl, local = True)

def _no_coverage_tools_impl(ctx):
    ctx.file("BUILD", """
filegroup(name = "coverage_report_generator", visibility = ["//visibility:public"])
filegroup(name = "coverage_output_generator", visibility = ["//visibility:public"])
""")

no_coverage_tools = repository_rule(implementation = _no_coverage_tools_impl, local = True)
