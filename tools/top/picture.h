// SPDX-License-Identifier: BSD-3-Clause
// The content of the screen: samples of a process, or of a whole job, under the names that people read. The same
// function has another address in each process, so processes meet here and not before.
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
    std::string path;   // where it is; empty when that is nowhere
    std::string state;  // as the operating system says
  };

  std::vector<ProcessLine> processes;  // in the order of their ranks
  double seconds = 0, total_seconds = 0;
  uint64_t calls = 0, total_calls = 0;
  double time = 0, total_time = 0;  // of all threads
  double cost = 0, total_cost = 0;  // of measuring, in seconds of theirs
  std::map<std::string, Path> paths;
  std::vector<Thread> threads;

  // Adds what one more process did meanwhile.
  void Add(const ProcessLine& process, const Sample& sample, const Sampler& sampler, const Names& names);

  double CostShare() const { return time > 0 ? cost / time : 0; }
  double TotalCostShare() const { return total_time > 0 ? total_cost / total_time : 0; }
};

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_PICTURE_H_
