// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/polling.h"

#include <algorithm>
#include <string>

#include "archive/profile/region_class.h"

namespace epik::report {

using archive::kNone;

namespace {

constexpr uint64_t kManyPerFind = 10;  // calls for each one that may have found something
// Seconds between two calls in which a loop has no other work. As long as a call itself is short, too, because both are
// longer where others have the processors. A longer time never is.
constexpr double kShort = 1e-6, kLong = 10e-6;

constexpr std::string_view kProbes[] = {"MPI_Iprobe", "MPI_Improbe"};
constexpr std::string_view kTests[] = {"MPI_Test",     "MPI_Testall",  "MPI_Testany",
                                       "MPI_Testsome", "MPI_Parrived", "MPI_Request_get_status"};

template <class Names>
bool IsAny(std::string_view name, const Names& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool Receives(std::string_view name) {
  return name.starts_with("MPI_Recv") || name.starts_with("MPI_Irecv") || name.starts_with("MPI_Mrecv") ||
         name.starts_with("MPI_Imrecv");
}

// How many requests a call may start, at most.
uint64_t Starts(std::string_view name) {
  constexpr uint64_t kOfStartall = 100;
  if (name == "MPI_Startall" || name.starts_with("MPI_Pready")) return kOfStartall;
  if (name == "MPI_Start" || name.starts_with("MPI_Rput") || name.starts_with("MPI_Rget") ||
      name.starts_with("MPI_Raccumulate")) {
    return 1;
  }
  const bool immediate = name.starts_with("MPI_I") || name.find("_i") != std::string_view::npos;  // MPI_File_iread
  return immediate && !IsAny(name, kProbes) && !name.starts_with("MPI_Init") ? 1 : 0;
}

class PollingFinder {
 public:
  explicit PollingFinder(const Figures& figures)
      : f_(figures), paths_(figures.profile.call_paths), all_code_(RootOfAllCode(figures)) {}

  std::vector<PollingLoop> Find() {
    if (!CountCalls()) return {};
    for (uint32_t p = 0; p < paths_.size(); ++p) {
      if (probes_[p] + tests_[p] > 0) AddLoopAround(p);
    }
    std::vector<PollingLoop> loops;
    for (auto& [region, loop] : loops_) loops.push_back(std::move(loop));
    std::stable_sort(loops.begin(), loops.end(),
                     [](const PollingLoop& a, const PollingLoop& b) { return a.seconds > b.seconds; });
    return loops;
  }

 private:
  using Counts = std::vector<uint64_t>;  // by call path

  // Returns whether there are functions that ask.
  bool CountCalls() {
    asks_.resize(f_.profile.regions.size());
    for (size_t r = 0; r < asks_.size(); ++r) asks_[r] = AsksMpi(f_.profile.regions[r].name);
    if (std::find(asks_.begin(), asks_.end(), true) == asks_.end()) return false;
    for (Counts* counts : {&probes_, &tests_, &received_, &started_}) counts->resize(paths_.size());
    for (auto p = static_cast<uint32_t>(paths_.size()); p-- > 0;) {
      const uint32_t parent = paths_[p].parent;
      if (f_.uses[paths_[p].region] == Use::kMpi) {
        const std::string& name = f_.profile.regions[paths_[p].region].name;
        if (Receives(name)) received_[p] += f_.visits[p];
        started_[p] += Starts(name) * f_.visits[p];
        if (parent != kNone && asks_[paths_[p].region]) {
          (IsAny(name, kProbes) ? probes_ : tests_)[parent] += f_.visits[p];
        }
      }
      if (parent == kNone) continue;
      received_[parent] += received_[p];
      started_[parent] += started_[p];
    }
    return true;
  }

  // How many of the calls of a loop may have found something: the count of the innermost caller that has one, because
  // who asks has mostly started the operation, or receives the message.
  uint64_t MostFound(const Counts& counts, uint32_t path) const {
    while (counts[path] == 0 && paths_[path].parent != kNone) path = paths_[path].parent;
    return counts[path];
  }

  bool AsksInVain(uint32_t asking, uint32_t loop) const {
    uint64_t found = 0;
    if (probes_[asking] > 0) found += MostFound(received_, loop);
    if (tests_[asking] > 0) found += MostFound(started_, loop);
    return probes_[asking] + tests_[asking] > kManyPerFind * found;
  }

  // The function that asks may be called by the one with the loop.
  void AddLoopAround(uint32_t asking) {
    const uint64_t calls = probes_[asking] + tests_[asking];
    double inside = 0;  // seconds in the calls
    for (uint32_t p = f_.links.first_child[asking]; p != kNone; p = f_.links.next_sibling[p]) {
      if (asks_[paths_[p].region]) inside += f_.time.ExclusiveSum(p);
    }
    double between = 0;
    std::vector<uint32_t> around;
    for (uint32_t p = asking, below = kNone; p != kNone; below = p, p = paths_[p].parent) {
      between += f_.time.ExclusiveSum(p) + BesideIt(p, below, calls);
      around.push_back(p);
      if (f_.visits[p] <= calls / 2) break;
      if (paths_[p].parent == kNone) return;
    }
    const auto count = static_cast<double>(calls);
    const double most = std::min(std::max(kShort * count, inside), kLong * count);
    const bool in_vain = AsksInVain(asking, around.back());
    if (in_vain && between <= most && f_.uses[paths_[around.back()].region] == Use::kComputation) Add(asking, around);
  }

  // Seconds in other functions that the loop calls each time.
  double BesideIt(uint32_t path, uint32_t below, uint64_t calls) const {
    double seconds = 0;
    for (uint32_t p = f_.links.first_child[path]; p != kNone; p = f_.links.next_sibling[p]) {
      const bool asks = p == below || asks_[paths_[p].region];
      if (!asks && f_.visits[p] > calls / 2) seconds += f_.time.InclusiveSum(p);
    }
    return seconds;
  }

  void Add(uint32_t asking, const std::vector<uint32_t>& around) {
    const size_t locations = f_.profile.locations.size();
    PollingLoop& loop = loops_[paths_[around.back()].region];
    loop.region = paths_[around.back()].region;
    loop.is_all_code = all_code_ != kNone && (loop.region == all_code_ || IsThread(f_.profile.regions[loop.region]));
    loop.all.resize(locations);
    for (const uint32_t p : around) {
      std::vector<double>& between = loop.between[paths_[p].region];
      between.resize(locations);
      const std::vector<double>& row = f_.time.ExclusiveRow(p);
      for (size_t l = 0; l < row.size(); ++l) between[l] += row[l];
      if (loop.is_all_code) continue;
      for (size_t l = 0; l < row.size(); ++l) loop.all[l] += row[l];
      loop.seconds += f_.time.ExclusiveSum(p);
    }
    for (uint32_t p = f_.links.first_child[asking]; p != kNone; p = f_.links.next_sibling[p]) {
      if (!asks_[paths_[p].region]) continue;
      loop.seconds += f_.time.ExclusiveSum(p);
      const std::vector<double>& row = f_.time.ExclusiveRow(p);
      for (size_t l = 0; l < row.size(); ++l) loop.all[l] += row[l];
      if (f_.visits[p] <= loop.calls) continue;
      loop.calls = f_.visits[p];
      loop.asks = paths_[p].region;
    }
  }
  const Figures& f_;
  const std::vector<archive::CallPath>& paths_;
  const uint32_t all_code_;    // region: the program's root, if it has no hooks; or none
  std::vector<bool> asks_;     // by region
  Counts probes_, tests_;      // that the call path itself makes
  Counts received_, started_;  // below the call path: messages and operations, or more
  std::map<uint32_t, PollingLoop> loops_;
};

}  // namespace

bool AsksMpi(std::string_view function) { return IsAny(function, kProbes) || IsAny(function, kTests); }

bool IsThread(const archive::Region& region) {
  return archive::KindOf(region) == archive::RegionKind::kThread && archive::TimeMetricOf(region) == "comp";
}

std::vector<PollingLoop> FindPolling(const Figures& figures) { return PollingFinder(figures).Find(); }

}  // namespace epik::report
