// SPDX-License-Identifier: BSD-3-Clause
// Cells in reports that have many: a byte each, as a share of the largest value in the row.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "report/html/pack.h"

namespace epik::report {

namespace {

constexpr double kLevels = 63;  // a value other than zero has at least level 1
constexpr uint8_t kNoValue = 64;

// Gives the upper half of a float that is not smaller than the value; returns false if no such half exists.
bool ScaleOf(double most, uint16_t* scale) {
  if (most == 0) return *scale = 0, true;
  if (!(most >= std::numeric_limits<float>::min()) || most > std::numeric_limits<float>::max() / 2) return false;
  *scale = static_cast<uint16_t>((std::bit_cast<uint32_t>(static_cast<float>(most)) >> 16) + 1);
  return true;
}

double ValueOf(uint16_t scale) { return static_cast<double>(std::bit_cast<float>(uint32_t{scale} << 16)); }

// For each call path, the number of its own row in the column; -1 if it has no row.
std::vector<int64_t> RowOfPath(const Column& column) {
  std::vector<int64_t> rows;
  int64_t next = 0;
  for (const uint8_t kind : column.kinds) rows.push_back(kind == Column::kOwn ? next++ : -1);
  return rows;
}

}  // namespace

bool MakeShades(const Column& column, size_t locations, Shades* shades) {
  shades->levels.clear();
  shades->scales.clear();
  if (column.computed || locations == 0) return false;
  shades->levels.reserve(column.cells.size());
  for (size_t begin = 0; begin < column.cells.size(); begin += locations) {
    double most = 0;
    for (size_t l = 0; l < locations; ++l) {
      const double value = column.cells[begin + l];
      if (value < 0 || std::isinf(value)) return false;
      if (value > most) most = value;
    }
    uint16_t scale = 0;
    if (!ScaleOf(most, &scale)) return false;
    shades->scales.push_back(scale);
    const double factor = scale == 0 ? 0 : kLevels / ValueOf(scale);
    for (size_t l = 0; l < locations; ++l) {
      const double value = column.cells[begin + l];
      const double level = std::isnan(value) ? kNoValue : value == 0 ? 0 : std::max(std::round(value * factor), 1.0);
      shades->levels.push_back(static_cast<uint8_t>(level));
    }
  }
  return true;
}

void AppendShades(const Column& column, const Shades& shades, const Column* like, const Shades* like_shades,
                  size_t locations, std::string* out) {
  for (const int shift : {8, 0}) {
    for (const uint16_t scale : shades.scales) out->push_back(static_cast<char>(scale >> shift & 0xff));
  }
  if (like == nullptr) {
    out->append(shades.levels.begin(), shades.levels.end());
    return;
  }
  const std::vector<int64_t> rows = RowOfPath(column), other = RowOfPath(*like);
  for (size_t path = 0; path < rows.size(); ++path) {
    if (rows[path] < 0) continue;
    const uint8_t* mine = shades.levels.data() + static_cast<size_t>(rows[path]) * locations;
    const uint8_t* theirs =
        other[path] < 0 ? nullptr : like_shades->levels.data() + static_cast<size_t>(other[path]) * locations;
    for (size_t l = 0; l < locations; ++l) {
      out->push_back(static_cast<char>(mine[l] - (theirs == nullptr ? 0 : theirs[l])));
    }
  }
}

}  // namespace epik::report
