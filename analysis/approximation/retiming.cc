// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/retiming.h"

#include <algorithm>

namespace epik::approximation {

using event::RecordKind;
using graph::Place;
using graph::Point;
using graph::PointKind;

namespace {

// Half of a visit's price is paid at its enter and half at its exit, and half of each before the time stamp and half
// after it.
constexpr double kQuarter = 0.25;

// Whether the record tells what another location did.
bool ComesIn(RecordKind kind) {
  switch (kind) {
    case RecordKind::kReceive:
    case RecordKind::kReceiveEnd:
    case RecordKind::kProbe:
    case RecordKind::kSendEnd:
    case RecordKind::kBufferEmpty:
    case RecordKind::kRequestCancelled:
    case RecordKind::kCollectiveEnd:
    case RecordKind::kWindowSync:
    case RecordKind::kWindowLock:
    case RecordKind::kTeamBegin:
    case RecordKind::kLockAcquire:
    case RecordKind::kLockGot:
    case RecordKind::kIterationNeeded:
    case RecordKind::kJoinGot:
    case RecordKind::kSignalGot: return true;
    default: return false;
  }
}

}  // namespace

// Whether the event opens or closes points. If it does, they decide its time.
bool Retiming::AtPoint(uint64_t number, double* at) {
  bool found = false;
  if (inside_ && marks_.At({location_, next_ - 1}).closed == number) {
    inside_ = false;
    *at = moments_[next_ - 1].end;
    found = true;
  }
  for (; next_ < moments_.size() && marks_.At({location_, next_}).opened == number; ++next_) {
    inside_ = marks_.At({location_, next_}).closed != number;
    came_in_ = false;
    *at = inside_ ? moments_[next_].begin : moments_[next_].end;
    found = true;
  }
  return found;
}

double Retiming::Between(double raw) const {
  const double at = std::max(raw, last_);
  return next_ < moments_.size() ? std::min(at, std::max(moments_[next_].begin, last_)) : at;
}

double Retiming::Inside(RecordKind kind, int64_t measured) {
  const Point& point = graph_.At({location_, next_ - 1});
  const Moment& moment = moments_[next_ - 1];
  came_in_ |= ComesIn(kind);
  if (came_in_) return std::max(last_, moment.end);
  const bool waits = point.kind == PointKind::kCall;
  if (waits || point.end <= point.begin || point.end == INT64_MAX) return std::max(last_, moment.begin);
  const double share = static_cast<double>(measured - point.begin) / static_cast<double>(point.end - point.begin);
  return std::max(last_, moment.begin + std::clamp(share, 0.0, 1.0) * (moment.end - moment.begin));
}

// A function that a compiler made from a construct has the construct's call path, and is no visit of its own.
bool Retiming::IsFolded(bool enters, uint32_t path) const {
  const size_t within = open_.size() - (enters || open_.empty() ? 0 : 1);
  if (within == 0) return false;
  const uint32_t inner = enters ? path : open_.back();
  return inner != graph::kNone && inner == open_[within - 1];
}

double Retiming::Take(RecordKind kind, int64_t measured, uint32_t path) {
  if (!begun_) {
    begun_ = true;
    measured_ = measured;
    raw_ = last_ = moments_.empty() ? static_cast<double>(measured) : moments_.front().begin;
  }
  const bool enters = kind == RecordKind::kEnter, leaves = kind == RecordKind::kExit;
  const uint32_t innermost = open_.empty() ? graph::kNone : open_.back();
  const uint32_t visited = enters ? path : innermost;
  const bool is_visit = (enters || leaves) && !IsFolded(enters, path);
  const double cost = is_visit ? kQuarter * change_.SavedAtVisit(location_, visited) : 0;
  if (!inside_) {
    raw_ += static_cast<double>(measured - measured_) * (1 - change_.SavedShare(location_, innermost)) - cost;
  }
  double at = last_;
  if (AtPoint(number_, &at)) {
    at = raw_ = std::max(at, last_);
    if (enters && !inside_) raw_ -= cost;
  } else if (inside_) {
    at = raw_ = Inside(kind, measured);
  } else {
    at = Between(raw_);
    raw_ -= cost;
  }
  if (enters) open_.push_back(path);
  if (leaves && !open_.empty()) open_.pop_back();
  ++number_;
  measured_ = measured;
  return last_ = at;
}

}  // namespace epik::approximation
