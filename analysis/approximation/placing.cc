// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/placing.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/approximation/whole_calls.h"

namespace epik::approximation {

namespace {

constexpr size_t kMostCallees = 16;   // of a caller, that get shares
constexpr size_t kMostLengths = 4;    // of visits, that separate kinds of stays
constexpr size_t kMostWhole = 8;      // callees that are looked at together …
constexpr size_t kMostPlaces = 6;     // … and places …
constexpr size_t kMostLocations = 8;  // … and locations
constexpr double kMatters = 0.01;     // of the time of all callees
constexpr double kAlmost = 0.999;     // a visit may seem longer than its stay by that: times are rounded

constexpr double kInEach = 0.9;  // visits for each stay, but for the first and the last rounds of a loop
constexpr double kMostlyScattered = 0.5;

std::vector<int64_t> LengthsOf(const std::vector<PlacedCallee>& callees) {
  constexpr double kApart = 1.05;
  std::vector<int64_t> all, lengths;
  for (const PlacedCallee& callee : callees) {
    const auto ns = static_cast<int64_t>(static_cast<double>(callee.shortest) * kAlmost);
    if (ns > 0 && all.size() < kMostLengths) all.push_back(ns);
  }
  std::sort(all.begin(), all.end());
  for (const int64_t ns : all) {
    if (lengths.empty() || static_cast<double>(ns) > kApart * static_cast<double>(lengths.back()))
      lengths.push_back(ns);
  }
  return lengths;
}

bool IsLongEnough(const PlacedCallee& callee, const StayKinds::Kind& kind) {
  return static_cast<double>(kind.longest) >= static_cast<double>(callee.shortest) * kAlmost;
}

bool HasPlaceIn(const PlacedCallee& callee, const StayKinds::Kind& kind) {
  if (callee.after != PlacedCallee::kAnywhere && callee.after != kind.after) return false;
  return IsLongEnough(callee, kind);
}

// The keys that take most time, over all callers.
template <class Each>
std::vector<uint64_t> Largest(size_t most, double least_share, const Each& each) {
  std::unordered_map<uint64_t, double> sums;
  double all = 0;
  each([&](uint64_t key, double ns) {
    sums[key] += ns;
    all += ns;
  });
  std::vector<std::pair<double, uint64_t>> sorted;
  for (const auto& [key, ns] : sums) {
    if (ns >= least_share * all) sorted.emplace_back(-ns, key);
  }
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() > most) sorted.resize(most);
  std::vector<uint64_t> keys;
  for (const auto& [ns, key] : sorted) keys.push_back(key);
  return keys;
}

size_t IndexOf(const std::vector<uint64_t>& keys, uint64_t key) {
  return static_cast<size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
}

WholeCalls CallsOf(const PlacedCaller& caller, const std::vector<uint64_t>& places,
                   const std::vector<uint64_t>& callees) {
  WholeCalls calls;
  calls.places.resize(places.size());
  calls.callees.resize(callees.size());
  for (const StayKinds::Kind& kind : caller.kinds.kinds()) {
    const size_t p = IndexOf(places, kind.after);
    (p < places.size() ? calls.places[p] : calls.elsewhere) += kind.ns;
  }
  for (const PlacedCallee& callee : caller.callees) {
    const size_t c = IndexOf(callees, callee.path);
    if (c == callees.size()) continue;
    calls.callees[c] = {callee.ns, callee.visits, std::vector<double>(places.size())};
    for (const StayKinds::Kind& kind : caller.kinds.kinds()) {
      const size_t p = IndexOf(places, kind.after);
      if (p < places.size() && HasPlaceIn(callee, kind)) calls.callees[c].stays[p] += static_cast<double>(kind.stays);
    }
  }
  return calls;
}

}  // namespace

void PlacedCaller::Prepare(std::vector<PlacedCallee> all) {
  callees = std::move(all);
  std::stable_sort(callees.begin(), callees.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
  double sum = 0;
  for (const PlacedCallee& callee : callees) sum += callee.ns;
  if (callees.size() > kMostCallees) callees.resize(kMostCallees);
  while (callees.size() > 1 && callees.back().ns < kMatters * sum) callees.pop_back();
  kinds = StayKinds(LengthsOf(callees));
}

// The kinds with a lock, if `with_lock`, or the others, get as much of the callee as they have room for.
std::vector<double> PlacedCaller::Pressed(const PlacedCallee& callee, bool with_lock) const {
  std::vector<double> shares(kinds.kinds().size());
  double left = callee.ns;
  for (const bool first : {true, false}) {
    double room = 0;
    const auto takes = [&](const StayKinds::Kind& kind) {
      return HasPlaceIn(callee, kind) && (kind.has_lock == with_lock) == first;
    };
    for (const StayKinds::Kind& kind : kinds.kinds()) room += takes(kind) ? kind.ns : 0;
    if (room <= 0) continue;
    const double used = std::min(left, room);
    for (size_t k = 0; k < shares.size(); ++k) {
      if (takes(kinds.kinds()[k])) shares[k] = used / callee.ns * kinds.kinds()[k].ns / room;
    }
    left -= used;
  }
  return shares;
}

void PlacedCaller::FillShares() {
  std::vector<double> left;
  for (const StayKinds::Kind& kind : kinds.kinds()) left.push_back(kind.ns);
  std::vector<PlacedCallee*> order;
  for (PlacedCallee& callee : callees) order.push_back(&callee);
  std::stable_sort(order.begin(), order.end(), [](const PlacedCallee* a, const PlacedCallee* b) {
    const bool a_is_whole = a->after != PlacedCallee::kAnywhere, b_is_whole = b->after != PlacedCallee::kAnywhere;
    return a_is_whole != b_is_whole ? a_is_whole : a->shortest > b->shortest;
  });
  for (PlacedCallee* callee : order) Fill(callee, &left);
}

// In a loop, the first visits of a callee may come before the call that it follows otherwise. They go where they fit
// in. Returns the share that found room.
double PlacedCaller::FillElsewhere(PlacedCallee* callee, std::vector<double>* left) const {
  if (callee->after == PlacedCallee::kAnywhere) return 0;
  double room = 0, stays = 0, room_elsewhere = 0;
  const auto is_elsewhere = [&](const StayKinds::Kind& kind) {
    return kind.after != callee->after && IsLongEnough(*callee, kind);
  };
  for (size_t k = 0; k < left->size(); ++k) {
    const StayKinds::Kind& kind = kinds.kinds()[k];
    if (is_elsewhere(kind)) room_elsewhere += (*left)[k];
    if (!HasPlaceIn(*callee, kind)) continue;
    room += (*left)[k];
    stays += static_cast<double>(kind.stays);
  }
  const double first = callee->ns * VisitsElsewhere(callee->visits, stays) / std::max(callee->visits, 1.0);
  const double used = std::min(std::max(first, callee->ns - room), room_elsewhere);
  if (used <= 0) return 0;
  for (size_t k = 0; k < left->size(); ++k) {
    if (!is_elsewhere(kinds.kinds()[k])) continue;
    const double its = used * (*left)[k] / room_elsewhere;
    callee->shares[static_cast<size_t>(Whereabouts::kLikely)][k] = its / callee->ns;
    (*left)[k] -= its;
  }
  return used / callee->ns;
}

void PlacedCaller::Fill(PlacedCallee* callee, std::vector<double>* left) const {
  double all = 0, room = 0;
  bool with_lock = false, without_lock = false;
  for (size_t k = 0; k < left->size(); ++k) {
    const StayKinds::Kind& kind = kinds.kinds()[k];
    all += kind.ns;
    if (!HasPlaceIn(*callee, kind)) continue;
    room += (*left)[k];
    (kind.has_lock ? with_lock : without_lock) = true;
  }
  if (room <= 0 || callee->ns <= 0) return;
  std::vector<double>& shares = callee->shares[static_cast<size_t>(Whereabouts::kLikely)];
  shares.resize(left->size());
  const double rest = 1 - FillElsewhere(callee, left);
  const double used = std::min(1.0, rest * callee->ns / room);
  for (size_t k = 0; k < left->size(); ++k) {
    if (!HasPlaceIn(*callee, kinds.kinds()[k])) continue;
    shares[k] = rest * (*left)[k] / room;
    (*left)[k] *= 1 - used;
  }
  double scattered = 0;
  for (size_t k = 0; k < left->size(); ++k) {
    const bool in_each = shares[k] * callee->visits >= kInEach * static_cast<double>(kinds.kinds()[k].stays);
    if (!in_each) scattered += shares[k];
  }
  callee->is_scattered = scattered > kMostlyScattered;
  const bool matters = callee->ns >= kMatters * all;
  if (!matters || !with_lock || !without_lock || callee->after != PlacedCallee::kAnywhere) return;
  callee->shares[static_cast<size_t>(Whereabouts::kWithLocks)] = Pressed(*callee, true);
  callee->shares[static_cast<size_t>(Whereabouts::kWithoutLocks)] = Pressed(*callee, false);
}

bool PlacedCaller::IsScattered(uint32_t callee) const {
  return std::any_of(callees.begin(), callees.end(),
                     [callee](const PlacedCallee& one) { return one.path == callee && one.is_scattered; });
}

bool PlacedCaller::IsEven() const {
  return kinds.kinds().size() < 2 &&
         std::none_of(callees.begin(), callees.end(), [](const PlacedCallee& callee) { return callee.is_scattered; });
}

bool PlacedCaller::KnowsLocks() const {
  return std::all_of(callees.begin(), callees.end(), [](const PlacedCallee& callee) {
    return callee.shares[static_cast<size_t>(Whereabouts::kWithLocks)].empty();
  });
}

const std::vector<double>* PlacedCaller::SharesOf(uint32_t callee, Whereabouts whereabouts) const {
  const auto found =
      std::find_if(callees.begin(), callees.end(), [callee](const PlacedCallee& one) { return one.path == callee; });
  if (found == callees.end()) return nullptr;
  for (const Whereabouts one : {whereabouts, Whereabouts::kLikely}) {
    const std::vector<double>& shares = found->shares[static_cast<size_t>(one)];
    if (!shares.empty()) return &shares;
  }
  return nullptr;
}

void PlacedCaller::AddTo(uint32_t callee, double value, Whereabouts whereabouts, std::vector<double>* by_kind) const {
  by_kind->resize(kinds.kinds().size());
  if (const std::vector<double>* shares = SharesOf(callee, whereabouts)) {
    for (size_t k = 0; k < by_kind->size(); ++k) (*by_kind)[k] += value * (*shares)[k];
    return;
  }
  double all = 0;
  for (const StayKinds::Kind& kind : kinds.kinds()) all += kind.ns;
  for (size_t k = 0; k < by_kind->size() && all > 0; ++k) (*by_kind)[k] += value * kinds.kinds()[k].ns / all;
}

void FindWhole(const std::vector<PlacedCaller*>& callers) {
  std::vector<PlacedCaller*> some = callers;
  const auto all_of = [](const PlacedCaller* caller) {
    double ns = 0;
    for (const StayKinds::Kind& kind : caller->kinds.kinds()) ns += kind.ns;
    return ns;
  };
  std::stable_sort(some.begin(), some.end(), [&](const auto* a, const auto* b) { return all_of(a) > all_of(b); });
  if (some.size() > kMostLocations) some.resize(kMostLocations);
  const std::vector<uint64_t> places = Largest(kMostPlaces, kMatters, [&](const auto& add) {
    for (const PlacedCaller* caller : some) {
      for (const StayKinds::Kind& kind : caller->kinds.kinds()) add(kind.after, kind.ns);
    }
  });
  const std::vector<uint64_t> callees = Largest(kMostWhole, kMatters, [&](const auto& add) {
    for (const PlacedCaller* caller : some) {
      for (const PlacedCallee& callee : caller->callees) add(callee.path, callee.ns);
    }
  });
  std::vector<WholeCalls> threads;
  for (const PlacedCaller* caller : some) threads.push_back(CallsOf(*caller, places, callees));
  const std::vector<uint32_t> found = PlacesOfCallees(threads);
  for (PlacedCaller* caller : callers) {
    for (PlacedCallee& callee : caller->callees) {
      const size_t c = IndexOf(callees, callee.path);
      if (c < found.size() && found[c] != kAnyPlace) callee.after = places[found[c]];
    }
  }
}

}  // namespace epik::approximation
