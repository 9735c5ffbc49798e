// SPDX-License-Identifier: BSD-3-Clause
// Templates, overloads, operators and exceptions through functions that may be filtered.     shapes
#include <cstdio>
#include <stdexcept>

#define NI __attribute__((noinline))

namespace shapes {
template <class T>
struct Box {
  T value[8];
  NI T& operator[](int i) { return value[i]; }
  NI T area() { return (*this)[0] * (*this)[1]; }
};
NI int scale(int x) { return 3 * x; }
NI double scale(double x) { return 2 * x; }
NI void check(int i) {
  if (i % 4 == 0) throw std::runtime_error("four");
}
NI int guarded(int i) {
  try {
    check(i);
  } catch (const std::exception&) {
    return 1;
  }
  return 0;
}
}  // namespace shapes

int main() {
  shapes::Box<int> ints{};
  shapes::Box<double> reals{};
  int caught = 0;
  for (int i = 0; i < 40; ++i) {
    ints[i % 8] = shapes::scale(i);
    reals[i % 8] = shapes::scale(i + 0.5);
    caught += shapes::guarded(i);
  }
  std::printf("%d %g %d\n", ints.area(), reals.area(), caught);
}
