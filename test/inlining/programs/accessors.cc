// SPDX-License-Identifier: BSD-3-Clause
// A stencil in classes whose every access is a chain of tiny functions; two of them are left of it.   accessors [STEPS]
#include <cstdio>
#include <cstdlib>
#include <vector>

#define NI __attribute__((noinline))

template <class T>
class Array {
 public:
  explicit Array(int n) : n_(n), data_(n) {}
  int size() const { return n_; }
  T& operator[](int i) { return data_[Checked(i)]; }
  const T& operator[](int i) const { return data_[Checked(i)]; }

 private:
  int Checked(int i) const { return i; }
  int n_;
  std::vector<T> data_;
};

class Grid {
 public:
  Grid(int nx, int ny) : nx_(nx), ny_(ny), cells_(nx * ny) {}
  int nx() const { return nx_; }
  int ny() const { return ny_; }
  double Get(int i, int j) const { return cells_[Index(i, j)]; }
  void Set(int i, int j, double v) { cells_[Index(i, j)] = v; }

 private:
  int Index(int i, int j) const { return j * nx_ + i; }
  int nx_, ny_;
  Array<double> cells_;
};

static double Quarter(double a) { return 0.25 * a; }

NI void Sweep(const Grid& a, Grid& b) {
  for (int j = 1; j + 1 < a.ny(); ++j) {
    for (int i = 1; i + 1 < a.nx(); ++i) {
      const double row = Quarter(a.Get(i - 1, j)) + Quarter(a.Get(i + 1, j));
      b.Set(i, j, row + Quarter(a.Get(i, j - 1)) + Quarter(a.Get(i, j + 1)));
    }
  }
}

NI double Norm(const Grid& a) {
  double sum = 0;
  for (int j = 0; j < a.ny(); ++j) {
    for (int i = 0; i < a.nx(); ++i) sum += a.Get(i, j) * a.Get(i, j);
  }
  return sum;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
  Grid a(64, 64), b(64, 64);
  a.Set(32, 32, 1);
  double sum = 0;
  for (int k = 0; k < steps; ++k) {
    Sweep(a, b);
    Sweep(b, a);
    sum += Norm(a);
  }
  std::printf("%.12g\n", sum);
}
