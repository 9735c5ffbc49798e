// SPDX-License-Identifier: BSD-3-Clause
// The waits of a graph, the last one first: of each location, and of all.
#ifndef EPIK_ANALYSIS_CAUSES_WAITS_H_
#define EPIK_ANALYSIS_CAUSES_WAITS_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/graph/graph.h"

namespace epik::causes {

// A wait, as walks through many of them need it: they look at no point and no edge.
struct Wait {
  int64_t to = 0;
  graph::Place partner;
  uint32_t point = graph::kNone;
  uint32_t edge = graph::kNone;  // kNone: the point's waits came to nothing
};

// The waits of each location side by side, in their order.
class Waits {
 public:
  // Looks at all points once.
  Waits(const graph::Graph& graph, graph::Store* store);

  const graph::Graph& graph() const { return graph_; }
  const Wait& operator[](uint64_t number) const { return waits_[number]; }
  // The numbers of a location's waits begin there, and end where those of the next one begin.
  uint64_t Begin(uint32_t location) const { return first_[location]; }
  // Returns the number after the last wait of that point, or of the last one before it that has waits.
  uint64_t EndAt(graph::Place place) const;
  // Where a thread of a location was created, or taken into a team. Threads may have a location one after the other, so
  // a thread may have been created before the location was free for it.
  struct Fork {
    int64_t ns, begun;  // the thread began a little later
    int64_t had;        // since then, nobody else has the location
    graph::Place maker;
    bool is_birth;
  };
  // Returns the fork of the thread that has the location at `ns`, or null if the trace does not tell.
  const Fork* LastFork(uint32_t location, int64_t ns) const;
  // Returns when the thread began that the location has at `ns`, or INT64_MIN if the trace does not tell.
  int64_t BornAt(uint32_t location, int64_t ns) const;
  const std::map<std::pair<uint32_t, uint32_t>, int64_t>& without_sender() const { return without_sender_; }

 private:
  static constexpr uint32_t kInBlock = 64;
  void AddPoint(graph::Place place);
  void AddFork(graph::Place place);

  const graph::Graph& graph_;
  graph::Spill<Wait> waits_;
  std::vector<uint64_t> first_;                  // by location, and where the last one ends
  std::vector<std::vector<uint64_t>> of_block_;  // by location and block of points: its first wait
  std::vector<std::vector<Fork>> forks_;         // by location, in their order
  std::map<std::pair<uint32_t, uint32_t>, int64_t> without_sender_;
};

// The waits of a location, backwards.
class WaitsBackwards {
 public:
  // Those that ended at `until` or before. `near`: a point of the location that is not far from there.
  WaitsBackwards(const Waits& waits, uint32_t location, int64_t until, uint32_t near = graph::kNone);
  // Begins before a wait of the location, by its number.
  WaitsBackwards(const Waits& waits, uint32_t location, uint64_t before);

  bool IsThere() const { return next_ > begin_; }  // false: no more
  uint64_t number() const { return next_ - 1; }
  const Wait& now() const { return (*waits_)[next_ - 1]; }
  void Next();
  uint64_t seen() const { return seen_; }  // points with waits
  uint32_t point() const { return point_; }

 private:
  void Find();

  const Waits* waits_;
  uint64_t begin_, next_;  // the wait after the one of now: its number
  uint32_t point_ = 0;
  uint64_t seen_ = 0;
};

// Finds since when two locations have not met, before `waiter` began a wait for the other one, which has a number.
// Looks at a limited number of points with waits, and takes the place where it stops when it finds no meeting.
struct Common {
  int64_t since;
  int64_t other_born;                // when the other thread began: it does not answer for threads before it
  uint32_t waiter_near, other_near;  // points not far from then
};
Common FindCommon(const Waits& waits, uint32_t waiter, uint64_t wait);

// The waits of all locations in the order of their ends, the last one first. Of those that end together, who is waited
// for comes after those that wait for it.
class AllWaitsBackwards {
 public:
  explicit AllWaitsBackwards(const Waits& waits);
  struct Turn {
    uint32_t location;
    uint64_t wait;  // its number
  };
  // False: no more.
  bool Next(Turn* turn);

 private:
  struct Entry {
    int64_t to;
    uint32_t location;
    bool operator<(const Entry& other) const { return to != other.to ? to < other.to : location > other.location; }
  };
  void Push(uint32_t location);
  struct Together {
    Turn turn;
    uint32_t partner;               // location
    uint32_t depth = graph::kNone;  // how many of these waits it leads through, one after the other
  };
  void TakeThoseThatEndTogether();
  void FindDepths();

  std::vector<WaitsBackwards> of_;
  std::vector<Entry> heap_;
  std::vector<Together> together_;   // the next one last
  std::vector<uint32_t> number_of_;  // by location: its place in together_, while depths are searched
  std::vector<uint32_t> way_;        // scratch
};

}  // namespace epik::causes

#endif  // EPIK_ANALYSIS_CAUSES_WAITS_H_
