// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/signals_blocked.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

namespace epik::base {
namespace {

// A cancelled thread leaves its frames by a jump that ASan does not see.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSeesFrames = true;
#else
constexpr bool kSeesFrames = false;
#endif

int reached = 0;

void* ComeToCancellationPoints(void* /*nothing*/) {
  pthread_cancel(pthread_self());
  {
    const SignalsBlocked blocked;
    close(-1);
    reached = 1;
  }
  close(-1);
  reached = 2;
  return nullptr;
}

// In libc, a thread that is being cancelled would wait there for a signal that is blocked.
TEST(SignalsBlocked, DelayCancellation) {
  if (kSeesFrames) GTEST_SKIP() << "with a sanitizer: a cancelled thread";
  pthread_t thread;
  void* result = nullptr;
  ASSERT_EQ(pthread_create(&thread, nullptr, ComeToCancellationPoints, nullptr), 0);
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_EQ(reached, 1);
}

}  // namespace
}  // namespace epik::base
