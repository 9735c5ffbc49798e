// SPDX-License-Identifier: BSD-3-Clause
// Makes the graph of a trace while it is replayed:
//
//   Graph graph(world.locations.size());
//   GraphBuilder builder(&world, &graph);
//   Replay replay(&world, sources, &time, {&builder, …});
//   replay.Run();
//   builder.Finish();
#ifndef EPIK_ANALYSIS_GRAPH_BUILDER_H_
#define EPIK_ANALYSIS_GRAPH_BUILDER_H_

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/graph/graph.h"
#include "analysis/replay/levels.h"
#include "analysis/replay/observer.h"
#include "analysis/replay/path_times.h"
#include "analysis/replay/progress.h"
#include "analysis/replay/rendezvous.h"
#include "analysis/replay/source.h"
#include "analysis/replay/takers.h"
#include "analysis/replay/world.h"

namespace epik::graph {

class GraphBuilder : public replay::Observer {
 public:
  GraphBuilder(const replay::World* world, Graph* graph);

  unsigned wants() const override {
    return kFrames | kMatched | kMessages | kParts | kSent | kCollectives | kTeams | kThreads | kWindows;
  }
  // The time of each location: builder.cc
  void Enter(uint32_t location, const replay::Frame& frame) override;
  void Leave(uint32_t location, const replay::Frame& frame, int64_t ns) override;
  void Skip(uint32_t location, const replay::Skipped& skipped) override;
  void Took(uint32_t location, int64_t ns) override;
  void Freed(uint32_t location, int64_t ns) override;
  void Forked(uint32_t location, uint64_t team, int64_t ns) override;
  void Began(uint32_t location, uint64_t team, int64_t ns) override;
  void Joined(uint32_t location, uint64_t team) override;
  void Created(uint32_t location, uint64_t thread, int64_t ns) override;
  void Born(uint32_t location, uint64_t thread, int64_t ns) override;
  void TaskMade(uint32_t location, uint64_t task) override;
  void TaskBegan(uint32_t location, uint64_t task, std::span<const replay::TaskReady> needs) override;
  void Released(uint32_t location, int64_t ns) override;
  void Holds(uint32_t location) override;
  void Handed(uint32_t location, int64_t ns) override;
  // The dependences of points: links.cc
  void Matched(const replay::Message& message) override;
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override;
  void Sent(const replay::Call& call, std::span<const replay::Message* const> messages) override;
  void Met(const replay::Collective& collective) override;
  void Gathered(const replay::Gathering& barrier) override;
  void Acquired(const replay::Acquisition& acquisition) override;
  void Waited(const replay::ThreadWait& wait) override;
  void Awaited(const replay::TaskWait& wait) override;
  // The dependences of one-sided communication: window_links.cc
  void Fenced(const replay::WindowFence& fence) override;
  void Synchronised(const replay::WindowWait& wait) override;

  // The call of MPI_Test and the like that the location enters next completes something: it becomes a point. Without
  // this call, no test becomes a point, because programs that poll have very many tests.
  void TestCompletes(uint32_t location) {
    states_[location].test_completes = true;
    has_tests_ = true;
  }
  // Call it after the replay.
  void Finish();
  // Dependences whose point is not in the graph, because the trace has no call there.
  uint64_t unplaced() const { return unplaced_; }

 private:
  using Level = replay::Level;
  struct Open {
    uint32_t path;
    Level level;
    replay::Operation operation;
    bool waits = false;  // it is in a point, except while something interrupts it
  };
  struct Fork {
    uint64_t team;
    Place place;
    bool joined = false;
  };
  // Of each thread: the last joined forks, because replay may come to the join before it comes to all workers; and
  // forks in all, where the trace lacks joins.
  static constexpr size_t kJoinedKept = 8, kMostForks = 4096;
  // Calls of one call path that asked for something in vain, since the last point.
  struct Polling {
    replay::Operation operation;
    uint32_t path = kNone, calls = 0;
    int64_t ns = 0;                 // time in these calls, and between two of them
    int64_t entered = 0, left = 0;  // times of the last one
    bool IsLoop(int64_t at) const;  // whether the next call begins right after the last one
  };
  struct State {
    bool begun = false;
    bool unlogged = false;  // the trace has records and no calls, and its operations have made points
    bool test_completes = false;
    int64_t now = 0;           // time is charged until here
    std::vector<Open> frames;  // without idle frames …
    uint32_t inside = 0;       // … and the number of frames within an idle one
    uint32_t open = kNone;     // the number of the point that the location is in …
    Point* point = nullptr;    // … and itself
    uint32_t idle = kNone;     // its last idle point
    replay::PathTimes segment;
    std::vector<Fork> forks;
    Polling polling;
    int64_t cut = 0;    // the end of its last point
    uint32_t fine = 0;  // number of the next events that end a segment each
  };

  void Begin(uint32_t location, int64_t ns);
  bool HasCalls(uint32_t location) const;
  void Charge(State* state, int64_t ns);
  void CutLong(uint32_t location);
  void OpenWindow(uint32_t location, const replay::Frame& frame);
  static void Poll(const Open& call, int64_t ns, Polling* polling);
  Cell& CellAt(uint32_t location, uint32_t path);
  void OpenPoint(uint32_t location, PointKind kind, const Open& frame, int64_t ns);
  void ClosePoint(uint32_t location, int64_t ns);
  void Moment(uint32_t location, PointKind kind, int64_t ns, replay::Operation operation = {});
  void Idle(uint32_t location, int64_t ns);
  bool IsIdle(uint32_t location, const replay::Frame& frame) const;

  Place Find(uint32_t location, int64_t ns, uint32_t path);
  Place PlaceOf(const replay::Member& member, const replay::Operation& operation);
  Place FindRelease(uint32_t location, int64_t ns);
  Place FindFork(uint32_t process, uint64_t team);
  Place LastPoint(uint32_t location) const { return {location, graph_->size(location) - 1}; }
  void BeginFrom(uint32_t location, Place fork);
  Place PartnerOf(const replay::Arrival& arrival);
  uint32_t MeetingOf(const replay::Collective& collective);
  void EndOfJob(const replay::Collective& finalize);
  void NeedSources(Place place, const replay::Collective& collective, const replay::Member& member);
  // Members that need no data of each other, and messages that move in any call: taker_links.cc
  void NeedTakers(const replay::Collective& collective, uint32_t number);
  void NeedBack(const replay::Collective& collective, uint32_t number, Place place);
  void NeedLater(const replay::Call& call, std::span<const replay::Message* const> messages);
  Place CompletionOf(const replay::Member& member);
  Place CameBack(uint32_t location, int64_t from, int64_t until) const;
  void NeedInTest(const replay::Collective& collective, uint32_t number);
  Place TestAt(uint32_t location, int64_t ns) const;
  Place NextPart(Place place) const;
  Place LastPart(Place place) const;
  void AddWait(Place place, const Edge& edge);
  // The time until a process came back to MPI, in a call that waited for that.
  struct Stretch {
    replay::Progress::Back back;
    int64_t from, to;
  };
  void AddProgress(Place place, const Stretch& stretch);
  void AddPiece(Place place, std::span<const replay::TaskStretch>* left, const Edge& team);
  void AddStretch(Place place, const replay::TaskStretch& stretch);
  void NeedEnds(Place place, std::span<const replay::TaskReady> ends);
  void AddDependence(Place place, Place partner, EdgeKind kind);

  const replay::World& world_;
  Graph* graph_;
  std::vector<State> states_;
  replay::Rendezvous rendezvous_;
  replay::Progress progress_;
  replay::Takers takers_;
  // Operations that replay still knows: their parts may be completed later.
  std::unordered_map<const replay::Collective*, uint32_t> meetings_;
  std::vector<std::unordered_map<uint64_t, Place>> created_;  // by process: threads that have not begun yet
  std::vector<std::unordered_map<uint64_t, Place>> made_;     // by process: tasks that have not begun yet
  std::vector<MeetingMember> members_;                        // scratch
  std::vector<const replay::Arrival*> waited_;                // scratch
  std::vector<Stretch> stretches_;                            // scratch
  // The meetings that all waits of one-sided communication share, by WindowWait::Why.
  std::array<uint32_t, 3> window_meetings_ = {kNone, kNone, kNone};
  uint64_t unplaced_ = 0;
  bool has_tests_ = false;  // whether calls that test requests are points
};

}  // namespace epik::graph

#endif  // EPIK_ANALYSIS_GRAPH_BUILDER_H_
