// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/bottlenecks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>

#include "archive/profile/region_class.h"
#include "report/views/polling.h"
#include "view/name.h"
#include "view/number.h"
#include "view/terminal.h"

namespace epik::report {

using archive::Profile;
using Kind = Bottleneck::Kind;

namespace {

constexpr double kMatters = 0.02;  // of the time of a location
constexpr double kUneven = 1.2;    // busiest location over the mean …
constexpr double kMuch = 0.05;     // … unless so much of the time of a location could be saved
constexpr size_t kLongestName = 48;
constexpr double kQueued = 0.2;  // of the time in which threads were ready to run

std::string Times(double factor) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f times", factor);
  return text;
}

void AddTo(const std::vector<double>& row, std::vector<double>* sum) {
  for (size_t l = 0; l < row.size(); ++l) (*sum)[l] += row[l];
}

class Finder {
 public:
  Finder(const Figures& figures, const archive::Manifest& manifest, bool unicode)
      : f_(figures), profile_(figures.profile), manifest_(manifest), unicode_(unicode) {
    waits_.resize(profile_.locations.size());
    if (profile_.processes.size() > 1) polling_ = FindPolling(f_);
    between_polls_.resize(profile_.regions.size());
    for (const PollingLoop& loop : polling_) {
      for (const auto& [region, seconds] : loop.between) {
        between_polls_[region].resize(waits_.size());
        AddTo(seconds, &between_polls_[region]);
        AddTo(seconds, &waits_);
      }
    }
    const ByLocation polls = waits_;
    ByLocation busy(waits_.size());  // seconds in MPI in which nobody waits
    free_.resize(profile_.locations.size());
    for (uint32_t r = 0; r < f_.region_times.size(); ++r) {
      if (WaitsForWork(r)) AddTo(f_.region_times[r], &waits_);
      AddBusy(r, &busy);
    }
    double longest = 0;
    for (size_t l = 0; l < waits_.size(); ++l) {
      const auto& uses = f_.location_uses[l];
      for (const Use use : {Use::kMpi, Use::kOmp, Use::kIdle}) waits_[l] += uses[static_cast<size_t>(use)];
      waits_[l] = std::max(0.0, waits_[l] - busy[l]);
      longest = std::max(longest, std::accumulate(uses.begin(), uses.end(), 0.0));
    }
    for (size_t l = 0; l < free_.size(); ++l) {
      free_[l] = longest - f_.location_uses[l][static_cast<size_t>(Use::kComputation)] - busy[l] + polls[l];
    }
    const auto count = static_cast<double>(std::max<size_t>(waits_.size(), 1));
    least_ = kMatters * f_.time.Total() / count;
  }

  std::vector<Bottleneck> Find() {
    if (f_.time.Total() > 0 && waits_.size() > 1) {
      FindExclusive();
      for (uint32_t r = 0; r < f_.region_times.size(); ++r) {
        if (!Computes(r) || f_.region_times[r].empty()) continue;
        ByLocation values = f_.region_times[r];
        TakeOff(exclusive_[r], &values);
        TakeOff(between_polls_[r], &values);
        Uneven(r, values);
      }
      Exclusion();
      Polling();
    }
    if (f_.time.Total() > 0) Io();
    Oversubscribed();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Bottleneck& a, const Bottleneck& b) { return a.seconds > b.seconds; });
    return std::move(found_);
  }

 private:
  using ByLocation = std::vector<double>;

  static void TakeOff(const ByLocation& part, ByLocation* values) {
    for (size_t l = 0; l < part.size(); ++l) (*values)[l] = std::max(0.0, (*values)[l] - part[l]);
  }

  bool Computes(uint32_t region) const {
    return f_.uses[region] == Use::kComputation && profile_.regions[region].role != "artificial";
  }

  // Threads of libc that wait for a signal can take over work. Threads that wait for a lock, or for a thread's end,
  // cannot.
  bool WaitsForWork(uint32_t region) const {
    const std::string_view metric = archive::TimeMetricOf(profile_.regions[region]);
    return metric == "pthread_conditional" || metric == "pthread_barrier" || metric == "pthread_semaphore";
  }

  // Local functions of MPI wait for nobody, and no process can compute while MPI starts or ends on all of them.
  void AddBusy(uint32_t region, ByLocation* busy) const {
    const ByLocation& row = f_.region_times[region];
    const archive::Region& what = profile_.regions[region];
    if (archive::KindOf(what) == archive::RegionKind::kMpi && archive::IsLocalMpi(what.name)) AddTo(row, busy);
    if (archive::TimeMetricOf(what) != "mpi_init_exit") return;
    double least = std::numeric_limits<double>::max();
    for (const double seconds : row) {
      if (seconds > 0) least = std::min(least, seconds);
    }
    for (size_t l = 0; l < row.size(); ++l) (*busy)[l] += std::min(row[l], least);
  }

  // One thread at a time computes in a critical section, so no other thread can take a share of its work.
  void FindExclusive() {
    exclusive_.resize(profile_.regions.size());
    std::vector<bool> within(profile_.call_paths.size());
    for (uint32_t p = 0; p < within.size(); ++p) {
      const archive::CallPath& path = profile_.call_paths[p];
      const std::string_view metric = archive::TimeMetricOf(profile_.regions[path.region]);
      within[p] = metric == "omp_critical" || metric == "omp_ordered" ||
                  (path.parent != archive::kNone && path.parent < p && within[path.parent]);
      const ByLocation& row = within[p] && Computes(path.region) ? f_.time.ExclusiveRow(p) : ByLocation();
      if (row.empty()) continue;
      exclusive_[path.region].resize(row.size());
      AddTo(row, &exclusive_[path.region]);
    }
  }

  std::string Name(uint32_t region) const {
    view::Terminal terminal;
    terminal.unicode = unicode_;
    return view::ShortName(profile_.regions[region].name, kLongestName, terminal);
  }
  std::string Time(double seconds) const { return view::Seconds(seconds, unicode_); }

  void Put(Kind kind, double seconds, std::string text) {
    if (seconds >= least_) found_.push_back({kind, seconds, std::move(text)});
  }

  // Compares all threads that run the region, or wait for those that do. While the others compute, they cannot take a
  // share of its work.
  void Uneven(uint32_t region, const ByLocation& values) {
    const auto busiest = static_cast<uint32_t>(std::max_element(values.begin(), values.end()) - values.begin());
    double sum = 0, others_free = 0;
    size_t count = 0, present = 0;
    for (size_t l = 0; l < values.size(); ++l) {
      if (!(values[l] > 0) && !(waits_[l] > 0)) continue;
      ++count;
      present += values[l] > 0 ? 1 : 0;
      sum += values[l];
      if (l != busiest) others_free += free_[l];
    }
    if (count < 2 || !(sum > 0)) return;
    const double most = values[busiest], mean = sum / static_cast<double>(count);
    const double saved = std::min(most - mean, others_free / static_cast<double>(count - 1));
    if (most < kUneven * mean && saved < kMuch / kMatters * least_) return;
    const std::string could = ": up to " + Time(saved) + " of the run time could be saved.";
    const std::string others = view::Plural(count - present, "other") + (count - present == 1 ? " waits" : " wait");
    const std::string name = Name(region);
    if (present == 1) {
      Put(Kind::kAlone, saved,
          name + " runs on " + Where(profile_, busiest) + " alone, " + Time(most) + ", and " + others + could);
    } else if (OnFirstThreads(values)) {
      Put(Kind::kFirstThreads, saved,
          name + " runs on the first thread of each rank, " + Time(most) + " on " + Where(profile_, busiest) +
              ", and their further threads idle" + could);
    } else {
      Put(Kind::kUneven, saved,
          name + " is uneven: " + Where(profile_, busiest) + " takes " + Time(most) + ", " + Times(most / mean) +
              " the mean of " + Time(mean) + could);
    }
  }

  bool OnFirstThreads(const ByLocation& values) const {
    size_t further = 0;
    for (size_t l = 0; l < values.size(); ++l) {
      if (profile_.locations[l].thread == 0) continue;
      ++further;
      if (values[l] > 0) return false;
    }
    return further > 0;
  }

  // A loop that asks again and again whether a message is there waits for it, in the calls and between them.
  void Polling() {
    if (polling_.empty()) return;
    const PollingLoop& loop = polling_.front();
    const Spread spread = SpreadOf(loop.all);
    Put(Kind::kPolling, loop.seconds / static_cast<double>(waits_.size()),
        Name(loop.region) + " polls: nearly all of " + view::Plural(loop.calls, "call") + " of " + Name(loop.asks) +
            " found nothing. The " + Time(loop.seconds) + " in that loop, most on " +
            Where(profile_, spread.max_location) + ", are waiting for others and no work.");
  }

  // Waiting for a section that one thread at a time may execute.
  void Exclusion() {
    for (uint32_t r = 0; r < f_.region_times.size(); ++r) {
      const std::string_view metric = archive::TimeMetricOf(profile_.regions[r]);
      const bool of_libc = metric == "pthread_lock_api";
      if (!of_libc && metric != "omp_critical" && metric != "omp_lock_api" && metric != "omp_ordered") continue;
      const Spread spread = SpreadOf(f_.region_times[r]);
      if (spread.present == 0) continue;
      Put(Kind::kExclusion, spread.sum / static_cast<double>(waits_.size()),
          "Threads wait " + Time(spread.sum) + " in " + Name(r) + CallerOf(f_, r, unicode_) + ", most on " +
              Where(profile_, spread.max_location) + " (" + Time(spread.max) +
              "): one at a time is let in. Do less inside, or " + (of_libc ? "have more locks." : "use a reduction."));
    }
  }

  // Files of MPI, by its functions; files of the system, by the counters of io::.
  void Io() {
    double best = 0, all = 0;
    std::string name;
    uint32_t where = 0;
    const auto take = [&](double sum, const std::string& what, uint32_t location) {
      all += sum;
      if (sum <= best) return;
      best = sum;
      name = what;
      where = location;
    };
    for (uint32_t r = 0; r < f_.region_times.size(); ++r) {
      const std::string_view metric = archive::TimeMetricOf(profile_.regions[r]);
      if (!metric.starts_with("mpi_io") && metric != "mpi_mgmt_file") continue;
      const Spread spread = SpreadOf(f_.region_times[r]);
      take(spread.sum, Name(r), spread.max_location);
    }
    for (const char* kind : {"read", "write", "sync", "open_close"}) {
      const uint32_t metric = profile_.FindMetric(std::string("io::") + kind + "_time");
      f_.ForRows(metric, [&](uint32_t p, const uint64_t* cells) {
        ByLocation row;
        const bool real = profile_.metrics[metric].type == archive::Type::kDouble;
        for (size_t l = 0; l < profile_.locations.size(); ++l) {
          const double value = real ? std::bit_cast<double>(cells[l]) : static_cast<double>(cells[l]);
          row.push_back(std::isfinite(value) ? value : 0);
        }
        const Spread spread = SpreadOf(row);
        const std::string what = std::string(kind) == "open_close" ? "opening and closing files" : std::string(kind);
        take(spread.sum, what + " in " + Name(profile_.call_paths[p].region), spread.max_location);
      });
    }
    if (all <= 0) return;
    Put(Kind::kIo, all / static_cast<double>(waits_.size()),
        "Files take " + Time(all) + ", " + Time(best) + " of it " + name + ", most on " + Where(profile_, where) + ".");
  }

  // Why threads that are ready to run have to wait for a processor, and what to do.
  std::string WhyQueued() const {
    const uint64_t threads = MostOnOneHost();
    if (manifest_.processors <= 0)
      return ": start fewer ranks or threads where there are fewer processors, or bind them.";
    const auto processors = static_cast<uint64_t>(manifest_.processors);
    if (threads > processors) return ": start fewer ranks or threads, or bind them.";
    const std::string host = profile_.hosts.size() > 1 ? " of a host" : "";
    return ", and yet there are " + view::Plural(processors, "processor") + " for the " +
           view::Plural(threads, "thread") + host + ": other programs ran there" +
           (threads > 1 ? ", or several threads are bound to one processor." : ".");
  }

  void Oversubscribed() {
    if (manifest_.QueuedShare() < kQueued) return;
    char share[32];
    std::snprintf(share, sizeof share, "%.0f %%", 100 * manifest_.QueuedShare());
    Put(Kind::kOversubscribed, manifest_.queued_seconds / static_cast<double>(std::max<size_t>(waits_.size(), 1)),
        "Others had the processors for " + std::string(share) + " of the time in which threads were ready to run" +
            WhyQueued());
  }

  uint64_t MostOnOneHost() const {
    std::map<uint32_t, uint64_t> threads;
    uint64_t most = 0;
    for (const archive::Location& l : profile_.locations) {
      most = std::max(most, ++threads[profile_.processes[l.process].host]);
    }
    return most;
  }

  const Figures& f_;
  const Profile& profile_;
  const archive::Manifest& manifest_;
  const bool unicode_;
  std::vector<PollingLoop> polling_;
  std::vector<ByLocation> between_polls_;  // by region: seconds in loops that poll
  ByLocation waits_;                       // seconds in MPI, between polls, in OpenMP's synchronisation, idle
  std::vector<ByLocation> exclusive_;      // by region: seconds in critical sections
  ByLocation free_;                        // seconds of the longest location's run in which it was free, or had ended
  double least_ = 0;
  std::vector<Bottleneck> found_;
};

}  // namespace

std::string Where(const Profile& profile, uint32_t location) {
  const std::string rank = "rank " + std::to_string(RankOf(profile, location));
  const std::string thread = "thread " + std::to_string(profile.locations[location].thread);
  const bool threads = std::any_of(profile.locations.begin(), profile.locations.end(),
                                   [](const archive::Location& l) { return l.thread > 0; });
  if (!threads) return rank;
  return profile.processes.size() > 1 ? rank + " " + thread : thread;
}

std::string CallerOf(const Figures& f, uint32_t region, bool unicode) {
  const Profile& profile = f.profile;
  if (profile.regions[region].name.find(" @") != std::string::npos) return "";
  std::map<uint32_t, double> callers;
  double all = 0;
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    const archive::CallPath& path = profile.call_paths[p];
    if (path.region != region || path.parent == archive::kNone) continue;
    callers[profile.call_paths[path.parent].region] += f.time.ExclusiveSum(p);
    all += f.time.ExclusiveSum(p);
  }
  const auto most = std::max_element(callers.begin(), callers.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  constexpr double kAlmostAll = 0.95, kMost = 0.5;
  if (most == callers.end() || !(most->second > kMost * all)) return "";
  view::Terminal terminal;
  terminal.unicode = unicode;
  return (most->second < kAlmostAll * all ? ", mostly of " : " of ") +
         view::ShortName(profile.regions[most->first].name, kLongestName, terminal);
}

std::vector<Bottleneck> FindBottlenecks(const Figures& figures, const archive::Manifest& manifest, bool unicode) {
  return Finder(figures, manifest, unicode).Find();
}

}  // namespace epik::report
