// SPDX-License-Identifier: BSD-3-Clause
// Ways into and out of C++ functions: exceptions of all kinds, virtual calls, copies of constructors, like bodies.
#include <stdexcept>
#include <string>

#include "visited.h"

namespace ways {

struct Note {
  int* where;
  ~Note() { ++*where; }
};

NI void Throw(int i) {
  VISIT("ways::Throw(int)");
  if (i % 4 == 0) throw std::runtime_error("four");
  if (i % 4 == 1) throw i;
  if (i % 4 == 2) throw std::string("two");
}

NI void CleanUp(int i, int* noted) {
  VISIT("ways::CleanUp(int, int*)");
  const Note note{noted};
  Throw(i);
}

// Catches a type that is never thrown: the exception goes past its handler.
NI void CatchOther(int i, int* noted) {
  VISIT("ways::CatchOther(int, int*)");
  try {
    CleanUp(i, noted);
  } catch (const char*) {
    *noted += 1000;
  }
}

NI void CatchSome(int i, int* noted) {
  VISIT("ways::CatchSome(int, int*)");
  try {
    CatchOther(i, noted);
  } catch (const std::exception&) {
    ++*noted;
  } catch (int n) {
    throw n + 1;
  }
}

NI void ThrowAgain(int i, int* noted) {
  VISIT("ways::ThrowAgain(int, int*)");
  try {
    CatchSome(i, noted);
  } catch (...) {
    ++*noted;
    throw;
  }
}

NI int CatchAll(int i) {
  VISIT("ways::CatchAll(int)");
  int noted = 0;
  try {
    ThrowAgain(i, &noted);
  } catch (const std::string&) {
    noted += 10;
  } catch (...) {
    noted += 20;
  }
  return noted;
}

[[noreturn]] NI void Always(int i) {
  VISIT("ways::Always(int)");
  throw i;
}

NI int Never(int i) noexcept {
  VISIT("ways::Never(int)");
  try {
    Always(i);
  } catch (int n) {
    return n;
  }
}

NI int Deep(int n) {
  VISIT("ways::Deep(int)");
  if (n == 0) throw 7;
  const int below = Deep(n - 1);
  return below > n ? below / 2 : n;  // no loop can be made of it
}

NI int FromDeep(int n) {
  VISIT("ways::FromDeep(int)");
  try {
    return Deep(n);
  } catch (int seven) {
    return seven;
  }
}

struct Part {
  NI explicit Part(int i) : value(i) {
    VISIT("ways::Part::Part(int)");
    if (i == 3) throw i;
  }
  NI ~Part() { VISIT("ways::Part::~Part()"); }
  int value;
};

// Its constructor may end between the parts; with a virtual base there are two of it.
struct Base {
  virtual ~Base() = default;
  NI virtual int Kind(int i) {
    VISIT("ways::Base::Kind(int)");
    return i;
  }
};
struct Left : virtual Base {
  NI int Kind(int i) override {
    VISIT("ways::Left::Kind(int)");
    return i + 1;
  }
};
struct Right : virtual Base {
  NI virtual int Side(int i) {
    VISIT("ways::Right::Side(int)");
    return i + 2;
  }
};
struct Both : Left, Right {
  NI explicit Both(int i) : first(1), second(i) {}  // not counted: its body comes late
  NI int Kind(int i) override {
    VISIT("ways::Both::Kind(int)");
    return first.value + i;
  }
  NI int Side(int i) override {
    VISIT("ways::Both::Side(int)");
    return second.value + i;
  }
  Part first, second;
};

NI int Build(int i) {
  VISIT("ways::Build(int)");
  try {
    Both both(i);
    Base* volatile base = &both;  // both are reached through thunks
    Right* volatile right = &both;
    return base->Kind(i) + right->Side(i);
  } catch (int n) {
    return n;
  }
}

// The same body, but still two functions.
NI int TwinA(int x) {
  VISIT("ways::TwinA(int)");
  return x * 3;
}
NI int Like1(int x) { return x * x + 5; }
NI int Like2(int x) { return x * x + 5; }

template <class T>
NI T Sum(T a, T b) {
  return a + b;
}

// A copy may be made for the constant.
NI static int Constant(int x, int n) {
  VISIT("ways::Constant(int, int)");
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += x * i;
  return sum;
}

NI int FirstOf(int (*function)(int), int x) {
  VISIT("ways::FirstOf(int (*)(int), int)");
  return function(x) + 1;
}

}  // namespace ways

struct Early {
  NI Early() { VISIT("Early::Early()"); }
  NI ~Early() { VISIT("Early::~Early()"); }
} early;

BARE __attribute__((destructor)) static void Print() { PrintVisited(); }

int main(int argc, char** argv) {
  using namespace ways;
  VISIT("main");
  const int rounds = argc > 1 ? 10 * (argv[1][0] - '0') : 40;
  long sum = 0;
  for (int i = 0; i < rounds; ++i) {
    sum += CatchAll(i) + Never(i) + FromDeep(i % 5) + Build(i % 5) + FirstOf(i % 2 ? TwinA : Like1, i) + Like2(i);
    sum += Sum<int>(i, 1) + static_cast<long>(Sum<unsigned>(i, 2)) + Constant(i, 9);
  }
  std::printf("sum %ld\n", sum);
}
