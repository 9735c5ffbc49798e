// SPDX-License-Identifier: BSD-3-Clause
// A device or a pipe gets the bytes, and no file takes its place.
#include "archive/files/special_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace epik::archive {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SpecialFile : public testing::Test {
 protected:
  SpecialFile() : folder_(testing::TempDir() + "/special_XXXXXX") { EXPECT_NE(mkdtemp(folder_.data()), nullptr); }
  ~SpecialFile() override { fs::remove_all(folder_); }
  // Makes a pipe and calls `write` with its path. Returns the bytes that a reader of the pipe got.
  template <typename Write>
  std::string ThroughPipe(const Write& write) {
    const std::string pipe = folder_ + "/pipe";
    EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_TRUE(IsSpecialFile(pipe));
    std::string got;
    std::thread reader([&] { got = ReadAll(pipe); });
    EXPECT_TRUE(write(pipe)) << error_;
    reader.join();
    EXPECT_TRUE(fs::is_fifo(pipe));
    fs::remove(pipe);
    return got;
  }

  std::string folder_, error_;
};

TEST_F(SpecialFile, ANameMayBeAsLongAsTheSystemAllows) {
  const std::string path = folder_ + "/" + std::string(255, 'n');
  EXPECT_TRUE(WriteFileOrDevice(path, "text", &error_)) << error_;
  EXPECT_EQ(ReadAll(path), "text");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  EXPECT_FALSE(WriteFileOrDevice(path + "n", "text", &error_));
}

TEST_F(SpecialFile, FilesAndFoldersAreNone) {
  EXPECT_FALSE(IsSpecialFile(folder_));
  EXPECT_FALSE(IsSpecialFile(folder_ + "/none"));
  EXPECT_TRUE(WriteFileOrDevice(folder_ + "/file", "text", &error_)) << error_;
  EXPECT_FALSE(IsSpecialFile(folder_ + "/file"));
  EXPECT_EQ(ReadAll(folder_ + "/file"), "text");
}

TEST_F(SpecialFile, APipeGetsTheBytes) {
  const std::string much(300'000, 'x');
  EXPECT_EQ(ThroughPipe([&](const std::string& pipe) { return WriteFileOrDevice(pipe, much, &error_); }), much);
  const auto make = [&](const std::string& at, std::string* error) { return WriteFileOrDevice(at, much, error); };
  EXPECT_EQ(ThroughPipe([&](const std::string& pipe) { return MakeFileOrDevice(pipe, make, &error_); }), much);
}

TEST_F(SpecialFile, ADeviceStaysOne) {
  for (const char* device : {"/dev/null", "/dev/full"}) {
    fs::create_symlink(device, folder_ + "/device");
    const bool is_written = WriteFileOrDevice(folder_ + "/device", "text", &error_);
    EXPECT_EQ(is_written, std::string(device) == "/dev/null") << error_;
    EXPECT_TRUE(fs::is_symlink(folder_ + "/device"));
    EXPECT_TRUE(fs::is_character_file(device));
    fs::remove(folder_ + "/device");
  }
}

TEST_F(SpecialFile, WhatFailsSaysWhy) {
  const auto fail = [](const std::string&, std::string* error) {
    *error = "no";
    return false;
  };
  EXPECT_FALSE(MakeFileOrDevice("/dev/null", fail, &error_));
  EXPECT_EQ(error_, "no");
  EXPECT_FALSE(WriteFileOrDevice(folder_ + "/none/file", "text", &error_));
}

}  // namespace
}  // namespace epik::archive
