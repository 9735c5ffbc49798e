// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/install_dirs.h"

#include <gtest/gtest.h>

#include <fstream>

namespace epik::epk {
namespace {

namespace fs = std::filesystem;

TEST(InstallDirs, Prefix) {
  const InstallDirs dirs = InstallDirsFrom("/opt/epik/bin/epk", nullptr);
  EXPECT_EQ(dirs.root, "/opt/epik");
  EXPECT_EQ(dirs.include, "/opt/epik/include");
  EXPECT_EQ(dirs.libraries[0], "/opt/epik/lib");
  EXPECT_FALSE(dirs.build_tree);
}

TEST(InstallDirs, BuildTree) {
  const InstallDirs dirs = InstallDirsFrom("/x/execroot/epik/bazel-out/k8-opt/bin/tools/epk/epk", "");
  EXPECT_TRUE(dirs.build_tree);
  EXPECT_EQ(dirs.root, "/x/execroot/epik/bazel-out/k8-opt/bin");
  EXPECT_EQ(dirs.include, "/x/execroot/epik/include");
}

TEST(InstallDirs, OverrideWins) {
  EXPECT_EQ(InstallDirsFrom("/opt/epik/bin/epk", "/other").root, "/other");
  EXPECT_EQ(InstallDirsFrom("/x/bin/tools/epk/epk", "/other").libraries[0], "/other/lib");
}

TEST(InstallDirs, FindsLibraries) {
  const fs::path root = fs::path(testing::TempDir()) / "prefix";
  fs::create_directories(root / "lib64" / "libepk_folder.so");
  std::ofstream(root / "lib64" / "libepk.so") << "x";
  const InstallDirs dirs = InstallDirsFrom(root / "bin" / "epk", nullptr);
  EXPECT_EQ(dirs.Library("libepk.so"), root / "lib64" / "libepk.so");
  EXPECT_FALSE(dirs.Library("libepk_folder.so"));
  EXPECT_FALSE(dirs.Library("libnot.so"));
}

TEST(InstallDirs, OfThisProcess) { EXPECT_FALSE(FindInstallDirs().root.empty()); }

}  // namespace
}  // namespace epik::epk
