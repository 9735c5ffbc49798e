// SPDX-License-Identifier: BSD-3-Clause
// Random programs that are simulated event by event, with and without the time that measuring adds, so that the truth
// is known. The program depends on the seed alone, its times on the cost of a visit.
#ifndef EPIK_ANALYSIS_APPROXIMATION_SIMULATION_H_
#define EPIK_ANALYSIS_APPROXIMATION_SIMULATION_H_

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "analysis/graph/graph.h"

namespace epik::approximation {

// The steps of the program: how often each occurs, in some unit.
struct Mix {
  int meetings = 0;     // n-to-n
  int synchronous = 0;  // messages that their sender waits for
  int eager = 0;        // messages that their sender does not wait for
  int broadcasts = 0;   // 1-to-n
  int reductions = 0;   // n-to-1
  int scans = 0;
  int neighbours = 0;  // each rank and its neighbours in a ring
  int fences = 0;      // of a window
  int epochs = 0;      // a process accesses the memory of another one, which allows that and waits for its end
  int windows = 0;     // all processes lock the memory of one process, one after the other
  int parallel = 0;    // fork, work, barrier
  int locks = 0;       // the same, with a lock that each thread takes once
  int pipelines = 0;   // the same, with a DOACROSS loop: each iteration waits for the one before it
  int sparse = 0;      // n-to-n, where some processes need the data of one other only, and the rest that of all
};

class Simulation {
 public:
  static constexpr uint32_t kWork = 0, kHot = 1, kMpi = 2, kOmp = 3, kPaths = 4;

  // Processes with `threads` threads each. A visit costs `alpha` ns (an even number), ±`noise` of that.
  Simulation(uint32_t seed, const Mix& mix, int64_t alpha, uint32_t processes = 4, uint32_t threads = 3,
             double noise = 0)
      : random_(seed), noise_random_(seed + 1), alpha_(alpha), noise_(noise), processes_(processes), threads_(threads) {
    graph_ = std::make_unique<graph::Graph>(processes * threads);
    now_.assign(processes * threads, 0);
    segments_.resize(now_.size());
    for (uint32_t l = 0; l < now_.size(); ++l) leaders_.push_back(l - l % threads);
    for (uint32_t r = 0; r < processes; ++r) Idle(r * threads, 0);
    const std::vector<int> shares = {mix.meetings, mix.synchronous, mix.eager,     mix.broadcasts, mix.reductions,
                                     mix.scans,    mix.neighbours,  mix.fences,    mix.epochs,     mix.windows,
                                     mix.parallel, mix.locks,       mix.pipelines, mix.sparse};
    std::discrete_distribution<int> kind(shares.begin(), shares.end());
    const uint32_t steps = 20 + Draw(60);
    for (uint32_t s = 0; s < steps; ++s) Step(kind(random_));
    for (uint32_t l = 0; l < now_.size(); ++l) {
      if (graph_->size(l) > 0) Add(l, graph::PointKind::kEnd, graph::kNone, now_[l], now_[l]);
    }
  }

  const graph::Graph& graph() const { return *graph_; }
  const std::vector<uint32_t>& leaders() const { return leaders_; }

 private:
  struct Segment {
    int64_t ns = 0;
    uint32_t visits = 0;
  };

  uint32_t Draw(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  uint32_t Master(uint32_t process) const { return process * threads_; }

  int64_t CostOf(uint32_t visits) {
    const int64_t cost = alpha_ * visits;
    if (noise_ == 0 || cost == 0) return cost;
    const double off = std::uniform_real_distribution<double>(1 - noise_, 1 + noise_)(noise_random_);
    return static_cast<int64_t>(static_cast<double>(cost) * off);
  }

  // Computes, with calls of a tiny function. They are uneven, so that measuring changes which locations wait for which.
  void Compute(uint32_t l) {
    const uint32_t ns = Draw(40000), visits = Draw(4) == 0 ? Draw(400) : Draw(20);
    segments_[l].ns += ns + CostOf(visits);
    segments_[l].visits += visits;
    now_[l] += ns + CostOf(visits);
  }

  graph::Place Add(uint32_t l, graph::PointKind kind, uint32_t path, int64_t begin, int64_t end,
                   replay::Operation operation = {}) {
    graph::Point point;
    point.begin = begin;
    point.end = end;
    point.kind = kind;
    point.path = path;
    point.operation = operation;
    const graph::Cell cells[] = {{kHot, segments_[l].visits, segments_[l].ns}};
    const bool empty = segments_[l].ns == 0 && segments_[l].visits == 0;
    segments_[l] = {};
    now_[l] = end;
    return graph_->AddPoint(l, point, empty ? std::span<const graph::Cell>() : std::span(cells));
  }
  void Idle(uint32_t l, int64_t ns) { Add(l, graph::PointKind::kIdle, graph::kNone, ns, ns); }

  // A call begins half of its cost after it is made. The other half is in the call.
  int64_t EnterCall(uint32_t l) {
    segments_[l].ns += alpha_ / 2;
    return now_[l] += alpha_ / 2;
  }
  graph::Place Call(uint32_t l, int64_t begin, int64_t end, replay::Operation operation, uint32_t path = kMpi) {
    return Add(l, graph::PointKind::kCall, path, begin, end + alpha_ / 2, operation);
  }
  void Depend(graph::Place place, graph::EdgeKind kind, graph::Place on, uint64_t bytes = 0,
              uint32_t meeting = graph::kNone, bool from_all = false) {
    graph::Edge edge;
    edge.from_all = from_all;
    edge.kind = kind;
    edge.partner = on;
    edge.bytes = bytes;
    edge.meeting = meeting;
    graph_->AddEdge(place, edge);
  }

  void Step(int kind) {
    using replay::Role;
    for (uint32_t r = 0; r < processes_; ++r) {
      if (Draw(3) != 0) Compute(Master(r));
    }
    switch (kind) {
      case 0: return Meet(Role::kAllToAll);
      case 1: return Message(true);
      case 2: return Message(false);
      case 3: return Meet(Role::kOneToAll);
      case 4: return Meet(Role::kAllToOne);
      case 5: return Meet(Role::kScan);
      case 6: return Neighbours();
      case 7: return Meet(Role::kFence);
      case 8: return Epoch();
      case 9: return LockWindow();
      case 13: return Sparse();
      default: return Parallel(kind);
    }
  }

  void Message(bool synchronous) {
    const uint32_t from = Master(Draw(processes_)), to = Master(Draw(processes_));
    if (from == to) return;
    const uint64_t bytes = uint64_t{1} << (3 + Draw(8));
    const auto latency = static_cast<int64_t>(1500 + bytes), copy = static_cast<int64_t>(100 + bytes / 8);
    const int64_t sent = EnterCall(from), asked = EnterCall(to);
    const int64_t both = std::max(sent, asked) + latency;
    const replay::Operation send{replay::Role::kSend,
                                 synchronous ? replay::Mode::kSynchronous : replay::Mode::kStandard, false};
    const graph::Place sender = Call(from, sent, synchronous ? both : sent + 300, send);
    const graph::Place receiver = Call(to, asked, synchronous ? both : std::max(asked + copy, sent + latency),
                                       {replay::Role::kReceive, replay::Mode::kStandard, false});
    Depend(receiver, graph::EdgeKind::kMessage, sender, bytes);
    if (synchronous) Depend(sender, graph::EdgeKind::kReceiver, receiver, bytes);
  }

  static bool All(replay::Role role) { return role == replay::Role::kAllToAll || role == replay::Role::kFence; }

  void Meet(replay::Role role) {
    const replay::Operation operation{role, replay::Mode::kStandard, false};
    std::vector<int64_t> begins, takes;
    const uint32_t root = Draw(processes_);
    int64_t all = INT64_MIN;
    for (uint32_t r = 0; r < processes_; ++r) {
      begins.push_back(EnterCall(Master(r)));
      takes.push_back(500 + Draw(2000));
      all = std::max(all, begins.back());
    }
    std::vector<graph::MeetingMember> members(processes_);
    int64_t before = INT64_MIN;
    for (uint32_t r = 0; r < processes_; ++r) {
      before = std::max(before, begins[r]);
      const int64_t ready = All(role)                                      ? all
                            : role == replay::Role::kScan                  ? before
                            : role == replay::Role::kAllToOne && r == root ? all
                            : role == replay::Role::kOneToAll              ? begins[root]
                                                                           : begins[r];
      members[r].place = members[r].completed =
          Call(Master(r), begins[r], std::max(begins[r], ready) + takes[r], operation);
      members[r].in = members[r].out = 8;
    }
    graph::Meeting meeting;
    meeting.operation = operation;
    meeting.root = root;
    const uint32_t number = graph_->AddMeeting(meeting, members);
    const auto last = static_cast<size_t>(std::max_element(begins.begin(), begins.end()) - begins.begin());
    for (uint32_t r = 0; r < processes_; ++r) {
      const bool needs = All(role) || (role == replay::Role::kScan && r > 0) ||
                         (role == replay::Role::kAllToOne && r == root) ||
                         (role == replay::Role::kOneToAll && r != root);
      graph::Place on = members[role == replay::Role::kOneToAll ? root : last].place;
      if (role == replay::Role::kScan) on = members[0].place;
      Depend(members[r].place, graph::EdgeKind::kMeeting, needs ? on : graph::Place(), 0, number);
    }
  }

  // Each process needs its neighbours in a ring of all, not the process that comes last.
  void Neighbours() {
    const replay::Operation operation{replay::Role::kNeighbours};
    std::vector<int64_t> begins;
    for (uint32_t r = 0; r < processes_; ++r) begins.push_back(EnterCall(Master(r)));
    std::vector<graph::MeetingMember> members(processes_);
    for (uint32_t r = 0; r < processes_; ++r) {
      const int64_t ready = std::max(begins[(r + 1) % processes_], begins[(r + processes_ - 1) % processes_]);
      const int64_t takes = 500 + Draw(2000);
      members[r].place = members[r].completed =
          Call(Master(r), begins[r], std::max(begins[r], ready) + takes, operation);
    }
    graph::Meeting meeting;
    meeting.operation = operation;
    const uint32_t number = graph_->AddMeeting(meeting, members);
    for (uint32_t r = 0; r < processes_; ++r) {
      for (const uint32_t step : {1u, processes_ - 1}) {
        Depend(members[r].place, graph::EdgeKind::kMeeting, members[(r + step) % processes_].place, 8, number);
      }
    }
  }

  // A process that needs all has an edge to the one that came last in this run. In another run that may be another one.
  void Sparse() {
    const replay::Operation operation{replay::Role::kNeighbours};
    std::vector<int64_t> begins;
    for (uint32_t r = 0; r < processes_; ++r) begins.push_back(EnterCall(Master(r)));
    const auto last = static_cast<uint32_t>(std::max_element(begins.begin(), begins.end()) - begins.begin());
    std::vector<graph::MeetingMember> members(processes_);
    std::vector<uint32_t> source(processes_, graph::kNone);  // kNone: all
    for (uint32_t r = 0; r < processes_; ++r) {
      if (Draw(2) == 0) source[r] = Draw(processes_);
      const int64_t ready = begins[source[r] == graph::kNone ? last : source[r]];
      const int64_t takes = 500 + Draw(2000);
      members[r].place = members[r].completed =
          Call(Master(r), begins[r], std::max(begins[r], ready) + takes, operation);
      members[r].in = members[r].out = 8;
    }
    graph::Meeting meeting;
    meeting.operation = operation;
    const uint32_t number = graph_->AddMeeting(meeting, members);
    for (uint32_t r = 0; r < processes_; ++r) {
      const bool from_all = source[r] == graph::kNone;
      Depend(members[r].place, graph::EdgeKind::kMeeting, members[from_all ? last : source[r]].place, 8, number,
             from_all);
    }
  }

  // Both do other work before they end the epoch. The process that accesses memory waits for the post, and the other
  // one for the end of the access.
  void Epoch() {
    using replay::Role;
    const uint32_t origin = Master(Draw(processes_)), target = Master(Draw(processes_));
    if (origin == target) return;
    const int64_t posted = EnterCall(target);
    const graph::Place post = Call(target, posted, posted + 300, {Role::kPost});
    if (Draw(2) == 0) Compute(target);
    const int64_t started = EnterCall(origin);
    Call(origin, started, started + 200, {Role::kBeginAccess});
    if (Draw(2) == 0) Compute(origin);
    const int64_t asked = EnterCall(origin);
    const graph::Place access = Call(origin, asked, std::max(asked, posted) + 500 + Draw(2000), {Role::kEndAccess});
    const int64_t awaited = EnterCall(target);
    const graph::Place exposure =
        Call(target, awaited, std::max(awaited, asked) + 500 + Draw(2000), {Role::kEndExposure});
    Depend(access, graph::EdgeKind::kMeeting, post);
    Depend(exposure, graph::EdgeKind::kMeeting, access);
  }

  void LockWindow() {
    using replay::Role;
    graph::Place before;
    for (uint32_t r = 0; r < processes_; ++r) {
      const uint32_t l = Master(r);
      const int64_t asked = EnterCall(l);
      const int64_t free = before.IsKnown() ? graph_->At(before).begin : asked;
      const graph::Place lock = Call(l, asked, std::max(asked, free) + 400, {Role::kLockWindow});
      if (before.IsKnown()) Depend(lock, graph::EdgeKind::kMeeting, before);
      Compute(l);
      const int64_t begun = EnterCall(l);
      before = Call(l, begun, begun + 600, {Role::kUnlockWindow});
    }
  }

  void Parallel(int kind) {
    const uint32_t master = Master(Draw(processes_));
    Fork(master);
    for (uint32_t l = master; l < master + threads_; ++l) Compute(l);
    if (kind == 11) TakeLock(master);
    if (kind == 12) IterateInTurn(master);
    MeetTeam(master);
  }

  void Fork(uint32_t master) {
    const graph::Place fork = Add(master, graph::PointKind::kFork, kWork, now_[master], now_[master]);
    const int64_t forked = now_[master];
    for (uint32_t l = master + 1; l < master + threads_; ++l) {
      const bool is_first = graph_->size(l) == 0;
      const int64_t begun = std::max(forked, now_[l]) + 400 + Draw(800);
      const graph::Place idle = Add(l, graph::PointKind::kIdle, graph::kNone, is_first ? begun : now_[l], begun);
      Depend(idle, graph::EdgeKind::kFork, fork);
    }
  }

  // Waits until the other thread has given back the lock, then holds it for a while.
  graph::Place Follow(uint32_t l, graph::Place held, replay::Role role) {
    const int64_t asked = EnterCall(l);
    const int64_t free = held.IsKnown() ? graph_->At(held).end : asked;
    const graph::Place had = Call(l, asked, std::max(asked, free) + 80, {role}, kOmp);
    if (held.IsKnown() && held.location != l) Depend(had, graph::EdgeKind::kLock, held);
    Compute(l);
    return Add(l, graph::PointKind::kRelease, kWork, now_[l], now_[l]);
  }

  void TakeLock(uint32_t master) {
    graph::Place held;
    for (uint32_t l = master; l < master + threads_; ++l) held = Follow(l, held, replay::Role::kCritical);
  }

  void IterateInTurn(uint32_t master) {
    graph::Place done;
    for (uint32_t i = 0; i < 4 * threads_; ++i) {
      const uint32_t l = master + i % threads_;
      if (i >= threads_) Compute(l);
      done = Follow(l, done, replay::Role::kOrdered);
    }
  }

  void MeetTeam(uint32_t master) {
    std::vector<graph::MeetingMember> members(threads_);
    std::vector<int64_t> begins;
    int64_t all = INT64_MIN;
    for (uint32_t t = 0; t < threads_; ++t) all = std::max(all, begins.emplace_back(EnterCall(master + t)));
    for (uint32_t t = 0; t < threads_; ++t) {
      members[t].place = members[t].completed =
          Call(master + t, begins[t], all + 100 + Draw(300), {replay::Role::kImplicitBarrier}, kOmp);
    }
    graph::Meeting meeting;
    meeting.operation = {replay::Role::kImplicitBarrier};
    const uint32_t number = graph_->AddMeeting(meeting, members);
    for (const auto& member : members) Depend(member.place, graph::EdgeKind::kTeam, members[0].place, 0, number);
  }

  std::mt19937 random_, noise_random_;
  int64_t alpha_;
  double noise_;
  uint32_t processes_, threads_;
  std::unique_ptr<graph::Graph> graph_;
  std::vector<int64_t> now_;
  std::vector<Segment> segments_;
  std::vector<uint32_t> leaders_;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_SIMULATION_H_
