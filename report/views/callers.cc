// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analysis/algebra/names.h"
#include "config/words.h"
#include "report/views/tree.h"
#include "report/views/views.h"
#include "view/name.h"
#include "view/number.h"
#include "view/table.h"
#include "view/text.h"

namespace epik::report {
namespace {

constexpr size_t kDefaultCallers = 50;

}  // namespace

bool MakeCallers(const Figures& figures, const ViewOptions& options, ViewData* view, std::string* error) {
  const Tree tree(figures, options.fold_recursion);
  const double whole = figures.time.Whole();
  std::vector<uint32_t> found;
  for (uint32_t b = 0; b < tree.size(); ++b) {
    const std::string& name = figures.profile.regions[tree.at(b).region].name;
    if (!tree.at(b).again && config::GlobMatches(options.argument, name)) found.push_back(b);
  }
  if (found.empty()) {
    *error = algebra::NoSuchRegion(figures.profile, options.argument);
    return false;
  }
  std::stable_sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) {
    const Branch &one = tree.at(a), &other = tree.at(b);
    switch (options.sort) {
      case ViewOptions::Sort::kVisits: return one.visits > other.visits;
      case ViewOptions::Sort::kName: return tree.PathNames(figures, a) < tree.PathNames(figures, b);
      default: return one.inclusive > other.inclusive;
    }
  });
  const size_t top = options.TopOr(kDefaultCallers);
  const size_t count = top == 0 ? found.size() : std::min(top, found.size());
  const view::Terminal& terminal = options.terminal;
  view::ShortPaths paths(terminal);
  view::Table table(
      {view::Figure("incl"), view::Figure("%"), view::Figure("excl"), view::Figure("visits"), view::Name("called as")});
  for (size_t i = 0; i < count; ++i) {
    const Branch& b = tree.at(found[i]);
    table.AddRow({view::SecondsCell(b.inclusive, terminal.unicode), view::Percent(b.inclusive, whole),
                  view::SecondsCell(b.exclusive, terminal.unicode), view::Count(b.visits),
                  view::Cell([&paths, row = paths.Add(tree.PathNames(figures, found[i]))](size_t width) {
                    return paths.At(row, width);
                  })});
  }
  view->text = table.Render(options.terminal);
  if (count < found.size()) {
    view->text += options.terminal.Dim(std::string(options.terminal.Ellipsis()) + " " +
                                       view::Count(found.size() - count) + " more") +
                  "\n";
  }
  return true;
}

}  // namespace epik::report
