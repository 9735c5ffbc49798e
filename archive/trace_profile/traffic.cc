// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace_profile/traffic.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "archive/profile/region_class.h"

namespace epik::archive {

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

// Adds the bytes of an end to the call path that began its request. A cancelled send adds its bytes as a negative
// number in two's complement, so that the sum loses them.
template <typename Add>
void ForEnd(const LocationTraffic::Ended& ended, uint64_t sent, const Add& add) {
  if (!ended.is_cancelled) {
    add(event::kCollectiveOutMetric, ended.out, uint64_t{1});
    add(event::kCollectiveInMetric, ended.in, uint64_t{1});
  } else if (sent != LocationTraffic::kNoSend) {
    add(event::kBytesSentMetric, 0 - sent, ~uint64_t{0});
  }
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

uint32_t Traffic::PathOf(uint32_t node) {
  FoundPath& found = found_paths_[node % kFound];
  if (found.node != node) found = {node, archive_.CallPath(process_, node)};
  return found.path;
}

Traffic::Counted& Traffic::At(uint32_t metric, uint32_t path) {
  FoundCounted& found = found_counted_[(5 * metric + path) % kFound];
  if (found.counted != nullptr && found.metric == metric && found.path == path) return *found.counted;
  if (std::find(found_.metrics.begin(), found_.metrics.end(), metric) == found_.metrics.end()) {
    found_.metrics.push_back(metric);
  }
  found = {metric, path, &counted_[{metric, path}]};
  return *found.counted;
}

void Traffic::Add(uint32_t metric, uint32_t path, uint64_t sum, uint64_t count) {
  if (path == kNone) return;
  Counted& counted = At(metric, path);
  counted.sum += sum;
  counted.count += count;
}

// Barriers, and calls that make communicators, windows and files, move no data of the program.
Traffic::Kind Traffic::KindOf(uint64_t number) {
  const auto [at, is_new] = kinds_.emplace(number, Kind::kOther);
  const uint32_t known = archive_.Region(process_, number);
  if (!is_new || known == kNone) return at->second;
  Region region = archive_.definitions().profile.regions[known];
  CompleteRegion(&region);
  if (TimeMetricOf(region) == "mpi_collective") at->second = Kind::kCollective;
  return at->second;
}

// An atomic operation may put, get, or both. If it has zero bytes, only its name tells which; one that puts nothing
// (MPI_NO_OP) and gets zero bytes cannot be told from one that puts zero bytes.
void Traffic::AddAtomic(uint32_t path, const Event& event) {
  const uint64_t out = event.field[2];
  const uint64_t in = event.field[3];
  const std::string_view name = archive_.NameOfNode(process_, event.node);
  const bool only_puts = name == "MPI_Accumulate" || name == "MPI_Raccumulate";
  if (out != 0 || only_puts || in == 0) Add(event::kBytesPutMetric, path, out);
  if (!only_puts) Add(event::kBytesGotMetric, path, in);
}

void Traffic::AddUserMetric(uint32_t path, const Event& event) {
  const MetricName* metric = archive_.Metric(process_, event.field[0]);
  const bool is_users = metric != nullptr && metric->kind == MetricName::Kind::kUser;
  if (!is_users || path == kNone) return;
  uint64_t& sum = At(static_cast<uint32_t>(metric - archive_.processes()[process_]->map.metrics.data()), path).sum;
  sum = std::bit_cast<uint64_t>(std::bit_cast<double>(sum) + std::bit_cast<double>(event.field[1]));
}

// `path`: of the call that ends it, if the same call began it.
void Traffic::End(const Event& event, uint32_t path) {
  const bool is_collective = event.kind == RecordKind::kCollectiveEnd;
  const uint64_t request = is_collective ? event.field[5] : event.field[0];
  LocationTraffic::Ended ended = {request, !is_collective, 0, 0};
  if (is_collective) {
    if (KindOf(event.field[0]) != Kind::kCollective) {
      begun_.erase(request);
      return;
    }
    ended.out = event.field[3];
    ended.in = event.field[4];
  }
  const auto add_at = [&](uint32_t where) {
    return [this, where](uint32_t metric, uint64_t sum, uint64_t count) { Add(metric, where, sum, count); };
  };
  const auto found = begun_.find(request);
  if (is_collective && request == 0) {
    ForEnd(ended, LocationTraffic::kNoSend, add_at(path));
  } else if (found != begun_.end()) {
    ForEnd(ended, found->second.sent, add_at(found->second.path));
    begun_.erase(found);
  } else {
    found_.ended.push_back(ended);
  }
}

// A call counts an operation that it has started, also if that fails later.
void Traffic::Fail(const Event& event, uint32_t path) {
  const uint64_t request = event.field[5];
  if (request == 0) return;
  const auto found = begun_.find(request);
  if (found == begun_.end() || found->second.is_posted) return End(event, path);
  begun_.erase(found);
}

// The record has the fields of the operation's end.
void Traffic::Post(const Event& event) {
  const auto found = begun_.find(event.field[5]);
  if (found == begun_.end() || KindOf(event.field[0]) != Kind::kCollective) return;
  found->second.is_posted = true;
  found->second.out = event.field[3];
  found->second.in = event.field[4];
}

void Traffic::TakeRecord(const Event& event) {
  const uint64_t* field = event.field;
  if (event.kind == RecordKind::kAt) {
    at_ = field[0];
    return;
  }
  const uint32_t node = at_ != 0 ? static_cast<uint32_t>(at_) : event.node;
  at_ = 0;
  const bool is_truncated = std::exchange(is_truncated_, false);
  const bool has_failed = std::exchange(has_failed_, false);
  const uint32_t path = PathOf(node);
  switch (event.kind) {
    case RecordKind::kSend:
      Add(event::kBytesSentMetric, path, field[3]);
      sent_from_ = path;
      sent_ = field[3];
      break;
    case RecordKind::kSendRefused:
      field[0] != 0 ? End(event, path)
                    : Add(event::kBytesSentMetric, std::exchange(sent_from_, kNone), 0 - sent_, ~uint64_t{0});
      break;
    case RecordKind::kSendBegin:
      Add(event::kBytesSentMetric, path, field[3]);
      begun_[field[4]] = {field[4], path, field[3]};
      break;
    case RecordKind::kSendEnd: begun_.erase(field[0]); break;
    case RecordKind::kTruncated: is_truncated_ = true; break;
    case RecordKind::kCollectiveFailed: has_failed_ = true; break;
    case RecordKind::kReceive:
    case RecordKind::kReceiveEnd:
      if (!is_truncated) Add(event::kBytesReceivedMetric, path, field[3]);
      break;
    case RecordKind::kCollectiveBegin:
      if (field[1] != 0) begun_[field[1]] = {field[1], path, LocationTraffic::kNoSend};
      break;
    case RecordKind::kCollectivePosted: Post(event); break;
    case RecordKind::kCollectiveEnd: has_failed ? Fail(event, path) : End(event, path); break;
    case RecordKind::kRequestCancelled: End(event, path); break;
    case RecordKind::kPut: Add(event::kBytesPutMetric, path, field[2]); break;
    case RecordKind::kGet: Add(event::kBytesGotMetric, path, field[2]); break;
    case RecordKind::kAtomic: AddAtomic(path, event); break;
    case RecordKind::kMetric: AddUserMetric(path, event); break;
    default: break;
  }
}

LocationTraffic Traffic::Finish() {
  for (const auto& [key, counted] : counted_) {
    found_.sums.push_back({key.first, key.second, counted.sum, counted.count});
  }
  for (const auto& [request, begun] : begun_) found_.begun.push_back(begun);
  return std::move(found_);
}

MetricDefinition ProcessTraffic::UserMetric(uint32_t metric) const {
  const MetricName& known = archive_.processes()[process_]->map.metrics[metric];
  const std::string name = NameOfOthers(known.name, "user");
  return {name, name, known.unit, Type::kDouble};
}

// Gives numbers to the halves of a metric that reports show.
void ProcessTraffic::Meet(uint32_t metric) {
  if ((metric & event::kMetricBit) == 0) {
    metrics_.NumberOf(UserMetric(metric));
    return;
  }
  for (const MetricDefinition* half : {&SumsOf(metric).sum, &SumsOf(metric).count}) {
    if (!half->name.empty()) metrics_.NumberOf(*half);
  }
}

void ProcessTraffic::Add(Place place, const LocationTraffic::Sum& sum) {
  if ((sum.metric & event::kMetricBit) == 0) {
    real_sums_[{metrics_.NumberOf(UserMetric(sum.metric)), place}] += std::bit_cast<double>(sum.sum);
    return;
  }
  const Sums& sums = SumsOf(sum.metric);
  if (!sums.sum.name.empty()) sums_[{metrics_.NumberOf(sums.sum), place}] += sum.sum;
  if (!sums.count.name.empty()) sums_[{metrics_.NumberOf(sums.count), place}] += sum.count;
}

void ProcessTraffic::End(const LocationTraffic::Ended& ended, const Begun& begun) {
  const uint32_t path = begun.request.path;
  if (path == kNone) return;
  ForEnd(ended, begun.request.sent, [&](uint32_t metric, uint64_t sum, uint64_t count) {
    Add({begun.location, path}, {metric, path, sum, count});
  });
}

void ProcessTraffic::Take(uint32_t location, const LocationTraffic& traffic) {
  for (const uint32_t metric : traffic.metrics) Meet(metric);
  for (const LocationTraffic::Sum& sum : traffic.sums) Add({location, sum.path}, sum);
  for (const LocationTraffic::Ended& ended : traffic.ended) {
    const auto found = begun_.find(ended.request);
    if (found == begun_.end()) {
      ended_.push_back(ended);
      continue;
    }
    End(ended, found->second);
    begun_.erase(found);
  }
  for (const LocationTraffic::Begun& begun : traffic.begun) begun_[begun.request] = {location, begun};
}

void ProcessTraffic::Finish() {
  for (const LocationTraffic::Ended& ended : ended_) {
    const auto found = begun_.find(ended.request);
    if (found == begun_.end()) continue;
    End(ended, found->second);
    begun_.erase(found);
  }
  for (const auto& [request, begun] : begun_) {
    if (begun.request.is_posted) End({request, false, begun.request.out, begun.request.in}, begun);
  }
  for (const auto& [key, sum] : sums_) {
    locations_[key.second.location].push_back({key.first, key.second.path, sum});
  }
  for (const auto& [key, sum] : real_sums_) {
    locations_[key.second.location].push_back({key.first, key.second.path, std::bit_cast<uint64_t>(sum)});
  }
}

}  // namespace epik::archive
