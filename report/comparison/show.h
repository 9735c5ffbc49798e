// SPDX-License-Identifier: BSD-3-Clause
// Shows a comparison to people, in a merge request, and to programs.
#ifndef EPIK_REPORT_COMPARISON_SHOW_H_
#define EPIK_REPORT_COMPARISON_SHOW_H_

#include <string>
#include <vector>

#include "analysis/algebra/compare.h"
#include "analysis/algebra/condition.h"
#include "report/sink.h"
#include "view/terminal.h"

namespace epik::report::comparison {

using algebra::Change;
using algebra::Comparison;
using algebra::Outcome;
using algebra::PathChange;
using algebra::Runs;
using algebra::Summary;

struct View {
  std::vector<std::string> before, after;  // names of these runs
  size_t top = 20;                         // of each list, that of increases and that of decreases; 0: all
  double least_percent = 0.1;              // of the total: smaller changes are not listed
  bool inclusive = false;                  // list and sort by figures with callees
  std::string perturbation;                // JSON, if one side is the other one without measurement; otherwise empty
  view::Terminal terminal;
};

void ShowText(const Runs& runs, const Comparison& comparison, const std::vector<Outcome>& outcomes, const View& view,
              const report::Sink& sink);
void ShowMarkdown(const Runs& runs, const Comparison& comparison, const std::vector<Outcome>& outcomes,
                  const View& view, const report::Sink& sink);
// Shows all figures, unrounded: docs/algebra.md.
void ShowJson(const Runs& runs, const Comparison& comparison, const std::vector<Outcome>& outcomes, const View& view,
              const report::Sink& sink);

namespace internal {

// The changes to list: more (worst first), less (best first). `left_out` counts changes that are too small.
struct Listed {
  std::vector<const PathChange*> more, less;
  size_t left_out = 0;
};
Listed Choose(const Comparison& comparison, const View& view);

const Change& Figure(const PathChange& change, const View& view);
std::vector<std::string_view> Names(const archive::Profile& profile, uint32_t path);
// False: on one side, the figure of each run is infinite or no number. The texts below are "-" then.
bool IsKnown(const Change& change);
std::string Side(const Summary& summary, const std::string& unit, bool unicode);        // the mean of a side
std::string SignedAmount(const Change& change, const std::string& unit, bool unicode);  // +1.23 s
std::string SignedPercent(const Change& change);                                        // +5.3 %, new, gone
std::string Visits(const Change& visits, bool unicode);                                 // 100, or 100 -> 200
std::string Sentence(const Outcome& outcome, bool unicode);
// 0.012, <0.001; "-" when it was not tested.
std::string ProbabilityText(double probability);
// Empty when all runs had the same number of ranks and threads. Otherwise it says that figures which are sums cannot be
// compared.
std::string SizesDiffer(const Runs& runs, bool unicode);

}  // namespace internal
}  // namespace epik::report::comparison

#endif  // EPIK_REPORT_COMPARISON_SHOW_H_
