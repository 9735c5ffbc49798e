// SPDX-License-Identifier: BSD-3-Clause
// Goes through all waits from the last one to the first, so that what a wait made others wait is known when it is its
// turn to be shared out.
#include "analysis/causes/delays.h"

#include <algorithm>
#include <array>

#include "analysis/causes/table.h"
#include "analysis/causes/waits.h"
#include "analysis/graph/slice.h"
#include "analysis/replay/path_times.h"

namespace epik::causes {

using graph::Edge;
using graph::Graph;
using graph::kNone;
using graph::Place;
using graph::Slice;

using replay::Mix;

static uint64_t HashOf(const Cause& cause) {
  return Mix(uint64_t{cause.location} << 32 | cause.path) + Mix(uint64_t{cause.kind} << 1 | uint64_t{cause.waited});
}
static uint64_t HashOf(const Group& group) { return HashOf(Cause{group.location, group.path, false, group.kind}); }
static uint64_t HashOf(const Pair& pair) { return Mix(uint64_t{pair.waiter} << 32 | pair.waited_for); }

namespace {

constexpr uint8_t kNoFlow = UINT8_MAX;

// Waits that causes explain: those of a flow, or `further` ones that these come from.
struct Explained {
  uint8_t flow;
  bool further;
  Group group;
  bool operator==(const Explained&) const = default;
};
uint64_t HashOf(const Explained& key) { return Mix(HashOf(key.group) + (uint64_t{key.flow} << 1 | key.further)); }

// The waits that a cost is for: their kind, and their flow if they have one.
struct Purpose {
  Class kind;
  uint8_t flow;
  bool operator==(const Purpose&) const = default;
};

// Notes of earlier steps about waits, side by side for each: its costs, by purpose; whether it has been shared out; the
// most that it is to blame for of one other wait.
class Notes {
 public:
  struct Note {
    int64_t propagated;
    uint32_t first;  // of its costs: the number + 1
    bool done;
  };

  Notes(graph::Store* store, uint64_t edges) : notes_(store), costs_(store) { notes_.Resize(edges); }

  Note& operator[](uint32_t edge) { return notes_[edge]; }
  void Add(uint32_t edge, Purpose purpose, int64_t ns) {
    Note& note = notes_[edge];
    for (uint32_t c = note.first; c != 0; c = costs_[c - 1].next) {
      if (costs_[c - 1].purpose != purpose) continue;
      costs_[c - 1].ns += ns;
      return;
    }
    costs_.Append({ns, note.first, purpose});
    note.first = static_cast<uint32_t>(costs_.size());
  }
  template <typename Use>
  void ForEach(uint32_t edge, const Use& use) const {
    for (uint32_t c = notes_[edge].first; c != 0; c = costs_[c - 1].next) use(costs_[c - 1].purpose, costs_[c - 1].ns);
  }

 private:
  struct Cost {
    int64_t ns;
    uint32_t next;  // its number + 1
    Purpose purpose;
  };
  graph::Spill<Note> notes_;
  graph::Spill<Cost> costs_;
};

// Costs by cause, kind and term. Those of a cause make a list, which is short. A cause has a number.
class Costs {
 public:
  uint32_t NumberOf(const Cause& cause) { return causes_.NumberOf(cause); }
  const Cause& CauseAt(uint32_t number) const { return causes_.all()[number].first; }
  void Add(uint32_t cause, Class kind, bool longterm, int64_t ns) {
    uint32_t& first = causes_.At(cause);
    for (uint32_t s = first; s != 0; s = sums_[s - 1].next) {
      Sum& sum = sums_[s - 1];
      if (sum.kind != kind || sum.longterm != longterm) continue;
      sum.ns += ns;
      return;
    }
    sums_.push_back({ns, first, kind, longterm});
    first = static_cast<uint32_t>(sums_.size());
  }
  std::map<CostKey, int64_t> Map() const {
    std::map<CostKey, int64_t> all;
    for (const auto& [cause, first] : causes_.all()) {
      for (uint32_t s = first; s != 0; s = sums_[s - 1].next) {
        const Sum& sum = sums_[s - 1];
        all[{cause.location, cause.path, sum.kind, sum.longterm}] = sum.ns;
      }
    }
    return all;
  }

 private:
  struct Sum {
    int64_t ns;
    uint32_t next;  // its number + 1
    Class kind;
    bool longterm;
  };
  Table<Cause, uint32_t> causes_;  // the number of the first sum + 1
  std::vector<Sum> sums_;
};

// Shares whose sum is exact: each gets what the weights up to its own get, to the next nanosecond, less what those
// before it got.
class Sharing {
 public:
  Sharing(int64_t ns, int64_t weights) : ns_(ns), weights_(weights) {}
  int64_t Next(int64_t weight) {
    sum_ += weight;
    const auto until = static_cast<int64_t>((static_cast<__int128>(ns_) * sum_ + weights_ / 2) / weights_);
    const int64_t share = until - given_;
    given_ = until;
    return share;
  }

 private:
  int64_t ns_, weights_;
  int64_t sum_ = 0, given_ = 0;
};

class Finder {
 public:
  Finder(const Graph& graph, const graph::Mixtures& mixtures, const archive::TimeLimit& limit)
      : graph_(graph),
        mixtures_(mixtures),
        limit_(limit),
        store_(Graph::kBytesInMemory / 4),
        notes_(&store_, graph.edges()),
        waits_(graph, &store_) {}

  Delays Find() {
    ChooseFlows();
    // Nothing of a graph is in a cache when it is needed, so it is asked for some waits ahead: each first, half of the
    // way later what it leads to.
    constexpr size_t kAhead = 16;
    AllWaitsBackwards waits(waits_);
    std::array<AllWaitsBackwards::Turn, kAhead> coming;
    uint64_t known = 0, taken = 0;
    for (bool more = true; more || taken < known;) {
      AllWaitsBackwards::Turn turn;
      more = more && waits.Next(&turn);
      if (more) {
        coming[known++ % kAhead] = turn;
        AskFor(turn);
      }
      if (known - taken > kAhead / 2) AskForPartner(coming[(taken + kAhead / 2) % kAhead]);
      if (more && known - taken < kAhead) continue;
      if (taken < known) Take(coming[taken++ % kAhead]);
    }
    delays_.costs = costs_.Map();
    delays_.groups = groups_.Map();
    delays_.pairs = pairs_.Map();
    delays_.without_sender = waits_.without_sender();
    for (const auto& [key, facts] : causes_.all()) {
      const Explained& waits = explained_.all()[key >> 32].first;
      Flow& flow = delays_.flows[waits.flow];
      (waits.further ? flow.further[waits.group] : flow.causes)[costs_.CauseAt(static_cast<uint32_t>(key))] = facts;
    }
    return std::move(delays_);
  }

 private:
  struct Excess {
    uint32_t path;
    int64_t ns;
    uint32_t cause = kNone;  // its number
  };
  struct WaitInside {
    Place place;
    uint32_t edge;
    int64_t ns;
    uint32_t cause = kNone;
  };

  Group GroupOf(uint32_t location, const Wait& wait) const {
    return {location, graph_.At({location, wait.point}).path, ClassOf(graph_, graph_.EdgeAt(wait.edge))};
  }

  // The largest groups have flows.
  void ChooseFlows() {
    Table<Group, int64_t> sums;
    for (uint32_t location = 0; location < graph_.locations(); ++location) {
      for (uint64_t number = waits_.Begin(location); number < waits_.Begin(location + 1); ++number) {
        const Wait& wait = waits_[number];
        if (wait.edge != kNone) sums[GroupOf(location, wait)] += graph_.EdgeAt(wait.edge).Waited();
      }
    }
    std::vector<std::pair<Group, int64_t>> groups = sums.all();
    std::erase_if(groups, [](const auto& group) { return !IsWaiting(group.first.kind) || group.first.kind == kInit; });
    std::sort(groups.begin(), groups.end(), [](const auto& one, const auto& other) {
      return one.second != other.second ? one.second > other.second : one.first < other.first;
    });
    if (groups.size() > kMostFlows) groups.resize(kMostFlows);
    for (const auto& [group, ns] : groups) {
      groups_.NumberOf(group);  // which is the number of its flow
      delays_.flows.push_back({group, {}, {}});
    }
  }

  void AskFor(const AllWaitsBackwards::Turn& turn) {
    const Wait& wait = waits_[turn.wait];
    __builtin_prefetch(&graph_.EdgeAt(wait.edge));
    __builtin_prefetch(&graph_.At({turn.location, wait.point}));
    __builtin_prefetch(&notes_[wait.edge]);
    if (wait.partner.IsKnown()) __builtin_prefetch(&graph_.At(wait.partner));
  }
  void AskForPartner(const AllWaitsBackwards::Turn& turn) {
    const Wait& wait = waits_[turn.wait];
    const graph::Point& point = graph_.At({turn.location, wait.point});
    if (point.cells > 0) __builtin_prefetch(graph_.Segment(point).data());
    if (!wait.partner.IsKnown()) return;
    const graph::Point& partner = graph_.At(wait.partner);
    if (partner.cells > 0) __builtin_prefetch(graph_.Segment(partner).data());
    if (partner.edge != kNone) __builtin_prefetch(&graph_.EdgeAt(partner.edge));
  }

  void Take(const AllWaitsBackwards::Turn& turn) {
    limit_.Check();
    const Wait& wait = waits_[turn.wait];
    notes_[wait.edge].done = true;
    const Edge& edge = graph_.EdgeAt(wait.edge);
    current_ = GroupOf(turn.location, wait);
    const Class kind = current_.kind;
    const uint32_t group = IsWaiting(kind) ? groups_.NumberOf(current_) : kNone;
    if (group != kNone) Count(group, edge, wait.edge);
    const bool is_known = edge.partner.IsKnown() && edge.partner.location != turn.location;
    if (is_known) {
      Compare(turn, edge);
    } else {
      excess_.assign(1, {current_.path, edge.Waited()});
      inside_.clear();
      weights_ = edge.Waited();
      if (group != kNone) delays_.unknown_ns += edge.Waited();
    }
    const uint32_t who = is_known ? edge.partner.location : turn.location;
    for (Excess& excess : excess_) excess.cause = costs_.NumberOf({who, excess.path, false, kHandsOn});
    if (kind == kIdle) {
      delays_.idle_ns += edge.Waited();
      Share(who, edge.Waited(), {kind, kNoFlow}, false, kNone);
    }
    if (group != kNone) {
      pairs_[{turn.location, who}] += edge.Waited();
      const uint8_t flow = group < delays_.flows.size() ? static_cast<uint8_t>(group) : kNoFlow;
      Share(who, edge.Waited(), {kind, flow}, false, group);
    }
    notes_.ForEach(wait.edge, [&](Purpose finally, int64_t ns) { Share(who, ns, finally, true, kNone); });
  }

  void Count(uint32_t number, const Edge& edge, uint32_t edge_number) {
    delays_.waited_ns += edge.Waited();
    ++delays_.waits;
    GroupFacts& facts = groups_.At(number);
    facts.ns += edge.Waited();
    facts.propagating_ns += std::min(notes_[edge_number].propagated, edge.Waited());
    ++facts.instances;
  }

  // Finds the call paths in which S spent more time than R since both were brought together, and S's waits. A thread
  // that is idle, has not begun or has ended does nothing: that time counts as far as S has more of it than R.
  void Compare(const AllWaitsBackwards::Turn& turn, const Edge& edge) {
    const uint32_t waiter = turn.location, other = edge.partner.location;
    const Common common = FindCommon(waits_, waiter, turn.wait);
    its_.Clear();
    inside_.clear();
    weights_ = 0;
    const int64_t missing = Missing(other, common.since, edge.to, common.other_born);
    int64_t idle = missing;
    int64_t longer = idle - Missing(waiter, common.since, edge.from, INT64_MIN);
    graph::ForSlice(
        graph_, Slice{other, std::max(common.since, common.other_born), edge.to, common.other_near},
        [&](uint32_t path, int64_t ns) { AddParts(other, path, ns, 1); },
        [&](Place its_place, uint32_t number, int64_t ns) {
          // By wrong clocks only: a wait that ended later has been shared out already.
          if (notes_[number].done) {
            its_.At(graph_.At(its_place).path).ns += ns;
          } else {
            inside_.push_back({its_place, number, ns});
            if (IsIdle(number)) idle += ns, longer += ns;
          }
        });
    graph::ForSlice(
        graph_, Slice{waiter, common.since, edge.from, common.waiter_near},
        [&](uint32_t path, int64_t ns) { AddParts(waiter, path, ns, -1); },
        [&](Place, uint32_t number, int64_t ns) { longer -= IsIdle(number) ? ns : 0; });
    if (idle > 0) {
      Sharing sharing(std::max<int64_t>(longer, 0), idle);
      its_.At(kNone).ns += sharing.Next(missing);
      for (WaitInside& inside : inside_) {
        if (IsIdle(inside.edge)) inside.ns = sharing.Next(inside.ns);
      }
      std::erase_if(inside_, [](const WaitInside& inside) { return inside.ns == 0; });
    }
    for (const WaitInside& inside : inside_) weights_ += inside.ns;
    excess_.clear();
    for (const replay::PathTime& time : its_.all()) {
      if (time.ns > 0) excess_.push_back({time.path, time.ns});
    }
    std::sort(excess_.begin(), excess_.end(), [](const Excess& a, const Excess& b) { return a.path < b.path; });
    for (const Excess& excess : excess_) weights_ += excess.ns;
  }

  void AddParts(uint32_t location, uint32_t path, int64_t ns, int sign) {
    if (mixtures_.IsEmpty()) {
      its_.At(path).ns += sign * ns;
      return;
    }
    mixtures_.ForEach(location, path, ns, [&](uint32_t part, int64_t its) { its_.At(part).ns += sign * its; });
  }

  // Whether the thread had no work at that time: it belonged to no team, or was not born yet.
  bool IsIdle(uint32_t edge) const { return graph_.EdgeAt(edge).kind == graph::EdgeKind::kFork; }

  // Time of a slice in which the location, or the thread that was born there, had not begun, or had ended.
  int64_t Missing(uint32_t location, int64_t from, int64_t to, int64_t born) const {
    const int64_t begin = std::max(graph_.At({location, 0}).begin, born);
    const int64_t end = graph_.At({location, graph_.size(location) - 1}).end;
    return std::max<int64_t>(std::min(begin, to) - from, 0) + std::max<int64_t>(to - std::max(end, from), 0);
  }

  // Shares out a cost of the current wait. `group`: the number of its group if the cost is the wait's own time.
  void Share(uint32_t who, int64_t ns, Purpose purpose, bool longterm, uint32_t group) {
    Sharing sharing(ns, weights_);
    const uint32_t explained = NumberOf(purpose.flow, longterm);
    for (const Excess& excess : excess_) {
      const int64_t share = sharing.Next(excess.ns);
      if (share == 0) continue;
      costs_.Add(excess.cause, purpose.kind, longterm, share);
      if (explained != kNone) Explain(explained, excess.cause, share, excess.ns);
    }
    for (WaitInside& inside : inside_) {
      const int64_t share = sharing.Next(inside.ns);
      if (share == 0) continue;
      notes_.Add(inside.edge, purpose, share);
      if (group != kNone) {
        int64_t& propagated = notes_[inside.edge].propagated;
        propagated = std::max(propagated, share);
        groups_.At(group).indirect_ns += share;
      }
      if (explained == kNone) continue;
      if (inside.cause == kNone) inside.cause = costs_.NumberOf(CauseOf(who, inside));
      Explain(explained, inside.cause, share, inside.ns);
    }
  }

  Cause CauseOf(uint32_t who, const WaitInside& inside) const {
    return {who, graph_.At(inside.place).path, true, ClassOf(graph_, graph_.EdgeAt(inside.edge))};
  }

  // The number of what the causes of the current wait explain; kNone: the wait has no flow.
  uint32_t NumberOf(uint8_t flow, bool further) {
    if (flow == kNoFlow) return kNone;
    return explained_.NumberOf({flow, further, further ? current_ : delays_.flows[flow].waits});
  }

  void Explain(uint32_t explained, uint32_t cause, int64_t share, int64_t more) {
    CauseFacts& facts = causes_[uint64_t{explained} << 32 | cause];
    facts.ns += share;
    facts.more += more;
  }

  const Graph& graph_;
  const graph::Mixtures& mixtures_;
  const archive::TimeLimit& limit_;
  graph::Store store_;
  Notes notes_;
  const Waits waits_;
  Delays delays_;
  Costs costs_;
  Table<Group, GroupFacts> groups_;     // those with flows first
  Table<Explained, bool> explained_;    // only their numbers count
  Table<uint64_t, CauseFacts> causes_;  // by numbers of what is explained, and of the cause
  Table<Pair, int64_t> pairs_;
  // Take works on one wait at a time. These are its group and its shares.
  Group current_{};
  replay::PathTimes its_;
  std::vector<Excess> excess_;
  std::vector<WaitInside> inside_;
  int64_t weights_ = 0;
};

}  // namespace

int64_t Delays::Cost() const {
  int64_t sum = 0;
  for (const auto& [key, ns] : costs) sum += ns;
  return sum;
}

Delays FindDelays(const Graph& graph, const graph::Mixtures& mixtures, const archive::TimeLimit& limit) {
  return Finder(graph, mixtures, limit).Find();
}

}  // namespace epik::causes
