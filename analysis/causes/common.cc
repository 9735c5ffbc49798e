// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "analysis/causes/waits.h"

namespace epik::causes {

using graph::Graph;

namespace {

constexpr uint64_t kMostPoints = 1 << 12;

int64_t BeginOf(const Graph& graph, uint32_t location) { return graph.At({location, 0}).begin; }

// Goes backwards through what happened to a thread: its waits, and its creation or that of its team. Before that, it
// was the thread that made it.
class Past {
 public:
  Past(const Waits& waits, uint32_t location, const Waits::Fork* fork, WaitsBackwards first)
      : all_(waits), waits_(first), location_(location), fork_(fork) {}

  uint32_t location() const { return location_; }
  bool IsThere() const { return fork_ != nullptr || waits_.IsThere(); }  // false: no more
  bool IsFork() const { return fork_ != nullptr && (!waits_.IsThere() || fork_->had >= waits_.now().to); }
  bool IsBirth() const { return IsFork() && fork_->is_birth; }
  int64_t now() const { return IsFork() ? fork_->ns : waits_.now().to; }
  // Returns when two threads that were together at `now` began to act apart.
  int64_t apart() const { return IsFork() ? fork_->begun : waits_.now().to; }
  graph::Place partner() const { return IsFork() ? fork_->maker : waits_.now().partner; }
  void Next() {
    if (!IsFork()) return waits_.Next();
    const Waits::Fork fork = *fork_;
    seen_ += waits_.seen() + 1;
    location_ = fork.maker.location;
    waits_ = WaitsBackwards(all_, location_, fork.ns, fork.maker.point);
    fork_ = all_.LastFork(location_, fork.ns);
  }
  uint64_t seen() const { return seen_ + waits_.seen(); }
  // The time at which the search has stopped.
  int64_t Reached() const { return IsThere() ? now() : BeginOf(all_.graph(), location_); }
  // A point of the thread itself that is not far from there.
  uint32_t point() const { return seen_ == 0 ? waits_.point() : 0; }

 private:
  const Waits& all_;
  WaitsBackwards waits_;
  uint32_t location_;
  const Waits::Fork* fork_;
  uint64_t seen_ = 0;  // before the last fork
};

// When the two were together last. Before the waiting thread was created, nobody made it wait.
int64_t Since(int64_t from, int64_t begins, Past* waiter, Past* other) {
  while (waiter->IsThere() || other->IsThere()) {
    const bool both = waiter->IsThere() && other->IsThere();
    if (both && waiter->now() == other->now() && waiter->partner() == other->partner()) return waiter->apart();
    const bool take_waiter = waiter->IsThere() && (!both || waiter->now() >= other->now());
    Past& later = take_waiter ? *waiter : *other;
    if (later.partner().location == (take_waiter ? other : waiter)->location()) return std::min(from, later.apart());
    if (take_waiter && later.IsBirth()) return std::min(from, later.apart());
    if (waiter->seen() + other->seen() > kMostPoints) {
      return std::min(from, std::max(waiter->Reached(), other->Reached()));
    }
    later.Next();
  }
  return std::min(from, begins);
}

// A trace of windows shows the callers of a window, but not the calls outside of it. So the comparison goes
// back at most to the begin of the earlier of the two windows.
int64_t LoggedSince(const Graph& graph, uint32_t waiter, const graph::Edge& edge) {
  return std::min(graph.LoggedSince(waiter, edge.from), graph.LoggedSince(edge.partner.location, edge.to));
}

}  // namespace

Common FindCommon(const Waits& waits, uint32_t waiter, uint64_t wait) {
  const graph::Graph& graph = waits.graph();
  const graph::Edge& edge = graph.EdgeAt(waits[wait].edge);
  const graph::Place other = edge.partner;
  const int64_t until = std::min(edge.from, edge.to);
  Past mine(waits, waiter, waits.LastFork(waiter, edge.from), WaitsBackwards(waits, waiter, wait));
  // The other thread may have been made by then, and have got its location from an earlier thread later.
  const Waits::Fork* fork = waits.LastFork(other.location, edge.to);
  if (fork != nullptr && fork->ns > until) fork = waits.LastFork(other.location, until);
  Past its(waits, other.location, fork, WaitsBackwards(waits, other.location, until, other.point));
  const int64_t begins = std::min(BeginOf(graph, waiter), BeginOf(graph, other.location));
  const int64_t since = std::max(Since(edge.from, begins, &mine, &its), LoggedSince(graph, waiter, edge));
  return {since, waits.BornAt(other.location, edge.to), mine.point(), its.point()};
}

}  // namespace epik::causes
