// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/condenser.h"

#include <algorithm>
#include <utility>

namespace epik::replay {

using event::RecordKind;

bool Condenser::Next(archive::Event* event) {
  if (holds_) return Tell(event);
  while (!ended_) {
    if (source_->Next(event)) {
      ++read_;
      last_time_ = event->time;
      if (Skip(*event)) continue;
    } else if (!End(event)) {
      return false;
    }
    if (told_ < frames_.size()) {
      held_ = *event;
      holds_ = true;
      return Tell(event);
    }
    TellSkipped();
    skipped_.ns = ns_;
    Apply(*event);
    return true;
  }
  return false;
}

// The frames around the held event come first.
bool Condenser::Tell(archive::Event* event) {
  TellSkipped();
  if (told_ < frames_.size()) {
    skipped_.ns = Skipped::kUnknownNs;
    const Open& open = frames_[told_++];
    *event = archive::Event();
    event->kind = RecordKind::kEnter;
    event->time = open.entered;
    event->node = open.node;
    event->made_up = open.made_up;
    return true;
  }
  holds_ = false;
  skipped_.ns = ns_;
  *event = held_;
  Apply(held_);
  return true;
}

// Tells the frames that are open at the end, and the time of the last event.
bool Condenser::End(archive::Event* event) {
  ended_ = true;
  source_.reset();
  if (read_ == 0 && told_ == frames_.size()) return false;
  *event = archive::Event();
  event->kind = RecordKind::kMetric;  // replay does not look at this kind
  event->time = last_time_;
  ns_ = time_->Ns(location_, last_time_);
  return true;
}

void Condenser::TellSkipped() {
  skipped_.events = std::exchange(read_, 0);
  skipped_.until = now_;
  skipped_.times = {};
  if (times_.size() == 0) return;
  times_.MoveTo(&given_);
  skipped_.times = given_;
}

// Returns true when the event is left out.
bool Condenser::Skip(const archive::Event& event) {
  const bool is_exit = event.kind == RecordKind::kExit;
  if (is_exit ? frames_.empty() : event.kind != RecordKind::kEnter && !IsUsed(event.kind)) return true;
  ns_ = time_->Ns(location_, event.time);
  if (event.kind == RecordKind::kEnter) return SkipEnter(event);
  return is_exit && SkipExit();
}

bool Condenser::SkipEnter(const archive::Event& event) {
  const NodeFacts facts = process_.nodes.At(event.node);
  const Level level = LevelOf(facts.operation.role);
  const bool may_wait = level != Level::kPlain || facts.operation.role == Role::kTest;
  Open open = {event.time, event.node, facts.path, 0, 0, event.made_up, false, may_wait};
  bool is_told = true;
  if (!frames_.empty()) {
    const Open& parent = frames_.back();
    open.time = parent.inner_time;
    open.folded = facts.path != kNone && facts.path == parent.path;
    if (open.folded) open.keeps = parent.keeps;
    is_told = open.keeps || parent.keeps || facts.opens_window || facts.operation.asks != Asks::kNo ||
              times_.size() >= kMostTimes || IsFine();
  }
  if (is_told) {
    entering_ = open;
    return false;
  }
  Charge();
  frames_.push_back(open);
  return true;
}

bool Condenser::SkipExit() {
  if (told_ == frames_.size() || IsFine()) return false;
  Charge();
  Open& open = frames_.back();
  if (!open.folded) ++times_.At(open.path, &open.time).visits;
  const uint32_t time = open.time;
  frames_.pop_back();
  frames_.back().inner_time = time;
  return true;
}

// Charges the time until now to the innermost frame.
void Condenser::Charge() {
  if (ns_ <= now_) return;
  Open& open = frames_.back();
  times_.At(open.path, &open.time).ns += ns_ - now_;
  now_ = ns_;
}

// From now on, time is charged since this event. The receiver of the event charges the time before it.
void Condenser::Apply(const archive::Event& event) {
  told_until_ = ns_;
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
