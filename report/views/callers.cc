// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "report/table.h"
#include "report/views/tree.h"
#include "report/views/views.h"

namespace epik::report {
namespace {

constexpr size_t kDefaultPaths = 50;

}  // namespace

bool MakeCallers(const Figures& figures, const ViewOptions& options, ViewData* view, std::string* /*error*/) {
  const Tree tree(figures, options.fold_recursion);
  const double total = figures.time.Total();
  std::vector<uint32_t> found;
  for (uint32_t b = 0; b < tree.size(); ++b) {
    const std::string& name = figures.profile.regions[tree.at(b).region].name;
    if (!tree.at(b).again && Matches(options.argument, name)) found.push_back(b);
  }
  if (found.empty()) {
    view->text = "No region is called " + Printable(options.argument) + ".\n";
    return true;
  }
  std::stable_sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) {
    if (options.sort == ViewOptions::Sort::kVisits) return tree.at(a).visits > tree.at(b).visits;
    return tree.at(a).inclusive > tree.at(b).inclusive;
  });
  const size_t top = options.TopOr(kDefaultPaths);
  const size_t count = top == 0 ? found.size() : std::min(top, found.size());
  Table table({{"incl"}, {"%"}, {"excl"}, {"visits"}}, "called as", options.width);
  for (size_t i = 0; i < count; ++i) {
    const Branch& b = tree.at(found[i]);
    table.AddRow({{SecondsCell(b.inclusive, options.ink.unicode)},
                  {Percent(b.inclusive, total)},
                  {SecondsCell(b.exclusive, options.ink.unicode)},
                  {Count(b.visits)}});
  }
  for (size_t i = 0; i < count; ++i) {
    table.SetLast(i, ShortPath(tree.PathNames(figures, found[i]), table.LastWidth(), options.ink));
  }
  view->text = table.Render(options.ink);
  if (count < found.size()) {
    view->text += options.ink.Dim(std::string(options.ink.Dots()) + " " + Count(found.size() - count) + " more") + "\n";
  }
  return true;
}

}  // namespace epik::report
