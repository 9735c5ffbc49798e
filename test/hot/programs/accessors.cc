// SPDX-License-Identifier: BSD-3-Clause
// Tiny functions everywhere, and one that is worth knowing. Says how much CPU time it took.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

class Grid {
 public:
  explicit Grid(int n) : n_(n), cells_(static_cast<size_t>(n) * n) {}
  int Size() const { return n_; }
  double &At(int i, int j) { return cells_[Index(i, j)]; }

 private:
  size_t Index(int i, int j) const { return static_cast<size_t>(i) * n_ + j; }
  int n_;
  std::vector<double> cells_;
};

void Smooth(Grid *grid) {
  for (int i = 1; i + 1 < grid->Size(); ++i) {
    for (int j = 1; j + 1 < grid->Size(); ++j) {
      grid->At(i, j) = 0.25 * (grid->At(i - 1, j) + grid->At(i + 1, j) + grid->At(i, j - 1) + grid->At(i, j + 1));
    }
  }
}

int main(int, char **argv) {
  Grid grid(200);
  grid.At(100, 100) = 1;
  const int sweeps = std::atoi(argv[1]);
  for (int i = 0; i < sweeps; ++i) Smooth(&grid);
  std::printf("%.9f %g\n", static_cast<double>(std::clock()) / CLOCKS_PER_SEC, grid.At(100, 100));
}
