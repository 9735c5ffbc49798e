// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/filter_text.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FilterText, OnlyOurOwnAndEmptyFilesAreReplaced) {
  const fs::path folder = Folder();
  const std::string ours = std::string(kWrittenByUs) + "a test\n", next = ours + "EXCLUDE REGION f\n";
  std::string error;
  for (const std::string& before : {ours, std::string()}) {
    Write(folder / "filter", before);
    EXPECT_TRUE(WriteFilter(folder / "filter", next, &error)) << error;
    EXPECT_EQ(Contents(folder / "filter"), next);
  }
  Write(folder / "theirs", "f\n");
  EXPECT_FALSE(WriteFilter(folder / "theirs", next, &error));
  EXPECT_EQ(Contents(folder / "theirs"), "f\n");
}

TEST(FilterText, AFileThatCannotBeReadStays) {
  const fs::path folder = Folder();
  // Root reads every file, but no file of more than 16 MiB.
  Write(folder / "large", "");
  fs::resize_file(folder / "large", (16u << 20) + 1);
  Write(folder / "hidden", "f\n");
  fs::permissions(folder / "hidden", fs::perms::none);
  std::vector<std::string> names = {"large"};
  if (geteuid() != 0) names.emplace_back("hidden");
  for (const std::string& name : names) {
    const auto size = fs::file_size(folder / name);
    std::string error;
    EXPECT_FALSE(WriteFilter(folder / name, kWrittenByUs, &error)) << name;
    EXPECT_EQ(fs::file_size(folder / name), size) << name;
    EXPECT_TRUE(error.starts_with((folder / name).string() + ": ")) << error;
  }
}

}  // namespace
}  // namespace epik::analysis
