// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "report/table.h"
#include "report/text_views.h"

namespace epik::report {
namespace {

constexpr size_t kDefaultLocations = 64;
constexpr size_t kWidestBar = 50;

struct Load {
  double user = 0, mpi = 0, omp = 0, other = 0;
  double Total() const { return user + mpi + omp + other; }
};

Load LoadOf(const Figures& f, uint32_t location) {
  const auto of = [&](Class c) { return f.location_times[location][static_cast<size_t>(c)]; };
  return {f.UserTime(location), of(Class::kMpi), of(Class::kOmp), of(Class::kThread) + of(Class::kEpik)};
}

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  while (times-- > 0) out += text;
  return out;
}

// Ends of the parts are rounded, not their lengths: so the bar is as long as the whole.
std::string Bar(const Load& load, double longest, size_t width, const Ink& ink) {
  double sum = 0;
  size_t drawn = 0;
  const auto part = [&](double value, std::string_view block) {
    sum += std::max(value, 0.0);
    const double end = longest > 0 ? std::clamp(sum / longest, 0.0, 1.0) : 0;
    const auto to = static_cast<size_t>(std::lround(end * static_cast<double>(width)));
    const std::string text = Repeat(block, to - drawn);
    drawn = to;
    return text;
  };
  const bool u = ink.unicode;
  std::string bar = part(load.user, u ? "█" : "#");
  bar += ink.Mpi(part(load.mpi, u ? "▒" : "m"));
  bar += ink.Omp(part(load.omp, u ? "░" : "o"));
  return bar + ink.Dim(part(load.other, u ? "·" : "."));
}

// All locations in order, or the busiest and the idlest, in order.
std::vector<uint32_t> ChosenLocations(const std::vector<Load>& loads, size_t top) {
  std::vector<uint32_t> order(loads.size());
  for (uint32_t l = 0; l < order.size(); ++l) order[l] = l;
  if (top == 0 || order.size() <= top) return order;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return loads[a].user > loads[b].user; });
  const size_t busiest = top - top / 2;
  order.erase(order.begin() + static_cast<ptrdiff_t>(busiest), order.end() - static_cast<ptrdiff_t>(top / 2));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

std::string LoadView(const Figures& f, const TextOptions& options) {
  const Ink& ink = options.ink;
  std::vector<Load> loads;
  Load sum, max;
  for (uint32_t l = 0; l < f.profile.locations.size(); ++l) {
    const Load load = loads.emplace_back(LoadOf(f, l));
    for (double Load::*part : {&Load::user, &Load::mpi, &Load::omp, &Load::other}) {
      sum.*part += load.*part;
      max.*part = std::max(max.*part, load.*part);
    }
  }
  double longest = 0;
  for (const Load& load : loads) longest = std::max(longest, load.Total());
  const double locations = static_cast<double>(loads.size());
  const std::vector<uint32_t> chosen = ChosenLocations(loads, TopOr(options, kDefaultLocations));
  Table table({{"rank:thread"}, {"time"}, {"user"}, {"MPI"}, {"OpenMP"}, {"other"}}, "", options.width);
  const auto cell = [&](double value, double whole) {
    return Cell{whole > 0 ? SecondsCell(value, ink.unicode) : "", Tone::kPlain};
  };
  for (uint32_t l : chosen) {
    const Load& load = loads[l];
    table.AddRow({{LocationName(f.profile, l)},
                  {SecondsCell(load.Total(), ink.unicode)},
                  cell(load.user, sum.user),
                  cell(load.mpi, sum.mpi),
                  cell(load.omp, sum.omp),
                  cell(load.other, sum.other)});
  }
  if (loads.size() > 1) {
    const auto ratio = [&](double Load::*part) {
      return Cell{sum.*part > 0 ? Ratio(max.*part * locations / sum.*part) + "   " : "", Tone::kDim};
    };
    const std::string total = sum.Total() > 0 ? Ratio(longest * locations / sum.Total()) + "   " : "";
    table.AddRow({{"max/mean", Tone::kDim},
                  {total, Tone::kDim},
                  ratio(&Load::user),
                  ratio(&Load::mpi),
                  ratio(&Load::omp),
                  ratio(&Load::other)});
  }
  const size_t width = std::min(table.LastWidth(), kWidestBar);
  for (size_t i = 0; i < chosen.size(); ++i) table.SetLast(i, Bar(loads[chosen[i]], longest, width, ink));
  std::string out = table.Render(ink);
  const bool u = ink.unicode;
  if (chosen.size() < loads.size()) {
    out += ink.Dim(std::string(ink.Dots()) + " " + Count(loads.size() - chosen.size()) +
                   " more, neither the busiest nor the idlest") +
           "\n";
  }
  out += std::string(u ? "█" : "#") + " user  " + ink.Mpi(u ? "▒" : "m") + " MPI  " + ink.Omp(u ? "░" : "o") +
         " OpenMP" + (sum.other > 0 ? std::string(u ? "  ·" : "  .") + " other" : "") + "\n";
  return out;
}

}  // namespace epik::report
