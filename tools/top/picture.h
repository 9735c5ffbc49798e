// SPDX-License-Identifier: BSD-3-Clause
// The content of the screen: samples of a process, or of a whole job, under the names that people read. A function has
// a different address in each process, so processes can be merged only here, by name.
#ifndef EPIK_TOOLS_TOP_PICTURE_H_
#define EPIK_TOOLS_TOP_PICTURE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/top/names.h"
#include "tools/top/sampler.h"

namespace epik::top {

struct ProcessLine {
  int pid = 0;
  int rank = -1;  // in its job; negative: it is in none
};

struct Picture {
  struct Path {
    std::string region;
    bool nested = false;  // within another call of the same region, whose inclusive time holds this one's
    Figures now, total;
  };
  struct Thread {
    ProcessLine process;
    ThreadLine line;
    std::string path;   // its present call path; empty outside of all calls
    std::string state;  // its state in the operating system
  };

  std::vector<ProcessLine> processes;  // in the order of their ranks
  double seconds = 0, total_seconds = 0;
  uint64_t calls = 0, total_calls = 0;
  double time = 0, total_time = 0;          // of all threads
  double cost = 0, total_cost = 0;          // cost of measuring, in CPU seconds of the threads …
  double computed = 0, total_computed = 0;  // … and those in which they computed
  std::map<std::string, Path> paths;
  std::vector<Thread> threads;

  // Adds the sample of one more process.
  void Add(const ProcessLine& process, const Sample& sample, const Sampler& sampler, const Names& names);

  // The share that measuring has in the CPU time, as in the digest. A thread that waits has no part in that time.
  double CostShare() const { return computed > 0 ? cost / computed : 0; }
  double TotalCostShare() const { return total_computed > 0 ? total_cost / total_computed : 0; }
};

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_PICTURE_H_
