// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/condenser.h"

#include <algorithm>
#include <utility>

namespace epik::replay {

using event::RecordKind;

bool Condenser::Next(epilog::Event* event) {
  while (true) {
    if (holds_) {
      TellSkipped();
      if (told_ < frames_.size()) {
        const Open& open = frames_[told_++];
        *event = epilog::Event();
        event->kind = RecordKind::kEnter;
        event->time = open.entered;
        event->node = open.node;
        event->made_up = open.made_up;
        return true;
      }
      holds_ = false;
      *event = held_;
      Apply(held_);
      return true;
    }
    if (ended_) return false;
    if (!source_->Next(&held_)) {
      if (!End()) return false;
      continue;
    }
    ++read_;
    last_time_ = held_.time;
    holds_ = !Skip(held_);
  }
}

// Frames that are open at the end are told of, and when the last event was.
bool Condenser::End() {
  ended_ = true;
  source_.reset();
  if (read_ == 0 && told_ == frames_.size()) return false;
  held_ = epilog::Event();
  held_.kind = RecordKind::kMetric;  // one that replay does not look at
  held_.time = last_time_;
  holds_ = true;
  return true;
}

void Condenser::TellSkipped() {
  skipped_.events = std::exchange(read_, 0);
  skipped_.until = now_;
  skipped_.times = {};
  if (times_.size() == 0) return;
  std::swap(times_, given_);
  times_.Clear();
  skipped_.times = given_.all();
}

// True: the event is not told.
bool Condenser::Skip(const epilog::Event& event) {
  if (event.kind == RecordKind::kEnter) return SkipEnter(event);
  if (event.kind == RecordKind::kExit) return SkipExit(event);
  return !IsUsed(event.kind);
}

bool Condenser::SkipEnter(const epilog::Event& event) {
  const NodeFacts facts = process_.nodes.At(event.node);
  entering_ = {event.time, event.node, facts.path, event.made_up, false, false, false};
  Open& open = entering_;
  const Level level = LevelOf(facts.operation.role);
  if (frames_.empty()) {
    open.keeps = level != Level::kPlain;
    open.inside = level == Level::kCall;
    return false;
  }
  const Open& parent = frames_.back();
  open.folded = facts.path != kNone && facts.path == parent.path;
  open.keeps = open.folded ? parent.keeps : level != Level::kPlain;
  open.inside = parent.inside || (!open.folded && level == Level::kCall);
  const int64_t ns = time_->Ns(location_, event.time);
  if (open.keeps || parent.keeps || facts.operation.asks != Asks::kNo || times_.size() >= kMostTimes || IsFine(ns))
    return false;
  Charge(ns);
  frames_.push_back(open);
  return true;
}

bool Condenser::SkipExit(const epilog::Event& event) {
  if (frames_.empty()) return true;
  const int64_t ns = time_->Ns(location_, event.time);
  if (told_ == frames_.size() || IsFine(ns)) return false;
  const Open& open = frames_.back();
  Charge(ns);
  if (!open.inside && !open.folded) ++times_.At(open.path).visits;
  frames_.pop_back();
  return true;
}

// Until now the location was in its innermost frame.
void Condenser::Charge(int64_t ns) {
  if (ns <= now_) return;
  if (!frames_.back().inside) times_.At(frames_.back().path).ns += ns - now_;
  now_ = ns;
}

// From here on, time is charged from this event on; before it, by who is told of it.
void Condenser::Apply(const epilog::Event& event) {
  told_until_ = time_->Ns(location_, event.time);
  if (fine_ > 0) --fine_;
  const bool has_lock = event.kind == RecordKind::kLockGot || event.kind == RecordKind::kSignalGot;
  if (has_lock || event.kind == RecordKind::kSignal) fine_ = kFineAfterLock;
  now_ = std::max(now_, told_until_);
  if (event.kind == RecordKind::kEnter) {
    frames_.push_back(entering_);
    told_ = frames_.size();
  } else if (event.kind == RecordKind::kExit) {
    frames_.pop_back();
    told_ = frames_.size();
  } else if ((event.kind == RecordKind::kBarrier || event.kind == RecordKind::kThreadBarrier) && !frames_.empty()) {
    frames_.back().keeps = true;
  }
}

}  // namespace epik::replay
