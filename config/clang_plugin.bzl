"""Headers for pass plugins of every clang that is installed with them: `@NAME//:clangN`, and the list of N."""

def _clang_plugin_headers_impl(ctx):
    found = {}
    for name in ["clang"] + ["clang-%d" % major for major in range(14, 24)]:
        clang = ctx.which(name)
        if not clang:
            continue
        version = ctx.execute([clang, "-dumpversion"]).stdout.strip().split(".")[0]
        for folder in ["/usr/lib/llvm-%s/include" % version, "/usr/include/llvm-%s" % version]:
            if version not in found and ctx.path(folder + "/llvm/Passes/PassPlugin.h").exists:
                found[version] = folder
    ctx.file("found.bzl", "FOUND = %s\n" % repr(sorted(found.keys())))
    build = "load(\"@rules_cc//cc:defs.bzl\", \"cc_library\")\n\npackage(default_visibility = [\"//visibility:public\"])\n"
    for version, folder in found.items():
        for part in ["llvm", "llvm-c"]:
            ctx.symlink(ctx.path(folder + "/" + part).realpath, "include%s/%s" % (version, part))
        build += """
cc_library(
    name = "clang{0}",
    hdrs = glob(["include{0}/**"]),
    includes = ["include{0}"],
)
""".format(version)
    ctx.file("BUILD", build)

clang_plugin_headers = repository_rule(
    implementation = _clang_plugin_headers_impl,
    environ = ["PATH"],
    local = True,
)
