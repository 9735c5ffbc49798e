// SPDX-License-Identifier: BSD-3-Clause
// POP's efficiencies of one program at several scales; docs/pop.md has the formulas and an example by hand.
//
//   global efficiency = parallel efficiency × computation scaling
//   computation scaling = instruction scaling × IPC scaling × frequency scaling
#ifndef EPIK_ANALYSIS_SCALING_H_
#define EPIK_ANALYSIS_SCALING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/pop.h"
#include "archive/profile/profile.h"

namespace epik::analysis {

// The work for more threads: the same work to share (strong scaling), or as much for each thread as before (weak).
enum class Problem : uint8_t { kSame, kGrows };

// One run in comparison with the smallest run. Unknown ratios are 0.
struct Scale {
  Efficiencies e;
  double instructions = 0, cycles = 0;  // in computation; 0: some run did not count them
  double speedup = 0;                   // for a growing problem: the factor by which the work in the same time grows
  double global = 0;
  double computation = 0;                          // computation scaling
  double instruction = 0, ipc = 0, frequency = 0;  // scaling: the factors of computation
};

class Scaling {
 public:
  // REQUIRES: at least one profile; they must outlive this. The runs are put in the order of their number of threads.
  Scaling(const std::vector<const archive::Profile*>& profiles, Problem problem);

  // The index of each run in the given profiles, smallest run first.
  const std::vector<size_t>& order() const { return order_; }
  bool HasMpi() const;
  bool HasOpenMp() const;

  // For each run, in the order of scales.
  std::vector<Scale> Whole() const;
  // Scales of a call path of the smallest run. If another run lacks the call path, its Scale has no threads.
  std::vector<Scale> Of(uint32_t path) const;
  // The share of the smallest run's time in call paths that the largest run has, too.
  double InCommon() const;
  // The phases of the smallest run.
  std::vector<uint32_t> Phases(size_t most, double share) const { return runs_[0].pop->Phases(most, share); }
  const archive::Profile& smallest() const { return *runs_[0].profile; }

 private:
  struct Run {
    const archive::Profile* profile;
    std::unique_ptr<Pop> pop;
    std::vector<double> instructions, cycles;  // of computation, by call path; empty: not counted
    std::vector<uint32_t> same;                // call path of the smallest run -> call path of this run, or kNone
  };

  Scale Measure(const Run& run, uint32_t path) const;
  void Compare(std::vector<Scale>* scales) const;

  Problem problem_;
  std::vector<size_t> order_;
  std::vector<Run> runs_;
};

// Tells in one or two sentences what costs the largest run most.
std::vector<std::string> Verdict(const Scaling& scaling, const std::vector<Scale>& scales);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_SCALING_H_
