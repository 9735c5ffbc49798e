// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/filter_text.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace epik::analysis {
namespace {

namespace fs = std::filesystem;

// A folder that a test may fill, and its own.
fs::path Folder() {
  const fs::path folder = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::create_directories(folder);
  return folder;
}

void Write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

TEST(FilterText, OnlyRegularFilesOfBoundedSizeAreRead) {
  const fs::path folder = Folder();
  const std::string pipe = folder / "pipe", large = folder / "large", good = folder / "good";
  mkfifo(pipe.c_str(), 0600);
  Write(large, "");
  fs::resize_file(large, (16u << 20) + 1);
  Write(good, "EXCLUDE REGION f\n");
  std::string text, error;
  EXPECT_TRUE(ReadText(good, &text, &error)) << error;
  EXPECT_EQ(text, "EXCLUDE REGION f\n");
  for (const std::string& path : {pipe, std::string("/dev/zero"), folder.string()}) {
    EXPECT_FALSE(ReadText(path, &text, &error));
    EXPECT_EQ(error, path + ": not a regular file");
  }
  EXPECT_FALSE(ReadText(large, &text, &error));
  EXPECT_EQ(error, large + ": larger than 16777216 bytes");
  config::Filter filter;
  std::vector<std::string> complaints;
  EXPECT_FALSE(ReadFilter(folder / "none", &filter, &complaints, &error));
  EXPECT_EQ(error, (folder / "none").string() + ": No such file or directory");
}

}  // namespace
}  // namespace epik::analysis
