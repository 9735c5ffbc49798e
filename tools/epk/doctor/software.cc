// SPDX-License-Identifier: BSD-3-Clause
// EPIK's own files, compilers, MPI and OpenMP.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tools/epk/doctor/check.h"
#include "tools/epk/doctor/probe.h"
#include "tools/epk/install_dirs.h"

namespace epik::epk::doctor {
namespace {

struct Package {
  const char* what;
  const char* name;
  const char* purpose;
};

// Debian's names. On other systems they still tell users what to look for.
constexpr Package kPackages[] = {
    {"gcc", "gcc", "C programs"},
    {"g++", "g++", "C++ programs"},
    {"gfortran", "gfortran", "Fortran programs"},
    {"clang", "clang", "C programs with clang"},
    {"clang++", "clang", "C++ programs with clang"},
    {"libdw.so.1", "libdw1", "names and lines of functions"},
    {"libgomp.so.1", "libgomp1", "OpenMP programs of gcc"},
    {"libomp.so.5", "libomp5-14", "OpenMP programs of clang"},
};

Finding Missing(const std::string& what, Verdict verdict = Verdict::kNone) {
  for (const Package& package : kPackages) {
    if (what == package.what) {
      return {verdict, "not found", std::string("apt-get install ") + package.name + ", for " + package.purpose};
    }
  }
  return {verdict, "not found", ""};
}

struct Flavour {
  const char* id;
  const char* marker;  // text in the version message of its mpirun
  const char* package;
};

constexpr Flavour kFlavours[] = {{"openmpi", "Open MPI", "libopenmpi-dev openmpi-bin"},
                                 {"mpich", "HYDRA", "libmpich-dev mpich"}};

bool Is(const Flavour& flavour, const std::string& mpirun) {
  return !FindCommand(mpirun).empty() && Output({mpirun, "--version"}).find(flavour.marker) != std::string::npos;
}

// MPICH's launcher prints "Version: 4.0.2" among much else; Open MPI's "mpirun (Open MPI) 4.1.4".
std::string MpiVersion(const std::string& mpirun) {
  const std::string text = Output({mpirun, "--version"});
  const size_t label = text.find("Version:");
  return VersionIn(label == std::string::npos ? text : text.substr(label));
}

Finding MpiFinding(const Flavour& flavour, const std::string& mpirun, bool is_default) {
  const std::string suffix = std::string(".") + flavour.id;
  const std::string mpicc = FindCommand(is_default ? "mpicc" : "mpicc" + suffix);
  const std::string adapter = std::string("libepk_mpi_") + flavour.id + ".so";
  Finding finding{Verdict::kOk, MpiVersion(mpirun) + "  " + FindCommand(mpirun), "", {}};
  if (is_default) finding.value += " (mpirun is this one)";
  if (mpicc.empty()) {
    finding.verdict = Verdict::kWarn;
    finding.remedy = std::string("programs can be run but not compiled: apt-get install ") + flavour.package;
  } else if (!FindInstallDirs().Library(adapter)) {
    finding.verdict = Verdict::kWarn;
    finding.remedy = adapter + " is missing: EPIK would see each process alone; build EPIK with this MPI installed";
  }
  return finding;
}

}  // namespace

Finding LookAtLibrary(const char* file) {
  const InstallDirs dirs = FindInstallDirs();
  if (const auto path = dirs.Library(file)) return {Verdict::kOk, path->lexically_normal().string(), ""};
  return {Verdict::kBad, std::string(file) + " is not beside epk",
          dirs.build_tree ? "build it: bazel build //:epik"
                          : "expected in " + dirs.libraries[0].string() +
                                ": install EPIK again, or run the epk of that installation"};
}

Finding LookAtHeader(const char* file) {
  const std::filesystem::path path = FindInstallDirs().include / file;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return {Verdict::kOk, path.lexically_normal().string(), ""};
  return {Verdict::kNone, std::string(file) + " not found", "only for programs that name their own regions"};
}

Finding LookAtCompiler(const char* command) {
  const std::string path = FindCommand(command);
  if (!path.empty()) return {Verdict::kOk, VersionIn(Output({command, "--version"})) + "  " + path, ""};
  // One C compiler is enough. Without any, no program can be instrumented.
  const bool none = std::string(command) == "gcc" && FindCommand("clang").empty();
  return Missing(command, none ? Verdict::kWarn : Verdict::kNone);
}

Finding LookAtGccPlugins(const char*) {
  if (FindCommand("gcc").empty()) return {Verdict::kNone, "no gcc", ""};
  std::string folder = Output({"gcc", "-print-file-name=plugin"});
  folder.erase(folder.find_last_not_of(" \n") + 1);
  const std::string header = folder + "/include/gcc-plugin.h";
  if (access(header.c_str(), R_OK) == 0) return {Verdict::kOk, folder, ""};
  const std::string version = Output({"gcc", "-dumpversion"});
  const std::string major = version.substr(0, version.find_first_not_of("0123456789"));
  return {Verdict::kNone, "not found",
          "apt-get install gcc-" + major + "-plugin-dev, to build what leaves inlined functions alone"};
}

Finding LookAtClangPlugins(const char*) {
  if (FindCommand("clang").empty()) return {Verdict::kNone, "no clang", ""};
  const std::string version = Output({"clang", "-dumpversion"});
  const std::string major = version.substr(0, version.find_first_not_of("0123456789"));
  const std::string folder = "/usr/lib/llvm-" + major + "/include/llvm/Passes";
  if (access((folder + "/PassPlugin.h").c_str(), R_OK) == 0) return {Verdict::kOk, folder, ""};
  return {Verdict::kNone, "not found", "apt-get install llvm-" + major + "-dev, to build what lets clang know filters"};
}

Finding LookAtMpi(const char* id) {
  for (const Flavour& flavour : kFlavours) {
    if (std::string(id) != flavour.id) continue;
    const std::string own = std::string("mpirun.") + id;
    const bool is_default = Is(flavour, "mpirun");
    if (is_default || Is(flavour, own)) return MpiFinding(flavour, is_default ? "mpirun" : own, is_default);
    return {Verdict::kNone, "not found", std::string("apt-get install ") + flavour.package};
  }
  return {Verdict::kNone, "not found", ""};
}

Finding LookAtSharedLibrary(const char* name) {
  const std::string path = FindSharedLibrary(name);
  if (!path.empty()) return {Verdict::kOk, path, ""};
  return Missing(name);
}

}  // namespace epik::epk::doctor
