// SPDX-License-Identifier: BSD-3-Clause
// Regions and pauses of C++ end with their scope, by return, exception or thread end; a longjmp to the function that
// holds one leaves it open.
#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include "epik/epik.h"

namespace {

void Leaf(int n) {
  EPIK_TRACER("leaf");
  if (n < 0) throw std::runtime_error("negative");
}

void Middle(int n) {
  EPIK_TRACER("middle");
  Leaf(n);
  EPIK_TRACER("second half");
  Leaf(n);
}

#ifdef EPIK
void Quiet() {
  epik::Pause pause;
  Middle(1);
  Leaf(-1);
}
#else
void Quiet() { Leaf(-1); }
#endif

jmp_buf back;

__attribute__((noinline)) void Jump() {  // inlined, its frame could not be told from the caller's
  EPIK_TRACER("skipped");
  longjmp(back, 1);
}

void Jumped() {
  EPIK_TRACER("jumper");
  if (setjmp(back) == 0) Jump();
  Leaf(1);
}

int Caught(void (*function)()) {
  try {
    function();
  } catch (const std::runtime_error&) {
    return 1;
  }
  return 0;
}

}  // namespace

int main() {
  EPIK_TRACER("all");
  int caught = Caught([] { Middle(-1); });
  Middle(1);
  caught += Caught(Quiet);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) Leaf(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  Jumped();
  std::printf("%d\n", caught);
  return 0;
}
