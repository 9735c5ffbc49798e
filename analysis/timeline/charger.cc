// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/charger.h"

#include <algorithm>

namespace epik::timeline {

using event::RecordKind;

Charger::Charger(const replay::World* world, uint32_t location, replay::TimeModel* time, const std::vector<Kind>* kinds,
                 BinFiller* bins, uint64_t long_from, size_t most, std::vector<LongCall>* long_calls)
    : process_(world->processes[world->locations[location].process]),
      location_(location),
      time_(time),
      kinds_(*kinds),
      bins_(bins),
      long_from_(long_from),
      most_(most),
      long_calls_(long_calls) {}

void Charger::Take(const archive::Event& event) {
  last_ = event.time;
  ++events_;
  if (event.kind == RecordKind::kEnter) {
    const int64_t ns = time_->Ns(location_, event.time);
    Advance(ns);
    begun_ = true;
    stack_.push_back({process_.nodes.At(event.node).path, ns, events_});
  } else if (event.kind == RecordKind::kExit && !stack_.empty()) {
    const int64_t ns = time_->Ns(location_, event.time);
    Advance(ns);
    Close(ns);
  } else if (event.kind == RecordKind::kSwitched) {
    Advance(time_->Ns(location_, event.time));
    is_off_ = event.field[0] == 0;
  }
}

void Charger::Finish() {
  if (stack_.empty()) return;
  const int64_t ns = time_->Ns(location_, std::max(process_.end_ticks, last_));
  Advance(ns);
  while (!stack_.empty()) Close(ns);
}

void Charger::Close(int64_t ns) {
  const Frame frame = stack_.back();
  stack_.pop_back();
  const bool is_long = events_ - frame.event >= long_from_ && long_calls_->size() < most_;
  if (is_long) long_calls_->push_back({frame.enter, ns, static_cast<uint32_t>(stack_.size())});
}

void Charger::Advance(int64_t ns) {
  if (!begun_ || is_off_ || stack_.empty()) return bins_->Skip(ns);
  const uint32_t path = stack_.back().path;
  bins_->Take(ns, path < kinds_.size() ? kinds_[path] : Kind::kComputation, path);
}

}  // namespace epik::timeline
