// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace_profile/traffic.h"

#include <bit>

#include "archive/profile/region_class.h"

namespace epik::archive {

using epitome::kNone;
using epitome::Type;
using event::RecordKind;

namespace {

struct Sums {
  uint32_t metric;
  MetricDefinition sum, count;
};

const Sums kSums[] = {
#define METRIC(id, number, name, label, unit, count_name, count_label) \
  {event::k##id##Metric, {name, label, unit, Type::kUint64}, {count_name, count_label, "occ", Type::kUint64}},
#include "runtime/event/metrics.def"
#undef METRIC
};

const Sums& SumsOf(uint32_t metric) {
  for (const Sums& sums : kSums) {
    if (sums.metric == metric) return sums;
  }
  return kSums[0];
}

}  // namespace

bool IsTraffic(std::string_view unique_name) {
  for (const Sums& sums : kSums) {
    if (sums.metric < event::kBytesSentMetric || sums.metric > event::kBytesGotMetric) continue;
    if (unique_name == sums.sum.name || (unique_name == sums.count.name && !unique_name.empty())) return true;
  }
  return false;
}

uint32_t TrafficMetrics::NumberOf(const MetricDefinition& metric) {
  const auto [at, is_new] = numbers_.emplace(metric.name, static_cast<uint32_t>(metrics_.size()));
  if (is_new) metrics_.push_back(metric);
  return at->second;
}

// A cancelled send is taken back by adding a negative number, in two's complement.
void Traffic::Add(uint32_t metric, Place place, uint64_t sum, uint64_t count) {
  if (place.path == kNone) return;
  const Sums& sums = SumsOf(metric);
  if (!sums.sum.name.empty()) sums_[{metrics_.NumberOf(sums.sum), place}] += sum;
  if (!sums.count.name.empty()) sums_[{metrics_.NumberOf(sums.count), place}] += count;
}

std::string_view Traffic::NameOf(uint64_t region) const {
  const uint32_t known = archive_.Region(process_, region);
  return known == kNone ? std::string_view() : archive_.definitions().profile.regions[known].name;
}

// Barriers, and what makes communicators, windows and files, move no data of the program's.
Traffic::Kind Traffic::KindOf(uint64_t number) {
  const auto [at, is_new] = kinds_.emplace(number, Kind::kOther);
  const uint32_t known = archive_.Region(process_, number);
  if (!is_new || known == kNone) return at->second;
  epitome::Region region = archive_.definitions().profile.regions[known];
  epitome::CompleteRegion(&region);
  if (epitome::TimeMetricOf(region) == "mpi_collective") at->second = Kind::kCollective;
  return at->second;
}

// An atomic operation may put, get, or both. With zero bytes only its name tells which.
void Traffic::AddAtomic(Place place, const epilog::Event& event) {
  const uint64_t out = event.field[2];
  const uint64_t in = event.field[3];
  const std::string_view name = archive_.NameOfNode(process_, event.node);
  const bool only_puts = name == "MPI_Accumulate" || name == "MPI_Raccumulate";
  if (out != 0 || only_puts) Add(event::kBytesPutMetric, place, out);
  if (in != 0) Add(event::kBytesGotMetric, place, in);
}

void Traffic::AddUserMetric(Place place, const epilog::Event& event) {
  const MetricName* metric = archive_.Metric(process_, event.field[0]);
  const bool is_users = metric != nullptr && metric->kind == MetricName::Kind::kUser;
  if (!is_users || place.path == kNone) return;
  const uint32_t number = metrics_.NumberOf({metric->name, metric->name, metric->unit, Type::kDouble});
  real_sums_[{number, place}] += std::bit_cast<double>(event.field[1]);
}

void Traffic::End(const epilog::Event& event, const Begun* begun) {
  if (begun == nullptr) return;
  if (event.kind == RecordKind::kRequestCancelled) {
    if (begun->bytes != ~uint64_t{0}) Add(event::kBytesSentMetric, begun->place, 0 - begun->bytes, ~uint64_t{0});
  } else if (event.kind == RecordKind::kCollectiveEnd) {
    AddCollective(event, begun->place);
  }
}

// Its end and its start have the same fields.
void Traffic::AddCollective(const epilog::Event& event, Place place) {
  if (KindOf(event.field[0]) != Kind::kCollective) return;
  Add(event::kCollectiveOutMetric, place, event.field[3]);
  Add(event::kCollectiveInMetric, place, event.field[4]);
}

void Traffic::Take(uint32_t location, const epilog::Event& event) {
  if (event.kind == RecordKind::kEnter || event.kind == RecordKind::kExit) return;
  const uint64_t* field = event.field;
  if (event.kind == RecordKind::kAt) {
    at_ = field[0];
    return;
  }
  const uint32_t node = at_ != 0 ? static_cast<uint32_t>(at_) : event.node;
  at_ = 0;
  const Place place = {location, archive_.CallPath(process_, node)};
  constexpr uint64_t kNoSend = ~uint64_t{0};
  switch (event.kind) {
    case RecordKind::kSend: Add(event::kBytesSentMetric, place, field[3]); break;
    case RecordKind::kSendBegin:
      Add(event::kBytesSentMetric, place, field[3]);
      begun_[field[4]] = {place, field[3]};
      break;
    case RecordKind::kSendEnd: begun_.erase(field[0]); break;
    case RecordKind::kReceive:
    case RecordKind::kReceiveEnd: Add(event::kBytesReceivedMetric, place, field[3]); break;
    case RecordKind::kCollectiveBegin:
      if (field[1] != 0) begun_[field[1]] = {place, kNoSend};
      break;
    case RecordKind::kCollectivePosted:
      if (const auto found = begun_.find(field[5]); found != begun_.end()) found->second.posted = event;
      break;
    case RecordKind::kCollectiveEnd:
    case RecordKind::kRequestCancelled: {
      const bool collective = event.kind == RecordKind::kCollectiveEnd;
      const uint64_t request = collective ? field[5] : field[0];
      const Begun here = {place, kNoSend};
      const auto found = begun_.find(request);
      if (collective && request == 0) {
        End(event, &here);
      } else if (found != begun_.end()) {
        End(event, &found->second);
        begun_.erase(found);
      } else {
        ended_.push_back(event);
      }
      break;
    }
    case RecordKind::kPut: Add(event::kBytesPutMetric, place, field[2]); break;
    case RecordKind::kGet: Add(event::kBytesGotMetric, place, field[2]); break;
    case RecordKind::kAtomic: AddAtomic(place, event); break;
    case RecordKind::kMetric: AddUserMetric(place, event); break;
    default: break;
  }
}

void Traffic::Finish() {
  for (const epilog::Event& event : ended_) {
    const auto found = begun_.find(event.kind == RecordKind::kCollectiveEnd ? event.field[5] : event.field[0]);
    End(event, found == begun_.end() ? nullptr : &found->second);
    if (found != begun_.end()) begun_.erase(found);
  }
  // Those that had not ended when the program did have begun all the same.
  for (const auto& [request, begun] : begun_) {
    if (begun.posted.kind == RecordKind::kCollectivePosted) AddCollective(begun.posted, begun.place);
  }
  for (const auto& [key, sum] : sums_) {
    locations_[key.second.location].push_back({key.first, key.second.path, sum});
  }
  for (const auto& [key, sum] : real_sums_) {
    locations_[key.second.location].push_back({key.first, key.second.path, std::bit_cast<uint64_t>(sum)});
  }
}

}  // namespace epik::archive
