// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/watcher.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace epik::timeline {
namespace {

using event::RecordKind;

constexpr size_t kMostCurves = 4096;
constexpr size_t kMostPoints = 8192;      // of one curve
constexpr size_t kMostMarkers = 100'000;  // if a trace has more flushes, it shows the first ones

}  // namespace

class WatchedSource : public replay::EventSource {
 public:
  WatchedSource(Watcher* watcher, uint32_t location, Charger charger, std::unique_ptr<replay::EventSource> source)
      : watcher_(watcher), location_(location), charger_(std::move(charger)), source_(std::move(source)) {}

  bool Next(archive::Event* event) override {
    if (!source_->Next(event)) {
      charger_.Finish();
      return false;
    }
    watcher_->states_[location_].last = event->time;
    charger_.Take(*event);
    const bool is_frame = event->kind == RecordKind::kEnter || event->kind == RecordKind::kExit;
    if (!is_frame) watcher_->Take(location_, *event);
    return true;
  }

 private:
  Watcher* watcher_;
  uint32_t location_;
  Charger charger_;
  std::unique_ptr<replay::EventSource> source_;
};

void CurveMaker::Add(int64_t ns, double value) {
  const bool same = !points_.empty() && ns - points_.back().at < width_;
  if (!same) {
    points_.push_back({ns, value, value, value});
  } else {
    Curve::Point& last = points_.back();
    last = {last.at, std::min(last.least, value), std::max(last.most, value), value};
  }
  while (points_.size() > most_) {
    width_ *= 2;
    std::vector<Curve::Point> wide;
    for (const Curve::Point& point : points_) {
      if (wide.empty() || point.at - wide.back().at >= width_) {
        wide.push_back(point);
        continue;
      }
      Curve::Point& last = wide.back();
      last = {last.at, std::min(last.least, point.least), std::max(last.most, point.most), point.last};
    }
    points_ = std::move(wide);
  }
}

Watcher::Watcher(const archive::TraceArchive* traces, const replay::World* world, replay::TimeModel* time)
    : traces_(*traces), world_(*world), time_(time), states_(world->locations.size()) {}

std::unique_ptr<replay::EventSource> Watcher::Watch(uint32_t location, Charger charger,
                                                    std::unique_ptr<replay::EventSource> source) {
  return std::make_unique<WatchedSource>(this, location, std::move(charger), std::move(source));
}

void Watcher::AddMarker(uint32_t location, int64_t from, int64_t to, Mark mark) {
  if (markers_.size() < kMostMarkers) markers_.push_back({world_.locations[location].column, from, to, mark});
}

void Watcher::Take(uint32_t location, const archive::Event& event) {
  State& state = states_[location];
  const int64_t ns = time_->Ns(location, event.time);
  const std::lock_guard<std::mutex> guard(lock_);
  switch (event.kind) {
    case RecordKind::kFlushBegin:
      state.flush = ns;
      state.flushes = true;
      break;
    case RecordKind::kFlushEnd:
      if (std::exchange(state.flushes, false)) AddMarker(location, state.flush, ns, Mark::kFlush);
      break;
    case RecordKind::kSwitched: {
      const bool off = event.field[0] == 0;
      if (off && !state.is_off) state.off = ns;
      if (!off && state.is_off) AddMarker(location, state.off, ns, Mark::kOff);
      state.is_off = off;
      break;
    }
    case RecordKind::kGap: {
      const int64_t since = time_->Ns(location, event.field[1]);
      AddMarker(location, std::min(since, ns), ns, Mark::kGap);
      break;
    }
    case RecordKind::kMetric: TakeValue(location, event); break;
    default: break;
  }
}

void Watcher::TakeValue(uint32_t location, const archive::Event& event) {
  const double value = std::bit_cast<double>(event.field[1]);
  if (!std::isfinite(value)) return;
  std::map<uint64_t, CurveMaker>& curves = states_[location].curves;
  auto curve = curves.find(event.field[0]);
  if (curve == curves.end()) {
    if (curves_ == kMostCurves) {
      ++left_out_;
      return;
    }
    ++curves_;
    curve = curves.emplace(event.field[0], CurveMaker(kMostPoints)).first;
  }
  curve->second.Add(time_->Ns(location, event.time), value);
}

void Watcher::Finish(bool died, Timeline* timeline) {
  for (uint32_t location = 0; location < states_.size(); ++location) {
    State& state = states_[location];
    const uint32_t column = world_.locations[location].column;
    const int64_t last = time_->Ns(location, state.last);
    if (state.is_off) AddMarker(location, state.off, std::max(last, timeline->to), Mark::kOff);
    if (died && state.last != 0) AddMarker(location, last, last, Mark::kDied);
    for (auto& [number, maker] : state.curves) {
      const archive::MetricName* name = traces_.Metric(world_.locations[location].process, number);
      timeline->curves.push_back(
          {column, name != nullptr ? name->name : "", name != nullptr ? name->unit : "", maker.Take()});
    }
  }
  std::stable_sort(markers_.begin(), markers_.end(),
                   [](const Marker& one, const Marker& other) { return one.from < other.from; });
  timeline->markers = std::move(markers_);
  timeline->curves_left_out = left_out_;
}

}  // namespace epik::timeline
