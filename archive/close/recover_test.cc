// SPDX-License-Identifier: BSD-3-Clause
// Unfinished archives that an attacker prepared: numbers that no file can have, and links that lead elsewhere.
#include "archive/close/recover.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "archive/directory/archive.h"
#include "archive/image/test_arena.h"

namespace epik::archive {
namespace {

namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kSlower = 10;
#else
constexpr int kSlower = 1;
#endif
constexpr long kMostKilobytes = 200'000L * kSlower;
constexpr double kMostSeconds = 3.0 * kSlower;

// The sample is of another host, so the caller says that its process has ended.
const RecoverOptions kDead{.dead = true};

class Attack : public testing::Test {
 protected:
  Attack() : root_(testing::TempDir() + "/recover_XXXXXX") {
    EXPECT_NE(mkdtemp(root_.data()), nullptr);
    unfinished_ = root_ + "/epik_x.4711.unfinished";
    fs::create_directories(unfinished_ + "/arenas");
    victim_ = root_ + "/victim.arena";
    std::ofstream(victim_) << "mine";
  }
  ~Attack() override { fs::remove_all(root_); }

  std::string Arena(const std::string& name = "h.4711") const { return unfinished_ + "/arenas/" + name + ".arena"; }
  void Write(const TestArena& arena, const std::string& name = "h.4711") {
    std::ofstream(Arena(name), std::ios::binary) << const_cast<TestArena&>(arena).bytes();
  }

  Recovered Run(std::string* error = nullptr) const {
    WriteResult result;
    std::string problem;
    const Recovered recovered = Recover(unfinished_, kDead, &result, &problem);
    if (error != nullptr) *error = problem;
    return recovered;
  }

  // Runs in a process of its own, whose memory and time are measured.
  void ExpectCheap() const {
    const pid_t child = fork();
    if (child == 0) {
      Run();
      _exit(0);
    }
    int status = 0;
    rusage used{};
    ASSERT_EQ(wait4(child, &status, 0, &used), child);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_LT(used.ru_maxrss, kMostKilobytes);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    EXPECT_LT(seconds(used.ru_utime) + seconds(used.ru_stime), kMostSeconds);
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      struct stat info;
      if (lstat(entry.path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      if (entry.path().extension() == ".arena") continue;  // it had that size before
      EXPECT_LT(info.st_size, 100 << 20) << entry.path();
    }
  }
  std::string Victim() const {
    std::ifstream file(victim_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string root_, unfinished_, victim_;
};

TestArena Traced() {
  TestArena arena = SampleArena();
  arena.header().ranks = 1;
  arena.header().trace_bytes = 4096;
  return arena;
}

// The secret of killed scopes is not in an archive, which may be copied. Links in their folder are not followed.
TEST_F(Attack, TheSecretOfScopesGoes) {
  Write(SampleArena());
  fs::create_directory(unfinished_ + "/scopes");
  for (const char* name : {"secret", "vm.scope", "secret.0123.tmp"}) {
    std::ofstream(unfinished_ + "/scopes/" + name) << "0123456789abcdef";
  }
  fs::create_symlink(victim_, unfinished_ + "/scopes/other.scope");
  std::string error;
  WriteResult result;
  ASSERT_EQ(Recover(unfinished_, kDead, &result, &error), Recovered::kYes) << error;
  EXPECT_FALSE(fs::exists(result.path + "/scopes"));
  EXPECT_EQ(Victim(), "mine");
}

TEST_F(Attack, AFolderOfScopesThatIsALinkIsLeftAlone) {
  Write(SampleArena());
  fs::create_directory(root_ + "/theirs");
  std::ofstream(root_ + "/theirs/secret") << "theirs";
  fs::create_directory_symlink(root_ + "/theirs", unfinished_ + "/scopes");
  std::string error;
  WriteResult result;
  ASSERT_EQ(Recover(unfinished_, kDead, &result, &error), Recovered::kYes) << error;
  EXPECT_TRUE(fs::exists(root_ + "/theirs/secret"));
}

// `epk recover` does not remove an arena that it could not read.
TEST_F(Attack, DamagedMemoryIsKept) {
  const auto is_there = [&](const std::string& path) { return fs::exists(path); };
  std::ofstream(Arena("broken")) << "no arena";
  std::string error;
  EXPECT_EQ(Run(&error), Recovered::kFailed);
  EXPECT_TRUE(is_there(Arena("broken"))) << error;

  Write(SampleArena(), "whole");
  WriteResult result;
  EXPECT_EQ(Recover(unfinished_, kDead, &result, &error), Recovered::kYes) << error;
  EXPECT_NE(result.damage, "");
  EXPECT_TRUE(is_there(result.path + "/damaged/broken.arena"));
  EXPECT_FALSE(is_there(result.path + "/arenas"));
}

TEST_F(Attack, AWholeArenaIsNotKept) {
  Write(SampleArena());
  WriteResult result;
  std::string error;
  EXPECT_EQ(Recover(unfinished_, kDead, &result, &error), Recovered::kYes) << error;
  EXPECT_EQ(result.damage, "");
  EXPECT_FALSE(fs::exists(result.path + "/damaged"));
}

TEST_F(Attack, AChunkThatWasOverwrittenIsDamage) {
  TestArena arena = SampleArena();
  ASSERT_GT(arena.chunks().size(), 1u);
  const size_t at = size_t{arena.chunks().back()} * base::kLineBytes;
  std::string& bytes = const_cast<std::string&>(arena.bytes());
  bytes.replace(at, base::kLineBytes, std::string(base::kLineBytes, 'x'));
  Write(arena);
  WriteResult result;
  std::string error;
  EXPECT_NE(Recover(unfinished_, kDead, &result, &error), Recovered::kNothing);
  EXPECT_TRUE(fs::exists(result.path.empty() ? Arena() : result.path + "/damaged/h.4711.arena"));
}

TEST_F(Attack, MilliardsOfRanks) {
  for (const bool traced : {false, true}) {
    TestArena arena = traced ? Traced() : SampleArena();
    arena.header().ranks = 0xfffffff0u;
    Write(arena);
    ExpectCheap();
  }
}

TEST_F(Attack, ATraceOfAPetabyte) {
  TestArena arena = Traced();
  arena.header().trace_bytes = uint64_t{1} << 49;
  Write(arena);
  ExpectCheap();
}

TEST_F(Attack, AnArenaThatIsAHole) {
  TestArena arena = SampleArena();
  arena.header().arena.lines_used = 0xffffff00u;
  Write(arena);
  ASSERT_EQ(truncate(Arena().c_str(), off_t{0xffffff00u} * base::kLineBytes), 0);
  ExpectCheap();
}

// Bytes that this process has read so far; 0 if the kernel does not count them.
uint64_t BytesRead() {
  std::string word;
  uint64_t bytes = 0;
  std::ifstream("/proc/self/io") >> word >> bytes;
  return word == "rchar:" ? bytes : 0;
}

// An arena is a file of 1 GiB, and most of it is a hole.
TEST_F(Attack, HolesAreNotRead) {
  constexpr off_t kHole = 32 << 20;
  TestArena arena = SampleArena();
  const auto used = static_cast<off_t>(arena.bytes().size());
  arena.header().arena.lines_used = static_cast<uint32_t>((used + kHole) / static_cast<off_t>(base::kLineBytes));
  Write(arena);
  ASSERT_EQ(truncate(Arena().c_str(), used + kHole), 0);
  const int fd = open(Arena().c_str(), O_RDONLY);
  const bool has_hole = lseek(fd, used - 1, SEEK_HOLE) < used + kHole;
  close(fd);
  if (!has_hole || BytesRead() == 0) GTEST_SKIP() << "no holes here, or the kernel does not count what a process reads";
  const uint64_t before = BytesRead();
  EXPECT_EQ(Run(), Recovered::kYes);
  EXPECT_LT(BytesRead() - before, uint64_t{kHole});
}

TEST_F(Attack, ChunksThatAreAHole) {
  for (size_t i = 0; i < SampleArena().chunks().size(); ++i) {
    TestArena arena = SampleArena();
    arena.header().arena.lines_used = 0xffffff00u;
    const uint32_t line = arena.chunks()[i];
    arena.chunk(line).lines = (0xffffff00u - line) / base::kChunkLines * base::kChunkLines;
    arena.chunk(line).used = 0xffffffffu;
    Write(arena);
    ASSERT_EQ(truncate(Arena().c_str(), off_t{0xffffff00u} * base::kLineBytes), 0);
    ExpectCheap();
    fs::create_directories(unfinished_ + "/arenas");
  }
}

TEST_F(Attack, LinksToFilesOfOthers) {
  Write(SampleArena());
  // An old rule allowed a link whose target ends with its own name.
  fs::create_symlink(victim_, unfinished_ + "/arenas/victim.arena");
  fs::create_symlink(victim_, unfinished_ + "/arenas/m.arena");
  EXPECT_EQ(Run(), Recovered::kYes);
  EXPECT_EQ(Victim(), "mine");
}

TEST_F(Attack, ALinkForAnArena) {
  std::string error;
  fs::create_symlink(victim_, Arena());
  EXPECT_EQ(Run(&error), Recovered::kFailed);
  EXPECT_NE(error.find("is a link"), std::string::npos) << error;
  fs::remove(Arena());
  fs::create_hard_link(victim_, Arena());
  EXPECT_EQ(Run(&error), Recovered::kFailed);
  EXPECT_NE(error.find("has other names"), std::string::npos) << error;
  EXPECT_EQ(Victim(), "mine");
}

TEST_F(Attack, APipeForAnArena) {
  ASSERT_EQ(mkfifo(Arena().c_str(), 0600), 0);
  EXPECT_EQ(Run(), Recovered::kFailed);
  fs::remove(Arena());
  fs::create_symlink("/dev/zero", Arena());
  EXPECT_EQ(Run(), Recovered::kFailed);
}

TEST_F(Attack, LinksInTheWayOfTheTrace) {
  fs::create_directories(root_ + "/elsewhere/000");
  for (const char* place : {"traces", "traces/000", "traces/000/0.elg"}) {
    fs::remove_all(unfinished_);
    fs::create_directories(unfinished_ + "/arenas");
    Write(Traced());
    const std::string path = unfinished_ + "/" + place;
    fs::create_directories(fs::path(path).parent_path());
    const bool is_file = fs::path(place).extension() == ".elg";
    fs::create_symlink(is_file ? victim_ : root_ + "/elsewhere", path);
    Run();
    EXPECT_EQ(Victim(), "mine");
    for (const auto& entry : fs::recursive_directory_iterator(root_ + "/elsewhere")) {
      EXPECT_TRUE(entry.is_directory()) << entry.path() << " was written for " << place;
    }
  }
}

TEST_F(Attack, ArenasElsewhereAreStillFound) {
  const std::string elsewhere = root_ + "/epik.h.4711.arena";
  std::ofstream(elsewhere, std::ios::binary) << SampleArena().bytes();
  fs::create_symlink(elsewhere, Arena());
  std::string error;
  EXPECT_EQ(Run(&error), Recovered::kYes) << error;
  EXPECT_FALSE(fs::exists(elsewhere)) << "its arena is left";
}

TEST_F(Attack, WhatHoldsNoCallIsRemoved) {
  EXPECT_EQ(Run(), Recovered::kNothing);
  EXPECT_FALSE(fs::exists(unfinished_));
  EXPECT_EQ(Run(), Recovered::kAlreadyComplete) << "another was quicker";
  fs::create_directories(unfinished_ + "/arenas");
  Write(TestArena());
  EXPECT_EQ(Run(), Recovered::kNothing);
  EXPECT_FALSE(fs::exists(unfinished_));
}

// Its folder is shared, so nobody here can see whether it still runs.
TEST_F(Attack, AProcessOfAnotherMachineIsLeftAlone) {
  TestArena arena = SampleArena();
  std::strcpy(arena.header().host, "node17");
  std::strcpy(arena.header().boot_id, "one of node17");
  Write(arena);
  WriteResult result;
  std::string error;
  EXPECT_EQ(Recover(unfinished_, {}, &result, &error), Recovered::kStillRunning);
  EXPECT_NE(error.find("4711 ran on host node17"), std::string::npos) << error;
  EXPECT_NE(error.find("--dead"), std::string::npos) << error;
  EXPECT_TRUE(fs::exists(Arena()));
  EXPECT_EQ(Recover(unfinished_, {.live = true}, &result, &error), Recovered::kYes) << error;
  EXPECT_TRUE(fs::exists(Arena())) << "the snapshot took the process's memory";
  EXPECT_EQ(Recover(unfinished_, {.dead_elsewhere = true}, &result, &error), Recovered::kYes) << error;
  EXPECT_FALSE(fs::exists(Arena()));
}

TestArena OfRank(int rank, uint32_t ranks) {
  TestArena arena = SampleArena();
  arena.header().rank = rank;
  arena.header().ranks = ranks;
  arena.header().state = event::ProcessState::kDone;
  std::strcpy(arena.header().host, rank == 0 ? "node0" : "node1");
  return arena;
}

// The processes of a job end: who finds that it is the last one recovers all of them, whatever the names of the files.
TEST_F(Attack, TheLastProcessOfAJobRecoversItInTheOrderOfRanks) {
  const RecoverOptions ended{.ended = true};
  WriteResult result;
  std::string error;
  Write(OfRank(1, 2), "h.1");
  EXPECT_EQ(Recover(unfinished_, ended, &result, &error), Recovered::kStillRunning) << error;
  EXPECT_TRUE(fs::exists(Arena("h.1")));
  Write(OfRank(0, 2), "h.2");
  ASSERT_EQ(Recover(unfinished_, ended, &result, &error), Recovered::kYes) << error;
  epik::archive::Archive archive;
  ASSERT_TRUE(Open(result.path, &archive, &error)) << error;
  EXPECT_EQ(archive.manifest.ranks, 2);
  EXPECT_EQ(archive.manifest.host, "node0");
}

// A process that is alone recovers itself in the same way, even if this machine cannot tell whether it runs.
TEST_F(Attack, AProcessThatIsAloneWaitsForNobody) {
  TestArena arena = SampleArena();
  arena.header().ranks = 0;
  std::strcpy(arena.header().host, "node17");
  Write(arena);
  WriteResult result;
  std::string error;
  EXPECT_EQ(Recover(unfinished_, {.ended = true}, &result, &error), Recovered::kYes) << error;
}

TEST_F(Attack, TheSignalOfTheCallerIsTheEndIfThereIsNoOther) {
  for (const auto& [ending, words] : {std::pair(event::Ending::kNone, "signal"), {event::Ending::kExit, "exit"}}) {
    fs::create_directories(unfinished_ + "/arenas");
    TestArena arena = SampleArena();
    arena.header().ranks = 0;
    arena.header().ending = ending;
    Write(arena);
    WriteResult result;
    std::string error;
    ASSERT_EQ(Recover(unfinished_, {.signal = 11, .dead = true}, &result, &error), Recovered::kYes) << error;
    epik::archive::Archive archive;
    ASSERT_TRUE(Open(result.path, &archive, &error)) << error;
    EXPECT_EQ(archive.manifest.ended, words);
  }
}

TEST_F(Attack, AFinishedArchiveIsComplete) {
  Write(SampleArena());
  WriteResult result;
  std::string error;
  ASSERT_EQ(Recover(unfinished_ + "//", kDead, &result, &error), Recovered::kYes) << error;
  EXPECT_EQ(fs::path(result.path).parent_path(), root_);
  EXPECT_EQ(Recover(result.path, kDead, &result, &error), Recovered::kAlreadyComplete) << error;
  EXPECT_FALSE(fs::exists(result.path + "/arenas"));
}

// Files that a killed process was writing.
TEST_F(Attack, HalfWrittenFilesGo) {
  Write(SampleArena());
  std::ofstream(unfinished_ + "/manifest.json.12.tmp") << "half";
  WriteResult result;
  std::string error;
  ASSERT_EQ(Recover(unfinished_, kDead, &result, &error), Recovered::kYes) << error;
  for (const auto& entry : fs::directory_iterator(result.path)) EXPECT_NE(entry.path().extension(), ".tmp");
}

TEST_F(Attack, AFolderWithAnythingElseStays) {
  std::ofstream(unfinished_ + "/notes") << "mine";
  EXPECT_EQ(Run(), Recovered::kFailed);
  EXPECT_TRUE(fs::exists(unfinished_ + "/notes"));
  EXPECT_TRUE(fs::exists(unfinished_ + "/arenas"));
}

}  // namespace
}  // namespace epik::archive
