// SPDX-License-Identifier: BSD-3-Clause
// Finds EPIK's own files from the place of epk itself. Nothing is configured, so an installation can be moved.
#ifndef EPIK_TOOLS_EPK_INSTALL_DIRS_H_
#define EPIK_TOOLS_EPK_INSTALL_DIRS_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace epik::epk {

struct InstallDirs {
  std::filesystem::path root;     // the prefix, or bazel-bin in a build tree
  std::filesystem::path include;  // the folder that holds epik/epik.h
  std::filesystem::path share;
  std::vector<std::filesystem::path> libraries;  // folders, searched in order
  bool build_tree = false;

  // "libepk.so", "libepk_mpi_mpich.so": its path when it is there.
  std::optional<std::filesystem::path> Library(const std::string& name) const;
};

// EPK_INTERNAL_ROOT names a prefix and wins; otherwise PREFIX/bin/epk, or …/bin/tools/epk/epk as Bazel builds it.
InstallDirs FindInstallDirs();
// The same as a function of its inputs. `override_root` may be null.
InstallDirs InstallDirsFrom(const std::filesystem::path& executable, const char* override_root);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_INSTALL_DIRS_H_
