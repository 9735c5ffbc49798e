// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/cut.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "analysis/algebra/names.h"

namespace epik::algebra {

using archive::Along;
using archive::kNone;
using archive::Profile;
using archive::Type;

namespace {

// A call path that stays, and the call paths of the source whose values it gets: its own, and the subtrees pruned below
// it. Each subtree is a range, because the source is in preorder.
struct Kept {
  uint32_t source;
  std::vector<std::pair<uint32_t, uint32_t>> pruned;
};

class CutExperiment : public Experiment {
 public:
  CutExperiment(Operand from, const std::vector<bool>& roots, const std::vector<bool>& prunes)
      : from_(std::move(from)), definitions_(from_->definitions()), row_(definitions_.locations.size()) {
    const std::vector<archive::CallPath> paths = std::move(definitions_.call_paths);
    definitions_.call_paths.clear();
    definitions_.values.clear();
    std::vector<uint32_t> kept_as(paths.size(), kNone);
    const bool all = roots.empty();
    for (uint32_t p = 0; p < paths.size(); ++p) {
      const uint32_t caller = paths[p].parent == kNone ? kNone : kept_as[paths[p].parent];
      if (caller == kNone && !(all ? paths[p].parent == kNone : roots[paths[p].region])) continue;
      if (!prunes.empty() && prunes[paths[p].region]) {
        const uint32_t end = End(paths, p);
        if (caller != kNone) kept_[caller].pruned.emplace_back(p, end);
        p = end - 1;
        continue;
      }
      kept_as[p] = static_cast<uint32_t>(kept_.size());
      kept_.push_back({p, {}});
      definitions_.call_paths.push_back({paths[p].region, caller});
    }
  }

  bool IsEmpty() const { return kept_.empty(); }
  const Profile& definitions() const override { return definitions_; }

  bool HasRow(uint32_t metric, uint32_t path) const override {
    if (from_->HasRow(metric, kept_[path].source)) return true;
    for (const auto& [begin, end] : Pruned(metric, path)) {
      for (uint32_t p = begin; p < end; ++p) {
        if (from_->HasRow(metric, p)) return true;
      }
    }
    return false;
  }

  bool ReadRow(uint32_t metric, uint32_t path, uint64_t* cells, std::string* error) const override {
    if (!from_->ReadRow(metric, kept_[path].source, cells, error)) return false;
    for (const auto& [begin, end] : Pruned(metric, path)) {
      for (uint32_t p = begin; p < end; ++p) {
        if (!from_->HasRow(metric, p)) continue;
        if (!from_->ReadRow(metric, p, row_.data(), error)) return false;
        Add(definitions_.metrics[metric].type, cells);
      }
    }
    return true;
  }

 private:
  static uint32_t End(const std::vector<archive::CallPath>& paths, uint32_t p) {
    uint32_t end = p + 1;
    // In preorder, a call path belongs to the subtree if its parent does.
    while (end < paths.size() && paths[end].parent != kNone && paths[end].parent >= p) ++end;
    return end;
  }

  // An inclusive value contains the subtree already.
  const std::vector<std::pair<uint32_t, uint32_t>>& Pruned(uint32_t metric, uint32_t path) const {
    static const std::vector<std::pair<uint32_t, uint32_t>> kNothing;
    const archive::Metric& definition = definitions_.metrics[metric];
    const bool adds = definition.type == Type::kUint64 || definition.type == Type::kDouble;
    return adds && definition.along == Along::kExclusive ? kept_[path].pruned : kNothing;
  }

  void Add(Type type, uint64_t* cells) const {
    for (size_t l = 0; l < row_.size(); ++l) {
      cells[l] = type == Type::kUint64
                     ? cells[l] + row_[l]
                     : std::bit_cast<uint64_t>(std::bit_cast<double>(cells[l]) + std::bit_cast<double>(row_[l]));
    }
  }

  const Operand from_;
  Profile definitions_;
  std::vector<Kept> kept_;
  mutable std::vector<uint64_t> row_;
};

}  // namespace

Operand Cut(Operand from, const Cuts& cuts, std::string* error) {
  std::vector<bool> roots, prunes;
  for (const auto& [patterns, chosen] : {std::pair(&cuts.roots, &roots), std::pair(&cuts.prunes, &prunes)}) {
    for (const std::string& pattern : *patterns) {
      if (!ChooseRegions(from->definitions(), pattern, chosen, error)) return nullptr;
    }
  }
  auto result = std::make_shared<CutExperiment>(std::move(from), roots, prunes);
  if (!result->IsEmpty()) return result;
  *error = "nothing stays: all of the call tree is pruned";
  return nullptr;
}

}  // namespace epik::algebra
