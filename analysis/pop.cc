// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pop.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>

#include "archive/profile/region_class.h"
#include "archive/profile/where.h"

namespace epik::analysis {

using archive::kNone;
using archive::Profile;

namespace {

// A thread stands for its process if it existed for at least this share of the time of the thread that existed longest.
constexpr double kLeads = 0.9;

double Ratio(double part, double whole) { return whole > 0 && std::isfinite(part) ? part / whole : 0; }

// The threads of a team share what is below such a region. Everywhere else one thread works.
bool IsShared(const archive::Region& region) {
  return region.paradigm == "openmp" && (region.role == "parallel" || region.role == "task");
}

// Exclusive seconds of each call path. A location with values only below a call path passed through it.
std::vector<std::vector<double>> OwnTimes(const Profile& p, uint32_t metric) {
  std::vector<std::vector<double>> own(p.call_paths.size());
  if (metric == kNone) return own;
  const bool inclusive = p.metrics[metric].along == archive::Along::kInclusive;
  const size_t locations = p.locations.size();
  std::vector<std::vector<double>> below(inclusive ? own.size() : 0);
  for (auto path = static_cast<uint32_t>(own.size()); path-- > 0;) {
    const bool stored = p.values[metric].Has(path);
    std::vector<double> children;
    if (inclusive) children = std::move(below[path]);
    if (!stored && children.empty()) continue;
    own[path].resize(locations);
    children.resize(locations);
    for (uint32_t l = 0; l < locations; ++l) {
      const double value = p.values[metric].Real(path, l);
      if (!std::isfinite(value) || value == 0) continue;
      own[path][l] = std::max(0.0, value - children[l]);
      children[l] = value;
    }
    const uint32_t parent = p.call_paths[path].parent;
    if (!inclusive || parent == kNone) continue;
    below[parent].resize(locations);
    for (uint32_t l = 0; l < locations; ++l) below[parent][l] += children[l];
  }
  return own;
}

}  // namespace

Pop::Pop(const Profile& profile)
    : profile_(profile),
      in_parallel_(profile.call_paths.size()),
      end_(profile.call_paths.size()),
      own_(OwnTimes(profile, profile.FindMetric("time"))),
      inclusive_(profile.call_paths.size()),
      threads_(profile.processes.size()) {
  for (const archive::Region& region : profile.regions) {
    const std::string_view metric = archive::TimeMetricOf(region);
    use_.push_back(metric == "mpi_init_exit"       ? Use::kLeftOut
                   : metric == "comp"              ? Use::kUseful
                   : metric.substr(0, 3) == "mpi"  ? Use::kMpi
                   : metric.substr(0, 4) == "omp_" ? Use::kOmp
                   : metric == "overhead"          ? Use::kMeasuring
                                                   : Use::kOther);
  }
  for (auto path = static_cast<uint32_t>(end_.size()); path-- > 0;) {
    end_[path] = std::max(end_[path], path + 1);
    const uint32_t parent = profile.call_paths[path].parent;
    for (double seconds : own_[path]) inclusive_[path] += seconds;
    if (parent != kNone) {
      end_[parent] = std::max(end_[parent], end_[path]);
      inclusive_[parent] += inclusive_[path];
    }
    const Use use = use_[profile.call_paths[path].region];
    has_mpi_ |= use == Use::kMpi || use == Use::kLeftOut;
    has_omp_ |= profile.regions[profile.call_paths[path].region].paradigm == "openmp";
  }
  for (uint32_t path = 0; path < in_parallel_.size(); ++path) {
    const archive::CallPath& at = profile.call_paths[path];
    in_parallel_[path] = IsShared(profile.regions[at.region]) || (at.parent != kNone && in_parallel_[at.parent]);
  }
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    const uint32_t process = profile.locations[l].process;
    if (process < threads_.size()) ++threads_[process];
  }
}

Pop::Sums Pop::Empty() const {
  const std::vector<double> none(profile_.locations.size());
  return {none, none, none, none, none, none, none};
}

void Pop::Add(uint32_t path, Sums* sums) const {
  const Use use = use_[profile_.call_paths[path].region];
  if (use == Use::kLeftOut || use == Use::kMeasuring) {
    std::vector<double>& part = use == Use::kLeftOut ? sums->left_out : sums->measuring;
    for (uint32_t l = 0; l < own_[path].size(); ++l) part[l] += own_[path][l];
    return;
  }
  std::vector<double>* part = use == Use::kUseful ? &sums->useful
                              : use == Use::kMpi  ? &sums->mpi
                              : use == Use::kOmp  ? &sums->omp
                                                  : nullptr;
  for (uint32_t l = 0; l < own_[path].size(); ++l) {
    sums->all[l] += own_[path][l];
    if (part != nullptr) (*part)[l] += own_[path][l];
    if (use == Use::kUseful && !in_parallel_[path]) sums->serial[l] += own_[path][l];
  }
}

Efficiencies Pop::Whole() const {
  Sums sums = Empty();
  for (uint32_t path = 0; path < own_.size(); ++path) Add(path, &sums);
  return From(sums);
}

Efficiencies Pop::Of(uint32_t path) const {
  Sums sums = Empty();
  for (uint32_t at = path; at < end_[path]; ++at) Add(at, &sums);
  return From(sums);
}

Efficiencies Pop::From(const Sums& sums) const {
  Efficiencies e;
  double outside = 0, outside_max = 0, team = 0;  // of processes, outside MPI; team: × threads, the time for work
  double active = 0;  // of all threads, if each did as much in parallel regions as the busiest one of its process
  std::vector<double> useful(threads_.size()), serial(threads_.size()), longest(threads_.size());
  std::vector<double> shared(threads_.size());  // in parallel regions, of the busiest thread there
  std::vector<double> busy(threads_.size());    // computing or in MPI, of the thread that was it longest
  // While one thread starts MPI, or EPIK, the others of its process idle.
  std::vector<double> left_out(threads_.size());
  std::vector<uint32_t> leader(threads_.size(), kNone);  // the thread to which MPI belongs
  for (uint32_t l = 0; l < sums.useful.size(); ++l) {
    e.useful += sums.useful[l];
    e.mpi += sums.mpi[l];
    e.omp += sums.omp[l];
    e.left_out = std::max(e.left_out, sums.left_out[l]);
    e.measuring = std::max(e.measuring, sums.measuring[l]);
    const double aside = sums.left_out[l] + sums.measuring[l];
    if (sums.useful[l] > e.useful_max) {
      e.useful_max = sums.useful[l];
      e.busiest = l;
    }
    const uint32_t process = profile_.locations[l].process;
    if (process >= useful.size()) continue;
    useful[process] += sums.useful[l];
    serial[process] += sums.serial[l];
    shared[process] = std::max(shared[process], sums.useful[l] - sums.serial[l]);
    longest[process] = std::max(longest[process], sums.all[l] + aside);
    left_out[process] = std::max(left_out[process], aside);
    busy[process] = std::max(busy[process], sums.useful[l] + sums.mpi[l]);
  }
  for (uint32_t l = 0; l < sums.useful.size(); ++l) {
    const uint32_t process = profile_.locations[l].process;
    if (process >= leader.size() || leader[process] != kNone) continue;
    const double there = sums.all[l] + sums.left_out[l] + sums.measuring[l];
    if (there > 0 && there >= kLeads * longest[process]) leader[process] = l;
  }
  for (size_t p = 0; p < threads_.size(); ++p) {
    if (threads_[p] == 0) continue;
    ++e.processes;
    team += threads_[p];
    if (longest[p] > 0) ++e.present;
    const double time = std::max(longest[p] - left_out[p], busy[p]);
    const double out = time - (leader[p] == kNone ? 0 : sums.mpi[leader[p]]);
    e.runtime = std::max(e.runtime, time);
    outside += threads_[p] * out;
    outside_max = std::max(outside_max, out);
    // Threads that are not of OpenMP compute while others are in a parallel region.
    const double most = std::max(useful[p], std::min(serial[p] + threads_[p] * shared[p], threads_[p] * out));
    active += most;
    if (threads_[p] < 2) continue;
    e.serial += serial[p];
    const double lost = std::max(0.0, threads_[p] * out - most);
    e.omp_lost += lost;
    e.omp_lost_to_serial += std::min(lost, (threads_[p] - 1) * serial[p]);
  }
  e.threads = static_cast<size_t>(team);
  e.parallel = Ratio(e.useful, team * e.runtime);
  e.load_balance = Ratio(e.useful, team * e.useful_max);
  e.communication = Ratio(e.useful_max, e.runtime);
  e.mpi_parallel = Ratio(outside, team * e.runtime);
  e.mpi_load_balance = Ratio(outside, team * outside_max);
  e.mpi_communication = Ratio(outside_max, e.runtime);
  e.omp_parallel = Ratio(e.useful, outside);
  e.omp_load_balance = Ratio(e.useful, active);
  e.omp_region = Ratio(active, outside);
  return e;
}

namespace {

// Puts each phase below its nearest caller among the phases; siblings keep their order.
std::vector<uint32_t> InOrderOfTheTree(const Profile& profile, const std::vector<uint32_t>& phases) {
  std::map<uint32_t, std::vector<uint32_t>> below;
  for (const uint32_t phase : phases) {
    uint32_t above = profile.call_paths[phase].parent;
    while (above != kNone && std::find(phases.begin(), phases.end(), above) == phases.end()) {
      above = profile.call_paths[above].parent;
    }
    below[above].push_back(phase);
  }
  std::vector<uint32_t> ordered, open(below[kNone].rbegin(), below[kNone].rend());
  while (!open.empty()) {
    const uint32_t phase = open.back();
    open.pop_back();
    ordered.push_back(phase);
    open.insert(open.end(), below[phase].rbegin(), below[phase].rend());
  }
  return ordered;
}

}  // namespace

std::vector<uint32_t> Pop::Phases(size_t most, double share) const {
  double total = 0;
  for (uint32_t path = 0; path < end_.size(); ++path) {
    if (profile_.call_paths[path].parent == kNone) total += inclusive_[path];
  }
  std::vector<uint32_t> phases;
  std::vector<uint32_t> depth(end_.size());
  constexpr uint32_t kDeepest = 5;
  for (uint32_t path = 0; path < end_.size(); ++path) {
    const uint32_t parent = profile_.call_paths[path].parent;
    depth[path] = parent == kNone ? 0 : depth[parent] + 1;
    const uint32_t region = profile_.call_paths[path].region;
    if (parent == kNone || depth[path] > kDeepest || use_[region] != Use::kUseful) continue;
    if (region == profile_.call_paths[parent].region) continue;  // recursion: the outermost call is enough
    if (inclusive_[path] > 0 && inclusive_[path] >= share * total) phases.push_back(path);
  }
  std::stable_sort(phases.begin(), phases.end(), [&](uint32_t a, uint32_t b) { return inclusive_[a] > inclusive_[b]; });
  if (phases.size() > most) phases.resize(most);
  return InOrderOfTheTree(profile_, phases);
}

namespace {

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

constexpr double kGood = 0.9, kFair = 0.8;  // POP's own limits: above 80 % is acceptable

// Says what takes the time that all processes spend in MPI. If they are late in turns, messages are not to blame.
std::string TimeInMpi(const Efficiencies& e, double waited) {
  const std::string messages = "all processes spend time in MPI: fewer or larger messages, or overlap";
  if (waited < 0) return messages + ", unless they are late in turns and wait for each other (EPK_WAITS=yes tells)";
  const double share = std::min(Ratio(waited, e.mpi), 1.0);
  if (share < 0.5) return messages;
  return "processes are late in turns, and the others wait for them in MPI: " + Percent(share) +
         " of the time there (`--waits` shows where)";
}

// Names the factor that costs most, in words.
std::string Limit(const Profile& profile, const Efficiencies& e, bool has_mpi, bool has_omp, double waited) {
  struct Factor {
    double value;
    std::string words;
  };
  std::vector<Factor> factors;
  if (has_mpi && e.processes > 1) {
    factors.push_back({e.mpi_load_balance, "the processes have unequal work: balance it between the ranks"});
    factors.push_back({e.mpi_communication, TimeInMpi(e, waited)});
  }
  if (has_omp && e.threads > e.processes) {
    factors.push_back(
        {e.omp_load_balance, "the threads of a process have unequal work: other schedules, smaller chunks"});
    factors.push_back(
        {e.omp_region,
         e.omp_lost_to_serial > e.omp_lost / 2
             ? Percent(Ratio(e.serial, e.useful)) +
                   " of computation is outside of parallel regions, where one thread works and the others idle"
             : "threads wait or idle together: barriers and locks, small parallel regions, serial parts"});
  }
  if (factors.empty()) {
    factors.push_back({e.load_balance, "the threads have unequal work"});
    factors.push_back({e.communication, "even the busiest thread is not always computing"});
  }
  const auto worst = std::min_element(factors.begin(), factors.end(),
                                      [](const Factor& a, const Factor& b) { return a.value < b.value; });
  std::string text = "What costs most (" + Percent(1 - worst->value) + "): " + worst->words;
  if (e.load_balance < kGood) {
    text += "; busiest is " + archive::Where(profile, e.busiest);
  }
  return text + ".";
}

}  // namespace

std::vector<std::string> Verdict(const Profile& profile, const Efficiencies& e, bool has_mpi, bool has_omp,
                                 double waited) {
  if (e.threads < 2) return {"One thread only: there is nothing parallel to judge."};
  if (!(e.runtime > 0)) return {"No time was measured."};
  std::vector<std::string> out;
  const char* mark = e.parallel >= kGood ? "good" : e.parallel >= kFair ? "acceptable" : "needs work";
  out.push_back(Percent(e.parallel) + " of the time of all threads is computation: " + mark + ".");
  if (e.parallel < kGood) out.push_back(Limit(profile, e, has_mpi, has_omp, waited));
  return out;
}

}  // namespace epik::analysis
