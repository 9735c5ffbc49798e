// SPDX-License-Identifier: BSD-3-Clause
// Coroutines that hand over to one another: a chain of any length, because each of them ends before the next goes on.
//   coroutines N
#include <coroutine>
#include <cstdio>
#include <cstdlib>

struct Task {
  struct promise_type {
    std::coroutine_handle<> next = std::noop_coroutine();
    int value = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept {
        return done.promise().next;
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle.promise().next = caller;
    return handle;
  }
  int await_resume() {
    const int value = handle.promise().value;
    handle.destroy();
    return value;
  }
};

Task One(int i) { co_return i & 1; }

Task Sum(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += co_await One(i);
  co_return sum;
}

int main(int argc, char** argv) {
  Task all = Sum(argc > 1 ? std::atoi(argv[1]) : 1000);
  all.handle.resume();
  std::printf("%d\n", all.handle.promise().value);
  all.handle.destroy();
}
