// SPDX-License-Identifier: BSD-3-Clause
// Exceptions: through many frames, caught and thrown again half-way, out of a constructor, past destructors that call
// functions themselves, across a noexcept frame that catches.     throws [ROUNDS]
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {
long destroyed = 0;
long caught = 0;
}  // namespace

__attribute__((noinline)) void NoteDestroyed(int weight) { destroyed += weight; }

struct Guard {
  explicit Guard(int weight) : weight(weight) {}
  ~Guard() noexcept { NoteDestroyed(weight); }
  int weight;
};

struct Refuses {
  Refuses() : first(5) { throw std::runtime_error("refused"); }
  Guard first;
};

__attribute__((noinline)) int Throw(int depth) {
  Guard guard(1);
  if (depth == 0) throw std::runtime_error("deep");
  return Throw(depth - 1) + 1;
}

__attribute__((noinline)) int CatchAndThrowAgain(int depth) {
  try {
    return Throw(depth);
  } catch (const std::exception&) {
    Guard guard(100);
    ++caught;
    throw;
  }
}

__attribute__((noinline)) int CatchAndThrowOther(int depth) {
  try {
    return CatchAndThrowAgain(depth);
  } catch (const std::runtime_error& error) {
    ++caught;
    throw std::logic_error(std::string("other than ") + error.what());
  }
}

__attribute__((noinline)) bool Safe(int depth) noexcept {
  try {
    CatchAndThrowOther(depth);
  } catch (const std::logic_error&) {
    ++caught;
    return true;
  }
  return false;
}

__attribute__((noinline)) bool Construct() {
  try {
    Refuses refuses;
  } catch (...) {
    ++caught;
    return true;
  }
  return false;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 50;
  int good = 0;
  for (int round = 0; round < rounds; ++round) good += Safe(round % 10) + Construct();
  std::printf("good %d caught %ld destroyed %ld\n", good, caught, destroyed);
  return 0;
}
