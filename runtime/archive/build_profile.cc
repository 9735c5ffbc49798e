// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/archive/build_profile.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <unordered_map>

#include "runtime/archive/region_names.h"

namespace epik::archive {

using epitome::Along;
using epitome::kNone;
using epitome::kNoNode;
using epitome::LocationImage;
using epitome::ProcessImage;
using epitome::Profile;
using epitome::Type;
using event::Node;

namespace {

// A year on any clock: more in one location is a damaged word, and would only make sums overflow.
constexpr uint64_t kMostTicks = uint64_t{1} << 57;
uint64_t Sane(uint64_t ticks) { return ticks <= kMostTicks ? ticks : 0; }

// A process that was killed between the stores that end a visit has added it, and seems to be in it still: callers
// take at least what their callees took.
void RaiseCallers(std::vector<Node>* nodes) {
  std::vector<uint64_t> below(nodes->size());
  for (size_t i = nodes->size(); i-- > 0;) {
    Node& node = (*nodes)[i];
    node.ticks = std::max(Sane(node.ticks), below[i]);
    if (node.parent != kNoNode) below[node.parent] += node.ticks;
  }
}

bool EndedInOrder(event::Ending ending) {
  return ending == event::Ending::kExit || ending == event::Ending::kMpiFinalize;
}

// Frames that are still open are closed here, as returned at `end`; how many there were, by node.
std::vector<uint64_t> CloseOpenFrames(LocationImage* location, uint64_t end, bool normal_end, uint64_t* unfinished) {
  std::vector<uint64_t> open(location->nodes.size());
  for (size_t i = 0; i < location->frames.size(); ++i) {
    const epitome::OpenFrame& frame = location->frames[i];
    Node& node = location->nodes[frame.node];
    const uint64_t ticks = end > frame.entered ? Sane(end - frame.entered) : 0;
    ++node.visits;
    node.ticks += ticks;
    node.min = std::min(node.min, ticks);
    node.max = std::max(node.max, ticks);
    node.squares += static_cast<double>(ticks) * static_cast<double>(ticks);
    if (i == 0) {
      for (uint32_t n = node.parent; n != kNoNode; n = location->nodes[n].parent) location->nodes[n].ticks += ticks;
    }
    // The program is expected to be open until the end, and so are the threads of a pool.
    if (normal_end && i == 0) continue;
    if (event::IsParameter(node.key)) continue;  // has no end of its own
    ++open[frame.node];
    ++*unfinished;
  }
  RaiseCallers(&location->nodes);
  return open;
}

// The call paths of all locations as one tree, numbered in the end by a walk from the roots.
class Tree {
 public:
  uint32_t Child(uint32_t parent, uint32_t region) {
    const uint64_t key = uint64_t{parent} << 32 | region;
    const auto [at, is_new] = child_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({region, parent});
    return at->second;
  }

  // Call paths in preorder, siblings by first visit; *place maps what Child returned to them.
  std::vector<epitome::CallPath> Preorder(std::vector<uint32_t>* place) const {
    std::vector<uint32_t> first(nodes_.size(), kNone), next(nodes_.size(), kNone);
    uint32_t first_root = kNone;
    for (uint32_t i = static_cast<uint32_t>(nodes_.size()); i-- > 0;) {
      uint32_t& head = nodes_[i].parent == kNone ? first_root : first[nodes_[i].parent];
      next[i] = head;
      head = i;
    }
    std::vector<epitome::CallPath> paths;
    place->assign(nodes_.size(), kNone);
    std::vector<uint32_t> pending;
    if (first_root != kNone) pending.push_back(first_root);
    while (!pending.empty()) {
      const uint32_t node = pending.back();
      pending.pop_back();
      (*place)[node] = static_cast<uint32_t>(paths.size());
      paths.push_back({nodes_[node].region, nodes_[node].parent == kNone ? kNone : (*place)[nodes_[node].parent]});
      if (next[node] != kNone) pending.push_back(next[node]);
      if (first[node] != kNone) pending.push_back(first[node]);
    }
    return paths;
  }

 private:
  struct TreeNode {
    uint32_t region, parent;
  };
  std::vector<TreeNode> nodes_;
  std::unordered_map<uint64_t, uint32_t> child_;
};

enum : uint32_t { kVisits, kTime, kMinTime, kMaxTime, kTimeSquares, kUnfinished };

void AddMetrics(Profile* profile) {
  profile->AddMetric(
      {"visits", "Visits", "occ", "How often the call path was entered", Type::kUint64, Along::kExclusive, kNone});
  profile->AddMetric(
      {"time", "Time", "sec", "Time in the call path and what it called", Type::kDouble, Along::kInclusive, kNone});
  profile->AddMetric(
      {"min_time", "Minimum Inclusive Time", "sec", "The shortest visit", Type::kMin, Along::kExclusive, kNone});
  profile->AddMetric(
      {"max_time", "Maximum Inclusive Time", "sec", "The longest visit", Type::kMax, Along::kExclusive, kNone});
  profile->AddMetric({"time_squares", "Sum of squared times", "sec^2",
                      "Squares of the times of the visits, for a standard deviation", Type::kDouble, Along::kExclusive,
                      kNone});
  profile->AddMetric({"unfinished", "Unfinished visits", "occ",
                      "Visits that had not returned when the measurement ended", Type::kUint64, Along::kExclusive,
                      kNone});
}

class Builder {
 public:
  Builder(const std::vector<ProcessImage>& images, const EndingHint& hint, Profile* profile, Manifest* manifest)
      : images_(images), hint_(hint), profile_(profile), manifest_(manifest) {}

  void Build() {
    DescribeRun();
    DescribeSystem();
    Unify();
    AddMetrics(profile_);
    for (size_t p = 0, column = 0; p < images_.size(); ++p) {
      for (size_t l = 0; l < images_[p].locations.size(); ++l, ++column) {
        AddLocation(p, l, static_cast<uint32_t>(column));
      }
    }
    SumUp();
  }

 private:
  void DescribeRun() {
    const ProcessImage& first = images_.front();
    const std::string& program = first.program;
    manifest_->program = program.substr(program.find_last_of('/') + 1);
    manifest_->command = first.command;
    manifest_->host = first.header.host;
    manifest_->timer = first.header.timer == base::Timer::kTsc ? "tsc" : "monotonic";
    const time_t seconds = static_cast<time_t>(first.header.start_unix_ns / 1'000'000'000u);
    tm parts;
    char text[64];
    if (localtime_r(&seconds, &parts) != nullptr && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &parts) != 0) {
      manifest_->started = text;
    }
    manifest_->ranks = static_cast<int>(images_.size());
    manifest_->recovered = hint_.recovered;
    for (const ProcessImage& image : images_) {
      for (const std::string& note : image.notes) manifest_->notes.push_back(note);
      if (image.skipped != 0) {
        manifest_->notes.push_back(std::to_string(image.skipped) + " pieces of process " +
                                   std::to_string(image.header.pid) + " were damaged and left out");
      }
      for (const auto& module : image.modules) AddModule({module.path, module.build_id});
      if (image.header.unmeasured_threads != 0) {
        manifest_->notes.push_back(std::to_string(image.header.unmeasured_threads) +
                                   " threads were not measured: see ESD_MAX_THREADS, EPK_MEMORY");
      }
      if (image.header.exhausted != 0) {
        manifest_->notes.push_back(std::string("memory for the measurement ran out (") +
                                   strerror(static_cast<int>(image.header.exhausted)) + "): see EPK_MEMORY, EPK_LDIR");
      }
    }
    DescribeEnding(first.header);
  }

  void AddModule(Manifest::Module module) {
    for (const auto& known : manifest_->modules) {
      if (known.path == module.path && known.build_id == module.build_id) return;
    }
    manifest_->modules.push_back(std::move(module));
  }

  void DescribeEnding(const event::ProcessHeader& header) {
    const std::string value = std::to_string(header.ending_value);
    switch (header.ending) {
      case event::Ending::kExit: manifest_->ended = "exit"; break;
      case event::Ending::kQuickExit: manifest_->ended = "quick_exit"; break;
      case event::Ending::kUnderscoreExit: manifest_->ended = "_exit"; break;
      case event::Ending::kMpiFinalize: manifest_->ended_detail = "MPI_Finalize"; return;  // as after exit
      case event::Ending::kMpiAbort:
        manifest_->ended = "MPI_Abort";
        manifest_->ended_detail = "code " + value;
        return;
      case event::Ending::kAbort: manifest_->ended = "abort"; return;
      case event::Ending::kExec: manifest_->ended = "exec"; return;
      case event::Ending::kSignal: {
        manifest_->ended = "signal";
        const char* name = sigabbrev_np(header.ending_value);
        manifest_->ended_detail = name != nullptr ? std::string("SIG") + name : "signal " + value;
        return;
      }
      case event::Ending::kNone:
        manifest_->ended = hint_.running ? "running" : "killed";
        if (!hint_.running) manifest_->ended_detail = "without a last word: SIGKILL, power or memory";
        return;
    }
    manifest_->ended_detail = "status " + value;
  }

  void DescribeSystem() {
    for (size_t p = 0; p < images_.size(); ++p) {
      const ProcessImage& image = images_[p];
      uint32_t node = 0;
      while (node < profile_->nodes.size() && profile_->nodes[node].name != image.header.host) ++node;
      if (node == profile_->nodes.size()) profile_->nodes.push_back({image.header.host});
      const int rank = images_.size() == 1 ? 0 : image.header.rank;
      profile_->processes.push_back({node, rank, "Process " + std::to_string(rank)});
      for (const LocationImage& location : image.locations) {
        const int thread = static_cast<int>(location.header.number);
        profile_->locations.push_back({static_cast<uint32_t>(p), thread, "Thread " + std::to_string(thread)});
      }
      manifest_->threads = std::max(manifest_->threads, static_cast<int>(image.locations.size()));
    }
  }

  void Unify() {
    RegionNames names(images_, &manifest_->notes);
    Tree tree;
    for (size_t p = 0; p < images_.size(); ++p) {
      for (const LocationImage& location : images_[p].locations) {
        std::vector<uint32_t> mine(location.nodes.size(), kNone);
        for (size_t i = 0; i < location.nodes.size(); ++i) {
          const Node& node = location.nodes[i];
          const uint32_t parent = node.parent == kNoNode ? kNone : mine[node.parent];
          const bool is_path = !event::IsMetric(node.key) && node.key != event::RegionKey(event::kPeersRegion);
          mine[i] = is_path ? tree.Child(parent, names.Of(p, node.key)) : parent;
        }
        path_of_.push_back(std::move(mine));
      }
    }
    std::vector<uint32_t> place;
    profile_->call_paths = tree.Preorder(&place);
    for (auto& mine : path_of_) {
      for (uint32_t& node : mine) node = node == kNone ? kNone : place[node];
    }
    profile_->regions = names.Take();
  }

  // Several nodes of a location may be one call path: a function and its clones, a module loaded twice.
  void AddLocation(size_t process, size_t index, uint32_t column) {
    const ProcessImage& image = images_[process];
    LocationImage location = image.locations[index];
    const double scale = image.SecondsPerTick();
    // A thread may have gone on for a moment after the end was noted.
    const uint64_t end = std::max(image.LastTicks(), location.header.last);
    const std::vector<uint64_t> open =
        CloseOpenFrames(&location, end, EndedInOrder(image.header.ending), &manifest_->open_frames);
    manifest_->open_frames += location.header.unfinished;
    for (size_t i = 0; i < location.nodes.size(); ++i) {
      const Node& node = location.nodes[i];
      const uint32_t path = path_of_[column][i];
      if (path == kNone || node.key == event::RegionKey(event::kPeersRegion)) continue;
      if (event::IsMetric(node.key)) {
        if (event::IsIntegerMetric(event::RegionOf(node.key))) {
          AddBuiltInMetric(node, path, column);
        } else {
          AddUserMetric(image, node, path, column);
        }
        continue;
      }
      if (node.visits == 0 && node.ticks == 0) continue;
      calls_ += node.visits;
      calls_of_location_ = std::max(calls_of_location_, LocationCalls(column) += node.visits);
      AddInteger(kVisits, path, column, node.visits);
      AddReal(kTime, path, column, static_cast<double>(node.ticks) * scale);
      if (node.visits != 0) {
        const double shortest = static_cast<double>(node.min) * scale;
        const double longest = static_cast<double>(node.max) * scale;
        auto& values = profile_->values;
        values[kMinTime].Set(path, column, std::min(values[kMinTime].Real(path, column), shortest));
        values[kMaxTime].Set(path, column, std::max(values[kMaxTime].Real(path, column), longest));
        AddReal(kTimeSquares, path, column, node.squares * scale * scale);
      }
      if (open[i] != 0) AddInteger(kUnfinished, path, column, open[i]);
    }
    manifest_->folded_visits += location.folded_visits;
    manifest_->repairs += location.header.repairs;
    manifest_->unmatched_exits += location.header.unmatched;
  }

  uint64_t& LocationCalls(uint32_t column) {
    if (calls_by_location_.size() <= column) calls_by_location_.resize(column + 1);
    return calls_by_location_[column];
  }

  void AddInteger(uint32_t metric, uint32_t path, uint32_t column, uint64_t value) {
    profile_->values[metric].Set(path, column, profile_->values[metric].Integer(path, column) + value);
  }

  void AddReal(uint32_t metric, uint32_t path, uint32_t column, double value) {
    profile_->values[metric].Set(path, column, profile_->values[metric].Real(path, column) + value);
  }

  void AddTo(const char* name, const char* label, const char* unit, uint32_t path, uint32_t column, uint64_t value) {
    if (*name == '\0') return;
    uint32_t metric = profile_->FindMetric(name);
    if (metric == kNone) {
      metric = profile_->AddMetric({name, label, unit, "", Type::kUint64, Along::kExclusive, kNone});
    }
    AddInteger(metric, path, column, value);
  }

  void AddBuiltInMetric(const Node& node, uint32_t path, uint32_t column) {
    const uint64_t sum = std::bit_cast<uint64_t>(node.squares);
    switch (event::RegionOf(node.key)) {
#define METRIC(id, number, name, label, unit, count_name, count_label) \
  case event::k##id##Metric:                                           \
    AddTo(name, label, unit, path, column, sum);                       \
    AddTo(count_name, count_label, "occ", path, column, node.visits);  \
    break;
#include "runtime/event/metrics.def"
#undef METRIC
      default: break;
    }
  }

  void AddUserMetric(const ProcessImage& image, const Node& node, uint32_t path, uint32_t column) {
    const auto found = image.regions.find(event::RegionOf(node.key));
    if (found == image.regions.end() || node.visits == 0) return;
    std::string name = found->second.name;
    uint32_t metric = profile_->FindMetric(name);
    if (metric <= kUnfinished) {
      name += " (user)";  // one of ours is called so
      metric = profile_->FindMetric(name);
    }
    if (metric == kNone) {
      metric = profile_->AddMetric({name, name, found->second.file, "A metric of the program's own, summed",
                                    Type::kDouble, Along::kExclusive, kNone});
    }
    AddReal(metric, path, column, node.squares);
  }

  void SumUp() {
    double total = 0;
    for (const ProcessImage& image : images_) {
      const double scale = image.SecondsPerTick();
      const uint64_t last = image.LastTicks();
      const uint64_t begin = image.header.start_ticks;
      manifest_->wall_seconds =
          std::max(manifest_->wall_seconds, static_cast<double>(last > begin ? last - begin : 0) * scale);
      manifest_->dropped_events += image.header.dropped;
      manifest_->ticks_per_second = scale > 0 ? 1 / scale : 0;
      manifest_->pair_cost_ns = image.header.pair_cost_ticks * scale * 1e9;
    }
    for (uint32_t path = 0; path < profile_->call_paths.size(); ++path) {
      if (profile_->call_paths[path].parent != kNone) continue;
      for (uint32_t l = 0; l < profile_->locations.size(); ++l) total += profile_->values[kTime].Real(path, l);
    }
    const uint64_t calls = calls_ + manifest_->folded_visits;
    manifest_->events = 2 * calls;
    manifest_->cost_seconds = static_cast<double>(calls) * manifest_->pair_cost_ns * 1e-9;
    manifest_->cost_percent = total > 0 ? 100 * manifest_->cost_seconds / total : 0;
    const double busiest = static_cast<double>(calls_of_location_) * manifest_->pair_cost_ns * 1e-9;
    manifest_->wall_without_seconds = std::max(0.0, manifest_->wall_seconds - busiest);
  }

  const std::vector<ProcessImage>& images_;
  const EndingHint& hint_;
  Profile* profile_;
  Manifest* manifest_;
  std::vector<std::vector<uint32_t>> path_of_;  // by column: node of the location -> call path
  std::vector<uint64_t> calls_by_location_;
  uint64_t calls_ = 0;
  uint64_t calls_of_location_ = 0;
};

}  // namespace

void BuildProfile(const std::vector<ProcessImage>& images, const EndingHint& hint, Profile* profile,
                  Manifest* manifest) {
  *profile = Profile{};
  *manifest = Manifest{};
  if (!images.empty()) Builder(images, hint, profile, manifest).Build();
}

}  // namespace epik::archive
