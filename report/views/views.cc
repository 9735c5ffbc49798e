// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/views.h"

#include <algorithm>

#include "view/prose.h"

namespace epik::report {
namespace {

constexpr View kViews[] = {
#define VIEW(Name, name, argument, traits, help) {name, argument, traits, help, Make##Name},
#include "report/views/views.def"
#undef VIEW
};

}  // namespace

std::span<const View> Views() { return kViews; }

const View* FindView(std::string_view name) {
  const View* end = std::end(kViews);
  const View* found = std::find_if(kViews, end, [&](const View& view) { return view.name == name; });
  return found == end ? nullptr : found;
}

bool MakeView(const Figures& figures, const ViewOptions& options, ViewData* data, std::string* error) {
  const View* view = FindView(options.view);
  if (view != nullptr) {
    data->name = view->name;
    return view->make(figures, options, data, error);
  }
  *error = "no view is called '" + options.view + "'; there are:";
  for (const View& known : kViews) error->append(" ").append(known.name);
  return false;
}

std::string NotOfADifference(std::string_view figures, const std::string& view, const view::Terminal& terminal) {
  return view::Wrapped("",
                       "A difference of runs has no " + std::string(figures) + ": `epk report --" + view +
                           "` of each run shows its own, and `--tree` what changed.",
                       0, terminal.width);
}

}  // namespace epik::report
