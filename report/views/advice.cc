// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/advice.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include "archive/profile/region_class.h"
#include "archive/profile/where.h"
#include "report/views/bottlenecks.h"
#include "report/views/communicators.h"
#include "report/views/waited.h"
#include "view/name.h"
#include "view/number.h"
#include "view/terminal.h"

namespace epik::report {
namespace {

using Level = Advice::Level;

constexpr size_t kMostSentences = 3;
constexpr double kMuchCommunication = 0.2;  // of the time

std::string Whole(double percent) {
  char text[32];
  snprintf(text, sizeof text, "%.0f %%", std::clamp(percent, 0.0, 1e6));
  return text;
}

std::string Name(const Figures& f, uint32_t region) {
  return region == archive::kNone ? "" : view::ShortName(f.profile.regions[region].name, 40, view::Terminal{});
}

// The region with the largest sum of key(path), or none, and its share of all.
template <class Key>
std::pair<uint32_t, double> Leader(const Figures& f, Key&& key) {
  std::vector<double> sums(f.profile.regions.size());
  double all = 0;
  for (uint32_t p = 0; p < f.visits.size(); ++p) {
    sums[f.profile.call_paths[p].region] += key(p);
    all += key(p);
  }
  const auto best = std::max_element(sums.begin(), sums.end());
  if (best == sums.end() || all <= 0) return {archive::kNone, 0};
  return {static_cast<uint32_t>(best - sums.begin()), *best / all * 100};
}

bool IsMuchCost(const archive::Manifest& m) {
  constexpr double kWorthSaving = 0.001;  // seconds
  return m.CostPercentLeast() > kMuchCost && m.cost_seconds >= kWorthSaving;
}

// A profile of a trace of communication, with the waits, lacks the calls that the trace left out.
bool LacksCalls(const Figures& f, const archive::Manifest& m) {
  constexpr double kNearlyAll = 0.95;
  double visits = 0;
  for (const uint64_t count : f.visits) visits += static_cast<double>(count);
  return 2 * visits < kNearlyAll * static_cast<double>(m.events);
}

void AdviseOnCost(const Figures& f, const archive::Manifest& m, std::vector<Advice>* out) {
  if (!IsMuchCost(m)) return;
  if (LacksCalls(f, m)) {
    out->push_back({Level::kWarning, "Measuring cost " + Whole(m.CostPercentLeast()) + " of the CPU time",
                    ": `epk score` shows which calls."});
    return;
  }
  const auto [region, share] = Leader(f, [&](uint32_t p) { return static_cast<double>(f.visits[p]); });
  const std::string name = Name(f, region);
  // `epk score --suggest` leaves out functions of the program alone.
  out->push_back({Level::kWarning, "Measuring cost " + Whole(m.CostPercentLeast()) + " of the CPU time",
                  (name.empty() ? "" : ", " + Whole(share) + " of that for calls of " + name) +
                      (name.starts_with("MPI_")
                           ? ": a filter with the line `EXCLUDE REGION " + name + "` leaves them out (`epk run -f`)."
                           : ": `epk score --suggest` writes a filter that leaves small functions out.")});
}

void AdviseOnLosses(const archive::Manifest& m, std::vector<Advice>* out) {
  if (m.ended == "_exit" || m.ended == "quick_exit") {
    out->push_back({Level::kBad, "The program left by " + m.ended, ": calls that were open then end there."});
  } else if (m.recovered || (m.ended != "exit" && m.ended != "running" && !m.ended.empty())) {
    out->push_back({Level::kBad, "The run did not end by itself",
                    ": calls that never returned are counted up to the last event seen."});
  }
  if (m.folded_visits > 0) {
    out->push_back({Level::kWarning, "The call tree did not fit",
                    ": raise ESD_PATHS, ESD_FRAMES or EPK_MEMORY to see all of it."});
  }
}

// The module in names like `libx.so+0x1234` and `parallel @libx.so+0x1234`; what stands there in others, or nothing.
std::string ModuleOfAddress(const std::string& name) {
  const size_t end = name.find("+0x");
  if (end == std::string::npos) return "";
  const size_t before = name.find_last_of("@ ", end);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return name.substr(begin, end - begin);
}

void AdviseOnNames(const Figures& f, const archive::Manifest& m, std::vector<Advice>* out) {
  constexpr double kMuchWithoutNames = 0.05;
  std::map<std::string, double> times;  // by module; those of other names with an offset count for nothing
  for (const archive::Manifest::Module& module : m.modules) {
    times[module.path.substr(module.path.find_last_of('/') + 1)] = 0;
  }
  times.erase("");
  std::vector<double*> time_of;  // by region
  for (const archive::Region& region : f.profile.regions) {
    const auto found = times.find(ModuleOfAddress(region.name));
    time_of.push_back(found == times.end() ? nullptr : &found->second);
  }
  for (uint32_t p = 0; p < f.profile.call_paths.size(); ++p) {
    if (double* time = time_of[f.profile.call_paths[p].region]; time != nullptr) *time += f.time.ExclusiveSum(p);
  }
  const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto worst = std::max_element(times.begin(), times.end(), by_time);
  if (worst == times.end() || !(worst->second > kMuchWithoutNames * f.time.Total())) return;
  out->push_back({Level::kWarning,
                  worst->first + " has no symbols for " + Whole(worst->second / f.time.Total() * 100) + " of the time",
                  ": `epk resolve` adds names, given its debug file."});
}

bool StartsOrEndsMpi(const archive::Region& region) { return archive::TimeMetricOf(region) == "mpi_init_exit"; }

bool WaitsForThreads(const archive::Region& region) { return archive::TimeMetricOf(region).starts_with("pthread_"); }

// The reader of the advice, and the findings so far.
struct Told {
  const Figures& f;
  const findings::Findings* found;  // may be null
  std::string_view view;            // empty: the reader has no options
  bool unicode = true;
  bool uneven = false;    // there is uneven work
  std::string said = {};  // about locks, and about loops that poll
};

// The end of a sentence about communication, of which that share is known to be waiting for others (negative: nobody
// knows).
std::string Why(const Told& told, double waited, bool is_local) {
  constexpr double kMostly = 0.5;
  if (waited >= kMostly) {
    return "; processes wait there for others that are late, " + Whole(std::min(waited, 1.0) * 100) + " of it" +
           (told.view.empty() ? "." : ": `--waits` shows where.");
  }
  return waited < 0 && told.uneven && !is_local ? ": it may be waiting for the work above." : ".";
}

void AdviseOnLoad(const archive::Manifest& m, Told* told, std::vector<Advice>* out) {
  for (const Bottleneck& found : FindBottlenecks(told->f, m, told->unicode)) {
    // One region may be uneven in several ways, and the regions that it calls may be, too: the costliest finding tells
    // most.
    const bool of_load = found.kind <= Bottleneck::Kind::kFirstThreads;
    if (of_load && told->uneven) continue;
    told->uneven = told->uneven || of_load;
    const bool polls = found.kind == Bottleneck::Kind::kPolling;
    if (polls || found.kind == Bottleneck::Kind::kExclusion) told->said += found.text;
    const bool has_more = of_load && !told->view.empty() && told->view != "load";
    // If calls are dear because a loop makes so many of them, that loop is the news.
    out->insert(polls && IsMuchCost(m) ? out->begin() : out->end(),
                {of_load ? Level::kBad : Level::kWarning, found.text.substr(0, found.title),
                 found.text.substr(found.title) + (has_more ? " `--load` shows each thread." : ""), found.path});
  }
}

// `waited`: seconds of that time which are waiting for others; negative: not known.
template <class Is>
void AdviseOnCommunication(const Told& told, const std::string& what, Is is_it, double waited,
                           std::vector<Advice>* out) {
  const Figures& f = told.f;
  double time = 0;
  uint32_t longest = archive::kNone;
  const auto time_of = [&](uint32_t p) { return is_it(f.profile.call_paths[p].region) ? f.time.ExclusiveSum(p) : 0.0; };
  for (uint32_t p = 0; p < f.profile.call_paths.size(); ++p) {
    const double here = time_of(p);
    time += here;
    if (here > 0 && (longest == archive::kNone || here > time_of(longest))) longest = p;
  }
  if (time < kMuchCommunication * f.time.Total()) return;
  const auto [region, share] = Leader(f, time_of);
  const std::string name = Name(f, region);
  for (const std::string& said : {" in " + name, " of " + name + " found"}) {
    if (told.said.find(said) != std::string::npos) return;
  }
  std::vector<double> by_location(f.profile.locations.size());
  for (uint32_t r = 0; r < f.region_times.size(); ++r) {
    for (size_t l = 0; l < f.region_times[r].size() && is_it(r); ++l) by_location[l] += f.region_times[r][l];
  }
  out->push_back({Level::kWarning, what + " takes " + Whole(time / f.time.Total() * 100) + " of the time",
                  ", most on " + Where(f.profile, SpreadOf(by_location).max_location) + ", " + Whole(share) +
                      " of it in " + name + CallerOf(f, region, told.unicode) +
                      Why(told, waited / time, name.starts_with("MPI_") && archive::IsLocalMpi(name)),
                  longest});
}

void AdviseOnAllCommunication(const Told& told, std::vector<Advice>* out) {
  const Figures& f = told.f;
  if (f.profile.locations.size() < 2 || !(f.time.Total() > 0)) return;
  std::vector<bool> is_frame(f.profile.regions.size());
  for (size_t r = 0; r < is_frame.size(); ++r) is_frame[r] = StartsOrEndsMpi(f.profile.regions[r]);
  const auto is_mpi = [&](uint32_t region) { return f.uses[region] == Use::kMpi && !is_frame[region]; };
  AdviseOnCommunication(told, "MPI", is_mpi, WaitedInMpi(f, told.found), out);
  const auto is_omp = [&](uint32_t region) { return f.uses[region] == Use::kOmp; };
  AdviseOnCommunication(told, "OpenMP synchronisation and management", is_omp, -1, out);
  const auto waits = [&](uint32_t region) { return WaitsForThreads(f.profile.regions[region]); };
  AdviseOnCommunication(told, "Waiting for other threads", waits, -1, out);
  double frame = 0;
  for (uint32_t p = 0; p < f.profile.call_paths.size(); ++p) {
    if (is_frame[f.profile.call_paths[p].region]) frame += f.time.ExclusiveSum(p);
  }
  if (frame < kMuchCommunication * f.time.Total()) return;
  out->push_back({Level::kWarning,
                  "Starting and ending MPI takes " + Whole(frame / f.time.Total() * 100) + " of the time",
                  ": a longer run tells more about the program."});
}

// Programs with more and more communicators fail in the end, so this is never cut off.
void AdviseOnCommunicators(const Told& told, size_t most, std::vector<Advice>* out) {
  const std::string unfreed = UnfreedCommunicators(told.f, told.unicode);
  if (unfreed.empty()) return;
  const size_t title = unfreed.find(", ");
  const auto at = static_cast<ptrdiff_t>(std::min(out->size(), most - 1));
  out->insert(out->begin() + at, {Level::kWarning, unfreed.substr(0, title), unfreed.substr(title)});
}

// `all`: also what a view may say itself.
std::vector<Advice> Find(const archive::Manifest& manifest, bool all, size_t most, Told told) {
  std::vector<Advice> out;
  AdviseOnCost(told.f, manifest, &out);
  AdviseOnLosses(manifest, &out);
  if (!told.f.time.IsDifference()) {  // of it, shares of the time mean nothing
    AdviseOnNames(told.f, manifest, &out);
    if (all) {
      AdviseOnLoad(manifest, &told, &out);
      AdviseOnAllCommunication(told, &out);
      AdviseOnCommunicators(told, most, &out);
    }
  }
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace

std::vector<Advice> AdviseWithoutOptions(const Figures& figures, const archive::Manifest& manifest,
                                         const findings::Findings* found, size_t most) {
  return Find(manifest, true, most, Told{figures, found, ""});
}

std::vector<std::string> Advise(const Figures& figures, const archive::Manifest& manifest,
                                const findings::Findings* found, std::string_view view, const std::string& next,
                                bool unicode) {
  std::vector<std::string> out;
  for (const Advice& advice : Find(manifest, next.empty(), kMostSentences, Told{figures, found, view, unicode})) {
    out.push_back(advice.title + advice.rest);
  }
  if (!next.empty()) out.push_back(next);
  if (out.empty()) {
    const bool several = figures.profile.locations.size() > 1;
    if (view == "tree") {
      out.push_back(
          several
              ? "`--flat` adds up by region, `--load` compares threads, `--min 0 --top 0` shows the whole tree."
              : "`--flat` adds up by region, `--min 0 --top 0` shows the whole tree, `--format json` is for programs.");
    } else {
      out.push_back(
          "`--tree` shows call paths, `--callers-of REGION` who calls a region, `--format csv` is for spreadsheets.");
    }
  }
  if (out.size() > kMostSentences) out.resize(kMostSentences);
  return out;
}

}  // namespace epik::report
