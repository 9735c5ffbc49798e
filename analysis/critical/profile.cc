// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/critical/profile.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/replay/path_times.h"
#include "analysis/replay/seconds.h"

namespace epik::critical {

using graph::Edge;
using graph::Graph;
using graph::Place;
using graph::Slice;
using replay::Seconds;

namespace {

using ByPath = std::unordered_map<uint32_t, int64_t>;

// A wait whose cause is not known is part of the path.
void AddPath(const Graph& graph, const Path& path, const graph::Mixtures& mixtures, const archive::TimeLimit& limit,
             std::map<std::pair<uint32_t, uint32_t>, ProfileRow>* rows, ByPath* on_path) {
  for (const Slice& slice : path.slices) {
    limit.Check();
    const auto take = [&](uint32_t call_path, int64_t ns) {
      (*rows)[{slice.location, call_path}].seconds += Seconds(ns);
      (*on_path)[call_path] += ns;
    };
    const auto take_parts = [&](uint32_t call_path, int64_t ns) {
      mixtures.ForEach(slice.location, call_path, ns, take);
    };
    graph::ForSlice(graph, slice, take_parts,
                    [&](Place place, uint32_t, int64_t ns) { take(graph.At(place).path, ns); });
  }
}

// Shares out the idle time of a location over the call paths of the critical path on which it spent less time than the
// path.
void AddIdle(const ByPath& on_path, const ByPath& own, std::unordered_map<uint32_t, double>* impact,
             std::unordered_map<uint32_t, double>* inter) {
  double path_s = 0, own_s = 0, room = 0, room_of_foreign = 0;
  const auto room_of = [&](uint32_t call_path, int64_t ns) {
    const auto mine = own.find(call_path);
    return Seconds(std::max<int64_t>(ns - (mine == own.end() ? 0 : mine->second), 0));
  };
  for (const auto& [call_path, ns] : own) own_s += Seconds(ns);
  for (const auto& [call_path, ns] : on_path) {
    path_s += Seconds(ns);
    room += room_of(call_path, ns);
    if (own.find(call_path) == own.end()) room_of_foreign += Seconds(ns);
  }
  const double idle = std::max(path_s - own_s, 0.0);
  if (idle <= 0 || room <= 0) return;
  const double idle_of_foreign = std::max(idle - (room - room_of_foreign), 0.0);
  for (const auto& [call_path, ns] : on_path) {
    (*impact)[call_path] += idle * room_of(call_path, ns) / room;
    if (room_of_foreign <= 0 || own.find(call_path) != own.end()) continue;
    (*inter)[call_path] += idle_of_foreign * Seconds(ns) / room_of_foreign;
  }
}

}  // namespace

std::vector<ProfileRow> ProfileOf(const Graph& graph, const Path& path, const graph::Mixtures& mixtures,
                                  const archive::TimeLimit& limit) {
  std::map<std::pair<uint32_t, uint32_t>, ProfileRow> rows;
  ByPath on_path, all;
  AddPath(graph, path, mixtures, limit, &rows, &on_path);
  std::unordered_map<uint32_t, double> impact, inter;
  replay::PathTimes own_times, waited;  // of one location
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    limit.Check();
    own_times.Clear();
    waited.Clear();
    graph::ForSlice(
        graph, {l, INT64_MIN, INT64_MAX}, [&](uint32_t call_path, int64_t ns) { own_times.At(call_path).ns += ns; },
        [&](Place place, uint32_t, int64_t ns) { waited.At(graph.At(place).path).ns += ns; });
    ByPath own;
    for (const replay::PathTime& time : own_times.all()) {
      mixtures.ForEach(l, time.path, time.ns, [&](uint32_t part, int64_t ns) {
        own[part] += ns;
        all[part] += ns;
      });
    }
    for (const replay::PathTime& time : waited.all()) all[time.path] += time.ns;
    for (const auto& [call_path, ns] : own) {
      const auto known = on_path.find(call_path);
      const int64_t most = known == on_path.end() ? 0 : known->second;
      rows[{l, call_path}].activity = Seconds(std::min(ns, most));
      rows[{l, call_path}].other = Seconds(std::max<int64_t>(ns - most, 0));
    }
    AddIdle(on_path, own, &impact, &inter);
  }
  std::vector<ProfileRow> made;
  for (auto& [key, row] : rows) {
    row.location = key.first;
    row.path = key.second;
    const auto known = on_path.find(row.path);
    if (known != on_path.end() && known->second > 0) {
      const double share = row.seconds / Seconds(known->second);
      const double average = Seconds(all[row.path]) / graph.locations();
      row.imbalance = std::max(Seconds(known->second) - average, 0.0) * share;
      row.impact = impact[row.path] * share;
      row.inter_partition = std::min(inter[row.path], impact[row.path]) * share;
    }
    made.push_back(row);
  }
  return made;
}

}  // namespace epik::critical
