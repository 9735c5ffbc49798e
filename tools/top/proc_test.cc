// SPDX-License-Identifier: BSD-3-Clause
// Processes that end, and that give their number to others.
#include "tools/top/proc.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace epik::top {
namespace {

// A handle of the kernel's, and none: then the kernel is asked for the time at which the process started.
class Handles : public testing::TestWithParam<uint64_t> {};

// Starts a process that waits, and that asks for its number, which is that of a process before. 0: it cannot have it.
pid_t Fork(pid_t number = 0) {
  if (number != 0) {
    std::ofstream last("/proc/sys/kernel/ns_last_pid");
    last << number - 1 << std::flush;
    if (!last) return 0;
  }
  const pid_t pid = fork();
  if (pid != 0) return pid;
  for (;;) pause();
}

void End(pid_t pid) {
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

TEST_P(Handles, AProcessIsThereUntilItEnds) {
  const ProcessHandle self(getpid(), GetParam());
  EXPECT_FALSE(self.HasEnded());
  const pid_t pid = Fork();
  const ProcessHandle handle(pid, GetParam());
  EXPECT_FALSE(handle.HasEnded());
  kill(pid, SIGSTOP);
  EXPECT_FALSE(handle.HasEnded()) << "it is stopped";
  kill(pid, SIGKILL);
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(handle.HasEnded()) << "it is a zombie";
  const ProcessHandle late(pid, GetParam());
  EXPECT_TRUE(late.HasEnded());
  waitpid(pid, nullptr, 0);
  EXPECT_TRUE(handle.HasEnded());
  EXPECT_TRUE(late.HasEnded());
  EXPECT_TRUE(ProcessHandle(pid, GetParam()).HasEnded());
}

TEST_P(Handles, AnotherProgramInTheProcessIsTheSameProcess) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    execl("/bin/sleep", "sleep", "1000", nullptr);
    _exit(1);
  }
  const ProcessHandle handle(pid, GetParam());
  close(ends[1]);
  char none;
  EXPECT_EQ(read(ends[0], &none, 1), 0);  // the pipe is closed by exec
  close(ends[0]);
  EXPECT_FALSE(handle.HasEnded());
  End(pid);
  EXPECT_TRUE(handle.HasEnded());
}

TEST_P(Handles, ANumberThatIsUsedAgainIsAnotherProcess) {
  const pid_t pid = Fork();
  const ProcessHandle handle(pid, GetParam());
  usleep(50'000);  // the kernel tells starts in hundredths of a second
  End(pid);
  pid_t again = 0;
  for (int i = 0; i < 100 && again != pid; ++i) {
    again = Fork(pid);
    if (again == 0) GTEST_SKIP() << "this user cannot choose the number of a process";
    if (again != pid) End(again);
  }
  if (again != pid) GTEST_SKIP() << "others took the number";
  EXPECT_TRUE(ProcessExists(pid));
  EXPECT_TRUE(handle.HasEnded());
  EXPECT_FALSE(ProcessHandle(pid, GetParam()).HasEnded());
  End(pid);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutTheKernels, Handles, testing::Values(1024, 0));

}  // namespace
}  // namespace epik::top
