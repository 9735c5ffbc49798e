// SPDX-License-Identifier: BSD-3-Clause
// Goes through all waits from the last one to the first, so that what a wait made others wait is known when it is its
// turn to be shared out.
#include "analysis/causes/delays.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/causes/waits.h"
#include "analysis/graph/slice.h"

namespace epik::causes {

using graph::Edge;
using graph::Graph;
using graph::kNone;
using graph::Place;
using graph::Slice;

namespace {

// Costs that earlier steps found for waits, by wait and kind.
class Caused {
 public:
  Caused(graph::Store* store, uint64_t edges) : first_(store), entries_(store) { first_.Resize(edges); }

  void Add(uint32_t edge, Class kind, int64_t ns) {
    for (uint32_t e = first_[edge]; e != 0; e = entries_[e - 1].next) {
      if (entries_[e - 1].kind != kind) continue;
      entries_[e - 1].ns += ns;
      return;
    }
    entries_.Append({ns, first_[edge], kind});
    first_[edge] = static_cast<uint32_t>(entries_.size());
  }
  template <typename Use>
  void ForEach(uint32_t edge, const Use& use) const {
    for (uint32_t e = first_[edge]; e != 0; e = entries_[e - 1].next) use(entries_[e - 1].kind, entries_[e - 1].ns);
  }

 private:
  struct Entry {
    int64_t ns;
    uint32_t next;  // its number + 1
    Class kind;
  };
  graph::Spill<uint32_t> first_;
  graph::Spill<Entry> entries_;
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
  explicit Finder(const Graph& graph)
      : graph_(graph),
        store_(Graph::kBytesInMemory / 4),
        caused_(&store_, graph.edges()),
        done_(&store_),
        propagated_(&store_) {
    done_.Resize(graph.edges());
    propagated_.Resize(graph.edges());
  }

  Delays Find() {
    AllWaitsBackwards waits(graph_);
    for (Wait wait; waits.Next(&wait);) {
      done_[wait.edge] = 1;
      Take(wait);
    }
    return std::move(delays_);
  }

 private:
  struct Excess {
    uint32_t path;
    int64_t ns;
  };
  struct WaitInside {
    Place place;
    uint32_t edge;
    int64_t ns;
  };

  void Take(const Wait& wait) {
    const Edge& edge = graph_.EdgeAt(wait.edge);
    const Class kind = ClassOf(graph_, edge);
    const uint32_t path = graph_.At(wait.place).path;
    const Group group{wait.place.location, path, kind};
    const bool counts = IsWaiting(kind);
    if (counts) Count(group, edge, wait.edge);
    const bool is_known = edge.partner.IsKnown() && edge.partner.location != wait.place.location;
    if (is_known) {
      Compare(wait.place.location, edge);
    } else {
      excess_.assign(1, {path, edge.Waited()});
      inside_.clear();
      weights_ = edge.Waited();
      if (counts) delays_.unknown_ns += edge.Waited();
    }
    const uint32_t who = is_known ? edge.partner.location : wait.place.location;
    if (kind == kIdle) {
      delays_.idle_ns += edge.Waited();
      Share(who, edge.Waited(), kind, false, nullptr);
    }
    if (counts) {
      delays_.pairs[{wait.place.location, who}] += edge.Waited();
      Share(who, edge.Waited(), kind, false, &group);
    }
    caused_.ForEach(wait.edge, [&](Class finally, int64_t ns) { Share(who, ns, finally, true, nullptr); });
  }

  void Count(const Group& group, const Edge& edge, uint32_t number) {
    delays_.waited_ns += edge.Waited();
    ++delays_.waits;
    GroupFacts& facts = delays_.groups[group];
    facts.ns += edge.Waited();
    facts.propagating_ns += std::min(propagated_[number], edge.Waited());
    ++facts.instances;
    Instance& worst = delays_.worst[{group.kind, group.path}];
    if (edge.Waited() > worst.to - worst.from) worst = {group.location, edge.partner.location, edge.from, edge.to};
  }

  // What S did longer than R since both were brought together, and S's waits.
  void Compare(uint32_t waiter, const Edge& edge) {
    const uint32_t other = edge.partner.location;
    const int64_t since = FindCommon(graph_, waiter, edge.from, other, edge.to);
    its_.clear();
    inside_.clear();
    weights_ = 0;
    its_[kNone] = Missing(other, since, edge.to);
    graph::ForSlice(
        graph_, Slice{other, since, edge.to}, [&](uint32_t path, int64_t ns) { its_[path] += ns; },
        [&](Place place, const Edge& inside, int64_t ns) {
          const uint32_t number = NumberOf(place, inside);
          // By wrong clocks only: a wait that ended later has been shared out already.
          if (done_[number] != 0) {
            its_[graph_.At(place).path] += ns;
          } else {
            inside_.push_back({place, number, ns});
            weights_ += ns;
          }
        });
    const auto subtract = [&](uint32_t path, int64_t ns) {
      const auto known = its_.find(path);
      if (known != its_.end()) known->second -= ns;
    };
    subtract(kNone, Missing(waiter, since, edge.from));
    graph::ForSlice(graph_, Slice{waiter, since, edge.from}, subtract, [](Place, const Edge&, int64_t) {});
    excess_.clear();
    for (const auto& [path, ns] : its_) {
      if (ns > 0) excess_.push_back({path, ns});
    }
    std::sort(excess_.begin(), excess_.end(), [](const Excess& a, const Excess& b) { return a.path < b.path; });
    for (const Excess& excess : excess_) weights_ += excess.ns;
  }

  uint32_t NumberOf(Place place, const Edge& edge) const {
    for (uint32_t e = graph_.At(place).edge; e != kNone; e = graph_.EdgeAt(e).next) {
      if (&graph_.EdgeAt(e) == &edge) return e;
    }
    return kNone;
  }

  // Time of a slice in which the location had not begun, or had ended.
  int64_t Missing(uint32_t location, int64_t from, int64_t to) const {
    const int64_t begin = graph_.At({location, 0}).begin;
    const int64_t end = graph_.At({location, graph_.size(location) - 1}).end;
    return std::max<int64_t>(std::min(begin, to) - from, 0) + std::max<int64_t>(to - std::max(end, from), 0);
  }

  void Share(uint32_t who, int64_t ns, Class kind, bool longterm, const Group* group) {
    Sharing sharing(ns, weights_);
    for (const Excess& excess : excess_) {
      const int64_t share = sharing.Next(excess.ns);
      if (share == 0) continue;
      delays_.costs[{who, excess.path, kind, longterm}] += share;
      if (group != nullptr) Note(*group, {who, excess.path, false, kHandsOn}, share, excess.ns);
    }
    for (const WaitInside& inside : inside_) {
      const int64_t share = sharing.Next(inside.ns);
      if (share == 0) continue;
      caused_.Add(inside.edge, kind, share);
      if (group == nullptr) continue;
      propagated_[inside.edge] = std::max(propagated_[inside.edge], share);
      delays_.groups[*group].indirect_ns += share;
      const Class its_kind = ClassOf(graph_, graph_.EdgeAt(inside.edge));
      Note(*group, {who, graph_.At(inside.place).path, true, its_kind}, share, inside.ns);
    }
  }

  void Note(const Group& group, const Cause& cause, int64_t share, int64_t more) {
    CauseFacts& facts = delays_.causes[group][cause];
    facts.ns += share;
    facts.more += more;
  }

  const Graph& graph_;
  graph::Store store_;
  Caused caused_;
  graph::Spill<uint8_t> done_;
  graph::Spill<int64_t> propagated_;  // by wait: the most that it is to blame for of one other
  Delays delays_;
  // Shares of the wait that is shared out now.
  std::unordered_map<uint32_t, int64_t> its_;
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

Delays FindDelays(const Graph& graph) { return Finder(graph).Find(); }

}  // namespace epik::causes
