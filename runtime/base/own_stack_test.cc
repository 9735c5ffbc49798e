// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/own_stack.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace epik::base {
namespace {

std::atomic<bool> has_stack, gives_it_back;

// A timer that interrupts each poll after 50 microseconds. A thread that counted polls would have waited for a moment.
TEST(OwnStack, SignalsDoNotEndTheWaitForIt) {
  ReserveOwnStacks();
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, nullptr);
  std::thread owner([] {
    const auto keep = [](void*) {
      has_stack = true;
      usleep(2'000'000);
      gives_it_back = true;
    };
    CallOnOwnStack(OwnStack::kSetUp, keep, nullptr);
  });
  while (!has_stack) usleep(1000);
  pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
  signal(SIGALRM, [](int) {});
  const itimerval often = {{0, 50}, {0, 50}}, never = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  bool waited = false;
  CallOnOwnStack(
      OwnStack::kSetUp, [](void* result) { *static_cast<bool*>(result) = gives_it_back; }, &waited);
  setitimer(ITIMER_REAL, &never, nullptr);
  owner.join();
  EXPECT_TRUE(waited);
}

}  // namespace
}  // namespace epik::base
