// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/combine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "analysis/algebra/unite.h"

namespace epik::algebra {

using archive::Along;
using archive::kNone;
using archive::Metric;
using archive::Profile;
using archive::Type;
using archive::Values;

namespace {

uint64_t Bits(double value) { return std::bit_cast<uint64_t>(value); }
double Real(uint64_t bits) { return std::bit_cast<double>(bits); }

bool IsExtreme(Type type) { return type == Type::kMin || type == Type::kMax; }

// The cells of one place, one for each operand that has the metric.
struct Cells {
  const uint64_t* begin;
  size_t size;

  uint64_t operator[](size_t i) const { return begin[i]; }
};

uint64_t CombineCounts(Operation operation, Cells cells) {
  uint64_t least = cells[0], most = cells[0];
  unsigned __int128 sum = 0;
  for (size_t i = 0; i < cells.size; ++i) {
    least = std::min(least, cells[i]);
    most = std::max(most, cells[i]);
    sum += cells[i];
  }
  switch (operation) {
    case Operation::kMean: return static_cast<uint64_t>((sum + cells.size / 2) / cells.size);
    case Operation::kMin: return least;
    case Operation::kMax: return most;
    default: return cells[0];
  }
}

// Combines two values, one of which is infinite or NaN. The result keeps a NaN, so that no run hides it.
double OfUnbounded(Operation operation, double a, double b) {
  if (std::isnan(a) || std::isnan(b) || operation == Operation::kMean) return a + b;
  return operation == Operation::kMin ? std::min(a, b) : std::max(a, b);
}

double CombineReals(Operation operation, Cells cells) {
  double value = Real(cells[0]);
  for (size_t i = 1; i < cells.size; ++i) {
    const double next = Real(cells[i]);
    if (!std::isfinite(value) || !std::isfinite(next)) {
      value = OfUnbounded(operation, value, next);
      continue;
    }
    switch (operation) {
      // Computed step by step, so that the mean of equal values is that value to the last bit.
      case Operation::kMean: value += next == value ? 0 : (next - value) / static_cast<double>(i + 1); break;
      case Operation::kMin: value = std::min(value, next); break;
      case Operation::kMax: value = std::max(value, next); break;
      default: break;
    }
  }
  return value;
}

class Combined : public Experiment {
 public:
  Combined(Operation operation, std::vector<Operand> operands, Union united)
      : operation_(operation), operands_(std::move(operands)), united_(std::move(united)) {
    united_.definitions.is_difference = operation == Operation::kDifference ||
                                        std::any_of(operands_.begin(), operands_.end(), [](const Operand& operand) {
                                          return operand->definitions().is_difference;
                                        });
    for (Metric& metric : united_.definitions.metrics) {
      if (operation == Operation::kDifference && metric.type == Type::kUint64) metric.type = Type::kDouble;
      // With minima of inclusive values, a caller and its callees would not fit together.
      if (operation == Operation::kMin || operation == Operation::kMax) metric.along = Along::kExclusive;
    }
    for (uint32_t m = 0; m < united_.definitions.metrics.size(); ++m) keeps_counts_.push_back(KeepsCounts(m));
    for (const Operand& operand : operands_) {
      exclusive_.emplace_back(*operand);
      rows_.emplace_back(operand->definitions().locations.size());
    }
  }

  const Profile& definitions() const override { return united_.definitions; }

  bool HasRow(uint32_t metric, uint32_t path) const override {
    for (size_t o = 0; o < operands_.size(); ++o) {
      if (Has(o, metric, path)) return true;
    }
    return false;
  }

  bool ReadRow(uint32_t metric, uint32_t path, uint64_t* cells, std::string* error) const override {
    const Metric& definition = definitions().metrics[metric];
    std::vector<size_t> with_metric, with_row;
    for (size_t o = 0; o < operands_.size(); ++o) {
      if (united_.operands[o].metric[metric] != kNone || operation_ == Operation::kDifference) with_metric.push_back(o);
      if (!Has(o, metric, path)) continue;
      with_row.push_back(o);
      if (!Read(o, metric, path, error)) return false;
    }
    const size_t locations = definitions().locations.size();
    if (with_row.empty()) {
      std::fill_n(cells, locations, Values::EmptyBits(definition.type));
      return true;
    }
    std::vector<bool> has_row(operands_.size());
    for (const size_t o : with_row) has_row[o] = true;
    std::vector<uint64_t> place(with_metric.size());
    for (size_t l = 0; l < locations; ++l) {
      for (size_t i = 0; i < with_metric.size(); ++i) {
        const size_t o = with_metric[i];
        const uint32_t own = has_row[o] ? united_.operands[o].location[l] : kNone;
        place[i] = own == kNone ? Values::EmptyBits(definition.type) : rows_[o][own];
      }
      cells[l] = CombineCells(definition.type, with_metric, metric, &place);
    }
    return true;
  }

 private:
  bool Has(size_t o, uint32_t metric, uint32_t path) const {
    const uint32_t m = united_.operands[o].metric[metric], p = united_.operands[o].path[path];
    return m != kNone && p != kNone && operands_[o]->HasRow(m, p);
  }

  // Reads a row into rows_[o], as the union stores the metric. Counts of a difference stay integers.
  bool Read(size_t o, uint32_t metric, uint32_t path, std::string* error) const {
    const uint32_t m = united_.operands[o].metric[metric], p = united_.operands[o].path[path];
    const Metric& own = operands_[o]->definitions().metrics[m];
    const Metric& result = definitions().metrics[metric];
    std::vector<uint64_t>& row = rows_[o];
    const bool good = own.along == result.along ? operands_[o]->ReadRow(m, p, row.data(), error)
                                                : exclusive_[o].Read(m, p, row.data(), error);
    if (good && own.type == Type::kUint64 && result.type == Type::kDouble && !keeps_counts_[metric]) {
      for (uint64_t& cell : row) cell = Bits(static_cast<double>(cell));
    }
    return good;
  }

  // Counts are subtracted as integers: they may have more digits than a real number.
  bool KeepsCounts(uint32_t metric) const {
    if (operation_ != Operation::kDifference) return false;
    for (size_t o = 0; o < operands_.size(); ++o) {
      const uint32_t m = united_.operands[o].metric[metric];
      if (m != kNone && operands_[o]->definitions().metrics[m].type != Type::kUint64) return false;
    }
    return true;
  }

  uint64_t CombineCells(Type type, const std::vector<size_t>& with_metric, uint32_t metric,
                        std::vector<uint64_t>* place) const {
    if (operation_ == Operation::kDifference) {
      const uint64_t before = (*place)[0], after = (*place)[1];
      if (keeps_counts_[metric]) return Bits(static_cast<double>(static_cast<int64_t>(after - before)));
      const uint64_t none = Values::EmptyBits(type);
      if (IsExtreme(type) && (before == none || after == none)) return none;
      return Bits(Real(after) - Real(before));
    }
    if (type == Type::kUint64) return CombineCounts(operation_, {place->data(), with_metric.size()});
    size_t n = with_metric.size();
    if (IsExtreme(type)) {
      const uint64_t none = Values::EmptyBits(type);
      n = static_cast<size_t>(std::remove(place->begin(), place->end(), none) - place->begin());
      if (n == 0) return none;
    }
    return Bits(CombineReals(operation_, {place->data(), n}));
  }

  const Operation operation_;
  const std::vector<Operand> operands_;
  Union united_;
  std::vector<bool> keeps_counts_;  // by metric
  std::vector<ExclusiveRows> exclusive_;
  mutable std::vector<std::vector<uint64_t>> rows_;  // by operand: the row at hand
};

}  // namespace

std::string_view OperationName(Operation operation) {
  static constexpr std::string_view kNames[] = {"diff", "merge", "mean", "min", "max"};
  return kNames[static_cast<size_t>(operation)];
}

Operand Combine(Operation operation, std::vector<Operand> operands, std::vector<std::string>* notes,
                std::string* error) {
  if (operands.empty() || (operation == Operation::kDifference && operands.size() != 2)) {
    *error = std::string(OperationName(operation)) + " of " + std::to_string(operands.size()) + " profiles";
    return nullptr;
  }
  std::vector<const Profile*> definitions;
  for (const Operand& operand : operands) definitions.push_back(&operand->definitions());
  Union united = Unite(definitions, operation == Operation::kMerge ? Conflict::kFirstWins : Conflict::kLeaveOut);
  if (notes != nullptr) notes->insert(notes->end(), united.notes.begin(), united.notes.end());
  if (united.definitions.metrics.empty()) {
    *error = "the profiles have no metric of one name, unit and kind in common";
    return nullptr;
  }
  return std::make_shared<Combined>(operation, std::move(operands), std::move(united));
}

}  // namespace epik::algebra
