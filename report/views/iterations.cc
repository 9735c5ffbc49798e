// SPDX-License-Identifier: BSD-3-Clause
// How the time of a phase or parameter changes from value to value: iterations that grow, and the one that is slow.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "analysis/loops.h"
#include "report/views/views.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/sparkline.h"
#include "view/text.h"

namespace epik::report {

using analysis::Loop;
using analysis::LoopValue;
using archive::kNone;

namespace {

constexpr size_t kDefaultIterations = 16, kWidth = 32;
constexpr double kUnevenWork = 1.2;      // of the busiest thread's work over the mean
constexpr double kLeastOfExcess = 0.1;   // of what the slowest value takes longer than the median
constexpr uint32_t kItself = kNone - 1;  // stands for the regions of the values, which have a name for each value

// The time of all that ran with one value.
struct Spent {
  std::string value;
  uint64_t visits = 0;
  double time = 0;     // of all threads
  double longest = 0;  // of the thread with most
  std::array<double, kUses> uses = {};
  Spread work;               // computation of the threads that ran with it
  uint32_t own = kNone;      // the region of the value: step=7
  uint32_t most_in = kNone;  // or kItself
  double most_in_time = 0;
};

class Spending {
 public:
  explicit Spending(const Figures& figures)
      : f_(figures), time_(figures.profile.locations.size()), work_(figures.profile.locations.size()) {}

  Spent Of(const LoopValue& value) {
    Spent spent;
    spent.value = value.text;
    std::fill(time_.begin(), time_.end(), 0);
    std::fill(work_.begin(), work_.end(), 0);
    of_regions_.clear();
    for (const uint32_t path : value.paths) spent.visits += f_.visits[path];
    if (!value.paths.empty()) spent.own = f_.profile.call_paths[value.paths.front()].region;
    ForEachPath(f_.profile, value, [&](uint32_t path) { Add(path, &spent); });
    for (const double seconds : time_) {
      spent.time += seconds;
      spent.longest = std::max(spent.longest, seconds);
    }
    spent.work = SpreadOf(work_);
    for (const auto& [region, seconds] : of_regions_) {
      const bool is_more = seconds > spent.most_in_time || (seconds == spent.most_in_time && region < spent.most_in);
      if (!is_more || seconds <= 0) continue;
      spent.most_in = region;
      spent.most_in_time = seconds;
    }
    return spent;
  }

  // The time of each region for the value that Of took last. That of the value itself is at kItself.
  const std::unordered_map<uint32_t, double>& of_regions() const { return of_regions_; }

 private:
  void Add(uint32_t path, Spent* spent) {
    const std::vector<double>& own = f_.time.ExclusiveRow(path);
    if (own.empty()) return;
    const uint32_t region = f_.profile.call_paths[path].region;
    const Use use = f_.uses[region];
    double sum = 0;
    for (size_t l = 0; l < own.size(); ++l) {
      sum += own[l];
      time_[l] += own[l];
      if (use == Use::kComputation) work_[l] += own[l];
    }
    spent->uses[static_cast<size_t>(use)] += sum;
    of_regions_[region == spent->own ? kItself : region] += sum;
  }

  const Figures& f_;
  std::vector<double> time_, work_;  // by location
  std::unordered_map<uint32_t, double> of_regions_;
};

// A region that computed longer with one value than with the others on average.
struct Excess {
  uint32_t region = kNone;
  double seconds = 0;
};

struct IterationRows {
  const Loop* loop;
  std::vector<Spent> values;
  double time = 0;
  size_t slowest = 0;
  Excess of_slowest;
};

IterationRows RowsOf(const Figures& f, const Loop& loop, Spending* spending) {
  IterationRows rows{&loop, {}, 0, 0, {}};
  std::unordered_map<uint32_t, double> of_regions;
  for (const LoopValue& value : loop.values) {
    rows.values.push_back(spending->Of(value));
    rows.time += rows.values.back().time;
    for (const auto& [region, seconds] : spending->of_regions()) of_regions[region] += seconds;
    if (rows.values.back().longest > rows.values[rows.slowest].longest) rows.slowest = rows.values.size() - 1;
  }
  const uint32_t own = spending->Of(loop.values[rows.slowest]).own;
  const auto others = static_cast<double>(loop.values.size() - 1);
  for (const auto& [region, seconds] : spending->of_regions()) {
    if (f.uses[region == kItself ? own : region] != Use::kComputation)
      continue;  // it may only have waited for what took longer
    const double more = seconds - (of_regions[region] - seconds) / others;
    const bool is_most =
        more > rows.of_slowest.seconds || (more == rows.of_slowest.seconds && region < rows.of_slowest.region);
    if (is_most && more > 0) rows.of_slowest = {region, more};
  }
  return rows;
}

std::string RegionOf(const Figures& f, const Spent& spent) {
  if (spent.most_in == kNone) return "";
  return f.profile.regions[spent.most_in == kItself ? spent.own : spent.most_in].name;
}

Sheet ValuesSheet(const Figures& f, const std::vector<IterationRows>& loops) {
  Sheet sheet{"iterations",
              {{"visits", "", Unit::kCount},
               {"time_s", "", Unit::kSeconds},
               {"longest_s", "", Unit::kSeconds},
               {"computation_s", "", Unit::kSeconds},
               {"mpi_s", "", Unit::kSeconds},
               {"omp_s", "", Unit::kSeconds},
               {"work_max_over_mean", "", Unit::kRatio},
               {"busiest", "", Unit::kText},
               {"most_in", "", Unit::kText},
               {"most_in_s", "", Unit::kSeconds},
               {"callpath", "", Unit::kText},
               {"parameter", "", Unit::kText},
               {"value", "", Unit::kText}},
              {}};
  for (const IterationRows& rows : loops) {
    for (const Spent& spent : rows.values) {
      const auto use = [&](Use what) { return spent.uses[static_cast<size_t>(what)]; };
      sheet.rows.push_back(
          {spent.visits, spent.time, spent.longest, use(Use::kComputation), use(Use::kMpi), use(Use::kOmp),
           spent.work.MaxOverMean(), spent.work.sum > 0 ? LocationName(f.profile, spent.work.max_location) : "",
           RegionOf(f, spent), spent.most_in_time, rows.loop->callpath, rows.loop->parameter, spent.value});
    }
  }
  return sheet;
}

// A few rows of several values each, for people.
Sheet GroupsSheet(const Figures& f, const IterationRows& rows, size_t most) {
  Sheet sheet{"",
              {{"", "longest", Unit::kSeconds},
               {"", "all", Unit::kSeconds, 3},
               {"", "max/mean", Unit::kRatio, 1},
               {"", "comp %", Unit::kShare, 5},
               {"", "MPI %", Unit::kShare, 2},
               {"", "OMP %", Unit::kShare, 4},
               {"", "most in", Unit::kText},
               {"", rows.loop->parameter, Unit::kText}},
              {}};
  std::array<double, kUses> whole = {};
  const size_t count = rows.values.size();
  const size_t each = most == 0 ? 1 : (count + most - 1) / most;
  for (size_t first = 0; first < count; first += each) {
    const size_t end = std::min(first + each, count);
    const auto several = static_cast<double>(end - first);
    double longest = 0, time = 0, uneven = 0, most_in_time = 0;
    std::array<double, kUses> uses = {};
    std::string most_in;
    for (size_t v = first; v < end; ++v) {
      const Spent& spent = rows.values[v];
      longest += spent.longest / several;
      time += spent.time;
      uneven += spent.work.MaxOverMean() / several;
      for (size_t u = 0; u < kUses; ++u) uses[u] += spent.uses[u];
      if (spent.most_in_time > most_in_time)
        most_in = spent.most_in == kItself ? rows.loop->parameter + " itself" : RegionOf(f, spent);
      most_in_time = std::max(most_in_time, spent.most_in_time);
    }
    for (size_t u = 0; u < kUses; ++u) whole[u] += uses[u];
    const auto share = [&](Use use) { return time > 0 ? uses[static_cast<size_t>(use)] / time : 0; };
    const std::string values = rows.values[first].value + (end - first == 1 ? "" : " to " + rows.values[end - 1].value);
    sheet.rows.push_back({longest, time / several, uneven, share(Use::kComputation), share(Use::kMpi), share(Use::kOmp),
                          most_in, values});
  }
  // A run without MPI has no column of it.
  const auto drop = [&](size_t column, Use use) {
    if (whole[static_cast<size_t>(use)] <= 0) sheet.columns[column].title.clear();
  };
  drop(4, Use::kMpi);
  drop(5, Use::kOmp);
  if (f.profile.locations.size() == 1) sheet.columns[1].title = sheet.columns[2].title = "";
  return sheet;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double MeanOf(const std::vector<double>& values, size_t begin, size_t end) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                         values.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
         static_cast<double>(end - begin);
}

std::string SlowestInWords(const Figures& f, const IterationRows& rows, double median, const view::Terminal& terminal) {
  const Spent& slowest = rows.values[rows.slowest];
  std::string text =
      rows.loop->parameter + "=" + slowest.value + ": " + view::Seconds(slowest.longest, terminal.unicode);
  if (median > 0) text += ", " + view::Ratio(slowest.longest / median) + " times the median";
  if (slowest.work.present > 1 && slowest.work.MaxOverMean() >= kUnevenWork) {
    text += "; " + LocationName(f.profile, slowest.work.max_location) + " computes " +
            view::Ratio(slowest.work.MaxOverMean()) + " times the mean";
  }
  if (rows.of_slowest.region != kNone && rows.of_slowest.seconds >= kLeastOfExcess * (slowest.longest - median)) {
    const uint32_t region = rows.of_slowest.region;
    text += "; " + (region == kItself ? rows.loop->parameter + " itself" : f.profile.regions[region].name) + " takes " +
            view::Seconds(rows.of_slowest.seconds, terminal.unicode) + " more than otherwise";
  }
  return text;
}

// How much longer the last values take than the first ones; empty: there are few.
std::string DriftInWords(const std::vector<double>& longest, const view::Terminal& terminal) {
  constexpr size_t kParts = 10;
  if (longest.size() < 2 * kParts) return "";
  const size_t part = longest.size() / kParts;
  const double first = MeanOf(longest, 0, part), last = MeanOf(longest, longest.size() - part, longest.size());
  return "the first " + view::Count(part) + " take " + view::Seconds(first, terminal.unicode) + " each, the last " +
         view::Count(part) + " " + view::Seconds(last, terminal.unicode) +
         (first > 0 ? ": " + view::Ratio(last / first) + " times as long" : "");
}

std::string LoopInWords(const Figures& f, const IterationRows& rows, size_t top, const view::Terminal& terminal) {
  const std::vector<Spent>& values = rows.values;
  std::vector<double> longest;
  for (const Spent& spent : values) longest.push_back(spent.longest);
  const double median = Median(longest);
  const auto [least, most] = std::minmax_element(longest.begin(), longest.end());
  const auto seconds = [&](double s) { return view::Seconds(s, terminal.unicode); };
  const auto labelled = [&](const char* label, const std::string& text) {
    return text.empty() ? "" : view::Labelled(label, view::Printable(text), terminal.width);
  };
  const std::string prefix = RootPrefix(f);
  const std::string& callpath = rows.loop->callpath;
  const std::string around = callpath.starts_with(prefix) ? callpath.substr(prefix.size()) : callpath;
  std::string text =
      labelled("values", view::Count(values.size()) + " of " + rows.loop->parameter + ", " + values.front().value +
                             " to " + values.back().value + (around.empty() ? "" : ", in " + around));
  text += labelled("each takes", seconds(median) + " (median), " + seconds(*least) + " to " + seconds(*most) + "; " +
                                     seconds(rows.time) + " in all threads");
  text += labelled("slowest", SlowestInWords(f, rows, median, terminal));
  text += labelled("drift", DriftInWords(longest, terminal));
  text += "\n  |" + view::Sparkline(terminal, longest, kWidth) + "|\n\n";
  return text + RenderSheet(GroupsSheet(f, rows, top), 0, terminal);
}

}  // namespace

bool MakeIterations(const Figures& f, const ViewOptions& options, ViewData* view, std::string* error) {
  const std::vector<Loop> loops = analysis::LoopsOf(f.profile);
  if (loops.empty()) {
    *error =
        "no phase or parameter with several values in this profile: name the steps of the program, for example by "
        "EPIK_PHASE_START(step, n)";
    return false;
  }
  Spending spending(f);
  std::vector<IterationRows> all;
  for (const Loop& loop : loops) all.push_back(RowsOf(f, loop, &spending));
  std::stable_sort(all.begin(), all.end(),
                   [](const IterationRows& a, const IterationRows& b) { return a.time > b.time; });
  size_t values = 0;
  for (const IterationRows& rows : all) values += rows.values.size();
  view->totals = {{"loops", uint64_t{all.size()}}, {"values", uint64_t{values}}};
  view->sheets = {ValuesSheet(f, all)};
  constexpr size_t kMostLoops = 3;
  for (size_t i = 0; i < std::min(all.size(), kMostLoops); ++i) {
    view->text += (i == 0 ? "" : "\n") + LoopInWords(f, all[i], options.TopOr(kDefaultIterations), options.terminal);
  }
  if (all.size() > kMostLoops) {
    view->text +=
        "\n" +
        view::Wrapped("", "and " + view::Plural(all.size() - kMostLoops, "shorter loop") + " (`--format csv` has all)",
                      0, options.terminal.width);
  }
  const bool several = f.profile.locations.size() > 1;
  view->text += options.terminal.Dim(view::Wrapped(
      "",
      several ? "longest: the thread that took most time, for one value; all: the sum of all threads, for one value; "
                "max/mean: computation of the busiest thread over the mean; the shares are those of the time of all "
                "threads."
              : "longest: the time of one value; of a row with several values, their mean.",
      0, options.terminal.width));
  view->next =
      "`--waits` shows waiting by iteration, after `epk analyze`. `--load --path \"*=VALUE*\"` shows the threads.";
  return true;
}

}  // namespace epik::report
