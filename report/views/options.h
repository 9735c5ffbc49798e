// SPDX-License-Identifier: BSD-3-Clause
// The options of views.
#ifndef EPIK_REPORT_VIEWS_OPTIONS_H_
#define EPIK_REPORT_VIEWS_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "view/terminal.h"

namespace epik::archive {
struct Manifest;
}
namespace epik::findings {
struct Findings;
}

namespace epik::report {

struct FileFigures;
struct Traffic;

// Traits of a view in the list of views: views.def.
enum ViewTrait : unsigned {
  kTyped = 1,
  kByRow = 2,
  kTraffic = 4,
  kAnalysis = 8,
  kFiles = 16,
  kSingle = 32,
  kMixed = 64,
  kCosts = 128
};

struct ViewOptions {
  static constexpr size_t kDefaultTop = static_cast<size_t>(-1);

  std::string view = "tree";  // a name of views.def
  std::string argument;       // callers-of: a region's name, or a pattern with * and ?
  size_t top = kDefaultTop;   // rows; 0: all
  double min_percent = 1;     // of the whole time: colder branches of the tree are folded
  int depth = 0;              // levels of the tree; 0: all
  bool fold_recursion = true;
  // Only call paths "a > b > c" that match, with * and ?. tree: with their callers; load: with their callees.
  std::string path_pattern;
  std::vector<std::pair<uint64_t, uint64_t>> ranks, threads;  // load: only these ranges, from and to; empty: all
  // The order of the rows of flat, callers-of and mpi, largest first.
  enum class Sort : unsigned char { kExclusive, kInclusive, kVisits, kBytes, kName };
  Sort sort = Sort::kExclusive;
  bool paths = false;                               // mpi: by call path instead of by function
  bool matrix = false;                              // mpi: messages from each rank to each other
  const std::vector<Traffic>* traffic = nullptr;    // for the matrix; null: the archive lacks it
  const std::vector<FileFigures>* files = nullptr;  // io: those of the archive's io.csv; null: the archive lacks it
  const findings::Findings* findings = nullptr;     // null: the archive was not analysed
  const archive::Manifest* manifest = nullptr;      // null: it is not a run
  // The time of the run over all locations, for the header. A trace may lack some of it, such as idle threads.
  // Negative: it is that of the profile.
  double run_seconds = -1;
  view::Terminal terminal;

  size_t TopOr(size_t otherwise) const { return top == kDefaultTop ? otherwise : top; }
};

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_OPTIONS_H_
