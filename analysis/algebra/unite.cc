// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/unite.h"

#include <string_view>
#include <unordered_map>

#include "archive/profile/absence.h"

namespace epik::algebra {

using archive::Along;
using archive::kNone;
using archive::Metric;
using archive::Profile;
using archive::Type;

namespace {

// Describes a metric of all operands together. If one operand could not measure it, the result has no value.
std::string DescribeTogether(const std::string& one, const std::string& another) {
  archive::Absence both = archive::ReadAbsence(one);
  const archive::Absence other = archive::ReadAbsence(another);
  if (!other.IsPartial()) return one;
  for (const archive::RankRange& range : other.ranks) archive::AddRanks(range, &both.ranks);
  if (both.why.empty()) both.why = other.why;
  return archive::DescribeAbsence(both);
}

bool Adds(Type type) { return type == Type::kUint64 || type == Type::kDouble; }

// Collects the metrics that fit together, parents first: each operand lists parents first, too.
class Metrics {
 public:
  Metrics(const std::vector<const Profile*>& operands, Conflict conflict, Union* united)
      : operands_(operands), conflict_(conflict), united_(*united) {}

  void Unite() {
    FindConflicts();
    for (size_t o = 0; o < operands_.size(); ++o) {
      std::vector<uint32_t> kept;  // metric of the operand -> it, or its nearest ancestor, in the union
      for (uint32_t m = 0; m < operands_[o]->metrics.size(); ++m) {
        const Metric& metric = operands_[o]->metrics[m];
        const uint32_t parent = metric.parent == kNone ? kNone : kept[metric.parent];
        kept.push_back(refused_.count(metric.unique_name) != 0 ? parent : Put(metric, parent, o, m));
      }
    }
    for (Places& places : united_.operands) places.metric.resize(united_.definitions.metrics.size(), kNone);
  }

 private:
  void FindConflicts() {
    std::unordered_map<std::string_view, const Metric*> first;
    for (const Profile* operand : operands_) {
      for (const Metric& metric : operand->metrics) {
        const Metric& other = *first.emplace(metric.unique_name, &metric).first->second;
        const bool one_has_none = archive::SaysMissing(metric.description) != archive::SaysMissing(other.description);
        const bool same_kind = metric.type == other.type || (Adds(metric.type) && Adds(other.type));
        if (conflict_ == Conflict::kFirstWins || (same_kind && metric.unit == other.unit && !one_has_none)) continue;
        if (!refused_.emplace(metric.unique_name, true).second) continue;
        united_.notes.push_back("metric " + metric.unique_name + " is left out: " +
                                (one_has_none ? "it could not be had in one file"
                                 : same_kind  ? "its units are \"" + other.unit + "\" and \"" + metric.unit + "\""
                                              : "it adds up in one file and is a minimum or maximum in another"));
      }
    }
  }

  uint32_t Put(const Metric& metric, uint32_t parent, size_t operand, uint32_t number) {
    std::vector<Metric>& metrics = united_.definitions.metrics;
    const auto [found, missing] = index_.emplace(metric.unique_name, static_cast<uint32_t>(metrics.size()));
    const uint32_t at = found->second;
    if (missing) {
      metrics.push_back(metric);
      metrics.back().parent = parent;
    } else if (conflict_ == Conflict::kFirstWins) {
      return at;
    }
    std::vector<uint32_t>& places = united_.operands[operand].metric;
    if (places.size() <= at) places.resize(at + 1, kNone);
    places[at] = number;
    metrics[at].description = DescribeTogether(metrics[at].description, metric.description);
    if (metrics[at].type != metric.type) metrics[at].type = Type::kDouble;
    if (metrics[at].along != metric.along) metrics[at].along = Along::kExclusive;
    return at;
  }

  const std::vector<const Profile*>& operands_;
  const Conflict conflict_;
  Union& united_;
  std::unordered_map<std::string_view, uint32_t> index_;
  std::unordered_map<std::string_view, bool> refused_;
};

// The inverse map: number in the union -> number in the operand.
std::vector<uint32_t> Inverse(const std::vector<uint32_t>& map, size_t united) {
  std::vector<uint32_t> inverse(united, kNone);
  for (uint32_t i = 0; i < map.size(); ++i) inverse[map[i]] = i;
  return inverse;
}

}  // namespace

Union Unite(const std::vector<const Profile*>& operands, Conflict conflict) {
  Union united;
  united.operands.resize(operands.size());
  Metrics(operands, conflict, &united).Unite();
  Profile& all = united.definitions;
  const internal::Maps regions = internal::UniteRegions(operands, &all.regions);
  const internal::Maps paths = internal::UniteCallPaths(operands, regions, &all.call_paths);
  const internal::Maps locations = internal::UniteSystems(operands, &all);
  for (size_t o = 0; o < operands.size(); ++o) {
    united.operands[o].path = Inverse(paths[o], all.call_paths.size());
    united.operands[o].location = Inverse(locations[o], all.locations.size());
  }
  return united;
}

std::vector<uint32_t> SameCallPaths(const Profile& profile, const Profile& other) {
  Profile united;
  const std::vector<const Profile*> both = {&profile, &other};
  const internal::Maps regions = internal::UniteRegions(both, &united.regions);
  internal::Maps paths = internal::UniteCallPaths(both, regions, &united.call_paths);
  const std::vector<uint32_t> own = Inverse(paths[0], united.call_paths.size());
  for (uint32_t& path : paths[1]) path = own[path];
  return paths[1];
}

}  // namespace epik::algebra
