// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/trace_size.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "archive/profile/region_class.h"
#include "runtime/epilog/block_encoder.h"
#include "runtime/event/trace.h"

namespace epik::analysis {

using archive::kNone;
using archive::Profile;
using archive::RegionKind;
using event::RecordKind;

namespace {

// The number of made-up events is limited: for one location, and in the number of locations. The other locations get
// the sizes of a location with as many events.
constexpr double kMostEvents = 200'000;
constexpr size_t kMostLocations = 12;
constexpr int kLevel = 1;         // of compression: the default
constexpr double kJitter = 0.02;  // the variation of one time from visit to visit, as a share of the time of a hook

// The spread of times for which a profile has only the mean.
constexpr double kUsualShape = 24;

// A call path, as the trace will contain it.
struct Path {
  uint32_t region = 0;
  double visits = 0;
  double own = 0;  // ticks
  // The time between two events: `least` is its least, as a part of the mean. The other fields tell how the time above
  // that is spread. `rare_part` of it is in rare long times, each with the chance `rare_chance`. The others follow a
  // gamma distribution with this `shape`.
  double least = 0.8, shape = kUsualShape, rare_part = 0, rare_chance = 0;
  double rare = 0;     // ticks of all rare long times, those of callees too
  double records = 0;  // of all its visits
  RecordKind kind = RecordKind::kTeamEnd;
  double bytes = 0;  // of a message
  std::vector<uint32_t> children;
  // These are used while events are made up.
  double scaled = 0, calls = 0;
  std::vector<double> owed;  // calls of each child
  double visits_done = 0, records_due = 0;
};

double Positive(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

bool StartsWith(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

enum Column {
  kVisits,
  kTime,
  kLeast,
  kMost,
  kSquares,
  kSent,
  kReceived,
  kCollectives,
  kBytesSent,
  kBytesReceived,
  kColumnCount
};
constexpr const char* kColumnNames[] = {
    "visits",    "time",          "min_time", "max_time",       "time_squares",
    "msgs_sent", "msgs_received", "colls",    "bytes_sent_p2p", "bytes_received_p2p"};

class Columns {
 public:
  explicit Columns(const Profile& profile) : profile_(profile) {
    for (size_t i = 0; i < kColumnCount; ++i) metric_[i] = profile.FindMetric(kColumnNames[i]);
  }
  double At(Column column, uint32_t path, uint32_t location) const {
    const uint32_t metric = metric_[column];
    return metric == kNone ? 0 : Positive(profile_.values[metric].Real(path, location));
  }

  // The number of records in the visits of a call path, beside enters and exits.
  double Records(uint32_t path, uint32_t location) const {
    const archive::Region& region = profile_.regions[profile_.call_paths[path].region];
    if (archive::KindOf(region) == RegionKind::kMpi) {
      const double begun = StartsWith(region.name, "MPI_I") ? 2 : 1;
      return begun * (At(kSent, path, location) + At(kReceived, path, location)) + 2 * At(kCollectives, path, location);
    }
    double each = 0;
    if (region.role == "parallel" || region.role == "task") each = 3;
    if (region.role == "task create" || region.role == "barrier" || region.role == "implicit barrier") each = 1;
    if (region.role == "taskwait") each = 1;
    if (region.role == "critical" || StartsWith(region.name, "omp_set")) each = 2;
    return each == 0 ? 0 : each * At(kVisits, path, location);
  }

 private:
  const Profile& profile_;
  uint32_t metric_[kColumnCount];
};

// The timer may count in steps of several ticks: those of a crystal. The lengths of calls show its steps.
double StepOf(const Profile& profile, double ticks_per_second) {
  constexpr double kCrystals[] = {1e8, 2.5e7, 2.4e7, 1.92e7};  // Hz
  // Lengths that show the steps. Within a step, the timer counts by one at each look.
  constexpr double kOne = 1.5, kLong = 1e6;  // ticks
  std::vector<double> lasted;
  for (const char* name : {"min_time", "max_time"}) {
    const uint32_t metric = profile.FindMetric(name);
    for (uint32_t path = 0; metric != kNone && path < profile.call_paths.size(); ++path) {
      const double ticks =
          profile.locations.empty() ? 0 : Positive(profile.values[metric].Real(path, 0)) * ticks_per_second;
      if (ticks > kOne && ticks < kLong) lasted.push_back(ticks);
    }
  }
  for (const double crystal : kCrystals) {
    const double exact = ticks_per_second / crystal;
    // A crystal may be a thousandth off. Then the ticks of a step are still a whole number.
    for (const double step : {exact, std::round(exact)}) {
      if (step < 4) continue;
      const auto fits = std::count_if(lasted.begin(), lasted.end(), [step](double ticks) {
        return std::abs(ticks - std::round(ticks / step) * step) < 1.5;
      });
      if (static_cast<double>(fits) > 0.8 * static_cast<double>(lasted.size())) return step;
    }
  }
  return 1;
}

// Properties of the timer, and of the machine.
struct Timer {
  double ticks_per_second = 1e9;
  double step = 1;      // ticks
  double shortest = 0;  // ticks of a hook: no time between events is shorter
  // The program had a processor in this part of its time. It waited for one a few times, and long. Such times are left
  // out, because they need few bytes.
  double ran_share = 1;
};

class Location {
 public:
  Location(const Profile& profile, const Columns& columns, uint32_t location, const Timer& timer,
           const std::vector<bool>& excluded)
      : timer_(timer) {
    const uint32_t time = profile.FindMetric("time");
    const std::vector<double> own =
        time == kNone ? std::vector<double>(profile.call_paths.size()) : profile.Exclusive(time, location);
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> known;
    std::vector<uint32_t> place(profile.call_paths.size());
    paths_.emplace_back();  // the root of all
    for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
      const archive::CallPath& at = profile.call_paths[p];
      const uint32_t above = at.parent == kNone ? 0 : place[at.parent];
      const bool out = !excluded.empty() && excluded[at.region];
      place[p] = out ? above : PlaceOf(&known, above, at.region);
      Path& path = paths_[place[p]];
      path.own += Positive(own[p]) * timer_.ran_share * timer_.ticks_per_second;
      if (!out) Add(columns, p, location, &path);
    }
    paths_[0].visits = 1;
  }

  // Bytes of each event, in the file and in memory.
  std::pair<double, double> Encode(double events) {
    Scale(std::min(1.0, kMostEvents / std::max(events, 1.0)));
    Walk();
    Flush();
    if (events_ == 0) return {0, 0};
    return {file_bytes_ / events_, static_cast<double>(words_made_) * 8 / events_};
  }

 private:
  uint32_t PlaceOf(std::map<std::pair<uint32_t, uint32_t>, uint32_t>* known, uint32_t above, uint32_t region) {
    const auto [at, is_new] = known->try_emplace({above, region}, static_cast<uint32_t>(paths_.size()));
    if (is_new) {
      paths_[above].children.push_back(at->second);
      paths_.emplace_back();
      paths_.back().region = region;
    }
    return at->second;
  }

  void SetSpread(const Columns& columns, uint32_t path, uint32_t location, Path* made) const {
    const double visits = columns.At(kVisits, path, location);
    const double measured = visits > 0 ? columns.At(kTime, path, location) / visits : 0;
    if (visits < 2 || measured <= 0) return;
    const double variance = columns.At(kSquares, path, location) / visits - measured * measured;
    const double mean = measured * timer_.ran_share;
    const double shortest = timer_.shortest / timer_.ticks_per_second;
    const double above = mean - std::min(std::max(columns.At(kLeast, path, location), shortest), mean);
    made->least = std::clamp(1 - above / mean, 0.0, 1.0);
    made->shape = variance > 0 && above > 0 ? std::min(above * above / variance, 1e4) : 1e4;
    made->rare_part = made->rare_chance = 0;
    const double most = columns.At(kMost, path, location) - mean;
    if (made->shape >= 1 || most <= 0) return;
    // The variance comes from a few visits, which were about as long as the longest: an interrupt, or work that is
    // rarely due. It says nothing about the other visits.
    made->shape = kUsualShape;
    made->rare_part = std::min(1.0, variance / most / above);
    made->rare_chance = made->rare_part * above / most;
    made->rare += made->rare_part * above * visits * timer_.ticks_per_second;
  }

  void Add(const Columns& columns, uint32_t p, uint32_t location, Path* path) {
    const double visits = columns.At(kVisits, p, location);
    path->visits += visits;
    SetSpread(columns, p, location, path);
    path->records += columns.Records(p, location);
    const double sent = columns.At(kSent, p, location), received = columns.At(kReceived, p, location);
    if (columns.At(kCollectives, p, location) > 0) path->kind = RecordKind::kCollectiveEnd;
    if (sent + received <= 0) return;
    path->kind = sent > 0 ? RecordKind::kSend : RecordKind::kReceive;
    path->bytes = (columns.At(kBytesSent, p, location) + columns.At(kBytesReceived, p, location)) / (sent + received);
  }

  static double RecordsOf(const Path& path) { return path.visits > 0 ? path.records / path.visits : 0; }

  // Takes the rare long times out of the own time of a path with callees: they are between few of its calls.
  void TakeRareTimes(Path* path) const {
    double rare = path->rare, calls = 0;
    for (const uint32_t child : path->children) {
      rare -= paths_[child].rare;
      calls += paths_[child].visits;
    }
    if (calls == 0 || rare <= 0) return;
    const double least = (path->visits + calls) * timer_.shortest;
    path->own = std::max(path->own - rare, std::min(path->own, least));
  }

  // Scales the visits to the number of events that there is room for; a call path with visited callees has at least one
  // visit.
  void Scale(double factor) {
    for (size_t p = paths_.size(); p-- > 0;) {
      Path& path = paths_[p];
      TakeRareTimes(&path);
      // The times between two calls of a path are not known. Disturbances of its callees also disturbed these times, so
      // they have the spread of the callee with most visits.
      const auto most = std::max_element(path.children.begin(), path.children.end(), [this](uint32_t a, uint32_t b) {
        return paths_[a].visits < paths_[b].visits;
      });
      if (most != path.children.end()) {
        path.least = paths_[*most].least;
        path.shape = paths_[*most].shape;
        path.rare_part = paths_[*most].rare_part;
        path.rare_chance = paths_[*most].rare_chance;
      }
      path.scaled = std::max(path.scaled, std::round(path.visits * factor));
      for (const uint32_t child : path.children) {
        if (paths_[child].scaled > 0) path.scaled = std::max(path.scaled, 1.0);
        path.calls += paths_[child].scaled;
      }
      path.owed.resize(path.children.size());
    }
  }

  // The time above the least for one event; `mean` is its average.
  double Above(const Path& path, double mean) {
    if (mean <= 0) return 0;
    const double rare = path.rare_chance > 0 && unit_(random_) < path.rare_chance ? 1 / path.rare_chance : 0;
    const double usual = std::gamma_distribution<double>(path.shape, 1 / path.shape)(random_);
    return mean * (path.rare_part * rare + (1 - path.rare_part) * usual);
  }

  // Lets time pass until the next event. The timer counts it in steps.
  uint64_t Pass(const Path& path) {
    const double all_calls = path.scaled > 0 ? path.calls / path.scaled * path.visits : 0;
    const double mean = std::max(path.own / std::max(path.visits + all_calls, 1.0), timer_.shortest);
    const double least = std::max(mean * path.least, std::min(timer_.shortest, mean));
    now_ += least + kJitter * timer_.shortest * (unit_(random_) - 0.5);
    now_ += Above(path, mean - least);
    const auto seen = static_cast<uint64_t>(std::llround(std::floor(now_ / timer_.step) * timer_.step));
    const uint64_t passed = seen > time_ ? seen - time_ : 0;
    time_ += passed;
    return passed;
  }

  void Walk() {
    struct Open {
      uint32_t path;
      double calls;  // number of calls that are still to come
    };
    std::vector<Open> stack = {{0, paths_[0].calls}};
    while (!stack.empty()) {
      Path& path = paths_[stack.back().path];
      if (stack.back().calls < 1) {
        if (stack.size() > 1) Leave(path);
        stack.pop_back();
        continue;
      }
      stack.back().calls -= 1;
      const uint32_t next = NextChild(&path);
      Path& child = paths_[next];
      ++child.visits_done;
      const double calls = std::floor(child.calls * child.visits_done / child.scaled + 1e-9) -
                           std::floor(child.calls * (child.visits_done - 1) / child.scaled + 1e-9);
      Come(path, next, calls < 1);
      stack.push_back({next, calls});
    }
  }

  // The child that has had the smallest part of its calls.
  uint32_t NextChild(Path* path) {
    size_t best = 0;
    for (size_t i = 0; i < path->children.size(); ++i) {
      path->owed[i] += paths_[path->children[i]].scaled / path->calls;
      if (path->owed[i] > path->owed[best]) best = i;
    }
    path->owed[best] -= 1;
    return path->children[best];
  }

  void Come(const Path& caller, uint32_t next, bool calls_nothing) {
    step_ = Pass(caller);
    code_ = base::kFirstChunkLine + (next & (event::kCodeMask >> 1));
    // The enter is held back: a short call without callees and records is one word.
    held_ = calls_nothing && RecordsOf(paths_[next]) == 0;
    entered_ = time_;
    if (!held_) Put(event::TraceWord(time_, code_));
    ++events_;
    Records(&paths_[next]);
  }

  void Leave(const Path& path) {
    const uint64_t lasted = Pass(path);
    if (held_ && event::FitsIntoCall(step_, lasted)) {
      Put(event::CallWord(step_, lasted, code_));
    } else {
      if (held_) Put(event::TraceWord(entered_, code_));
      Put(event::TraceWord(time_, static_cast<uint32_t>(RecordKind::kExit)));
    }
    held_ = false;
    ++events_;
  }

  void Record(RecordKind kind) {
    Put(event::TraceWord(time_, static_cast<uint32_t>(kind)));
    ++events_;
    const uint32_t peer = static_cast<uint32_t>(events_) & 3;  // a few neighbours
    const uint64_t fields[event::kMostFields] = {peer, 0, 0, message_, ++numbers_, numbers_};
    for (uint32_t i = 0; i < event::FieldsOf(kind); ++i) Put(fields[i]);
  }

  void Records(Path* path) {
    message_ = static_cast<uint64_t>(path->bytes);
    for (path->records_due += RecordsOf(*path); path->records_due >= 1; path->records_due -= 1) Record(path->kind);
  }

  void Put(uint64_t word) {
    if (event::HighTime(time_) != high_ && event::CodeOf(word) != static_cast<uint32_t>(RecordKind::kTime)) {
      high_ = event::HighTime(time_);
      words_.push_back(event::TraceWord(time_, static_cast<uint32_t>(RecordKind::kTime)));
      words_.push_back(time_);
    }
    words_.push_back(word);
    ++words_made_;
  }

  // Sends the events through the encoder, block by block.
  void Flush() {
    const std::unique_ptr<void, decltype(&std::free)> scratch(
        std::aligned_alloc(4096, epilog::BlockEncoder::ScratchBytes()), &std::free);
    if (scratch == nullptr) return;
    std::fill_n(static_cast<char*>(scratch.get()), epilog::BlockEncoder::ScratchBytes(), 0);
    epilog::BlockEncoder encoder(scratch.get());
    std::vector<uint32_t> open(paths_.size() + 1);
    epilog::Stream stream{0, 0, 0, {open.data(), 0, static_cast<uint32_t>(open.size()), nullptr}};
    encoder.Begin(&stream);
    for (size_t at = 0; at < words_.size();) {
      at += encoder.Take(words_.data() + at, static_cast<uint32_t>(words_.size() - at));
      if (at == words_.size()) break;
      file_bytes_ += static_cast<double>(encoder.Finish(kLevel).size + sizeof(epilog::IndexEntry));
      encoder.Begin(&stream);
    }
    if (!encoder.Empty()) file_bytes_ += static_cast<double>(encoder.Finish(kLevel).size + sizeof(epilog::IndexEntry));
  }

  Timer timer_;
  std::vector<Path> paths_;
  std::vector<uint64_t> words_;
  uint64_t words_made_ = 0, time_ = 0, entered_ = 0, step_ = 0, high_ = 0, message_ = 0, numbers_ = 0;
  double now_ = 0, events_ = 0, file_bytes_ = 0;
  uint32_t code_ = 0;
  bool held_ = false;
  std::mt19937_64 random_{1};  // the same seed each time
  std::uniform_real_distribution<double> unit_{0, 1};
};

}  // namespace

std::vector<TraceSize> TraceSizes(const Profile& profile, const Conditions& conditions,
                                  const std::vector<bool>& excluded) {
  const Columns columns(profile);
  std::vector<TraceSize> sizes(profile.locations.size());
  for (uint32_t l = 0; l < sizes.size(); ++l) {
    sizes[l].events_of.resize(profile.regions.size());
    for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
      const uint32_t region = profile.call_paths[p].region;
      if (!excluded.empty() && excluded[region]) continue;
      const double events = 2 * columns.At(kVisits, p, l) + columns.Records(p, l);
      sizes[l].events_of[region] += events;
      sizes[l].events += events;
    }
  }
  std::vector<uint32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return sizes[a].events > sizes[b].events; });
  Timer timer;
  if (conditions.ticks_per_second > 0) timer.ticks_per_second = conditions.ticks_per_second;
  timer.step = StepOf(profile, timer.ticks_per_second);
  timer.shortest = conditions.pair_cost_ns * 0.45e-9 * timer.ticks_per_second;
  timer.ran_share = 1 - std::clamp(conditions.queued_share, 0.0, 1.0);
  const size_t every = std::max<size_t>(1, (order.size() + kMostLocations - 1) / kMostLocations);
  std::pair<double, double> of_event = {0, 0};
  for (size_t i = 0; i < order.size(); ++i) {
    TraceSize& size = sizes[order[i]];
    if (i % every == 0 && size.events > 0) {
      of_event = Location(profile, columns, order[i], timer, excluded).Encode(size.events);
    }
    size.bytes = size.events * of_event.first;
    size.buffer = size.events * of_event.second;
  }
  return sizes;
}

}  // namespace epik::analysis
