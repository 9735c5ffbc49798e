// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/bottlenecks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <map>

#include "archive/profile/region_class.h"
#include "archive/profile/where.h"
#include "report/views/imbalances.h"
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

class Finder {
 public:
  Finder(const Figures& figures, const archive::Manifest& manifest, bool unicode)
      : f_(figures),
        profile_(figures.profile),
        manifest_(manifest),
        unicode_(unicode),
        all_code_(RootOfAllCode(figures)) {
    if (profile_.processes.size() > 1) polling_ = FindPolling(f_);
    least_ = kMatters * f_.time.Total() / Locations();
  }

  std::vector<Bottleneck> Find() {
    if (f_.time.Total() > 0 && profile_.locations.size() > 1) {
      AllUneven();
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

  double Locations() const { return static_cast<double>(std::max<size_t>(profile_.locations.size(), 1)); }

  std::string Name(uint32_t region) const {
    view::Terminal terminal;
    terminal.unicode = unicode_;
    return view::ShortName(profile_.regions[region].name, kLongestName, terminal);
  }
  std::string Time(double seconds) const { return view::Seconds(seconds, unicode_); }

  // The sentence is the title and the rest. `path`: the place to look at; kNone: none.
  void Put(Kind kind, double seconds, uint32_t path, const std::string& title, const std::string& rest) {
    if (seconds >= least_) found_.push_back({kind, seconds, title + rest, title.size(), path});
  }

  // A parallel region is uneven as a whole where no single function in it is.
  void AllUneven() {
    const std::vector<Imbalance> all = FindImbalances(f_, polling_);
    for (const bool wholes : {false, true}) {
      for (const Imbalance& one : all) {
        if (one.is_whole == wholes) Uneven(one);
      }
      if (!found_.empty()) return;
    }
  }

  void Uneven(const Imbalance& one) {
    if (one.saved < least_) return;
    if (one.most < kUneven * one.mean && one.saved < kMuch / kMatters * least_) return;
    const std::string could = ": up to " + Time(one.saved) + " of the run time could be saved.";
    const std::string what = one.is_whole ? "The work in " : one.region == all_code_ ? "The code of " : "";
    const std::string name = what + Name(one.region);
    const std::string where = Where(profile_, one.busiest);
    const uint32_t path = HottestPath(f_, one.region);
    if (one.ran == 1) {
      Put(Kind::kAlone, one.saved, path, name + " runs on " + where + " alone",
          ", " + Time(one.most) + ", and " + view::Plural(one.waiting, "other") +
              (one.waiting == 1 ? " waits" : " wait") + could);
    } else if (OnFirstThreads(one.seconds)) {
      Put(Kind::kFirstThreads, one.saved, path, name + " runs on the first thread of each rank",
          ", " + Time(one.most) + " on " + where + ", and their further threads idle" + could);
    } else {
      Put(Kind::kUneven, one.saved, path, name + " is uneven",
          ": " + where + " takes " + Time(one.most) + ", " + Times(one.most / one.mean) + " the mean of " +
              Time(one.mean) + could);
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
    double others = 0;
    for (const PollingLoop& one : polling_) others += one.seconds;
    others -= loop.seconds;
    const bool has_others = others >= kMatters * loop.seconds;
    Put(Kind::kPolling, (loop.seconds + others) / Locations(), HottestPath(f_, loop.region),
        Name(loop.region) + " polls",
        ": nearly all of " + view::Plural(loop.calls, "call") + " of " + Name(loop.asks) + " found nothing. The " +
            Time(loop.seconds) + (loop.is_all_code ? " in such calls, most on " : " in that loop, most on ") +
            Where(profile_, spread.max_location) + ", are waiting for others and no work" +
            (has_others ? "; so are " + Time(others) + " in " + view::Plural(polling_.size() - 1, "other loop") : "") +
            ".");
  }

  // Waiting for a section that one thread at a time may execute.
  void Exclusion() {
    for (uint32_t r = 0; r < f_.region_times.size(); ++r) {
      const std::string_view metric = archive::TimeMetricOf(profile_.regions[r]);
      const bool of_libc = metric == "pthread_lock_api";
      if (!of_libc && metric != "omp_critical" && metric != "omp_lock_api" && metric != "omp_ordered") continue;
      const Spread spread = SpreadOf(f_.region_times[r]);
      if (spread.present == 0) continue;
      Put(Kind::kExclusion, spread.sum / Locations(), HottestPath(f_, r),
          "Threads wait " + Time(spread.sum) + " in " + Name(r) + CallerOf(f_, r, unicode_),
          ", most on " + Where(profile_, spread.max_location) + " (" + Time(spread.max) +
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
    Put(Kind::kIo, all / Locations(), archive::kNone, "Files take " + Time(all),
        ", " + Time(best) + " of it " + name + ", most on " + Where(profile_, where) + ".");
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
    Put(Kind::kOversubscribed, manifest_.queued_seconds / Locations(), archive::kNone,
        "Others had the processors for " + std::string(share) + " of the time in which threads were ready to run",
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
  const uint32_t all_code_;  // region: the program's root, if it has no hooks; or none
  std::vector<PollingLoop> polling_;
  double least_ = 0;
  std::vector<Bottleneck> found_;
};

}  // namespace

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
  if (profile.regions[most->first].role == "artificial") return "";  // the program itself, which tells nothing
  view::Terminal terminal;
  terminal.unicode = unicode;
  return (most->second < kAlmostAll * all ? ", mostly of " : " of ") +
         view::ShortName(profile.regions[most->first].name, kLongestName, terminal);
}

std::vector<Bottleneck> FindBottlenecks(const Figures& figures, const archive::Manifest& manifest, bool unicode) {
  return Finder(figures, manifest, unicode).Find();
}

}  // namespace epik::report
