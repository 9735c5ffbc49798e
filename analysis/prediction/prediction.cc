// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/prediction/prediction.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "analysis/algebra/names.h"
#include "analysis/approximation/approximated_archive.h"
#include "analysis/approximation/liberal.h"
#include "analysis/approximation/measurement.h"
#include "analysis/prediction/altered.h"
#include "analysis/prediction/call_paths.h"
#include "analysis/prediction/critical_path.h"
#include "archive/profile/region_class.h"
#include "config/words.h"

namespace epik::prediction {

using approximation::Change;
using approximation::Forward;
using approximation::Rules;
using approximation::Shared;
using approximation::Times;
using approximation::TracedRun;
using archive::Profile;

namespace {

constexpr double kSecond = 1e9;
// The number of call paths that a sweep tries: those with most time. A call path with less than this share of the run
// can only gain less.
constexpr size_t kMostTried = 200;
constexpr double kWorthTrying = 0.001;

// Whether the region is code of the program, whose time is its own. The time of regions that communicate or wait, in
// OpenMP and libc, too, follows from other locations.
bool IsCode(const archive::Region& region) { return archive::TimeMetricOf(region) == "comp"; }

// The regions of the call tree that have such a name.
std::set<uint32_t> RegionsCalled(const Profile& profile, const std::string& pattern) {
  std::set<uint32_t> found;
  for (const archive::CallPath& call : profile.call_paths) {
    const std::string& name = profile.regions[call.region].name;
    if (name == pattern || config::GlobMatches(pattern, name)) found.insert(call.region);
  }
  return found;
}

// The call paths of these regions, with all callees.
std::vector<bool> PathsOf(const Profile& profile, const std::set<uint32_t>& regions) {
  std::vector<bool> paths(profile.call_paths.size());
  for (uint32_t path = 0; path < paths.size(); ++path) {
    const archive::CallPath& call = profile.call_paths[path];
    paths[path] = regions.contains(call.region) || (call.parent != archive::kNone && paths[call.parent]);
  }
  return paths;
}

// Tasks stay with the threads that ran them: a thread that waits for a task goes on when the task has ended.
std::vector<Shared> PiecesOfLoops(const Profile& profile) {
  std::vector<Shared> shared = approximation::SharedWork(profile);
  std::replace(shared.begin(), shared.end(), Shared::kTask, Shared::kNo);
  return shared;
}

class Predictor {
 public:
  Predictor(const TracedRun& run, const Wishes& wishes) : run_(run), wishes_(wishes) {
    rules_.locks_wait = wishes.locks_wait;
    if (wishes.network && wishes.ranks_per_host == 0) rules_.network = &*wishes.network;
    if (wishes.without_measurement) {
      overhead_ = std::make_unique<approximation::WithoutMeasurement>(&run.prices, rules_.bound, run.profile,
                                                                      run.unlogged.get());
    }
    change_ = std::make_unique<Altered>(run, overhead_.get());
    for (const archive::CallPath& call : run.profile.call_paths)
      code_.push_back(IsCode(run.profile.regions[call.region]));
    pieces_ = PiecesOfLoops(run.profile);
  }

  bool Prepare(std::string* error) {
    share_.assign(run_.profile.call_paths.size(), 1);
    Named faster_ones;
    for (const Faster& faster : wishes_.faster) {
      std::vector<bool> paths;
      if (!Find(faster.region, "--faster", &faster_ones, &paths, error)) return false;
      for (size_t path = 0; path < paths.size(); ++path) share_[path] *= paths[path] ? faster.share : 1;
    }
    if (wishes_.ranks_per_host > 0 && !Place(error)) return false;
    std::vector<std::string> names;
    std::string unknown;
    const auto is_name = [&](const std::string& name) { return !RegionsCalled(run_.profile, name).empty(); };
    if (!ParseNames(wishes_.balance, is_name, &names, &unknown)) {
      *error = NoRegion("--balance", unknown);
      return false;
    }
    Named balanced_ones;
    for (const std::string& name : names) {
      Balanced balanced;
      if (!Find(name, "--balance", &balanced_ones, &balanced.paths, error)) return false;
      balanced.share = SharesOf(balanced.paths);
      balanced_.push_back(std::move(balanced));
    }
    return true;
  }

  bool Run(Prediction* prediction, std::string* error) {
    const Times measured = approximation::Measured(*run_.graph);
    FindRange(prediction);
    change_->Set([this](uint32_t l, uint32_t path) { return 1 - ShareOf(l, path); });
    if (placement_ != nullptr) {
      using approximation::Placement;
      prediction->hosts = {placement_->hosts_before(),
                           placement_->hosts(),
                           placement_->pairs(),
                           placement_->changed_pairs(),
                           placement_->way(Placement::kSameHost),
                           placement_->way(Placement::kOtherHost)};
    }
    prediction->scattered = change_->Scattered() / kSecond;
    const Times times = Altogether();
    prediction->measured = measured.Lasted() / kSecond;
    prediction->predicted = times.Lasted() / kSecond;
    if (prediction->range) {
      prediction->range->first = std::min(prediction->range->first, prediction->predicted);
      prediction->range->second = std::max(prediction->range->second, prediction->predicted);
    }
    for (uint32_t l = 0; l < run_.graph->locations(); ++l) {
      if (run_.graph->size(l) == 0) continue;
      const replay::Location& location = run_.world.locations[l];
      prediction->locations.push_back({run_.world.processes[location.process].rank, static_cast<int>(location.number),
                                       measured.Lasted(l) / kSecond, times.Lasted(l) / kSecond});
    }
    TellPaths(times, prediction);
    if (rules_.network != nullptr && wishes_.network->ideal && wishes_.faster.empty() && wishes_.balance.empty()) {
      Split(prediction);
    }
    const bool good = wishes_.output.empty() ||
                      WriteApproximatedArchive(run_, *change_, times, {wishes_.words}, wishes_.output, error);
    if (good && wishes_.each) Sweep(prediction);
    return good;
  }

 private:
  struct Balanced {
    std::vector<bool> paths;
    std::vector<double> share;  // by location
  };

  // The run with all that is altered now. Pieces of dynamic loops go to whichever thread is free.
  Times Altogether() const {
    const approximation::Rescheduled rescheduled(*run_.graph, *change_, pieces_, rules_.bound);
    Rules rules = rules_;
    rules.rescheduled = &rescheduled;
    return Forward(*run_.graph, run_.leaders, run_.transfers, *change_, rules);
  }

  // Only code that takes another time makes a difference.
  void FindRange(Prediction* prediction) {
    using approximation::Whereabouts;
    if (wishes_.faster.empty() && wishes_.balance.empty()) return;
    if (run_.unlogged == nullptr || run_.unlogged->KnowsLocks()) return;
    std::vector<double> seconds;
    for (const Whereabouts whereabouts : {Whereabouts::kWithLocks, Whereabouts::kWithoutLocks}) {
      change_->Set([this](uint32_t l, uint32_t path) { return 1 - ShareOf(l, path); }, whereabouts);
      seconds.push_back(Altogether().Lasted() / kSecond);
    }
    prediction->range = std::minmax(seconds[0], seconds[1]);
  }

  // The regions that an option has named so far, and by which word.
  using Named = std::map<uint32_t, std::string>;

  std::string NoRegion(const char* option, const std::string& name) const {
    return std::string(option) + ": " + algebra::NoSuchRegion(run_.profile, name) + " (epk report --flat lists all)";
  }

  // Finds the call paths of the regions that `word` names. No other word of the option may have named one of them,
  // because both would count.
  bool Find(const std::string& word, const char* option, Named* named, std::vector<bool>* paths, std::string* error) {
    const std::set<uint32_t> regions = RegionsCalled(run_.profile, word);
    if (regions.empty()) {
      *error = NoRegion(option, word);
      return false;
    }
    const auto is_code = [&](uint32_t region) { return IsCode(run_.profile.regions[region]); };
    if (std::none_of(regions.begin(), regions.end(), is_code)) {
      *error = std::string(option) + ": '" + word + "' communicates or waits, so its time follows from others " +
               "(--network says how fast messages are, --locks that locks are free)";
      return false;
    }
    for (const uint32_t region : regions) {
      const auto [before, is_new] = named->emplace(region, word);
      if (is_new) continue;
      *error = std::string(option) + " names '" + run_.profile.regions[region].name + "' twice" +
               (before->second == word ? "" : ", as '" + before->second + "' and as '" + word + "'");
      return false;
    }
    *paths = PathsOf(run_.profile, regions);
    return true;
  }

  bool Place(std::string* error) {
    using approximation::Placement;
    placement_ = std::make_unique<Placement>(*run_.graph, run_.world, wishes_.ranks_per_host);
    const bool knows_same = placement_->way(Placement::kSameHost).has_value();
    const bool knows_other = placement_->way(Placement::kOtherHost).has_value();
    if (wishes_.network) {
      const Placement::Class given = knows_other && !knows_same ? Placement::kSameHost : Placement::kOtherHost;
      placement_->Give(given, {wishes_.network->latency_ns, wishes_.network->ns_per_byte, 0});
    }
    for (const auto& [between, words] :
         {std::pair(Placement::kSameHost, "within a host"), std::pair(Placement::kOtherHost, "between hosts")}) {
      if (!placement_->Needs(between) || placement_->way(between)) continue;
      *error = std::string("--ranks-per-host: the trace has no message ") + words + " that somebody waited for: ";
      *error += knows_same || knows_other || wishes_.network ? "--network latency:2us,bandwidth:10G says what they take"
                                                             : "it cannot be told from this run";
      return false;
    }
    rules_.placement = placement_.get();
    return true;
  }

  // The work that each location has when all have the same, as a share of its own work.
  std::vector<double> SharesOf(const std::vector<bool>& paths) {
    std::vector<double> seconds(run_.columns.size()), share(run_.columns.size(), 1);
    for (uint32_t path = 0; path < paths.size(); ++path) {
      if (!paths[path] || !code_[path]) continue;
      const std::vector<double> own = OwnSeconds(run_, path);
      for (size_t l = 0; l < own.size(); ++l) seconds[l] += own[l];
    }
    double sum = 0;
    size_t workers = 0;
    for (const double s : seconds) {
      sum += s;
      workers += s > 0 ? 1 : 0;
    }
    for (size_t l = 0; l < seconds.size(); ++l) {
      if (seconds[l] > 0) share[l] = sum / static_cast<double>(workers) / seconds[l];
    }
    return share;
  }

  double ShareOf(uint32_t location, uint32_t path) const {
    if (path >= code_.size() || !code_[path]) return 1;
    double share = share_[path];
    for (const Balanced& balanced : balanced_) {
      if (balanced.paths[path] && location < balanced.share.size()) share *= balanced.share[location];
    }
    return share;
  }

  void TellPaths(const Times& times, Prediction* prediction) const {
    for (const auto& [path, ns] : CriticalPath(*run_.graph, times)) {
      if (ns > 0) prediction->critical_path.push_back({path, ns / kSecond});
    }
    std::sort(prediction->critical_path.begin(), prediction->critical_path.end(), [](const auto& a, const auto& b) {
      return a.seconds != b.seconds ? a.seconds > b.seconds : a.path < b.path;
    });
    for (const auto& [path, time] : OwnTimes(*run_.graph, *change_, times)) {
      if (time.measured > 0) prediction->paths.push_back({path, time.measured / kSecond, time.predicted / kSecond});
    }
    std::sort(prediction->paths.begin(), prediction->paths.end(), [](const auto& a, const auto& b) {
      return a.measured != b.measured ? a.measured > b.measured : a.path < b.path;
    });
  }

  // POP: useful / measured = useful / ideal · ideal / measured.
  void Split(Prediction* prediction) {
    double useful = 0;
    for (uint32_t l = 0; l < run_.graph->locations(); ++l) {
      double ns = 0;
      for (uint32_t p = 0; p < run_.graph->size(l); ++p) {
        for (const graph::Cell& cell : run_.graph->Segment(run_.graph->At({l, p}))) {
          if (cell.path < code_.size() && code_[cell.path]) ns += static_cast<double>(cell.ns);
        }
      }
      useful = std::max(useful, ns / kSecond);
    }
    if (prediction->measured > 0) prediction->transfer = std::min(1.0, prediction->predicted / prediction->measured);
    if (prediction->predicted > 0) prediction->serialisation = std::min(1.0, useful / prediction->predicted);
  }

  void Sweep(Prediction* prediction) {
    std::vector<Prediction::Gain> tried;
    for (uint32_t path = 0; path < code_.size(); ++path) {
      if (!code_[path]) continue;
      const std::vector<double> own = OwnSeconds(run_, path);
      Prediction::Gain gain{path, 0, 0};
      for (const double s : own) gain.own += s;
      if (gain.own >= kWorthTrying * prediction->measured) tried.push_back(gain);
    }
    std::stable_sort(tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a.own > b.own; });
    if (tried.size() > kMostTried) tried.resize(kMostTried);
    for (Prediction::Gain& gain : tried) {
      change_->Set(
          [&](uint32_t l, uint32_t path) { return 1 - ShareOf(l, path) * (path == gain.path ? *wishes_.each : 1); });
      gain.gain = prediction->predicted - Altogether().Lasted() / kSecond;
    }
    std::stable_sort(tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a.gain > b.gain; });
    prediction->ranking = std::move(tried);
  }

  const TracedRun& run_;
  const Wishes& wishes_;
  Rules rules_;
  std::unique_ptr<Change> overhead_;
  std::unique_ptr<Altered> change_;
  std::unique_ptr<approximation::Placement> placement_;
  std::vector<Shared> pieces_;  // by call path
  std::vector<bool> code_;      // by call path
  std::vector<double> share_;   // by call path
  std::vector<Balanced> balanced_;
};

}  // namespace

bool Predict(const TracedRun& run, const Wishes& wishes, Prediction* prediction, std::string* error) {
  Predictor predictor(run, wishes);
  return predictor.Prepare(error) && predictor.Run(prediction, error);
}

}  // namespace epik::prediction
