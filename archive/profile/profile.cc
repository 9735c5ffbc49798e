// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/profile.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "archive/profile/absence.h"

namespace epik::archive {

Values::Values(Type type, size_t paths, size_t locations) : type_(type), locations_(locations), row_(paths, kNone) {}

uint64_t Values::EmptyBits(Type type) {
  switch (type) {
    case Type::kMin: return std::bit_cast<uint64_t>(std::numeric_limits<double>::max());
    case Type::kMax: return std::bit_cast<uint64_t>(std::numeric_limits<double>::lowest());
    default: return 0;
  }
}

const uint64_t* Values::Row(uint32_t path) const {
  return row_[path] == kNone ? nullptr : cells_.data() + size_t{row_[path]} * locations_;
}

// Invalidates all pointers that Row and MutableRow returned before, because the cells may move.
uint64_t* Values::MutableRow(uint32_t path) {
  if (row_[path] == kNone) {
    // Without locations a row has no cells. It counts as present nevertheless.
    row_[path] = locations_ == 0 ? 0 : static_cast<uint32_t>(cells_.size() / locations_);
    cells_.resize(cells_.size() + locations_, EmptyBits(type_));
  }
  return cells_.data() + size_t{row_[path]} * locations_;
}

uint64_t Values::Integer(uint32_t path, uint32_t location) const {
  const uint64_t* row = Row(path);
  return row == nullptr ? 0 : row[location];
}

double Values::Real(uint32_t path, uint32_t location) const {
  const uint64_t* row = Row(path);
  const uint64_t bits = row == nullptr ? EmptyBits(type_) : row[location];
  return type_ == Type::kUint64 ? static_cast<double>(bits) : std::bit_cast<double>(bits);
}

void Values::Set(uint32_t path, uint32_t location, uint64_t value) { MutableRow(path)[location] = value; }

void Values::Set(uint32_t path, uint32_t location, double value) {
  MutableRow(path)[location] = std::bit_cast<uint64_t>(value);
}

uint32_t Profile::FindMetric(std::string_view unique_name) const {
  for (uint32_t m = 0; m < metrics.size(); ++m) {
    if (metrics[m].unique_name == unique_name) return m;
  }
  return kNone;
}

uint32_t Profile::AddMetric(Metric metric) {
  values.emplace_back(metric.type, call_paths.size(), locations.size());
  metrics.push_back(std::move(metric));
  return static_cast<uint32_t>(metrics.size() - 1);
}

Profile::Links Profile::MakeLinks() const {
  Links links;
  links.first_child.assign(call_paths.size(), kNone);
  links.next_sibling.assign(call_paths.size(), kNone);
  // Goes backwards: each path is put in front, which leaves siblings in their order.
  for (uint32_t p = static_cast<uint32_t>(call_paths.size()); p-- > 0;) {
    const uint32_t parent = call_paths[p].parent;
    if (parent == kNone) {
      links.roots.push_back(p);
    } else {
      links.next_sibling[p] = links.first_child[parent];
      links.first_child[parent] = p;
    }
  }
  std::reverse(links.roots.begin(), links.roots.end());
  return links;
}

std::vector<double> Profile::Exclusive(uint32_t metric, uint32_t location) const {
  const Values& cells = values[metric];
  std::vector<double> column(call_paths.size());
  for (uint32_t p = 0; p < column.size(); ++p) column[p] = cells.Real(p, location);
  if (metrics[metric].along == Along::kInclusive) {
    for (uint32_t p = 0; p < column.size(); ++p) {
      if (call_paths[p].parent != kNone) column[call_paths[p].parent] -= cells.Real(p, location);
    }
  }
  return column;
}

std::vector<double> Profile::Inclusive(uint32_t metric, uint32_t location) const {
  const Values& cells = values[metric];
  std::vector<double> column(call_paths.size());
  for (uint32_t p = 0; p < column.size(); ++p) column[p] = cells.Real(p, location);
  if (metrics[metric].along == Along::kExclusive) {
    // Parents come before their children. The loop goes backwards, so each value is complete before its parent takes
    // it.
    for (uint32_t p = static_cast<uint32_t>(column.size()); p-- > 0;) {
      const uint32_t parent = call_paths[p].parent;
      if (parent == kNone) continue;
      switch (metrics[metric].type) {
        case Type::kMin: column[parent] = std::min(column[parent], column[p]); break;
        case Type::kMax: column[parent] = std::max(column[parent], column[p]); break;
        default: column[parent] += column[p];
      }
    }
  }
  return column;
}

bool Profile::IsMissing(uint32_t metric) const {
  if (!SaysMissing(metrics[metric].description)) return false;
  for (uint32_t p = 0; p < call_paths.size(); ++p) {
    if (values[metric].Has(p)) return false;
  }
  return true;
}

}  // namespace epik::archive
