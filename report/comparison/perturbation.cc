// SPDX-License-Identifier: BSD-3-Clause
#include "report/comparison/perturbation.h"

#include <algorithm>
#include <cstdio>

#include "archive/profile/path_names.h"
#include "report/json_string.h"
#include "view/name.h"
#include "view/number.h"
#include "view/table.h"

namespace epik::report::comparison {

using approximation::PathPerturbation;
using approximation::Perturbation;

namespace {

std::string Number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string Signed(double seconds, bool unicode) {
  return (seconds < 0 ? "-" : "") + view::Seconds(std::abs(seconds), unicode);
}

}  // namespace

std::string PerturbationText(const Perturbation& perturbation, const archive::Profile& measured, size_t top,
                             const view::Terminal& terminal) {
  const double gone = perturbation.direct + perturbation.induced;
  const auto share = [gone](double part) { return gone != 0 ? " (" + view::Share(part / gone) + ")" : ""; };
  std::string text = "\n" + terminal.Bold("where measuring went") + "\n" + Signed(gone, terminal.unicode) +
                     " in all threads: " + Signed(perturbation.direct, terminal.unicode) + share(perturbation.direct) +
                     " by itself, " + Signed(perturbation.induced, terminal.unicode) + share(perturbation.induced) +
                     " in waiting for those it slowed down\n";
  view::Table table({view::Figure("measured", 1), view::Figure("without", 1), view::Figure("direct"),
                     view::Figure("induced"), view::Name("call path")});
  view::ShortPaths paths(terminal);
  const archive::PathNames names(measured);
  const size_t count = top == 0 ? perturbation.paths.size() : std::min(top, perturbation.paths.size());
  for (size_t i = 0; i < count; ++i) {
    const PathPerturbation& one = perturbation.paths[i];
    table.AddRow({Signed(one.measured, terminal.unicode), Signed(one.approximated, terminal.unicode),
                  Signed(one.direct, terminal.unicode), Signed(one.induced, terminal.unicode),
                  view::PathCell(&paths, names.Of(one.path))});
  }
  return count == 0 ? text : text + table.Render(terminal);
}

std::string PerturbationJson(const Perturbation& perturbation, const archive::Profile& measured) {
  std::string text = "{\"direct_s\": " + Number(perturbation.direct) +
                     ", \"induced_s\": " + Number(perturbation.induced) + ", \"call_paths\": [";
  const archive::PathNames names(measured);
  for (const PathPerturbation& one : perturbation.paths) {
    text += (text.ends_with("[") ? "\n" : ",\n") + ("{\"path\": " + JsonString(names.Of(one.path))) +
            ", \"measured_s\": " + Number(one.measured) + ", \"without_s\": " + Number(one.approximated) +
            ", \"direct_s\": " + Number(one.direct) + ", \"induced_s\": " + Number(one.induced) + "}";
  }
  return text + "\n]}";
}

}  // namespace epik::report::comparison
