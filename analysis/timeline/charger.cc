// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/charger.h"

#include <algorithm>

namespace epik::timeline {

using event::RecordKind;

Charger::Charger(const replay::World* world, uint32_t location, replay::TimeModel* time, const std::vector<Kind>* kinds,
                 BinFiller* bins)
    : process_(world->processes[world->locations[location].process]),
      location_(location),
      time_(time),
      kinds_(*kinds),
      bins_(bins) {}

void Charger::Take(const archive::Event& event) {
  last_ = event.time;
  if (event.kind == RecordKind::kEnter) {
    Advance(time_->Ns(location_, event.time));
    begun_ = true;
    stack_.push_back(process_.nodes.At(event.node).path);
  } else if (event.kind == RecordKind::kExit && !stack_.empty()) {
    Advance(time_->Ns(location_, event.time));
    stack_.pop_back();
  }
}

void Charger::Finish() {
  if (stack_.empty()) return;
  Advance(time_->Ns(location_, std::max(process_.end_ticks, last_)));
  stack_.clear();
}

void Charger::Advance(int64_t ns) {
  if (!begun_ || stack_.empty()) return bins_->Skip(ns);
  const uint32_t path = stack_.back();
  bins_->Take(ns, path < kinds_.size() ? kinds_[path] : Kind::kComputation, path);
}

}  // namespace epik::timeline
