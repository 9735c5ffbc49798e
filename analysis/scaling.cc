// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/scaling.h"

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "archive/profile/absent_locations.h"

namespace epik::analysis {

using archive::kNone;
using archive::Profile;

namespace {

double Portion(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Exclusive values of the first of these counters that the profile has, over all locations, by call path.
std::vector<double> Counted(const Profile& profile, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const uint32_t metric = profile.FindMetric(name);
    if (metric == kNone || !archive::AbsentLocations(profile, metric).empty()) continue;
    std::vector<double> sums(profile.call_paths.size());
    for (uint32_t l = 0; l < profile.locations.size(); ++l) {
      const std::vector<double> own = profile.Exclusive(metric, l);
      for (uint32_t path = 0; path < sums.size(); ++path) sums[path] += own[path];
    }
    return sums;
  }
  return {};
}

// For each call path of `from`, the call path of `to` with the same regions. The roots that stand for the programs
// match, even if the programs have different names.
std::vector<uint32_t> Match(const Profile& from, const Profile& to) {
  const auto name = [](const Profile& p, uint32_t path) {
    const archive::Region& region = p.regions[p.call_paths[path].region];
    return p.call_paths[path].parent == kNone && region.role == "artificial" ? std::string() : region.name;
  };
  std::map<std::pair<uint32_t, std::string>, uint32_t> known;
  for (uint32_t path = 0; path < to.call_paths.size(); ++path) {
    known.emplace(std::pair(to.call_paths[path].parent, name(to, path)), path);
  }
  std::vector<uint32_t> same(from.call_paths.size(), kNone);
  for (uint32_t path = 0; path < same.size(); ++path) {
    uint32_t parent = from.call_paths[path].parent;
    if (parent != kNone && (parent = same[parent]) == kNone) continue;
    const auto found = known.find({parent, name(from, path)});
    if (found != known.end()) same[path] = found->second;
  }
  return same;
}

}  // namespace

Scaling::Scaling(const std::vector<const Profile*>& profiles, Problem problem)
    : problem_(problem), order_(profiles.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](size_t a, size_t b) { return profiles[a]->locations.size() < profiles[b]->locations.size(); });
  for (const size_t i : order_) {
    const Profile& profile = *profiles[i];
    runs_.push_back({&profile, std::make_unique<Pop>(profile), Counted(profile, {"PAPI_TOT_INS", "perf::INSTRUCTIONS"}),
                     Counted(profile, {"PAPI_TOT_CYC", "perf::CYCLES"}), Match(*profiles[order_[0]], profile)});
  }
}

double Scaling::InCommon() const {
  const Profile& profile = smallest();
  const uint32_t time = profile.FindMetric("time");
  if (time == kNone) return 1;
  double common = 0, all = 0;
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    const std::vector<double> own = profile.Exclusive(time, l);
    for (uint32_t path = 0; path < own.size(); ++path) {
      all += own[path];
      if (runs_.back().same[path] != kNone) common += own[path];
    }
  }
  return all > 0 ? common / all : 1;
}

bool Scaling::HasMpi() const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [](const Run& run) { return run.pop->HasMpi() && run.profile->processes.size() > 1; });
}

bool Scaling::HasOpenMp() const {
  return std::any_of(runs_.begin(), runs_.end(), [](const Run& run) {
    return run.pop->HasOpenMp() && run.profile->locations.size() > run.profile->processes.size();
  });
}

// path: a call path of the run; kNone: the whole run.
Scale Scaling::Measure(const Run& run, uint32_t path) const {
  Scale scale;
  scale.e = path == kNone ? run.pop->Whole() : run.pop->Of(path);
  const uint32_t first = path == kNone ? 0 : path;
  const uint32_t last = path == kNone ? static_cast<uint32_t>(run.profile->call_paths.size()) : run.pop->End(path);
  for (uint32_t at = first; at < last; ++at) {
    if (!run.pop->IsComputation(at)) continue;
    if (!run.instructions.empty()) scale.instructions += run.instructions[at];
    if (!run.cycles.empty()) scale.cycles += run.cycles[at];
  }
  return scale;
}

void Scaling::Compare(std::vector<Scale>* scales) const {
  const Scale base = scales->front();
  for (Scale& scale : *scales) {
    if (scale.e.threads == 0) continue;
    // The work grows by the same factor as the threads.
    const double threads = Portion(static_cast<double>(scale.e.threads), static_cast<double>(base.e.threads));
    const double work = problem_ == Problem::kGrows ? threads : 1;
    scale.speedup = work * Portion(base.e.runtime, scale.e.runtime);
    scale.computation = work * Portion(base.e.useful, scale.e.useful);
    scale.global = scale.e.parallel * scale.computation;
    scale.instruction = work * Portion(base.instructions, scale.instructions);
    scale.ipc = Portion(Portion(scale.instructions, scale.cycles), Portion(base.instructions, base.cycles));
    scale.frequency = Portion(Portion(scale.cycles, scale.e.useful), Portion(base.cycles, base.e.useful));
  }
}

std::vector<Scale> Scaling::Whole() const {
  std::vector<Scale> scales;
  for (const Run& run : runs_) scales.push_back(Measure(run, kNone));
  Compare(&scales);
  return scales;
}

std::vector<Scale> Scaling::Of(uint32_t path) const {
  std::vector<Scale> scales;
  for (const Run& run : runs_) scales.push_back(run.same[path] == kNone ? Scale() : Measure(run, run.same[path]));
  Compare(&scales);
  return scales;
}

namespace {

std::string Format(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

struct Factor {
  const char* words;
  double before, after;
  double Left() const { return after / before; }
};

std::vector<Factor> Factors(const Scaling& scaling, const Scale& a, const Scale& b) {
  std::vector<Factor> all;
  if (scaling.HasMpi() && scaling.HasOpenMp()) {
    all = {{"the balance of the ranks", a.e.mpi_load_balance, b.e.mpi_load_balance},
           {"communication between the ranks", a.e.mpi_communication, b.e.mpi_communication},
           {"the balance of the threads", a.e.omp_load_balance, b.e.omp_load_balance},
           {"how active the threads are", a.e.omp_region, b.e.omp_region}};
  } else {
    all = {{"the load balance", a.e.load_balance, b.e.load_balance},
           {"communication and waiting", a.e.communication, b.e.communication}};
  }
  if (b.instruction > 0 && b.ipc > 0 && b.frequency > 0) {
    all.push_back({"more instructions for the same work", 1, b.instruction});
    all.push_back({"fewer instructions per cycle (memory, caches)", 1, b.ipc});
    all.push_back({"a lower clock frequency", 1, b.frequency});
  } else {
    all.push_back({"computing the same takes longer (more instructions, memory)", 1, b.computation});
  }
  all.erase(std::remove_if(all.begin(), all.end(), [](const Factor& f) { return !(f.before > 0 && f.after > 0); }),
            all.end());
  return all;
}

}  // namespace

std::vector<std::string> Verdict(const Scaling& scaling, const std::vector<Scale>& scales) {
  if (scales.size() < 2) return {"One run only: there is no scaling to judge."};
  const Scale &a = scales.front(), &b = scales.back();
  if (a.e.threads == b.e.threads) return {"All runs have as many threads: there is no scaling to judge."};
  const double ideal = static_cast<double>(b.e.threads) / static_cast<double>(a.e.threads);
  std::vector<std::string> out;
  out.push_back("From " + std::to_string(a.e.threads) + " to " + std::to_string(b.e.threads) +
                " threads: " + Format("%.2f times as fast", b.speedup) +
                Format(", %.0f %% of what could be.", 100 * b.speedup / ideal));
  const std::vector<Factor> factors = Factors(scaling, a, b);
  const auto worst = std::min_element(factors.begin(), factors.end(),
                                      [](const Factor& x, const Factor& y) { return x.Left() < y.Left(); });
  constexpr double kKept = 0.95, kOneProgram = 0.5;
  if (worst != factors.end() && worst->Left() < kKept) {
    out.push_back("What costs most on the way (" + Format("%.0f %%", 100 * (1 - worst->Left())) + "): " + worst->words +
                  Format(", from %.0f", 100 * worst->before) + Format(" to %.0f %%.", 100 * worst->after));
  }
  if (const double common = scaling.InCommon(); common < kOneProgram) {
    out.push_back("Are these runs of one program? The smallest spends " + Format("%.0f %%", 100 * (1 - common)) +
                  " of its time in call paths that the largest does not have.");
  }
  return out;
}

}  // namespace epik::analysis
