// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/tell_instances.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/causes/classes.h"
#include "analysis/findings/words.h"
#include "analysis/patterns/patterns.h"
#include "analysis/patterns/states_of_causes.h"
#include "analysis/replay/seconds.h"
#include "archive/profile/path_names.h"

namespace epik::patterns {

using replay::kNone;
using replay::Seconds;
using Row = Severities::Row;

namespace {

constexpr size_t kMostInstances = 200;
constexpr uint32_t kMostPoints = 100000;  // of an instance that are looked at: a barrier may have run millions of tasks

// The location that an instance waited for, and the reason.
struct Reason {
  causes::Class kind;
  uint32_t partner;  // location; kNone: the trace does not tell
  auto operator<=>(const Reason&) const = default;
};

// Returns the reason that most of the instance has. Calls within the call may wait for others meanwhile, so points of
// its call path count alone, unless there are none.
Reason ReasonOf(const graph::Graph& graph, const Row& row) {
  const std::vector<causes::Class> kinds = KindsOf(row.pattern);
  std::map<Reason, int64_t> here, within;
  graph::Place place = graph.Before(row.location, row.worst.from);
  if (!place.IsKnown()) place = {row.location, 0};
  const uint32_t end = place.point + std::min(kMostPoints, graph.size(row.location) - place.point);
  for (; place.point < end && graph.At(place).begin < row.worst.to; ++place.point) {
    const graph::Point& point = graph.At(place);
    graph.ForEachEdge(point, [&](const graph::Edge& edge) {
      const int64_t ns = std::min(edge.to, row.worst.to) - std::max(edge.from, row.worst.from);
      if (ns <= 0) return;
      const causes::Class kind = causes::ClassOf(graph, edge);
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) return;
      (point.path == row.path ? here : within)[{kind, edge.partner.location}] += ns;
    });
  }
  const std::map<Reason, int64_t>& reasons = here.empty() ? within : here;
  const auto most = std::max_element(reasons.begin(), reasons.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most != reasons.end() ? most->first : Reason{kinds.empty() ? causes::kHandsOn : kinds.front(), kNone};
}

// The wait states in which somebody is waited for.
bool HasPartner(const PatternInfo& info) { return IsWaiting(info) && !IsCompletion(info); }

}  // namespace

std::vector<findings::Instance> TellInstances(const Severities& severities, const graph::Graph& graph,
                                              const replay::World& world, const archive::Profile& profile) {
  std::map<std::pair<uint32_t, uint32_t>, const Row*> longest;  // by wait state and call path
  for (const Row& row : severities.rows()) {
    const bool is_in_profile = world.locations[row.location].column != kNone && row.path < profile.call_paths.size();
    if (!is_in_profile || !HasPartner(*AllPatterns()[row.pattern])) continue;
    const Row*& known = longest[{row.pattern, row.path}];
    // The order of rows must not matter.
    const auto rank = [](const Row& one) { return std::tuple(one.worst.ns, -one.worst.from, -int64_t{one.location}); };
    if (known == nullptr || rank(row) > rank(*known)) known = &row;
  }
  std::vector<const Row*> rows;
  for (const auto& [where, row] : longest) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) { return a->worst.ns > b->worst.ns; });
  if (rows.size() > kMostInstances) rows.resize(kMostInstances);
  const archive::PathNames names(profile);
  std::vector<findings::Instance> instances;
  for (const Row* row : rows) {
    const Reason reason = ReasonOf(graph, *row);
    findings::Instance& made = instances.emplace_back();
    made.wait_state = AllPatterns()[row->pattern]->name;
    if (reason.kind != causes::kHandsOn) made.kind = causes::Classes()[reason.kind].metric;
    made.callpath = names.Of(row->path);
    made.who = findings::WhoIs(world, profile, row->location);
    made.waited_for = findings::WhoIs(world, profile, reason.partner);
    made.from_s = Seconds(row->worst.from);
    made.to_s = Seconds(row->worst.to);
    made.seconds = Seconds(row->worst.ns);
  }
  return instances;
}

}  // namespace epik::patterns
