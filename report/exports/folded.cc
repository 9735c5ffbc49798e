// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/folded.h"

#include <cmath>
#include <vector>

#include "report/exports/stacks.h"
#include "report/figures.h"
#include "view/text.h"

namespace epik::report {
namespace {

// ';' separates frames, and the last blank of a line separates the number.
std::string Frame(const archive::Region& region) {
  std::string name = view::Printable(region.name.empty() ? "(unnamed)" : region.name);
  for (char& c : name) {
    if (c == ';') c = ':';
  }
  return name;
}

}  // namespace

bool WriteFolded(const archive::Profile& profile, const std::string& metric_name, const Sink& sink,
                 std::string* error) {
  const uint32_t metric = FindAdditiveMetric(profile, metric_name, error);
  if (metric == archive::kNone) return false;
  const Split split(profile, metric);
  const double scale = profile.metrics[metric].unit == "sec" ? 1e6 : 1;
  Buffer out(sink);
  std::string stack;
  std::vector<size_t> lengths;
  double deeper = 0;  // sum of calls below kDeepestStack
  const auto enter = [&](uint32_t p) {
    lengths.push_back(stack.size());
    if (lengths.size() <= kDeepestStack) {
      stack += (lengths.size() > 1 ? ";" : "") + Frame(profile.regions[profile.call_paths[p].region]);
    }
  };
  const auto leave = [&](uint32_t p) {
    double value = split.ExclusiveSum(p) * scale;
    if (lengths.size() > kDeepestStack) {
      deeper += value;
    } else {
      if (lengths.size() == kDeepestStack) {
        value += deeper;
        deeper = 0;
      }
      const double rounded = std::round(value);
      if (rounded >= 1 && rounded < 1e19) {
        out << stack << " " << std::to_string(static_cast<uint64_t>(rounded)) << "\n";
      }
      stack.resize(lengths.back());
    }
    lengths.pop_back();
  };
  Walk(profile, profile.MakeLinks(), enter, leave);
  return true;
}

}  // namespace epik::report
