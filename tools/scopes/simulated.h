// SPDX-License-Identifier: BSD-3-Clause
// A tree of stations within one process, with simulated ranks. Their times in each call follow from their numbers, so
// the right results are known. For the test of stations and for `bench/scopes`.
#ifndef EPIK_TOOLS_SCOPES_SIMULATED_H_
#define EPIK_TOOLS_SCOPES_SIMULATED_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/scopes/batch.h"
#include "tools/scopes/station.h"

namespace epik::scopes {

// all ranks; each pair of neighbours has a communicator, too
constexpr uint64_t kSimulatedWorld = 1, kSimulatedPair = 100;

struct SimulatedJob {
  uint32_t ranks = 0, ranks_of_host = 1;
  uint32_t calls = 1;      // of a rank, between two pulls
  bool has_pairs = false;  // every fourth of them is on the pair of the rank

  uint64_t CommunicatorOf(uint32_t rank, uint32_t call) const {
    return has_pairs && call % 4 == 3 ? kSimulatedPair + rank / 2 : kSimulatedWorld;
  }
  // The call of a rank; moments are parts of a second behind the call's number.
  Part PartOf(uint32_t rank, uint32_t call) const {
    const uint32_t random = (rank * 2654435761u) ^ (call * 2246822519u);
    const double entered = call + (random * 747796405u >> 12) * 0x1p-21;  // exact numbers: sums of them have no error
    return {CommunicatorOf(rank, call), call, static_cast<int32_t>(rank), 0, call % 3, entered, call + 0.75};
  }
  static std::string PathName(uint32_t path) { return "main > solve > call " + std::to_string(path); }
};

// The ranks of one host.
class SimulatedHost : public Own {
 public:
  SimulatedHost(const SimulatedJob& job, uint32_t number) : job_(job), number_(number) {}

  void Read(Paths* paths, std::vector<Scope>* scopes, Batch* batch) override {
    const uint32_t begin = number_ * job_.ranks_of_host, end = std::min(job_.ranks, begin + job_.ranks_of_host);
    std::vector<CommunicatorName> communicators = {{kSimulatedWorld, job_.ranks, "world"}};
    for (uint32_t rank = begin; job_.has_pairs && rank < end; rank += 2) {
      communicators.push_back({kSimulatedPair + rank / 2, 2, ""});
    }
    for (const CommunicatorName& each : communicators) {
      for (Scope& scope : *scopes) scope.Define(each.id, each.size);
      batch->communicators.push_back(each);
    }
    for (uint32_t call = call_; call < call_ + job_.calls; ++call) {
      for (uint32_t rank = begin; rank < end; ++rank) {
        Part part = job_.PartOf(rank, call);
        part.path = paths->NumberOf(SimulatedJob::PathName(part.path));
        for (Scope& scope : *scopes) scope.Add(part, {}, true);
      }
    }
    call_ += job_.calls;
    batch->times = {1.0 + number_, 1.0 + number_ + call_};
    batch->hosts.push_back({"host" + std::to_string(number_), end - begin, 0, 0, true, false, ""});
    for (Scope& scope : *scopes) {
      if (scope.description().source != Source::kWork) continue;
      for (uint32_t rank = begin; rank < end; ++rank) AddWork(rank, &scope);
    }
  }

 private:
  void AddWork(uint32_t rank, Scope* scope) const {
    Work work;
    work.processes = 1;
    work.interval = 1;
    work.useful = work.most = 1.0 + rank;
    work.visits = call_;
    work.entered = job_.calls;
    scope->Add(static_cast<int>(rank), work, {});
  }

  const SimulatedJob job_;
  const uint32_t number_;
  uint32_t call_ = 0;
};

// A station that is reached through bytes, as one of another host is.
class SimulatedChild : public Child {
 public:
  // `bytes`: counts the bytes that it sent.
  SimulatedChild(std::string name, std::unique_ptr<Station> station, size_t scopes, uint64_t* bytes)
      : name_(std::move(name)), station_(std::move(station)), scopes_(scopes), bytes_(bytes) {}

  const std::string& name() const override { return name_; }
  bool Ask(double) override { return station_ != nullptr; }
  bool Answer(Batch* batch, double* behind) override {
    *behind = 0;
    const std::string bytes = PackBatch(station_->Pull(1));
    *bytes_ += bytes.size();
    if (!is_killed) return UnpackBatch(bytes, scopes_, batch);
    station_.reset();
    return false;
  }
  const std::string& why() const override { return why_; }

  bool is_killed = false;

 private:
  std::string name_, why_ = "was killed";
  std::unique_ptr<Station> station_;
  size_t scopes_;
  uint64_t* bytes_;
};

// The bytes that came to the stations of each level of the tree; level 0 is the root.
struct SimulatedTree {
  std::unique_ptr<Station> root;
  std::vector<std::unique_ptr<uint64_t>> received;
  std::vector<SimulatedChild*> children;  // of the root
};

// Hosts [begin, end) are below one station; the first of them is its own, unless it is the root.
inline std::unique_ptr<Station> SimulateBelow(const SimulatedJob& job, const Plan& plan, uint32_t begin, uint32_t end,
                                              size_t level, SimulatedTree* tree) {
  const bool at_root = level == 0;
  auto own = at_root ? nullptr : std::make_unique<SimulatedHost>(job, begin);
  auto station = std::make_unique<Station>(plan, std::move(own), at_root);
  const uint32_t first = at_root ? begin : begin + 1, hosts = end - first;
  const uint32_t most = plan.fan_out == 0 ? hosts : std::min(plan.fan_out, hosts);
  while (hosts != 0 && tree->received.size() <= level) tree->received.push_back(std::make_unique<uint64_t>(0));
  for (uint32_t i = 0; i < most; ++i) {
    const auto from = first + static_cast<uint32_t>(uint64_t{i} * hosts / most);
    const auto to = first + static_cast<uint32_t>(uint64_t{i + 1} * hosts / most);
    auto child = std::make_unique<SimulatedChild>("host" + std::to_string(from),
                                                  SimulateBelow(job, plan, from, to, level + 1, tree),
                                                  plan.scopes.size(), tree->received[level].get());
    if (at_root) tree->children.push_back(child.get());
    station->Add(std::move(child));
  }
  return station;
}

inline SimulatedTree Simulate(const SimulatedJob& job, const Plan& plan) {
  SimulatedTree tree;
  const uint32_t hosts = (job.ranks + job.ranks_of_host - 1) / job.ranks_of_host;
  tree.root = SimulateBelow(job, plan, 0, hosts, 0, &tree);
  return tree;
}

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_SIMULATED_H_
