// SPDX-License-Identifier: BSD-3-Clause
// A trace that lacks calls shows their time as that of the calls around them. Here are the parts of that time, by
// location and call path, as the summary of the run has them.
#ifndef EPIK_ANALYSIS_GRAPH_MIXTURES_H_
#define EPIK_ANALYSIS_GRAPH_MIXTURES_H_

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace epik::graph {

class Mixtures {
 public:
  // The share of a call path that the trace lacks.
  struct Part {
    uint32_t path;
    double share;
  };

  bool IsEmpty() const { return of_.empty(); }

  // `parts`: not more than the whole. The rest is the call path's own.
  void Set(uint32_t location, uint32_t path, std::vector<Part> parts) {
    if (location >= of_.size()) of_.resize(location + 1);
    of_[location][path] = std::move(parts);
  }

  // Whether the call path's time is made of parts: its own is an estimate, then.
  bool Has(uint32_t location, uint32_t path) const { return location < of_.size() && of_[location].count(path) > 0; }

  // Calls use(path, ns) for each part of the time. The parts add up to `ns`.
  template <class Use>
  void ForEach(uint32_t location, uint32_t path, int64_t ns, const Use& use) const {
    int64_t rest = ns;
    if (location < of_.size()) {
      if (const auto found = of_[location].find(path); found != of_[location].end()) {
        for (const Part& part : found->second) {
          const auto its = static_cast<int64_t>(static_cast<double>(ns) * part.share);
          if (its != 0) use(part.path, its);
          rest -= its;
        }
      }
    }
    use(path, rest);
  }

 private:
  std::vector<std::unordered_map<uint32_t, std::vector<Part>>> of_;  // by location
};

}  // namespace epik::graph

#endif  // EPIK_ANALYSIS_GRAPH_MIXTURES_H_
