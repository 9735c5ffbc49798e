// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/score.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "analysis/trace_size.h"
#include "archive/profile/region_class.h"

namespace epik::analysis {

using archive::kNone;
using archive::Profile;
using archive::RegionKind;

namespace {

double Finite(double value) { return std::isfinite(value) ? value : 0; }

// The regions that call one of the wanted regions, directly or through others.
std::vector<bool> CallersOf(const Profile& profile, const std::vector<bool>& wanted) {
  std::vector<bool> leads(profile.regions.size()), path_leads(profile.call_paths.size());
  for (size_t path = profile.call_paths.size(); path-- > 0;) {
    const archive::CallPath& at = profile.call_paths[path];
    if (path_leads[path]) leads[at.region] = true;
    if (at.parent != kNone && (wanted[at.region] || path_leads[path])) path_leads[at.parent] = true;
  }
  return leads;
}

std::vector<bool> CallersOf(const Profile& profile, RegionKind kind) {
  std::vector<bool> wanted;
  for (const archive::Region& region : profile.regions) wanted.push_back(archive::KindOf(region) == kind);
  return CallersOf(profile, wanted);
}

CostClass ClassOf(const archive::Region& region, bool leads) {
  if (region.role == "artificial") return CostClass::kOther;
  switch (archive::KindOf(region)) {
    case RegionKind::kMpi: return CostClass::kMpi;
    case RegionKind::kOpenMp: return CostClass::kOpenMp;
    case RegionKind::kUser: break;
    default: return CostClass::kOther;
  }
  if (region.paradigm == "user") return CostClass::kApi;
  return leads ? CostClass::kCom : CostClass::kUsr;
}

// Whether a call path is the outermost one of its region.
std::vector<bool> Outermost(const Profile& profile) {
  std::vector<bool> outermost(profile.call_paths.size());
  std::vector<uint32_t> open(profile.regions.size()), stack;
  for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
    const archive::CallPath& at = profile.call_paths[path];
    while (!stack.empty() && stack.back() != at.parent) {
      --open[profile.call_paths[stack.back()].region];
      stack.pop_back();
    }
    outermost[path] = open[at.region]++ == 0;
    stack.push_back(path);
  }
  return outermost;
}

bool CanBeFiltered(const archive::Region& region) {
  const bool is_thread = archive::KindOf(region) == RegionKind::kThread && region.role == "thread create";
  return region.role != "artificial" && archive::KindOf(region) != RegionKind::kMeasurement && !is_thread;
}

// Timed visits whose price must be computed.
double PricedVisits(const Cost& cost) {
  return static_cast<double>(cost.visits - std::min(cost.untimed + cost.probed, cost.visits));
}

// Nanoseconds for a timed visit.
double NsOfVisit(const Cost& cost, const Prices& prices) {
  if (!(prices.by_work.alone > 0)) return prices.pair_ns;
  const double gaps = static_cast<double>(cost.visits) + static_cast<double>(cost.calls);
  if (!cost.is_function || gaps == 0) return prices.by_work.alone;
  return archive::PriceOf(prices.by_work, std::max(cost.own, 0.0) * 1e9 / gaps).likely;
}

}  // namespace

const char* Word(CostClass cost_class) {
  constexpr const char* kWords[] = {"MPI", "OMP", "COM", "USR", "API", "other"};
  return kWords[static_cast<size_t>(cost_class)];
}

Cost RegionCosts::Sum() const {
  Cost sum;
  for (const Cost& cost : at) {
    sum.visits += cost.visits;
    sum.calls += cost.calls;
    sum.untimed += cost.untimed;
    sum.dropped += cost.dropped;
    sum.probed += cost.probed;
    sum.probed_cost += cost.probed_cost;
    sum.own += cost.own;
    sum.inclusive += cost.inclusive;
    sum.is_function = cost.is_function;
  }
  return sum;
}

uint32_t RegionCosts::Busiest() const {
  const auto most =
      std::max_element(at.begin(), at.end(), [](const Cost& a, const Cost& b) { return a.visits < b.visits; });
  return static_cast<uint32_t>(most - at.begin());
}

std::vector<RegionCosts> CostsOf(const Profile& profile) {
  const std::vector<bool> mpi = CallersOf(profile, RegionKind::kMpi);
  const std::vector<bool> omp = CallersOf(profile, RegionKind::kOpenMp);
  std::vector<RegionCosts> costs(profile.regions.size());
  for (size_t r = 0; r < costs.size(); ++r) {
    costs[r].leads_to_mpi = mpi[r];
    costs[r].leads_to_openmp = omp[r];
    costs[r].cost_class = ClassOf(profile.regions[r], mpi[r] || omp[r]);
    costs[r].at.resize(std::max<size_t>(profile.locations.size(), 1));
    const CostClass cost_class = costs[r].cost_class;
    const bool is_function = cost_class != CostClass::kMpi && cost_class != CostClass::kOpenMp;
    for (Cost& cost : costs[r].at) cost.is_function = is_function;
  }
  const std::vector<bool> outermost = Outermost(profile);
  const uint32_t time = profile.FindMetric("time"), visits = profile.FindMetric("visits");
  const uint32_t untimed = profile.FindMetric("untimed_visits"), dropped = profile.FindMetric("dropped_calls");
  const uint32_t probed = profile.FindMetric("probed_visits"), probed_cost = profile.FindMetric("probed_cost");
  const auto counted = [&profile](uint32_t metric, uint32_t path, uint32_t location) {
    const double seen = metric == kNone ? 0 : Finite(profile.values[metric].Real(path, location));
    return static_cast<uint64_t>(std::max(0.0, seen));
  };
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    std::vector<double> own, inclusive;
    if (time != kNone) own = profile.Exclusive(time, l), inclusive = profile.Inclusive(time, l);
    for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
      const archive::CallPath& at = profile.call_paths[path];
      Cost& cost = costs[at.region].at[l];
      const uint64_t count = counted(visits, path, l);
      cost.visits += count;
      cost.untimed += counted(untimed, path, l);
      cost.dropped += counted(dropped, path, l);
      cost.probed += counted(probed, path, l);
      if (probed_cost != kNone) cost.probed_cost += Finite(profile.values[probed_cost].Real(path, l));
      if (at.parent != kNone) costs[profile.call_paths[at.parent].region].at[l].calls += count;
      if (time == kNone) continue;
      cost.own += Finite(own[path]);
      if (outermost[path]) cost.inclusive += Finite(inclusive[path]);
    }
  }
  return costs;
}

std::vector<bool> LeadingTo(const Profile& profile, const std::vector<bool>& wanted) {
  std::vector<bool> leads = CallersOf(profile, wanted);
  for (size_t r = 0; r < leads.size(); ++r) leads[r] = leads[r] || wanted[r];
  return leads;
}

std::vector<bool> Excluded(const Profile& profile, const config::Filter& filter, std::vector<bool>* used) {
  std::vector<bool> excluded;
  for (const archive::Region& region : profile.regions) {
    const config::FilterSubject subject{region.name, region.mangled, region.file, "", region.paradigm};
    excluded.push_back(CanBeFiltered(region) && !filter.Measures(subject, used));
  }
  return excluded;
}

void Prices::KeepMean(const std::vector<RegionCosts>& costs) {
  double visits = 0, by_work_ns = 0, probed_ns = 0;
  for (const RegionCosts& region : costs) {
    const Cost sum = region.Sum();
    const double priced = PricedVisits(sum);
    visits += priced + static_cast<double>(sum.probed);
    by_work_ns += priced * NsOfVisit(sum, *this);
    probed_ns += sum.probed_cost * 1e9;
  }
  by_work_scale = by_work_ns > 0 ? std::max(0.0, visits * pair_ns - probed_ns) / by_work_ns : 1;
}

Prices PricesOf(const archive::Manifest& manifest, const std::vector<RegionCosts>& costs) {
  // A calibrated cost may be the whole CPU time; 0 means that it is not known.
  const double program = std::max(manifest.cpu_without_seconds, 0.01 * manifest.cpu_seconds);
  Prices prices = {manifest.pair_cost_ns, manifest.hot.untimed_cost_ns, manifest.ticks_per_second, program};
  prices.queued_share = manifest.QueuedShare();
  prices.by_work = {manifest.pair_alone_ns, manifest.pair_behind_least_ns, manifest.pair_behind_most_ns};
  prices.KeepMean(costs);
  return prices;
}

double OverheadOf(const Cost& cost, const Prices& prices) {
  const uint64_t untimed = std::min(cost.untimed, cost.visits);
  return cost.probed_cost + 1e-9 * (PricedVisits(cost) * NsOfVisit(cost, prices) * prices.by_work_scale +
                                    static_cast<double>(untimed + cost.dropped) * prices.untimed_ns);
}

Score ScoreOf(const Profile& profile, const std::vector<RegionCosts>& costs, const Prices& prices,
              const std::vector<bool>& excluded) {
  Score score;
  score.of_region.resize(costs.size());
  const double pair_ns = prices.by_work.alone > 0 ? prices.by_work.alone : prices.pair_ns;
  const std::vector<TraceSize> trace =
      TraceSizes(profile, {prices.ticks_per_second, pair_ns, prices.queued_share}, excluded);
  for (const TraceSize& size : trace) score.buffer = std::max(score.buffer, size.buffer);
  const auto is_out = [&excluded](uint32_t region) { return !excluded.empty() && excluded[region]; };
  std::vector<std::array<double, kCostClasses>> bytes(std::max<size_t>(profile.processes.size(), 1));
  for (uint32_t r = 0; r < costs.size(); ++r) {
    if (is_out(r)) continue;
    const CostClass cost_class = costs[r].cost_class;
    ScoreRow& row = score.classes[static_cast<size_t>(cost_class)];
    const Cost sum = costs[r].Sum();
    row.regions += sum.visits != 0;
    row.visits += sum.visits;
    row.overhead += OverheadOf(sum, prices);
    for (uint32_t l = 0; l < profile.locations.size(); ++l) {
      bytes[profile.locations[l].process][static_cast<size_t>(cost_class)] += trace[l].BytesOf(r);
      score.of_region[r] += trace[l].BytesOf(r);
    }
  }
  // The time of a call that is not measured belongs to its caller, or to the nearest caller above that is measured.
  const uint32_t time = profile.FindMetric("time");
  std::vector<uint32_t> holder(profile.call_paths.size());
  for (uint32_t path = 0; path < holder.size(); ++path) {
    const archive::CallPath& at = profile.call_paths[path];
    holder[path] = at.parent != kNone && is_out(at.region) ? holder[at.parent] : at.region;
  }
  for (uint32_t l = 0; time != kNone && l < profile.locations.size(); ++l) {
    const std::vector<double> own = profile.Exclusive(time, l);
    for (uint32_t path = 0; path < holder.size(); ++path) {
      score.classes[static_cast<size_t>(costs[holder[path]].cost_class)].seconds += Finite(own[path]);
    }
  }
  for (size_t c = 0; c < kCostClasses; ++c) {
    ScoreRow& row = score.classes[c];
    for (const auto& process : bytes) {
      row.bytes += process[c];
      row.largest = std::max(row.largest, process[c]);
    }
    score.all.regions += row.regions;
    score.all.visits += row.visits;
    score.all.seconds += row.seconds;
    score.all.overhead += row.overhead;
    score.all.bytes += row.bytes;
  }
  for (const auto& process : bytes) {
    score.all.largest = std::max(score.all.largest, std::accumulate(process.begin(), process.end(), 0.0));
  }
  return score;
}

Suggestion Suggest(const std::vector<RegionCosts>& costs, const Prices& prices, double budget) {
  struct Candidate {
    uint32_t region;
    bool com;
    double cost, loss;  // seconds
  };
  std::vector<Candidate> candidates;
  double total = 0, overhead = 0;
  for (uint32_t r = 0; r < costs.size(); ++r) {
    const Cost sum = costs[r].Sum();
    const double cost = OverheadOf(sum, prices);
    total += sum.own;
    overhead += cost;
    const bool com = costs[r].cost_class == CostClass::kCom;
    if (sum.visits == 0 || !(cost > 0) || (!com && costs[r].cost_class != CostClass::kUsr)) continue;
    candidates.push_back({r, com, cost, std::max(0.0, sum.own - cost)});
  }
  // The program without the measurement. A calibrated cost may be larger than the total.
  const double program = prices.program_seconds > 0 ? prices.program_seconds : std::max(total - overhead, total * 0.01);
  const double allowed = budget >= 1 ? overhead : budget / (1 - budget) * program;
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.com != b.com) return b.com;
    const double left = a.loss * b.cost, right = b.loss * a.cost;  // loss for each second that is saved
    return left != right ? left < right : a.region < b.region;
  });
  std::vector<Candidate> out;
  for (const Candidate& candidate : candidates) {
    if (overhead <= allowed) break;
    overhead -= candidate.cost;
    out.push_back(candidate);
  }
  // Puts back regions that fit into the budget again, the greatest loss first: a cheap region may have been excluded
  // before the decisive one.
  std::sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) { return a.loss > b.loss; });
  Suggestion suggestion;
  std::vector<Candidate> stay;
  for (const Candidate& candidate : out) {
    if (overhead + candidate.cost <= allowed) {
      overhead += candidate.cost;
    } else {
      stay.push_back(candidate);
    }
  }
  std::sort(stay.begin(), stay.end(), [](const Candidate& a, const Candidate& b) { return a.cost > b.cost; });
  for (const Candidate& candidate : stay) suggestion.regions.push_back(candidate.region);
  suggestion.overhead = program + overhead > 0 ? overhead / (program + overhead) : 0;
  suggestion.met = overhead <= allowed * (1 + 1e-9);
  return suggestion;
}

std::string AsPattern(const std::string& name) {
  std::string pattern;
  for (char c : name) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c == '\n' || c == '\r' ? '?' : c;
  }
  return pattern;
}

}  // namespace epik::analysis
