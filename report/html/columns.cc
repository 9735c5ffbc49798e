// SPDX-License-Identifier: BSD-3-Clause
// Values as the HTML report stores them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "archive/metrics/imbalance.h"
#include "report/figures.h"
#include "report/html/pack.h"

namespace epik::report {

using archive::kNone;
using archive::Profile;
using archive::Type;

namespace {

constexpr double kMostWhole = 9007199254740992.0;  // 2^53: a double counts exactly up to here

void AddRow(Column* column, uint32_t path, const std::vector<double>& row, double sum) {
  column->kinds[path] = Column::kOwn;
  column->sums.push_back(sum);
  column->cells.insert(column->cells.end(), row.begin(), row.end());
}

Column Extremes(const Profile& p, uint32_t metric) {
  Column column;
  column.extreme = true;
  column.kinds.resize(p.call_paths.size());
  const archive::Values& values = p.values[metric];
  for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
    if (!values.Has(path)) continue;
    std::vector<double> row(p.locations.size(), std::numeric_limits<double>::quiet_NaN());
    double extreme = row.empty() ? 0 : row[0];
    bool any = false;
    for (uint32_t l = 0; l < row.size(); ++l) {
      const double value = values.Real(path, l);
      if (!std::isfinite(value) || values.Row(path)[l] == archive::Values::EmptyBits(values.type())) continue;
      row[l] = value;
      extreme = !any ? value : values.type() == Type::kMin ? std::min(extreme, value) : std::max(extreme, value);
      any = true;
    }
    if (any) AddRow(&column, path, row, extreme);
  }
  return column;
}

Column Sums(const Profile& p, uint32_t metric) {
  Column column;
  column.whole = p.values[metric].type() == Type::kUint64;
  column.kinds.resize(p.call_paths.size());
  const Split split(p, metric);
  for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
    const std::vector<double>& row = split.ExclusiveRow(path);
    if (std::all_of(row.begin(), row.end(), [](double value) { return value == 0; })) continue;
    AddRow(&column, path, row, split.ExclusiveSum(path));
  }
  return column;
}

// For call paths of their kind, most metrics of the time tree have the same values as their parent.
void ShareWithParent(const Column& parent, size_t locations, Column* column) {
  size_t own = 0, of_parent = 0, kept = 0;
  for (size_t path = 0; path < column->kinds.size(); ++path) {
    const bool parent_has = parent.kinds[path] == Column::kOwn;
    if (column->kinds[path] == Column::kOwn) {
      const bool same = parent_has && std::equal(column->cells.begin() + static_cast<long>(own * locations),
                                                 column->cells.begin() + static_cast<long>((own + 1) * locations),
                                                 parent.cells.begin() + static_cast<long>(of_parent * locations));
      if (same) {
        column->kinds[path] = Column::kAsParent;
      } else {
        std::copy_n(column->cells.begin() + static_cast<long>(own * locations), locations,
                    column->cells.begin() + static_cast<long>(kept * locations));
        column->sums[kept++] = column->sums[own];
      }
      ++own;
    }
    if (parent_has) ++of_parent;
  }
  column->sums.resize(kept);
  column->cells.resize(kept * locations);
}

void AppendVariable(double difference, std::string* out) {
  const bool negative = difference < 0;
  auto rest = static_cast<uint64_t>(negative ? -difference - 1 : difference);
  // The sign is the lowest bit of the first byte, so that readers without 64-bit integers can take it apart.
  auto byte = static_cast<uint8_t>((rest & 0x3f) << 1 | (negative ? 1 : 0));
  for (rest >>= 6; rest != 0; rest >>= 7) {
    out->push_back(static_cast<char>(byte | 0x80));
    byte = rest & 0x7f;
  }
  out->push_back(static_cast<char>(byte));
}

// Appends the topmost bytes of each value: all first bytes, then all second bytes, and so on. So zlib finds the
// repetitions.
template <class Bits>
void AppendPlanes(const std::vector<Bits>& values, int bytes, std::string* out) {
  const size_t start = out->size();
  out->resize(start + values.size() * static_cast<size_t>(bytes));
  char* at = out->data() + start;
  for (int plane = 0; plane < bytes; ++plane) {
    const int shift = 8 * (static_cast<int>(sizeof(Bits)) - 1 - plane);
    for (Bits bits : values) *at++ = static_cast<char>(bits >> shift & 0xff);
  }
}

uint32_t Rounded(double value, int bits) {
  const auto single = static_cast<float>(value);
  if (!std::isfinite(single)) return std::bit_cast<uint32_t>(std::numeric_limits<float>::quiet_NaN());
  const auto raw = std::bit_cast<uint32_t>(single);
  const uint32_t drop = 23 - static_cast<uint32_t>(bits);
  return drop == 0 ? raw : (raw + (1u << (drop - 1))) >> drop << drop;  // a carry into the exponent is right
}

}  // namespace

std::vector<Column> MakeColumns(const Profile& profile) {
  std::vector<Column> columns;
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
    const Type type = profile.metrics[m].type;
    columns.push_back(type == Type::kMin || type == Type::kMax ? Extremes(profile, m) : Sums(profile, m));
  }
  // Goes from children to parents: a row is compared with its parent's row before that becomes kAsParent.
  for (auto m = static_cast<uint32_t>(columns.size()); m-- > 0;) {
    const uint32_t parent = profile.metrics[m].parent;
    if (parent < m && !columns[m].extreme && !columns[parent].extreme) {
      ShareWithParent(columns[parent], profile.locations.size(), &columns[m]);
    }
  }
  // The page computes imbalance from `comp` and `visits`: in a large report its cells would be half of the bytes.
  for (uint32_t m = 0; m < columns.size(); ++m) {
    columns[m].computed = archive::Imbalance::IsOne(profile.metrics[m].unique_name);
    if (columns[m].computed) columns[m].cells.clear();
  }
  return columns;
}

int AppendCells(const Column& column, size_t locations, int bits, std::string* out) {
  if (column.computed) return -1;
  const auto large = [](double value) { return !(std::fabs(value) < kMostWhole); };
  if (column.whole && std::none_of(column.cells.begin(), column.cells.end(), large)) {
    const size_t start = out->size();
    for (size_t i = 0; i < column.cells.size(); ++i) {
      AppendVariable(column.cells[i] - (i % locations == 0 ? 0 : column.cells[i - 1]), out);
    }
    constexpr size_t kShort = 2;  // bytes that exact counts may take in a cell when room is scarce
    if (bits == kExact || out->size() - start <= kShort * column.cells.size()) return 0;
    out->resize(start);
  }
  if (bits == kExact) {
    std::vector<uint64_t> values;
    for (double value : column.cells) values.push_back(std::bit_cast<uint64_t>(value));
    AppendPlanes(values, sizeof(uint64_t), out);
    return sizeof(uint64_t);
  }
  constexpr int kOfExtremes = 8;  // more digits of a minimum are of no use
  std::vector<uint32_t> values;
  if (column.extreme) bits = std::min(bits, kOfExtremes);
  for (double value : column.cells) values.push_back(Rounded(value, bits));
  const int bytes = (1 + 8 + bits + 7) / 8;
  AppendPlanes(values, bytes, out);
  return bytes;
}

}  // namespace epik::report
