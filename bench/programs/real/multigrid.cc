// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation on the unit square by multigrid, as one writes it: small functions, a class for the grid, a
// function for each step of the cycle.     multigrid [CYCLES [LEVELS]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

class Grid {
 public:
  explicit Grid(int cells) : cells_(cells), values_(static_cast<size_t>(cells + 1) * static_cast<size_t>(cells + 1)) {}
  int cells() const { return cells_; }
  double spacing() const { return 1.0 / cells_; }
  double& at(int row, int column) { return values_[Index(row, column)]; }
  double at(int row, int column) const { return values_[Index(row, column)]; }
  void Clear() { values_.assign(values_.size(), 0); }

 private:
  size_t Index(int row, int column) const {
    return static_cast<size_t>(row) * static_cast<size_t>(cells_ + 1) + static_cast<size_t>(column);
  }
  int cells_;
  std::vector<double> values_;
};

struct Level {
  explicit Level(int cells) : solution(cells), right(cells), residual(cells) {}
  Grid solution, right, residual;
};

void RelaxRow(Level* level, int row, int first) {
  const double square = level->solution.spacing() * level->solution.spacing();
  Grid& u = level->solution;
  for (int column = first; column < u.cells(); column += 2) {
    u.at(row, column) = 0.25 * (u.at(row - 1, column) + u.at(row + 1, column) + u.at(row, column - 1) +
                                u.at(row, column + 1) + square * level->right.at(row, column));
  }
}

void Smooth(Level* level, int sweeps) {
  for (int half = 0; half < 2 * sweeps; ++half) {
    for (int row = 1; row < level->solution.cells(); ++row) RelaxRow(level, row, 1 + (row + half) % 2);
  }
}

double Residual(Level* level) {
  const Grid& u = level->solution;
  const double per_square = 1 / (u.spacing() * u.spacing());
  double sum = 0;
  for (int row = 1; row < u.cells(); ++row) {
    for (int column = 1; column < u.cells(); ++column) {
      const double around =
          u.at(row - 1, column) + u.at(row + 1, column) + u.at(row, column - 1) + u.at(row, column + 1);
      const double left = level->right.at(row, column) - per_square * (4 * u.at(row, column) - around);
      level->residual.at(row, column) = left;
      sum += left * left;
    }
  }
  return std::sqrt(sum) * u.spacing();
}

void Restrict(const Grid& fine, Grid* coarse) {
  for (int row = 1; row < coarse->cells(); ++row) {
    for (int column = 1; column < coarse->cells(); ++column) {
      const int r = 2 * row, c = 2 * column;
      const double sides = fine.at(r - 1, c) + fine.at(r + 1, c) + fine.at(r, c - 1) + fine.at(r, c + 1);
      const double corners =
          fine.at(r - 1, c - 1) + fine.at(r - 1, c + 1) + fine.at(r + 1, c - 1) + fine.at(r + 1, c + 1);
      coarse->at(row, column) = fine.at(r, c) / 4 + sides / 8 + corners / 16;
    }
  }
}

void Prolong(const Grid& coarse, Grid* fine) {
  for (int row = 1; row < fine->cells(); ++row) {
    for (int column = 1; column < fine->cells(); ++column) {
      const int r = row / 2, c = column / 2;
      const double above = row % 2 == 0 ? coarse.at(r, c) : 0.5 * (coarse.at(r, c) + coarse.at(r + 1, c));
      const double beside = row % 2 == 0 ? coarse.at(r, c + 1) : 0.5 * (coarse.at(r, c + 1) + coarse.at(r + 1, c + 1));
      fine->at(row, column) += column % 2 == 0 ? above : 0.5 * (above + beside);
    }
  }
}

void Cycle(std::vector<Level>* levels, size_t at) {
  Level& level = (*levels)[at];
  if (at + 1 == levels->size()) return Smooth(&level, 20);
  Smooth(&level, 2);
  Residual(&level);
  Level& coarser = (*levels)[at + 1];
  Restrict(level.residual, &coarser.right);
  coarser.solution.Clear();
  Cycle(levels, at + 1);
  Prolong(coarser.solution, &level.solution);
  Smooth(&level, 2);
}

}  // namespace

int main(int argc, char** argv) {
  const int cycles = argc > 1 ? std::atoi(argv[1]) : 30;
  const int depth = argc > 2 ? std::atoi(argv[2]) : 9;
  std::vector<Level> levels;
  for (int level = depth; level > 0; --level) levels.emplace_back(1 << level);
  Grid& right = levels[0].right;
  for (int row = 0; row <= right.cells(); ++row) {
    for (int column = 0; column <= right.cells(); ++column) {
      right.at(row, column) = std::sin(3 * row * right.spacing()) * std::cos(5 * column * right.spacing());
    }
  }
  for (int cycle = 0; cycle < cycles; ++cycle) Cycle(&levels, 0);
  std::printf("residual %.6e\n", Residual(&levels[0]));
  return 0;
}
