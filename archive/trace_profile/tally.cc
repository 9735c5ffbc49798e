// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace_profile/tally.h"

#include "archive/files/coded.h"

namespace epik::archive {

namespace {

void PutCalls(const LocationCalls& calls, CodedOut* out) {
  out->Put(calls.sums.size());
  for (const CallSums& sums : calls.sums) {
    for (const uint64_t number :
         {uint64_t{sums.node}, uint64_t{sums.path}, sums.visits, sums.exclusive, sums.min, sums.max, sums.unfinished}) {
      out->Put(number);
    }
    out->PutBits(sums.squares);
  }
  out->Put(calls.resumed.size());
  for (const ResumedTask& task : calls.resumed) {
    for (const uint64_t number : {uint64_t{task.node}, task.task, task.ticks}) out->Put(number);
  }
  out->Put(calls.parts.size());
  for (const auto& [task, ticks] : calls.parts) {
    out->Put(task);
    out->Put(ticks);
  }
}

void GetCalls(CodedIn* in, LocationCalls* calls) {
  calls->sums.resize(in->GetCount());
  for (CallSums& sums : calls->sums) {
    sums.node = in->Get32();
    sums.path = in->Get32();
    for (uint64_t* number : {&sums.visits, &sums.exclusive, &sums.min, &sums.max, &sums.unfinished}) {
      *number = in->Get();
    }
    sums.squares = in->GetBits();
  }
  calls->resumed.resize(in->GetCount());
  for (ResumedTask& task : calls->resumed) {
    task.node = in->Get32();
    task.task = in->Get();
    task.ticks = in->Get();
  }
  for (uint64_t left = in->GetCount(); left > 0; --left) {
    const uint64_t task = in->Get();
    calls->parts[task] = in->Get();
  }
}

void PutTraffic(const LocationTraffic& traffic, CodedOut* out) {
  out->Put(traffic.metrics.size());
  for (const uint32_t metric : traffic.metrics) out->Put(metric);
  out->Put(traffic.sums.size());
  for (const LocationTraffic::Sum& sum : traffic.sums) {
    for (const uint64_t number : {uint64_t{sum.metric}, uint64_t{sum.path}, sum.sum, sum.count}) out->Put(number);
  }
  out->Put(traffic.begun.size());
  for (const LocationTraffic::Begun& begun : traffic.begun) {
    for (const uint64_t number :
         {begun.request, uint64_t{begun.path}, begun.sent, uint64_t{begun.is_posted}, begun.out, begun.in}) {
      out->Put(number);
    }
  }
  out->Put(traffic.ended.size());
  for (const LocationTraffic::Ended& ended : traffic.ended) {
    for (const uint64_t number : {ended.request, uint64_t{ended.is_cancelled}, ended.out, ended.in}) out->Put(number);
  }
}

void GetTraffic(CodedIn* in, LocationTraffic* traffic) {
  traffic->metrics.resize(in->GetCount());
  for (uint32_t& metric : traffic->metrics) metric = in->Get32();
  traffic->sums.resize(in->GetCount());
  for (LocationTraffic::Sum& sum : traffic->sums) {
    sum.metric = in->Get32();
    sum.path = in->Get32();
    sum.sum = in->Get();
    sum.count = in->Get();
  }
  traffic->begun.resize(in->GetCount());
  for (LocationTraffic::Begun& begun : traffic->begun) {
    begun.request = in->Get();
    begun.path = in->Get32();
    begun.sent = in->Get();
    begun.is_posted = in->Get() != 0;
    begun.out = in->Get();
    begun.in = in->Get();
  }
  traffic->ended.resize(in->GetCount());
  for (LocationTraffic::Ended& ended : traffic->ended) {
    ended.request = in->Get();
    ended.is_cancelled = in->Get() != 0;
    ended.out = in->Get();
    ended.in = in->Get();
  }
}

bool Fits(const Tally& tally, size_t paths, size_t metrics) {
  const auto is_metric = [&](uint32_t metric) { return (metric & event::kMetricBit) != 0 || metric < metrics; };
  for (const CallSums& sums : tally.calls.sums) {
    if (sums.path >= paths) return false;
  }
  for (const CounterSum& sum : tally.counters) {
    if (sum.path >= paths || sum.metric >= metrics) return false;
  }
  for (const LocationTraffic::Sum& sum : tally.traffic.sums) {
    if (sum.path >= paths || !is_metric(sum.metric)) return false;
  }
  for (const LocationTraffic::Begun& begun : tally.traffic.begun) {
    if (begun.path >= paths && begun.path != kNone) return false;
  }
  return std::all_of(tally.traffic.metrics.begin(), tally.traffic.metrics.end(), is_metric);
}

}  // namespace

std::string PackTally(const Tally& tally) {
  CodedOut out;
  PutCalls(tally.calls, &out);
  out.Put(tally.counters.size());
  for (const CounterSum& sum : tally.counters) {
    for (const uint64_t number : {uint64_t{sum.metric}, uint64_t{sum.path}, sum.count}) out.Put(number);
  }
  PutTraffic(tally.traffic, &out);
  return out.Take();
}

bool UnpackTally(const std::string& packed, size_t paths, size_t metrics, Tally* tally) {
  *tally = Tally();
  CodedIn in(packed);
  GetCalls(&in, &tally->calls);
  tally->counters.resize(in.GetCount());
  for (CounterSum& sum : tally->counters) {
    sum.metric = in.Get32();
    sum.path = in.Get32();
    sum.count = in.Get();
  }
  GetTraffic(&in, &tally->traffic);
  return in.good() && in.AtEnd() && Fits(*tally, paths, metrics);
}

}  // namespace epik::archive
