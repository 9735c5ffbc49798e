// SPDX-License-Identifier: BSD-3-Clause
// Two accessors that do next to nothing, ten million times each, and a function that works, twenty thousand times.
struct Few {
  __attribute__((noinline)) long Get() const {
    asm volatile("");
    return value;
  }
  __attribute__((noinline)) void Set(long now) {
    asm volatile("");
    value = now;
  }
  long value = 0;
};

__attribute__((noinline)) void Long(int steps) {
  volatile double sum = 0;
  for (int i = 0; i < steps; ++i) sum = sum + i;
}

int main() {
  Few few;
  for (int i = 0; i < 10'000'000; ++i) {
    few.Set(few.Get() + 1);
    if (i % 500 == 0) Long(2000);
  }
  return few.Get() == 10'000'000 ? 0 : 1;
}
