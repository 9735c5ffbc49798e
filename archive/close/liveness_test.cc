// SPDX-License-Identifier: BSD-3-Clause
// Real processes map arenas that this test writes; the headers name other processes than these.
#include "archive/close/liveness.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "archive/close/recover.h"
#include "archive/files/byte_source.h"
#include "archive/image/test_arena.h"

namespace epik::archive {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kNobody = 0x7ffffff0;  // larger than any number of a process
constexpr size_t kBytes = 1 << 20;

// Bytes that this process has read so far; nothing if the kernel does not count them.
uint64_t BytesRead() {
  std::string text;
  if (!ReadStream("/proc/self/io", &text)) return 0;
  return text.compare(0, 7, "rchar: ") == 0 ? std::strtoull(text.c_str() + 7, nullptr, 10) : 0;
}

class Liveness : public testing::Test {
 protected:
  Liveness() : root_(testing::TempDir() + "/lives_XXXXXX") {
    EXPECT_NE(mkdtemp(root_.data()), nullptr);
    fs::create_directories(arenas());
  }
  ~Liveness() override {
    for (const pid_t child : children_) End(child);
    fs::remove_all(root_);
  }

  std::string unfinished() const { return root_ + "/epik_x.4711.unfinished"; }
  std::string arenas() const { return unfinished() + "/arenas"; }
  std::string PathOf(const std::string& name) const { return arenas() + "/" + name; }

  static event::ProcessHeader Header(uint32_t pid, uint32_t locked) {
    event::ProcessHeader header{};
    header.pid = pid;
    header.locked = locked;
    header.ranks = 1;
    gethostname(header.host, sizeof header.host - 1);
    std::string boot;
    ReadStream("/proc/sys/kernel/random/boot_id", &boot);
    std::strncpy(header.boot_id, boot.substr(0, boot.find('\n')).c_str(), sizeof header.boot_id - 1);
    return header;
  }

  // A process that maps the file, and works until it is ended. It has locked the file if `locks`.
  pid_t Map(const std::string& path, bool locks, bool leader_leaves = false) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
      if (locks) flock(fd, LOCK_EX);
      if (ftruncate(fd, kBytes) != 0) _exit(1);
      if (mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED) _exit(1);
      close(fd);
      const int to = ready[1];
      std::thread([to, leader_leaves] {
        const std::string stat = "/proc/self/stat";
        for (std::string text; leader_leaves && text.find(") Z") == std::string::npos;) ReadStream(stat, &text);
        if (write(to, "r", 1) != 1) _exit(1);
        for (;;) pause();
      }).detach();
      if (leader_leaves) syscall(SYS_exit, 0);  // of this thread alone
      for (;;) pause();
    }
    close(ready[1]);
    char word = 0;
    EXPECT_EQ(read(ready[0], &word, 1), 1);
    close(ready[0]);
    children_.push_back(child);
    return child;
  }

  void End(pid_t child) {
    std::erase(children_, child);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  // On overlayfs, for instance, no lock stays.
  bool KeepsLocks() {
    const std::string path = root_ + "/trial";
    const pid_t child = Map(path, true);
    const int fd = open(path.c_str(), O_RDONLY);
    const bool keeps = flock(fd, LOCK_SH | LOCK_NB) != 0;
    close(fd);
    End(child);
    return keeps;
  }

  std::string root_;
  std::vector<pid_t> children_;
};

TEST_F(Liveness, TheLockOfAnArenaTells) {
  if (!KeepsLocks()) GTEST_SKIP() << "no locks here";
  const event::ProcessHeader header = Header(kNobody, event::kArenaIsLocked);
  const pid_t child = Map(PathOf("h.1.arena"), true);
  const uint64_t before = BytesRead();
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kYes);
  EXPECT_LT(BytesRead() - before, 1000u) << "the mappings of other processes are read";
  End(child);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kNo);
}

// Its number is that of a process whose mappings are empty.
TEST_F(Liveness, AThreadThatOutlivesTheMainThread) {
  if (!KeepsLocks()) GTEST_SKIP() << "no locks here";
  const pid_t child = Map(PathOf("h.1.arena"), true, true);
  const event::ProcessHeader header = Header(static_cast<uint32_t>(child), event::kArenaIsLocked);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kYes);
  End(child);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kNo);
}

// A checkpoint restores the process and its mapping, but no lock.
TEST_F(Liveness, AProcessWhoseLockIsGone) {
  const pid_t child = Map(PathOf("h.1.arena"), false);
  const event::ProcessHeader header = Header(static_cast<uint32_t>(child), event::kArenaIsLocked);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kYes);
  End(child);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kNo);
}

TEST_F(Liveness, WithoutLocksTheMappingsOfAnyProcessTell) {
  const pid_t child = Map(PathOf("h.1.arena"), false);
  const pid_t elsewhere = Map(root_ + "/epik.h.2.arena", false);
  unlink((root_ + "/epik.h.2.arena").c_str());
  Map(root_ + "/h.3.arena.old", false);
  const event::ProcessHeader header = Header(kNobody, 0);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kYes);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.2.arena"), Lives::kYes);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.3.arena"), Lives::kNo);
  End(child);
  End(elsewhere);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kNo);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.2.arena"), Lives::kNo);
}

TEST_F(Liveness, NumbersOfOtherProcesses) {
  std::ofstream(PathOf("h.1.arena")) << "no process maps this";
  for (const uint32_t locked : {0u, event::kArenaIsLocked}) {
    for (const uint32_t pid : {static_cast<uint32_t>(getpid()), 0u, ~0u}) {
      EXPECT_EQ(Writers(arenas()).DoesItLive(Header(pid, locked), "h.1.arena"), Lives::kNo) << pid;
    }
  }
}

// A folder may be shared by several machines. Of a process of another one, only a lock that is held tells something.
TEST_F(Liveness, ProcessesOfOtherMachines) {
  std::ofstream(PathOf("h.1.arena")) << "no process maps this";
  for (const uint32_t locked : {0u, event::kArenaIsLocked}) {
    event::ProcessHeader header = Header(kNobody, locked);
    std::strcpy(header.host, "elsewhere");
    for (const char* boot : {"another", ""}) {
      std::strcpy(header.boot_id, boot);
      EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kElsewhere) << boot;
    }
    header = Header(static_cast<uint32_t>(getpid()), locked);
    std::strcpy(header.boot_id, "an earlier one of this machine");
    EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kNo);
  }
  if (!KeepsLocks()) GTEST_SKIP() << "no locks here";
  event::ProcessHeader header = Header(kNobody, event::kArenaIsLocked);
  std::strcpy(header.host, "elsewhere");
  std::strcpy(header.boot_id, "another");
  const pid_t child = Map(PathOf("h.1.arena"), true);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kYes);
  End(child);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kElsewhere);
}

// It ran without /proc.
TEST_F(Liveness, AProcessThatDoesNotTellItsBoot) {
  const pid_t child = Map(PathOf("h.1.arena"), false);
  event::ProcessHeader header = Header(static_cast<uint32_t>(child), 0);
  std::memset(header.boot_id, 0, sizeof header.boot_id);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kYes);
  End(child);
  EXPECT_EQ(Writers(arenas()).DoesItLive(header, "h.1.arena"), Lives::kNo);
}

// A machine may have thousands of processes, and a job hundreds of arenas.
TEST_F(Liveness, ARecoveryReadsTheMappingsOfAllProcessesOnce) {
  if (BytesRead() == 0) GTEST_SKIP() << "the kernel does not count what a process reads";
  constexpr int kMappings = 1000, kProcesses = 4, kArenas = 16;
  for (int i = 0; i < kMappings; ++i) {  // a mapping of its own each, because their rights differ
    const int rights = i % 2 == 0 ? PROT_READ : PROT_READ | PROT_WRITE;
    ASSERT_NE(mmap(nullptr, 4096, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), MAP_FAILED);
  }
  for (int i = 0; i < kProcesses; ++i) Map(root_ + "/other", false);
  std::string maps;
  ASSERT_TRUE(ReadStream("/proc/self/maps", &maps));
  const auto recover = [&](int count, bool of_this_boot) {
    TestArena arena = SampleArena();
    const event::ProcessHeader dead = Header(kNobody, 0);
    arena.header().pid = dead.pid;
    std::memcpy(arena.header().host, dead.host, sizeof dead.host);
    std::strcpy(arena.header().boot_id, of_this_boot ? dead.boot_id : "earlier");
    fs::create_directories(arenas());
    for (int i = 0; i < count; ++i) {
      std::ofstream(PathOf("h." + std::to_string(i) + ".arena"), std::ios::binary) << arena.bytes();
    }
    const uint64_t before = BytesRead();
    WriteResult result;
    std::string error;
    EXPECT_EQ(Recover(unfinished(), {}, &result, &error), Recovered::kYes) << error;
    return BytesRead() - before;
  };
  // The processes of an earlier boot are dead, so nothing is read about them but their arenas.
  const auto about_processes = [&](int count) { return recover(count, true) - recover(count, false); };
  const uint64_t once = kProcesses * maps.size(), of_one = about_processes(1);
  EXPECT_GT(of_one, once);
  EXPECT_LT(about_processes(kArenas), of_one + kArenas / 2 * once);
}

}  // namespace
}  // namespace epik::archive
