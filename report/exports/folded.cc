// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/folded.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "report/exports/stacks.h"
#include "report/figures.h"
#include "view/number.h"
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

// Sums of call paths that got no line.
class LeftOut {
 public:
  // Rounding to integers is no loss worth a word when it takes less than a hundredth.
  void Tell(const std::string& metric, double written, std::vector<std::string>* notes) const {
    const auto note = [&](uint64_t paths, const char* reason) {
      notes->push_back("left out: " + metric + " of " + view::Plural(paths, "call path") + ", where it is " + reason);
    };
    if (small_ > 0.01 * (written + small_)) note(small_paths_, "less than a half");
    if (others_ > 0) note(others_, "negative, infinite or too large");
  }
  void Add(double value) {
    if (value == 0) return;
    if (std::fabs(value) < 0.5) {
      small_ += std::fabs(value);
      ++small_paths_;
    } else {
      ++others_;
    }
  }

 private:
  double small_ = 0;
  uint64_t small_paths_ = 0, others_ = 0;
};

}  // namespace

bool WriteFolded(const archive::Profile& profile, const std::string& metric_name, const Sink& sink,
                 std::vector<std::string>* notes, std::string* error) {
  const uint32_t metric = FindAdditiveMetric(profile, metric_name, error);
  if (metric == archive::kNone) return false;
  const Split split(profile, metric);
  const double scale = profile.metrics[metric].unit == "sec" ? 1e6 : 1;
  Buffer out(sink);
  std::string stack;
  std::vector<size_t> lengths;
  double deeper = 0;  // sum of calls below kDeepestStack
  double written = 0;
  LeftOut left_out;
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
        written += rounded;
      } else {
        left_out.Add(value);
      }
      stack.resize(lengths.back());
    }
    lengths.pop_back();
  };
  Walk(profile, profile.MakeLinks(), enter, leave);
  left_out.Tell(metric_name, written, notes);
  return true;
}

}  // namespace epik::report
