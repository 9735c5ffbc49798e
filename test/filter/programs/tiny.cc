// SPDX-License-Identifier: BSD-3-Clause
// A stencil on an array whose accessors are functions: most of its calls are tiny.     tiny [STEPS]
#include <cstdio>
#include <cstdlib>
#define NI __attribute__((noinline))

struct V {
  int n;
  double* d;
  double get(int i) const { return d[i]; }
  void set(int i, double v) { d[i] = v; }
};
NI void sweep(V& a, V& b) {
  for (int i = 1; i + 1 < a.n; ++i) b.set(i, 0.25 * a.get(i - 1) + 0.5 * a.get(i) + 0.25 * a.get(i + 1));
}
NI double norm(const V& a) {
  double s = 0;
  for (int i = 0; i < a.n; ++i) s += a.get(i) * a.get(i);
  return s;
}
int main(int argc, char** argv) {
  int n = 10000, steps = argc > 1 ? atoi(argv[1]) : 100;
  V a{n, new double[n]()}, b{n, new double[n]()};
  a.set(n / 2, 1);
  double s = 0;
  for (int k = 0; k < steps; ++k) {
    sweep(a, b);
    sweep(b, a);
    s += norm(a);
  }
  std::printf("%.12g\n", s);
}
