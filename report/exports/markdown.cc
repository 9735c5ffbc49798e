// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/markdown.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "archive/profile/path_names.h"
#include "report/figures.h"
#include "report/views/options.h"
#include "view/number.h"
#include "view/text.h"

namespace epik::report {
namespace {

using archive::Profile;

constexpr size_t kUsualTop = 20;

// Indexes of the largest values, largest first, without their signs: a difference has values below 0.
std::vector<uint32_t> Hottest(const std::vector<double>& values, size_t top) {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return std::fabs(values[a]) > std::fabs(values[b]); });
  if (top > 0 && order.size() > top) order.resize(top);
  return order;
}

std::string Imbalance(const Profile& profile, const Spread& spread) {
  if (spread.present > 1) return view::Ratio(spread.MaxOverMean());
  return profile.locations.size() > 1 ? "one " + LocationName(profile, spread.max_location) : "one";
}

void WriteCallPaths(const Figures& figures, size_t top, Buffer& out) {
  const Profile& profile = figures.profile;
  std::vector<double> own;
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) own.push_back(figures.time.ExclusiveSum(p));
  const double whole = figures.time.Whole();
  out << "\n| excl | % | incl | visits | max/mean | call path |\n|--:|--:|--:|--:|--:|---|\n";
  const archive::PathNames names(profile);
  for (const uint32_t p : Hottest(own, top)) {
    const Spread spread = SpreadOf(figures.time.ExclusiveRow(p));
    out << "| " << view::Seconds(own[p]) << " | " << view::Percent(own[p], whole) << " | "
        << view::Seconds(figures.time.InclusiveSum(p)) << " | " << view::Count(figures.visits[p]) << " | "
        << Imbalance(profile, spread) << " | " << MarkdownCode(names.Of(p)) << " |\n";
  }
}

void WriteRegions(const Figures& figures, size_t top, Buffer& out) {
  const Profile& profile = figures.profile;
  std::vector<double> own(profile.regions.size());
  std::vector<uint64_t> visits(profile.regions.size());
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    own[profile.call_paths[p].region] += figures.time.ExclusiveSum(p);
    visits[profile.call_paths[p].region] += figures.visits[p];
  }
  const double whole = figures.time.Whole();
  out << "\n| excl | % | visits | class | region |\n|--:|--:|--:|---|---|\n";
  for (const uint32_t r : Hottest(own, top)) {
    out << "| " << view::Seconds(own[r]) << " | " << view::Percent(own[r], whole) << " | " << view::Count(visits[r])
        << " | " << ClassName(figures.classes[r]) << " | " << MarkdownCode(profile.regions[r].name) << " |\n";
  }
}

}  // namespace

std::string MarkdownCode(std::string_view text) {
  std::string code;
  size_t run = 0, longest = 0;  // lengths of runs of backquotes: the fence is longer
  for (const char c : view::Printable(text)) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    code += c == '|' ? "\\|" : std::string(1, c);  // a cell ends at a bar, even within code
  }
  const std::string fence(longest + 1, '`');
  const bool padded = !code.empty() && (code.front() == '`' || code.back() == '`');
  return fence + (padded || code.empty() ? " " : "") + code + (padded ? " " : "") + fence;
}

void WriteMarkdown(const Profile& profile, const archive::Manifest& manifest, size_t top, const Sink& sink) {
  if (top == ViewOptions::kDefaultTop) top = kUsualTop;
  const Figures figures(profile);
  Buffer out(sink);
  out << "### " << MarkdownCode(manifest.program) << ": " << view::Plural(profile.processes.size(), "rank") << ", "
      << view::Plural(profile.locations.size(), "thread") << "\n\n";
  if (manifest.wall_seconds > 0) out << "wall time " << view::Seconds(manifest.wall_seconds) << ", ";
  out << "time " << view::Seconds(figures.time.Total()) << " (sum over all threads)\n";
  for (const std::string& note : manifest.notes) out << "\nNote: " << view::Printable(note) << "\n";
  WriteCallPaths(figures, top, out);
  WriteRegions(figures, top, out);
}

}  // namespace epik::report
