// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/critical/segments.h"

#include <algorithm>
#include <utility>

namespace epik::critical {

using event::RecordKind;
using graph::Slice;
using replay::kNone;

namespace {

// The slices of one location, cut where another call path begins.
class Cutter {
 public:
  Cutter(std::vector<Slice> slices, int64_t least_ns, std::vector<Segment>* segments)
      : slices_(std::move(slices)), least_ns_(least_ns), segments_(segments) {}

  // Begins a frame that has lasted long enough.
  void Begin(uint32_t path) {
    frames_.push_back({path, INT64_MIN});
    settled_ = frames_.size();
    path_ = path;
  }
  void Enter(uint32_t path, int64_t ns) {
    Settle(ns);
    frames_.push_back({path, ns});
  }
  void Leave(int64_t ns) {
    Settle(ns);
    if (frames_.empty()) return;
    frames_.pop_back();
    if (settled_ <= frames_.size()) return;
    settled_ = frames_.size();
    Change(settled_ == 0 ? kNone : frames_.back().path, ns);
  }
  // No event after this one can change a segment: later calls begin behind the last slice, and the open ones have
  // lasted long enough.
  bool IsDone() const { return next_ == slices_.size() || now_ - least_ns_ >= slices_.back().to; }
  void End() {
    Settle(INT64_MAX);
    Change(kNone, INT64_MAX);
  }

 private:
  struct Open {
    uint32_t path;
    int64_t enter;
  };

  // Frames that have lasted long enough become segments of their own.
  void Settle(int64_t now) {
    now_ = now;
    for (; settled_ < frames_.size() && frames_[settled_].enter <= now - least_ns_; ++settled_) {
      Change(frames_[settled_].path, frames_[settled_].enter);
    }
  }
  void Change(uint32_t path, int64_t ns) {
    if (path == path_ && ns != INT64_MAX) return;
    for (; next_ < slices_.size() && slices_[next_].from < ns; ++next_) {
      const Slice& slice = slices_[next_];
      const int64_t from = std::max(slice.from, since_), to = std::min(slice.to, ns);
      if (to > from) segments_->push_back({from, to, slice.location, path_});
      if (slice.to > ns) break;
    }
    path_ = path;
    since_ = ns;
  }

  std::vector<Slice> slices_;
  int64_t least_ns_;
  std::vector<Segment>* segments_;
  std::vector<Open> frames_;
  size_t settled_ = 0, next_ = 0;
  uint32_t path_ = kNone;
  int64_t since_ = INT64_MIN;
  int64_t now_ = INT64_MIN / 2;
};

}  // namespace

std::vector<std::vector<Slice>> SlicesByLocation(const Path& path, size_t locations) {
  std::vector<std::vector<Slice>> of(locations);
  for (const Slice& slice : path.slices) of[slice.location].push_back(slice);
  return of;
}

std::vector<Segment> CutSlices(std::vector<Slice> slices, uint32_t location, const replay::World& world,
                               replay::EventSource* source, const std::vector<uint32_t>& open, replay::TimeModel* time,
                               int64_t least_ns, const archive::TimeLimit& limit) {
  std::vector<Segment> segments;
  if (slices.empty()) return segments;
  const replay::Process& process = world.processes[world.locations[location].process];
  Cutter cutter(std::move(slices), least_ns, &segments);
  for (const uint32_t node : open) cutter.Begin(process.nodes.At(node).path);
  archive::TimedSteps steps(limit);
  for (archive::Event event; !cutter.IsDone() && source->Next(&event);) {
    steps.Step();
    if (event.kind == RecordKind::kEnter) {
      cutter.Enter(process.nodes.At(event.node).path, time->Ns(location, event.time));
    } else if (event.kind == RecordKind::kExit) {
      cutter.Leave(time->Ns(location, event.time));
    }
  }
  cutter.End();
  return segments;
}

std::vector<Segment> InOrder(const std::vector<std::vector<Segment>>& by_location) {
  std::vector<Segment> segments;
  for (const std::vector<Segment>& some : by_location) segments.insert(segments.end(), some.begin(), some.end());
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.from < b.from; });
  return segments;
}

void Shorten(std::vector<Segment>* segments, size_t most) {
  if (segments->size() <= most || most == 0) return;
  const int64_t least = (segments->back().to - segments->front().from) / static_cast<int64_t>(most) + 1;
  size_t kept = 0;
  for (size_t s = 1; s < segments->size(); ++s) {
    const Segment& next = (*segments)[s];
    Segment& last = (*segments)[kept];
    if (last.to - last.from < least) {
      last.to = next.to;  // the longer one of both decides the name
      if (next.to - next.from > (next.from - last.from)) last = {last.from, next.to, next.location, next.path};
    } else {
      (*segments)[++kept] = next;
    }
  }
  segments->resize(kept + 1);
}

}  // namespace epik::critical
