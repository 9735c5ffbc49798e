// SPDX-License-Identifier: BSD-3-Clause
// POP efficiencies from a summary alone; docs/pop.md has the formulas and an example by hand.
//
//   parallel efficiency = load balance × communication efficiency
//                       = MPI parallel efficiency × OpenMP parallel efficiency
#ifndef EPIK_ANALYSIS_POP_H_
#define EPIK_ANALYSIS_POP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::analysis {

// Efficiencies of the whole program, or of a call path with everything below it. Ratios are 0 when nothing was
// measured.
struct Efficiencies {
  double runtime = 0;             // seconds: the longest time of a process
  size_t processes = 0;           // all of the job
  size_t present = 0;             // processes that reached the call path
  size_t threads = 0;             // over all processes
  double useful = 0;              // seconds of computation, over all threads
  double useful_max = 0;          // of the busiest thread
  uint32_t busiest = 0;           // location
  double mpi = 0, omp = 0;        // seconds in MPI; in OpenMP's synchronization, management and idling
  double serial = 0;              // seconds of computation outside of parallel regions, in processes of several threads
  double omp_lost = 0;            // seconds that threads lost outside MPI for another reason than unequal work
  double omp_lost_to_serial = 0;  // of these, while a thread computed outside of parallel regions
  // Seconds that are in no other figure: of starting and ending MPI, of the slowest process; of the measurement itself,
  // of the thread that had most.
  double left_out = 0, measuring = 0;
  double parallel = 0, load_balance = 0, communication = 0;
  double mpi_parallel = 0, mpi_load_balance = 0, mpi_communication = 0;
  double omp_parallel = 0, omp_load_balance = 0, omp_region = 0;  // omp_region: that threads are active
};

class Pop {
 public:
  explicit Pop(const archive::Profile& profile);

  bool HasMpi() const { return has_mpi_; }
  bool HasOpenMp() const { return has_omp_; }

  Efficiencies Whole() const;
  Efficiencies Of(uint32_t path) const;  // REQUIRES: the profile has such a call path

  // Call paths that deserve a line: the program's main phases and their dominant parts. They have the order of the
  // tree, siblings the longest first; there are at most `most`, and each has at least `share` of the time.
  std::vector<uint32_t> Phases(size_t most, double share) const;

  // The first call path after the subtree of this one.
  uint32_t End(uint32_t path) const { return end_[path]; }
  bool IsComputation(uint32_t path) const { return use_[profile_.call_paths[path].region] == Use::kUseful; }

 private:
  // The kind of time that a region's own time counts as.
  enum class Use : uint8_t { kUseful, kMpi, kOmp, kLeftOut, kMeasuring, kOther };
  struct Sums {
    std::vector<double> useful, serial, mpi, omp, left_out, measuring, all;  // by location; serial: of useful
  };

  void Add(uint32_t path, Sums* sums) const;
  Efficiencies From(const Sums& sums) const;
  Sums Empty() const;

  const archive::Profile& profile_;
  std::vector<Use> use_;                  // by region
  std::vector<bool> in_parallel_;         // by call path: in a parallel region or a task
  std::vector<uint32_t> end_;             // by call path: the first one behind its subtree
  std::vector<std::vector<double>> own_;  // exclusive seconds by call path, then location; empty: none
  std::vector<double> inclusive_;         // by call path, over all locations
  std::vector<double> threads_;           // by process
  bool has_mpi_ = false, has_omp_ = false;
};

// The verdict in one to three sentences: what limits the program, and by how much. `waited`: seconds of the time in MPI
// that processes waited for others; negative: nobody knows.
std::vector<std::string> Verdict(const archive::Profile& profile, const Efficiencies& e, bool has_mpi, bool has_omp,
                                 double waited = -1);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_POP_H_
