// SPDX-License-Identifier: BSD-3-Clause
// Events that make no sense together, as damage or attackers leave them.
#ifndef EPIK_ANALYSIS_REPLAY_TEST_NOISE_H_
#define EPIK_ANALYSIS_REPLAY_TEST_NOISE_H_

#include <memory>
#include <random>
#include <vector>

#include "analysis/replay/source.h"
#include "analysis/replay/world.h"

namespace epik::replay {

// Nested frames, and records of any kind with any fields.
class AnyEvents : public EventSource {
 public:
  AnyEvents(unsigned seed, int ranks) : random_(seed), ranks_(static_cast<unsigned>(ranks)) {}
  bool Next(archive::Event* event) override {
    if (left_ == 0) return false;
    --left_;
    *event = archive::Event();
    event->time = time_ += random_() % 5;
    event->made_up = random_() % 50 == 0;
    const unsigned what = random_() % 10;
    if (what < 3) {
      event->kind = event::RecordKind::kEnter;
      open_.push_back(1 + random_() % kNodes);
      event->node = open_.back();
    } else if (what < 5 && !open_.empty()) {
      event->kind = event::RecordKind::kExit;
      event->node = open_.back();
      open_.pop_back();
    } else {
      event->kind = static_cast<event::RecordKind>(random_() % 70);
      event->node = open_.empty() ? 0 : open_.back();
      event->fields = event::kMostFields;
      for (uint64_t& field : event->field) field = random_() % 9 == 0 ? random_() - 5 : random_() % (ranks_ + 1);
    }
    return true;
  }
  static constexpr unsigned kNodes = 26;

 private:
  std::mt19937 random_;
  unsigned ranks_;
  int left_ = 400;
  uint64_t time_ = 0;
  std::vector<uint32_t> open_;
};

inline World AnyWorld(int ranks, unsigned seed) {
  World world;
  world.ranks = ranks;
  world.world_communicator = 0;
  world.communicators.resize(3);
  for (int r = 0; r < ranks; ++r) world.communicators[0].ranks.push_back(r);
  world.communicators[1].ranks = {-1};
  world.communicators[2] = {{0}, {1}};
  world.windows = {0, kNone, 2};
  constexpr const char* kCalls[AnyEvents::kNodes] = {"main",
                                                     "MPI_Send",
                                                     "MPI_Recv",
                                                     "MPI_Wait",
                                                     "MPI_Barrier",
                                                     "MPI_Probe",
                                                     "MPI_Init",
                                                     "MPI_Finalize",
                                                     "MPI_Bcast",
                                                     "MPI_Waitall",
                                                     "MPI_Irecv",
                                                     "omp_ibarrier",
                                                     "pthread_lock_api",
                                                     "pthread_management",
                                                     "pthread_conditional",
                                                     "pthread_semaphore",
                                                     "pthread_barrier",
                                                     "MPI_Win_fence",
                                                     "MPI_Win_post",
                                                     "MPI_Win_start",
                                                     "MPI_Win_complete",
                                                     "MPI_Win_wait",
                                                     "MPI_Win_lock",
                                                     "MPI_Win_unlock",
                                                     "MPI_Neighbor_alltoall",
                                                     "MPI_Test"};
  for (int p = 0; p < ranks; ++p) {
    Process process;
    process.rank = p;
    process.waits_for_locks = (seed + static_cast<unsigned>(p)) % 2 == 0;
    process.partial = (seed + static_cast<unsigned>(p)) % 3 == 0;
    std::vector<std::pair<uint32_t, NodeFacts>> nodes;
    for (uint32_t n = 0; n < AnyEvents::kNodes; ++n) {
      const Operation construct = OperationOfConstruct(kCalls[n]);
      const bool is_construct = construct.role != Role::kNone;
      nodes.emplace_back(n + 1, NodeFacts{n, is_construct ? construct : OperationOf(kCalls[n])});
    }
    process.nodes.Assign(nodes);
    process.regions.Assign({{0, OperationOf("MPI_Barrier")},
                            {1, OperationOf("MPI_Bcast")},
                            {2, OperationOf("MPI_Reduce")},
                            {3, OperationOf("MPI_Ineighbor_alltoall")}});
    process.communicators.Assign({{0, {0}}, {1, {1}}, {2, {2}}});
    process.windows.Assign({{0, {0}}, {1, {1}}, {2, {2}}});
    for (uint32_t thread = 0; thread < 2; ++thread) {
      process.locations.push_back(static_cast<uint32_t>(world.locations.size()));
      world.locations.push_back({static_cast<uint32_t>(p), thread, process.locations.back()});
    }
    world.processes.push_back(std::move(process));
  }
  world.Index();
  return world;
}

inline std::vector<std::unique_ptr<EventSource>> AnySources(const World& world, unsigned seed) {
  std::vector<std::unique_ptr<EventSource>> sources;
  for (uint32_t l = 0; l < world.locations.size(); ++l) {
    sources.push_back(std::make_unique<AnyEvents>(seed * 100 + l, world.ranks));
  }
  return sources;
}

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_TEST_NOISE_H_
