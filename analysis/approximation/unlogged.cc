// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/unlogged.h"

#include <algorithm>
#include <numeric>

namespace epik::approximation {

using archive::kNone;
using graph::Cell;
using graph::Point;
using graph::PointKind;

Unlogged::Unlogged(const graph::Graph& graph, const archive::Profile* profile, std::vector<uint32_t> columns)
    : profile_(profile), columns_(std::move(columns)) {
  const bool has_visits = profile_->FindMetric("visits") != kNone;
  for (const archive::Region& region : profile_->regions) roles_.push_back(replay::OperationOf(region.name).role);
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    Logged& logged = logged_.emplace_back(LoggedOf(graph, l));
    if (!has_visits || columns_[l] >= profile_->locations.size()) continue;
    CountMissing(columns_[l], &logged);
    FindStays(columns_[l], &logged);
  }
}

// The last element stands for time of which the trace says nothing.
Unlogged::Logged Unlogged::LoggedOf(const graph::Graph& graph, uint32_t location) const {
  const size_t paths = profile_->call_paths.size();
  Logged logged;
  logged.visits.resize(paths + 1);
  logged.ns.resize(paths + 1);
  for (uint32_t p = 0; p < graph.size(location); ++p) {
    const Point& point = graph.At({location, p});
    if (point.kind == PointKind::kCall && !point.continues && point.path < paths) ++logged.visits[point.path];
    for (const Cell& cell : graph.Segment(point)) {
      const size_t path = std::min<size_t>(cell.path, paths);
      logged.visits[path] += cell.visits;
      logged.ns[path] += static_cast<double>(cell.ns);
    }
  }
  return logged;
}

void Unlogged::CountMissing(uint32_t column, Logged* logged) const {
  const uint32_t metric = profile_->FindMetric("visits");
  const size_t paths = profile_->call_paths.size();
  logged->missing.assign(paths, 0);
  logged->share.assign(paths, 0);
  for (uint32_t path = 0; path < paths; ++path) {
    const auto& values = profile_->values[metric];
    const double visits = values.Has(path) ? values.Real(path, column) : 0;
    logged->missing[path] = std::max(0.0, visits - logged->visits[path]);
    if (visits > 0) logged->share[path] = std::min(1.0, logged->missing[path] / visits);
  }
}

// Some visits of a call path are logged, and others are not. The logged ones have a proportional share of its callees,
// but no more than the trace has time for.
void Unlogged::FindStays(uint32_t column, Logged* logged) const {
  const uint32_t metric = profile_->FindMetric("time");
  const size_t paths = profile_->call_paths.size();
  const std::vector<double> own = metric == kNone ? std::vector<double>(paths) : profile_->Exclusive(metric, column);
  std::vector<double> below(paths + 1);  // nanoseconds of callees without a record, all of their levels
  logged->stays.assign(paths, 0);
  // Callees come after their callers.
  for (size_t path = paths; path-- > 0;) {
    const double share = logged->share[path], its_own = own[path] * 1e9;
    if (logged->ns[path] > 0) {
      const double room = std::max(0.0, logged->ns[path] - its_own * (1 - share));
      logged->stays[path] = share > 0 && below[path] > 0 ? std::min(1 - share, room / below[path]) : 1 - share;
    }
    const uint32_t parent = profile_->call_paths[path].parent;
    below[parent == kNone ? paths : parent] += below[path] * (1 - logged->stays[path]) + its_own * share;
  }
}

namespace {

using Part = graph::Mixtures::Part;

// A call path may have thousands of callees. Time of the short ones remains that of their caller.
constexpr size_t kMostParts = 64;
void KeepLongest(std::vector<Part>* parts) {
  if (parts->size() <= 4 * kMostParts) return;
  std::nth_element(parts->begin(), parts->begin() + kMostParts, parts->end(),
                   [](const Part& a, const Part& b) { return a.share > b.share; });
  parts->resize(kMostParts);
}

}  // namespace

// By call path, whether its time in the trace may be that of other calls than those that the trace looked at. A trace
// that lacks MPI_Init, or all calls of a collective operation, was off for a part of the run: outside of a window,
// say. Functions that communicated only then are missing below callers that were open then.
std::vector<bool> Unlogged::CallersWhileOff(const Logged& logged) const {
  const size_t paths = profile_->call_paths.size();
  std::vector<bool> callers(paths);
  bool was_off = false;
  for (size_t path = paths; path-- > 0;) {
    const archive::CallPath& call = profile_->call_paths[path];
    if (logged.missing[path] > 0 && logged.visits[path] == 0) {
      const replay::Role role = roles_[call.region];
      if (replay::IsCollective(role) || replay::IsOfJob(role)) was_off = true;
      if (replay::IsOfMpi(role) && role != replay::Role::kTest) callers[path] = true;
    }
    if (callers[path] && call.parent != kNone) callers[call.parent] = true;
  }
  return was_off ? callers : std::vector<bool>(paths);
}

graph::Mixtures Unlogged::Mix() const {
  graph::Mixtures mixtures;
  const uint32_t metric = profile_->FindMetric("time");
  const size_t paths = profile_->call_paths.size();
  for (uint32_t l = 0; l < logged_.size() && metric != kNone; ++l) {
    const Logged& logged = logged_[l];
    if (logged.stays.empty()) continue;
    const std::vector<double> own = profile_->Exclusive(metric, columns_[l]);
    const std::vector<bool> while_off = CallersWhileOff(logged);
    // By call path: nanoseconds of callees without a record, all of their levels.
    std::unordered_map<uint32_t, std::vector<Part>> below;
    for (size_t path = paths; path-- > 0;) {
      const auto number = static_cast<uint32_t>(path);
      std::vector<Part> parts;
      if (auto node = below.extract(number); !node.empty()) parts = std::move(node.mapped());
      KeepLongest(&parts);
      const double stays = logged.stays[path];
      if (stays > 0 && !parts.empty() && logged.ns[path] > 0 && !while_off[path]) {
        std::vector<Part> shares;
        double all = 0;
        for (const Part& part : parts) {
          shares.push_back({part.path, part.share * stays / logged.ns[path]});
          all += shares.back().share;
        }
        for (Part& share : shares) share.share /= std::max(all, 1.0);
        mixtures.Set(l, number, std::move(shares));
      }
      const uint32_t parent = profile_->call_paths[path].parent;
      if (parent == kNone) continue;
      std::vector<Part>* callers = nullptr;
      const auto hand_on = [&](uint32_t part, double ns) {
        if (ns <= 0) return;
        if (callers == nullptr) callers = &below[parent];
        callers->push_back({part, ns});
      };
      for (const Part& part : parts) hand_on(part.path, part.share * (1 - stays));
      hand_on(number, own[path] * 1e9 * logged.share[path]);
    }
  }
  return mixtures;
}

namespace {

bool MayHaveAsked(const replay::Operation& got) {
  return got.role == replay::Role::kTest || (got.role == replay::Role::kReceive && !got.immediate);
}

// How long the thread may have asked in vain for what the point got: until all that it needed was there.
int64_t WindowOf(const graph::Graph& graph, graph::Place place) {
  const Point& point = graph.At(place);
  if (place.point == 0 || point.polled > 0 || !MayHaveAsked(point.operation)) return 0;
  const int64_t since = graph.At({place.location, place.point - 1}).end;
  int64_t ready = since;
  graph.ForEachEdge(point, [&](const graph::Edge& edge) {
    if (edge.partner.IsKnown()) ready = std::max(ready, graph.At(edge.partner).begin);
  });
  return std::min(ready, point.begin) - since;
}

}  // namespace

// MPI_Test asks for requests, MPI_Iprobe for what is received then.
static bool IsForRequest(const replay::Operation& operation) {
  return operation.role == replay::Role::kTest && operation.asks != replay::Asks::kNo;
}

Unlogged::Asked Unlogged::AskedInVain(uint32_t location) const {
  const uint32_t time = profile_->FindMetric("time");
  Asked asked;
  for (uint32_t path = 0; path < profile_->call_paths.size() && time != kNone; ++path) {
    const archive::CallPath& call = profile_->call_paths[path];
    if (call.parent == kNone || !profile_->values[time].Has(path)) continue;
    const replay::Operation operation = replay::OperationOf(profile_->regions[call.region].name);
    if (operation.role != replay::Role::kTest) continue;
    const double ns = profile_->values[time].Real(path, columns_[location]) * 1e9 * logged_[location].share[path];
    if (ns > 0) asked[IsForRequest(operation)][call.parent] += ns;
  }
  return asked;
}

void Unlogged::PlacePolls(graph::Graph* graph) const {
  struct Asking {
    uint32_t caller = kNone;  // the innermost caller from which calls asked in vain
    double ns = 0;
  };
  const auto asking_for = [&](const Asked& asked, const Point& point) {
    const std::unordered_map<uint32_t, double>& by_caller = asked[IsForRequest(point.operation)];
    uint32_t caller = by_caller.empty() ? kNone : profile_->call_paths[point.path].parent;
    for (; caller != kNone; caller = profile_->call_paths[caller].parent) {
      if (const auto found = by_caller.find(caller); found != by_caller.end()) return Asking{caller, found->second};
    }
    return Asking();
  };
  for (uint32_t l = 0; l < logged_.size(); ++l) {
    if (logged_[l].share.empty()) continue;
    const Asked asked = AskedInVain(l);
    std::unordered_map<uint32_t, Asking> asking;   // by the call path that got something
    std::unordered_map<uint32_t, double> windows;  // by caller
    const auto for_each = [&](const auto& use) {
      for (uint32_t p = 0; p < graph->size(l); ++p) {
        const int64_t window = WindowOf(*graph, {l, p});
        Point& point = graph->At({l, p});
        if (window <= 0 || point.path >= profile_->call_paths.size()) continue;
        const auto [found, is_new] = asking.try_emplace(point.path);
        if (is_new) found->second = asking_for(asked, point);
        if (found->second.ns > 0) use(found->second, static_cast<double>(window), &point);
      }
    };
    for_each([&](const Asking& its, double window, Point*) { windows[its.caller] += window; });
    for_each([&](const Asking& its, double window, Point* point) {
      point->polled = static_cast<int64_t>(window * std::min(1.0, its.ns / windows[its.caller]));
      point->poll_path = its.caller;
    });
  }
}

double Densities::At(const Stay& stay) const {
  if (stay.location() < by_kind_.size()) {
    if (const auto found = by_kind_[stay.location()].find(stay.path); found != by_kind_[stay.location()].end()) {
      const uint32_t kind = found->second.kinds->Of(stay);
      if (kind != kNone) return found->second.density[kind];
    }
  }
  return At(stay.location(), stay.path);
}

void Unlogged::Place(const graph::Graph& graph) {
  callers_.resize(logged_.size());
  std::unordered_map<uint32_t, std::vector<PlacedCaller*>> by_path;
  for (uint32_t l = 0; l < logged_.size(); ++l) {
    if (logged_[l].stays.empty()) continue;
    PrepareCallers(l);
    AddStays(graph, l);
    for (auto& [path, caller] : callers_[l]) by_path[path].push_back(&caller);
  }
  for (const auto& [path, callers] : by_path) FindWhole(callers);
  for (Callers& callers : callers_) {
    for (auto& [path, caller] : callers) caller.FillShares();
    // A caller whose stays are all alike says nothing.
    std::erase_if(callers, [](const auto& caller) { return caller.second.IsEven(); });
  }
}

bool Unlogged::KnowsLocks() const {
  for (const Callers& callers : callers_) {
    for (const auto& [path, caller] : callers) {
      if (!caller.KnowsLocks()) return false;
    }
  }
  return true;
}

// Finds the call paths with time of callees that the trace lacks.
void Unlogged::PrepareCallers(uint32_t location) {
  const uint32_t metric = profile_->FindMetric("time"), shortest = profile_->FindMetric("min_time");
  if (metric == kNone) return;
  const Logged& logged = logged_[location];
  const uint32_t column = columns_[location];
  const size_t paths = profile_->call_paths.size();
  const std::vector<double> own = profile_->Exclusive(metric, column);
  std::vector<double> below(paths + 1);
  std::unordered_map<uint32_t, std::vector<PlacedCallee>> callees;  // by caller
  for (size_t path = paths; path-- > 0;) {
    const uint32_t parent = profile_->call_paths[path].parent;
    const double handed = below[path] * (1 - logged.stays[path]) + own[path] * 1e9 * logged.share[path];
    below[parent == kNone ? paths : parent] += handed;
    if (parent == kNone || handed <= 0 || logged.stays[parent] <= 0) continue;
    const bool has = shortest != kNone && profile_->values[shortest].Has(path);
    const double least = has ? profile_->values[shortest].Real(path, column) * 1e9 : 0;
    PlacedCallee& callee = callees[parent].emplace_back();
    callee.path = static_cast<uint32_t>(path);
    callee.ns = handed * logged.stays[parent];
    callee.visits = logged.missing[path] * logged.stays[parent];
    callee.shortest = static_cast<int64_t>(least);
  }
  constexpr double kMatters = 0.005;  // of the time of the location
  const double least = kMatters * std::accumulate(logged.ns.begin(), logged.ns.end(), 0.0);
  for (auto& [path, its] : callees) {
    const double sum =
        std::accumulate(its.begin(), its.end(), 0.0, [](double ns, const auto& one) { return ns + one.ns; });
    if (logged.ns[path] > 0 && sum > least) callers_[location][path].Prepare(std::move(its));
  }
}

void Unlogged::AddStays(const graph::Graph& graph, uint32_t location) {
  Callers& callers = callers_[location];
  for (uint32_t p = 0; p < graph.size(location) && !callers.empty(); ++p) {
    for (const Cell& cell : graph.Segment(graph.At({location, p}))) {
      const auto caller = callers.find(cell.path);
      if (caller != callers.end() && cell.ns > 0) caller->second.kinds.Add({&graph, {location, p}, cell.path, cell.ns});
    }
  }
  std::erase_if(callers, [](const auto& caller) { return caller.second.kinds.kinds().empty(); });
}

Densities Unlogged::Spread(const Worth& worth, Whereabouts whereabouts) const {
  Densities densities;
  densities.of_.resize(logged_.size());
  densities.by_kind_.resize(callers_.size());
  const size_t paths = profile_->call_paths.size();
  for (uint32_t l = 0; l < logged_.size(); ++l) {
    const Logged& logged = logged_[l];
    if (logged.stays.empty()) continue;
    const Callers* callers = l < callers_.size() ? &callers_[l] : nullptr;
    std::vector<double> below(paths + 1);  // what callees without a record are worth, all of their levels
    for (size_t path = paths; path-- > 0;) {
      const auto number = static_cast<uint32_t>(path);
      const double stays = below[path] * logged.stays[path], missing = logged.missing[path];
      if (stays != 0) densities.of_[l][number] = stays / logged.ns[path];
      const double own = missing > 0 ? worth(number, columns_[l], missing, logged.share[path]) : 0;
      const uint32_t parent = profile_->call_paths[path].parent;
      const double handed = below[path] - stays + own;
      below[parent == kNone ? paths : parent] += handed;
      if (callers == nullptr || handed == 0) continue;
      const auto caller = callers->find(parent);
      if (caller == callers->end()) continue;
      if (caller->second.IsScattered(number)) densities.scattered_ += handed * logged.stays[parent];
      Densities::ByKind& its = densities.by_kind_[l][parent];
      its.kinds = &caller->second.kinds;
      caller->second.AddTo(number, handed * logged.stays[parent], whereabouts, &its.density);
    }
    if (below[paths] != 0 && logged.ns[paths] > 0) densities.of_[l][kNone] = below[paths] / logged.ns[paths];
    if (callers == nullptr) continue;
    for (auto& [path, its] : densities.by_kind_[l]) {
      for (size_t k = 0; k < its.density.size(); ++k) its.density[k] /= its.kinds->kinds()[k].ns;
    }
  }
  return densities;
}

}  // namespace epik::approximation
