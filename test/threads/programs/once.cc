// SPDX-License-Identifier: BSD-3-Clause
// One thread waits for another one that initializes something, or sets a word. "wait NAME COUNT SECONDS" lines tell the
// program's own times.
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <thread>

#include "epik/epik_user.h"

namespace {

using Clock = std::chrono::steady_clock;
std::atomic<long> waiter{0};

void Sleep(int microseconds) { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); }

// Waits until the other thread waits, and then for a while.
void KeepItWaiting() {
  while (waiter == 0) Sleep(200);
  char path[64], text[512];
  std::snprintf(path, sizeof path, "/proc/self/task/%ld/stat", waiter.load());
  for (;; Sleep(200)) {
    FILE* file = std::fopen(path, "r");
    if (file == nullptr) return;
    const size_t bytes = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    text[bytes] = '\0';
    const char* state = std::strrchr(text, ')');
    if (state != nullptr && state[2] == 'S') break;
  }
  Sleep(20000);
}

struct Slow {
  Slow() { KeepItWaiting(); }
};
void UseStatic() {
  static Slow slow;
  (void)slow;
}

pthread_once_t once = PTHREAD_ONCE_INIT;
once_flag c_once = ONCE_FLAG_INIT;
std::once_flag std_once;
std::atomic<int> word{0};
std::promise<int> promise;
std::binary_semaphore semaphore{0};
std::latch latch{1};
std::barrier barrier{2};
EPIK_USER_REG(first_region, "first");
EPIK_USER_REG(second_region, "second");

// `first` begins at once, `second` when `begun` says so.
template <class First, class Second>
void Meet(const char* name, First first, Second second) {
  waiter = 0;
  std::thread other([&] {
    EPIK_USER_START(second_region);
    Sleep(5000);
    waiter = syscall(SYS_gettid);
    const auto begin = Clock::now();
    second();
    std::printf("wait %s 1 %.9f\n", name, std::chrono::duration<double>(Clock::now() - begin).count());
    EPIK_USER_END(second_region);
  });
  EPIK_USER_START(first_region);
  first();
  EPIK_USER_END(first_region);
  other.join();
}

}  // namespace

int main() {
  const auto both = [](const char* name, auto call) { Meet(name, call, call); };
  both("pthread_once", [] { pthread_once(&once, KeepItWaiting); });
  both("call_once", [] { call_once(&c_once, KeepItWaiting); });
  both("pthread_once", [] { std::call_once(std_once, KeepItWaiting); });
  both("futex_wait", UseStatic);
  Meet(
      "futex_wait",
      [] {
        KeepItWaiting();
        word = 1;
        word.notify_one();
      },
      [] { word.wait(0); });
  Meet(
      "futex_wait",
      [] {
        KeepItWaiting();
        promise.set_value(1);
      },
      [] { promise.get_future().get(); });
  Meet(
      "futex_wait",
      [] {
        KeepItWaiting();
        semaphore.release();
      },
      [] { semaphore.acquire(); });
  Meet(
      "futex_wait",
      [] {
        KeepItWaiting();
        latch.count_down();
      },
      [] { latch.wait(); });
  Meet(
      "futex_wait",
      [] {
        KeepItWaiting();
        barrier.arrive_and_wait();
      },
      [] { barrier.arrive_and_wait(); });
  // No thread waits for an initialization that is done.
  for (int i = 0; i < 1000; ++i) {
    pthread_once(&once, KeepItWaiting);
    std::call_once(std_once, KeepItWaiting);
  }
  return 0;
}
