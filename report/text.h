// SPDX-License-Identifier: BSD-3-Clause
// The report people look at: what ran and how it ended, what measuring cost, where the time went, what to do next.
#ifndef EPIK_REPORT_TEXT_H_
#define EPIK_REPORT_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/format.h"
#include "report/sink.h"

namespace epik::report {

struct Figures;
struct Traffic;

struct TextOptions {
  enum class View : unsigned char { kTree, kFlat, kLoad, kCallers, kMpi, kOmp, kPop, kCounters };
  static constexpr size_t kDefaultTop = static_cast<size_t>(-1);

  View view = View::kTree;
  size_t top = kDefaultTop;  // rows of a view; 0: all
  double min_percent = 1;    // of the whole time: colder branches of the tree are folded
  int depth = 0;             // levels of the tree; 0: all
  bool fold_recursion = true;
  std::string callers_of;    // for kCallers: a region's name, or a pattern with * and ?
  std::string path_pattern;  // only call paths "a > b > c" that match, with * and ?, and what lies above them
  // Rows of kFlat, kCallers and kMpi, largest first.
  enum class Sort : unsigned char { kExclusive, kInclusive, kVisits, kBytes, kName };
  Sort sort = Sort::kExclusive;
  bool paths = false;                             // kMpi: by call path instead of by function
  bool matrix = false;                            // kMpi: who sent to whom
  const std::vector<Traffic>* traffic = nullptr;  // for the matrix; null: the archive has none
  size_t width = 100;
  Ink ink;
};

// False, with the reason in *error, when the profile has nothing for the view.
// A manifest with an empty `ended` is of a profile that came without one: nothing is said of what it would tell.
bool WriteText(const epitome::Profile& profile, const archive::Manifest& manifest, const TextOptions& options,
               const Sink& sink, std::string* error);

// The same of figures that are there already.
bool WriteText(const Figures& figures, const archive::Manifest& manifest, const TextOptions& options, const Sink& sink,
               std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_TEXT_H_
