// SPDX-License-Identifier: BSD-3-Clause
// Arenas of other hosts, containers and boots beside those of this host, with the same process numbers.
#include "tools/top/target.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/event/layout.h"

namespace epik::top {
namespace {

namespace fs = std::filesystem;

class RunningHere : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "running_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    fs::create_directory(folder_ / "arenas");
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot_;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& host) const {
    return (folder_ / "arenas" / (host + "." + std::to_string(getpid()) + ".arena")).string();
  }
  // Writes an arena like a process of this number.
  void Write(const std::string& host, const std::string& boot, uint32_t locked = 0) const {
    event::ProcessHeader header = {};
    header.locked = locked;
    header.pid = static_cast<uint32_t>(getpid());
    std::strncpy(header.host, host.c_str(), sizeof header.host - 1);
    std::strncpy(header.boot_id, boot.c_str(), sizeof header.boot_id - 1);
    std::ofstream(Path(host), std::ios::binary).write(reinterpret_cast<const char*>(&header), sizeof header);
  }
  std::string Found(const KnowsProcess& knows = nullptr) const {
    std::string names;
    for (const Target& target : RunningIn(folder_.string(), knows)) names += fs::path(target.arena).filename().string();
    return names;
  }

  fs::path folder_;
  std::string boot_;
};

TEST_F(RunningHere, OnlyWhoHasTheArenaOfThisBootInItsMemory) {
  if (boot_.empty()) GTEST_SKIP() << "this kernel tells no boot";
  const std::string number = std::to_string(getpid());
  Write("other", "11111111-2222-3333-4444-555555555555");
  Write("container", boot_);
  Write("here", boot_);
  EXPECT_EQ(Found(), "");
  const int fd = open(Path("here").c_str(), O_RDONLY);
  void* memory = mmap(nullptr, sizeof(event::ProcessHeader), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_EQ(Found(), "here." + number + ".arena");
  EXPECT_EQ(Found([](int pid) { return pid == getpid(); }), "");
  munmap(memory, sizeof(event::ProcessHeader));
  EXPECT_EQ(Found(), "");
}

// Bytes that this process has read so far; nothing if the kernel does not count them.
uint64_t BytesRead() {
  std::string word;
  uint64_t bytes = 0;
  std::ifstream("/proc/self/io") >> word >> bytes;
  return word == "rchar:" ? bytes : 0;
}

// A process of an MPI program has thousands of mappings, and a host has hundreds of processes.
TEST_F(RunningHere, TheOwnerOfALockIsFoundWithoutItsMappings) {
  constexpr int kMappings = 2000;
  if (boot_.empty() || BytesRead() == 0) GTEST_SKIP() << "the kernel tells no boot, or does not count what is read";
  for (int i = 0; i < kMappings; ++i) {  // a mapping of its own each, because their rights differ
    const int rights = i % 2 == 0 ? PROT_READ : PROT_READ | PROT_WRITE;
    ASSERT_NE(mmap(nullptr, 4096, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), MAP_FAILED);
  }
  Write("here", boot_, event::kArenaIsLocked);
  const int fd = open(Path("here").c_str(), O_RDWR);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  std::ifstream all("/proc/locks");
  const std::string locks(std::istreambuf_iterator<char>(all), {});
  struct stat info;
  ASSERT_EQ(fstat(fd, &info), 0);
  if (locks.find(":" + std::to_string(info.st_ino) + " ") == std::string::npos) GTEST_SKIP() << "no list of locks";
  const uint64_t before = BytesRead();
  EXPECT_EQ(Found(), "here." + std::to_string(getpid()) + ".arena");
  EXPECT_LT(BytesRead() - before, locks.size() + kMappings * 20);  // a mapping is a line of 50 characters and more
  close(fd);
  EXPECT_EQ(Found(), "") << "nobody has it";
}

TEST_F(RunningHere, SaysThatAProcessIsOfAnotherMachine) {
  Write("other", "11111111-2222-3333-4444-555555555555");
  std::vector<Target> targets;
  std::string error;
  EXPECT_FALSE(FindTargets(folder_.string(), &targets, &error));
  EXPECT_NE(error.find("runs or ran on other"), std::string::npos) << error;
  EXPECT_EQ(error.find("epk recover"), std::string::npos) << error;
}

TEST_F(RunningHere, SaysThatAProcessOfAnotherUserCannotBeRead) {
  Write("here", boot_);
  fs::permissions(Path("here"), fs::perms::none);
  if (access(Path("here").c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read every file";
  std::vector<Target> targets;
  std::string error;
  EXPECT_FALSE(FindTargets(folder_.string(), &targets, &error));
  EXPECT_NE(error.find("cannot be read: permission denied"), std::string::npos) << error;
  EXPECT_EQ(error.find("has ended"), std::string::npos) << error;
}

TEST_F(RunningHere, ArenasThatAreNoneAreNobodys) {
  std::ofstream(Path("short")) << "EPIK";
  std::ofstream(Path("empty"));
  EXPECT_EQ(Found(), "");
}

}  // namespace
}  // namespace epik::top
