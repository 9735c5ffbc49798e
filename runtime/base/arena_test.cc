// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/arena.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace epik::base {
namespace {

std::string TempPath(const char* name) {
  std::string path = ::testing::TempDir() + "/" + name + "." + std::to_string(getpid());
  unlink(path.c_str());
  return path;
}

TEST(Arena, FileHoldsWhatWasWrittenAndStaysSparse) {
  const std::string path = TempPath("arena");
  ASSERT_EQ(Arena::Create(path.c_str(), 256u << 20), 0);
  const uint32_t line = Arena::Allocate(ChunkKind::kNodes, 7, 10);
  ASSERT_NE(line, 0u);
  std::memcpy(LineAt<char>(line + 1), "hello", 6);
  Arena::Destroy();

  std::ifstream file(path, std::ios::binary);
  file.seekg(std::streamoff{line} * static_cast<std::streamoff>(kLineBytes));
  ChunkHeader header;
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  EXPECT_EQ(header.magic, kChunkMagic);
  EXPECT_EQ(header.lines, kChunkLines);
  EXPECT_EQ(header.owner, 7u);
  char text[6];
  file.read(text, 6);
  EXPECT_STREQ(text, "hello");
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_LT(info.st_blocks * 512, 1 << 20) << "the file must be sparse beyond its chunks";
  unlink(path.c_str());
}

TEST(Arena, HasALockWhileItIsMapped) {
  const std::string path = TempPath("locked");
  bool locked = false;
  ASSERT_EQ(Arena::Create(path.c_str(), 1 << 20, &locked), 0);
  const int fd = open(path.c_str(), O_RDONLY);
  EXPECT_EQ(locked, flock(fd, LOCK_SH | LOCK_NB) != 0) << "overlayfs and others keep no lock";
  Arena::Destroy();
  EXPECT_EQ(flock(fd, LOCK_SH | LOCK_NB), 0);
  close(fd);
  unlink(path.c_str());

  ASSERT_EQ(Arena::Create(nullptr, 1 << 20, &locked), 0);
  EXPECT_FALSE(locked) << "there is no file";
  Arena::Destroy();
}

TEST(Arena, RefusesAnExistingFile) {
  const std::string path = TempPath("existing");
  std::ofstream(path) << "somebody's data";
  EXPECT_EQ(Arena::Create(path.c_str(), 1 << 20), EEXIST);
  unlink(path.c_str());
}

TEST(Arena, EndOfMemoryIsAnAnswer) {
  ASSERT_EQ(Arena::Create(nullptr, 1 << 20), 0);
  int chunks = 0;
  while (Arena::Allocate(ChunkKind::kNodes, 0, kChunkLines) != 0) ++chunks;
  EXPECT_EQ(chunks, ((1 << 20) - (8 << 10)) / (16 << 10));
  EXPECT_EQ(Arena::Exhausted(), ENOMEM);
  Arena::Destroy();
}

TEST(Arena, FileSizeLimitMakesItSmallerNotFatal) {
  rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  rlimit small = old;
  small.rlim_cur = 8u << 20;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string path = TempPath("limited");
  EXPECT_EQ(Arena::Create(path.c_str(), 1u << 30), 0);
  struct stat info;
  stat(path.c_str(), &info);
  EXPECT_LE(info.st_size, 8 << 20);
  EXPECT_NE(Arena::Allocate(ChunkKind::kNodes, 0, 1), 0u);
  Arena::Destroy();
  setrlimit(RLIMIT_FSIZE, &old);
  unlink(path.c_str());
}

TEST(Arena, ChunksOfManyThreadsDoNotOverlap) {
  ASSERT_EQ(Arena::Create(nullptr, 64u << 20), 0);
  std::vector<std::vector<uint32_t>> lines(4);
  std::vector<std::thread> threads;
  threads.reserve(lines.size());
  for (auto& mine : lines) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 50; ++i) mine.push_back(Arena::Allocate(ChunkKind::kNodes, 0, 1 + 500 * (i % 4)));
    });
  }
  for (auto& t : threads) t.join();
  std::set<uint32_t> taken;
  for (const auto& mine : lines) {
    for (uint32_t line : mine) {
      ASSERT_NE(line, 0u);
      for (uint32_t l = line; l < line + LineAt<ChunkHeader>(line)->lines; l += kChunkLines) {
        EXPECT_TRUE(taken.insert(l).second);
      }
    }
  }
  Arena::Destroy();
}

}  // namespace
}  // namespace epik::base
