"""Headers for plugins of every gcc that is installed with them: `@NAME//:gccN`, and the list of N. Without any, a line says so."""

def _headers(ctx, gcc):
    """Major version and folder of headers of a compiler; None when there are none."""
    version = ctx.execute([gcc, "-dumpversion"]).stdout.strip().split(".")[0]
    folder = ctx.execute([gcc, "-print-file-name=plugin"]).stdout.strip()
    if not version.isdigit() or not folder.startswith("/") or not ctx.path(folder + "/include/gcc-plugin.h").exists:
        return None
    return version, folder + "/include"

def _gcc_plugin_headers_impl(ctx):
    found = {}
    for name in ["gcc"] + ["gcc-%d" % major for major in range(10, 20)]:
        gcc = ctx.which(name)
        headers = _headers(ctx, gcc) if gcc else None
        if headers and headers[0] not in found:
            found[headers[0]] = headers[1]
    ctx.file("found.bzl", "FOUND = %s\n" % repr(sorted(found.keys())))
    if not found:
        # buildifier: disable=print
        print("gcc has no headers for plugins: `epk instrument` will use -finstrument-functions " +
              "(apt-get install gcc-N-plugin-dev, N: your gcc's version)")
    build = "load(\"@rules_cc//cc:defs.bzl\", \"cc_library\")\n\npackage(default_visibility = [\"//visibility:public\"])\n"
    for version, folder in found.items():
        ctx.symlink(folder, "include" + version)
        build += """
cc_library(
    name = "gcc{0}",
    hdrs = glob(["include{0}/**"]),
    includes = ["include{0}"],
)
""".format(version)
    ctx.file("BUILD", build)

gcc_plugin_headers = repository_rule(
    implementation = _gcc_plugin_headers_impl,
    environ = ["PATH"],
    local = True,
)
