// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/counter_tree.h"

#include <algorithm>
#include <string_view>

#include "archive/profile/absence.h"

namespace epik::archive {
namespace {

constexpr std::string_view kPartOf = "; part of ";

bool IsComputed(const Metric& metric) { return metric.description.compare(0, kComputed.size(), kComputed) == 0; }

// "page faults; part of FAULTS; read in 60 ns"
std::string_view WholeIn(std::string_view description) {
  const size_t at = description.find(kPartOf);
  if (at == std::string_view::npos) return {};
  const std::string_view name = description.substr(at + kPartOf.size());
  return name.substr(0, name.find("; "));
}

bool AddsUp(const Metric& metric) { return metric.type == Type::kUint64 || metric.type == Type::kDouble; }

bool GoTogether(const Metric& one, const Metric& other) {
  return AddsUp(one) && one.type == other.type && one.unit == other.unit && one.along == other.along &&
         SaysMissing(one.description) == SaysMissing(other.description) &&
         ReadAbsence(one.description).ranks == ReadAbsence(other.description).ranks;
}

class Maker {
 public:
  explicit Maker(const std::vector<Metric>& measured) {
    tree_.metrics = measured;
    tree_.sources.resize(measured.size());
    parts_.resize(measured.size());
    state_.resize(measured.size());
    for (uint32_t m = 0; m < measured.size(); ++m) {
      const std::string_view whole = WholeIn(measured[m].description);
      for (uint32_t w = 0; !whole.empty() && w < measured.size(); ++w) {
        if (w != m && measured[w].unique_name == whole) parts_[w].push_back(m);
      }
    }
  }

  CounterTree Make() {
    for (uint32_t m = 0; m < parts_.size(); ++m) Settle(m);
    for (uint32_t m = 0; m < parts_.size(); ++m) {
      if (tree_.metrics[m].parent == kNone) Place(m);
    }
    return std::move(tree_);
  }

 private:
  enum class State : uint8_t { kNew, kAtWork, kSettled };

  // Settles the parts first, because a whole depends on them. A counter that is part of itself stays where it is.
  void Settle(uint32_t whole) {
    if (state_[whole] != State::kNew) return;
    state_[whole] = State::kAtWork;
    std::vector<uint32_t>& parts = parts_[whole];
    for (const uint32_t part : parts) Settle(part);
    parts.erase(std::remove_if(parts.begin(), parts.end(), [&](uint32_t p) { return state_[p] != State::kSettled; }),
                parts.end());
    Metric& metric = tree_.metrics[whole];
    if (IsComputed(metric) && !parts.empty()) Sum(parts, &metric);
    if (!IsComputed(metric)) {
      const auto strange = [&](uint32_t p) { return !GoTogether(metric, tree_.metrics[p]); };
      parts.erase(std::remove_if(parts.begin(), parts.end(), strange), parts.end());
    } else {
      parts.clear();
    }
    for (const uint32_t part : parts) tree_.metrics[part].parent = whole;
    if (tree_.sources[whole].empty()) tree_.sources[whole] = {whole};
    state_[whole] = State::kSettled;
  }

  // Makes a whole the sum of its parts. If some parts cannot be added, it stays a metric that reports compute.
  void Sum(const std::vector<uint32_t>& parts, Metric* whole) {
    const Metric& first = tree_.metrics[parts[0]];
    for (const uint32_t part : parts) {
      if (IsComputed(tree_.metrics[part]) || !GoTogether(first, tree_.metrics[part])) return;
    }
    std::vector<uint32_t>& sources = tree_.sources[static_cast<size_t>(whole - tree_.metrics.data())];
    for (const uint32_t part : parts) {
      sources.insert(sources.end(), tree_.sources[part].begin(), tree_.sources[part].end());
    }
    Absence absence = ReadAbsence(first.description);
    absence.text = "the sum of its parts";
    if (const std::string_view above = WholeIn(whole->description); !above.empty()) {
      absence.text.append(kPartOf).append(above);
    }
    whole->description = DescribeAbsence(absence);
    whole->type = first.type;
    whole->unit = first.unit;
    whole->along = first.along;
  }

  void Place(uint32_t metric) {
    tree_.order.push_back(metric);
    for (const uint32_t part : parts_[metric]) Place(part);
  }

  CounterTree tree_;
  std::vector<std::vector<uint32_t>> parts_;
  std::vector<State> state_;
};

}  // namespace

CounterTree MakeCounterTree(const std::vector<Metric>& measured) { return Maker(measured).Make(); }

}  // namespace epik::archive
