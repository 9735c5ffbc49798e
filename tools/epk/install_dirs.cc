// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/install_dirs.h"

#include <cstdlib>
#include <system_error>

#include "config/own_executable.h"

namespace epik::epk {
namespace {

namespace fs = std::filesystem;

// Folders in which the build leaves the libraries that an installation has side by side.
constexpr const char* kBuildFolders[] = {"", "runtime", "runtime/episode", "adapters", "adapters/mpi"};

InstallDirs Prefix(const fs::path& root) {
  return {root, root / "include", root / "share", {root / "lib", root / "lib64"}, false};
}

InstallDirs BuildTree(const fs::path& bin) {
  // …/execroot/epik/bazel-out/k8-opt/bin: sources are linked into execroot/epik.
  const fs::path sources = bin.parent_path().parent_path().parent_path();
  InstallDirs dirs{bin, sources / "include", bin, {}, true};
  for (const char* folder : kBuildFolders) dirs.libraries.push_back(*folder == '\0' ? bin : bin / folder);
  return dirs;
}

}  // namespace

std::optional<fs::path> InstallDirs::Library(const std::string& name) const {
  for (const fs::path& folder : libraries) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / name, ignored)) return folder / name;
  }
  return std::nullopt;
}

InstallDirs InstallDirsFrom(const fs::path& executable, const char* override_root) {
  if (override_root != nullptr && *override_root != '\0') return Prefix(override_root);
  const fs::path folder = executable.parent_path();
  if (folder.filename() == "epk" && folder.parent_path().filename() == "tools") {
    return BuildTree(folder.parent_path().parent_path());
  }
  return Prefix(folder.parent_path());
}

InstallDirs FindInstallDirs() { return InstallDirsFrom(config::OwnExecutable(), std::getenv("EPK_INTERNAL_ROOT")); }

}  // namespace epik::epk
