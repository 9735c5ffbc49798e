// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/compiler.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <sstream>

namespace epik::instrument {
namespace {

struct Row {
  std::string_view name;
  Language language;
  Family family;
  bool mpi;
};

constexpr std::array kCompilers = {
    Row{"gcc", Language::kC, Family::kGnu, false},
    Row{"g++", Language::kCxx, Family::kGnu, false},
    Row{"gfortran", Language::kFortran, Family::kGnu, false},
    Row{"clang", Language::kC, Family::kClang, false},
    Row{"clang++", Language::kCxx, Family::kClang, false},
    Row{"cc", Language::kC, Family::kUnknown, false},
    Row{"c++", Language::kCxx, Family::kUnknown, false},
    Row{"c89", Language::kC, Family::kUnknown, false},
    Row{"c99", Language::kC, Family::kUnknown, false},
    Row{"f77", Language::kFortran, Family::kUnknown, false},
    Row{"f95", Language::kFortran, Family::kUnknown, false},
    Row{"ftn", Language::kFortran, Family::kUnknown, false},
    Row{"CC", Language::kCxx, Family::kUnknown, false},
    Row{"mpicc", Language::kC, Family::kUnknown, true},
    Row{"mpigcc", Language::kC, Family::kUnknown, true},
    Row{"mpicxx", Language::kCxx, Family::kUnknown, true},
    Row{"mpic++", Language::kCxx, Family::kUnknown, true},
    Row{"mpiCC", Language::kCxx, Family::kUnknown, true},
    Row{"mpig++", Language::kCxx, Family::kUnknown, true},
    Row{"mpifort", Language::kFortran, Family::kUnknown, true},
    Row{"mpif90", Language::kFortran, Family::kUnknown, true},
    Row{"mpif77", Language::kFortran, Family::kUnknown, true},
};

constexpr std::array<std::string_view, 6> kLaunchers = {"ccache", "distcc", "sccache", "icecc", "buildcache", "gomacc"};

constexpr std::array<std::string_view, 12> kBuildTools = {"make",  "gmake", "cmake", "ninja",      "meson", "configure",
                                                          "scons", "waf",   "bazel", "autoreconf", "ctest", "xmake"};

constexpr std::array<std::string_view, 50> kTakesValue = {"-o",
                                                          "-x",
                                                          "-I",
                                                          "-D",
                                                          "-U",
                                                          "-L",
                                                          "-l",
                                                          "-B",
                                                          "-include",
                                                          "-imacros",
                                                          "-isystem",
                                                          "-idirafter",
                                                          "-iquote",
                                                          "-iprefix",
                                                          "-isysroot",
                                                          "-iwithprefix",
                                                          "-imultilib",
                                                          "-MF",
                                                          "-MT",
                                                          "-MQ",
                                                          "-MJ",
                                                          "-T",
                                                          "-u",
                                                          "-z",
                                                          "-e",
                                                          "-A",
                                                          "-Xlinker",
                                                          "-Xclang",
                                                          "-Xassembler",
                                                          "-Xpreprocessor",
                                                          "-mllvm",
                                                          "-J",
                                                          "--param",
                                                          "-aux-info",
                                                          "-dumpbase",
                                                          "-dumpdir",
                                                          "-dumpbase-ext",
                                                          "-wrapper",
                                                          "-target",
                                                          "--sysroot",
                                                          "-arch",
                                                          "-framework",
                                                          "-include-pch",
                                                          "-gcc-toolchain",
                                                          "--output",
                                                          "--include",
                                                          "-iwithprefixbefore",
                                                          "-Ttext",
                                                          "-soname",
                                                          "-rpath"};

const Row* Find(std::string_view name) {
  for (const Row& row : kCompilers) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Removes the version: gcc-12, clang++-14, gcc-12.2.
std::string_view WithoutVersion(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && (std::isdigit(static_cast<unsigned char>(name[end - 1])) != 0 || name[end - 1] == '.')) --end;
  const bool has_version = end < name.size() && end > 1 && name[end - 1] == '-';
  return has_version ? name.substr(0, end - 1) : name;
}

}  // namespace

CompilerName RecognizeCompiler(std::string_view word) {
  std::string_view name = BaseName(word);
  for (std::string_view suffix : {".openmpi", ".mpich", ".mpich2", ".exe"}) {
    if (EndsWith(name, suffix)) name.remove_suffix(suffix.size());
  }
  const Row* row = Find(name);
  if (row == nullptr) name = WithoutVersion(name);
  // Removes a cross-compiler's prefix piece by piece: x86_64-linux-gnu-gcc.
  while (row == nullptr && !name.empty()) {
    row = Find(name);
    const size_t dash = name.find('-');
    name = dash == std::string_view::npos ? std::string_view() : name.substr(dash + 1);
  }
  if (row == nullptr) return {};
  return {true, row->mpi, row->language, row->family};
}

std::string CompilerOfLink(std::string_view program) {
  constexpr std::string_view kPrefix = "epk-";
  std::string_view name = BaseName(program);
  if (!StartsWith(name, kPrefix)) return "";
  name.remove_prefix(kPrefix.size());
  return RecognizeCompiler(name).known ? std::string(name) : "";
}

bool IsCompilerLauncher(std::string_view word) { return Contains(kLaunchers, BaseName(word)); }

bool TakesValue(std::string_view option) { return Contains(kTakesValue, option); }

bool IsBuildTool(std::string_view word) { return Contains(kBuildTools, BaseName(word)); }

CompilerFacts ParseVerboseOutput(std::string_view text) {
  CompilerFacts facts;
  std::istringstream lines{std::string(text)};
  bool in_list = false;
  for (std::string line; std::getline(lines, line);) {
    if (StartsWith(line, "#include <...>")) {
      in_list = true;
    } else if (StartsWith(line, "End of search list")) {
      in_list = false;
    } else if (in_list) {
      const size_t start = line.find_first_not_of(' ');
      if (start != std::string::npos && line[start] == '/') facts.system_dirs.push_back(line.substr(start));
    } else if (line.find("clang version ") != std::string::npos) {
      facts.family = Family::kClang;
      facts.major = std::atoi(line.c_str() + line.find("clang version ") + std::string_view("clang version ").size());
    } else if (StartsWith(line, "gcc version ")) {
      facts.family = Family::kGnu;
      facts.major = std::atoi(line.c_str() + std::string_view("gcc version ").size());
    }
  }
  return facts;
}

Mpi ParseWrapperOutput(std::string_view text) {
  // Debian's MPICH is libmpich, a name that Open MPI's wrapper never has in its output. Other MPIs call their library
  // libmpi and have their name in its folder. `epk run` decides all other cases, because it sees the library itself.
  if (text.find("mpich") != std::string_view::npos) return Mpi::kMpich;
  if (text.find("openmpi") != std::string_view::npos) return Mpi::kOpenMpi;
  return Mpi::kNone;
}

std::string NormalizePath(std::string_view path) {
  std::vector<std::string_view> parts;
  const bool absolute = StartsWith(path, "/");
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !absolute) {
      parts.push_back(part);
    }
  }
  std::string out;
  for (std::string_view part : parts) out += (out.empty() && !absolute ? "" : "/") + std::string(part);
  if (out.empty()) out = absolute ? "/" : ".";
  return out;
}

}  // namespace epik::instrument
