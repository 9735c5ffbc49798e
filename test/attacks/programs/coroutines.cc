// SPDX-License-Identifier: BSD-3-Clause
// C++20 coroutines switch no stacks: their frames are on the heap, and a resumption is a call.
#include <coroutine>
#include <cstdio>

struct Generator {
  struct promise_type {
    long value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

static volatile long sink;
__attribute__((noinline)) long produce(long value) { return value; }
Generator generate(long count) {
  for (long i = 0; i < count; ++i) co_yield produce(i);
}
__attribute__((noinline)) void consume(long value) { sink = sink + value; }

int main() {
  Generator generator = generate(1000);
  for (;;) {
    generator.handle.resume();
    if (generator.handle.done()) break;
    consume(generator.handle.promise().value);
  }
  generator.handle.destroy();
  std::printf("%ld\n", sink);
  return 0;
}
