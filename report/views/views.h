// SPDX-License-Identifier: BSD-3-Clause
// The list of views: each looks at one side of a program and gives the same figures to people and to programs.
#ifndef EPIK_REPORT_VIEWS_VIEWS_H_
#define EPIK_REPORT_VIEWS_VIEWS_H_

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/scaling.h"
#include "report/figures.h"
#include "report/views/options.h"
#include "report/views/sheet.h"

namespace epik::report {

struct View {
  // Returns false when the profile has no data for the view; *error says what is missing, and why it may be.
  using Make = bool(const Figures& figures, const ViewOptions& options, ViewData* view, std::string* error);

  std::string_view name, argument;
  unsigned traits;
  std::string_view help;
  Make* make;

  bool Is(ViewTrait trait) const { return (traits & trait) != 0; }
};

std::span<const View> Views();                // views.def; the first is the default
const View* FindView(std::string_view name);  // null if the name is unknown

// Makes the view that options.view names. Returns false and sets *error as above, also when there is no such view.
bool MakeView(const Figures& figures, const ViewOptions& options, ViewData* view, std::string* error);

// Efficiencies of one program at several scales, smallest first. REQUIRES: there is a profile; `names` are those of
// their archives.
void MakeScaling(const std::vector<const archive::Profile*>& profiles, const std::vector<std::string>& names,
                 analysis::Problem problem, const ViewOptions& options, ViewData* view);

// The line that stands in `view` for figures that mean nothing of a difference of runs.
std::string NotOfADifference(std::string_view figures, const std::string& view, const view::Terminal& terminal);

// Whether a metric is a counter that the user wanted, or a metric of the program's own, and not one that every profile
// has.
bool IsCounter(const archive::Profile& profile, uint32_t metric);

// The first of these metrics about messages, of EPIK or another tool, that exists and is additive; kNone if all are
// missing. It passes over the program's own metrics, even those with a name that another tool uses.
uint32_t FindMessageMetric(const archive::Profile& profile, std::initializer_list<std::string_view> unique_names);

#define VIEW(Name, name, argument, traits, help) View::Make Make##Name;
#include "report/views/views.def"
#undef VIEW

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_VIEWS_H_
