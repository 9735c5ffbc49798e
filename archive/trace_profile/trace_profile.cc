// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace_profile/trace_profile.h"

#include "archive/files/parallel.h"
#include "archive/metrics/imbalance.h"
#include "archive/trace_profile/tally.h"
#include "archive/unify/build_profile.h"

namespace epik::archive {

namespace {

using Streams = std::vector<uint32_t>;  // of the archive

// Returns, for each process, its streams whose threads are defined.
std::vector<Streams> StreamsByProcess(const TraceArchive& archive) {
  std::vector<Streams> all;
  for (uint32_t s = 0; s < archive.streams().size(); ++s) {
    const TraceArchive::Stream& stream = archive.streams()[s];
    if (stream.location == kNone) continue;
    if (all.empty() || archive.streams()[all.back().front()].process != stream.process) all.emplace_back();
    all.back().push_back(s);
  }
  return all;
}

std::string ReadStream(const TraceArchive& archive, uint32_t number, std::vector<std::string>* problems) {
  const TraceArchive::Stream& stream = archive.streams()[number];
  const TraceArchive::Process& process = *archive.processes()[stream.process];
  // Replay also knows parents (replay::SourceOf), so both see the same frames behind a gap.
  LocationReader reader(&process.file, stream.number,
                        [&archive, &stream](uint32_t node) { return archive.ParentOfNode(stream.process, node); });
  LocationTally tally(archive, number);
  Event event;
  while (reader.Next(&event)) tally.Take(event);
  for (const Damage& damage : reader.damage()) {
    problems->push_back(process.map.file + ", byte " + std::to_string(damage.offset) + ": " + damage.what);
  }
  return tally.Finish();
}

// Adds the values of the locations of one process. Returns false when a tally does not fit.
bool JoinProcess(const TraceArchive& archive, const Streams& streams, const std::vector<std::string>& tallies,
                 const LimitedThreads& limited, TrafficMetrics* metrics, std::vector<std::vector<Value>>* locations) {
  const uint32_t process = archive.streams()[streams.front()].process;
  const Profile& profile = archive.definitions().profile;
  const size_t own_metrics = archive.processes()[process]->map.metrics.size();
  std::vector<Tally> all(streams.size());
  TaskParts parts;
  std::vector<std::vector<Value>> traffic_values(profile.locations.size());
  ProcessTraffic traffic(archive, process, metrics, &traffic_values);
  for (size_t i = 0; i < streams.size(); ++i) {
    if (!UnpackTally(tallies[streams[i]], profile.call_paths.size(), own_metrics, &all[i])) return false;
    for (const auto& [task, ticks] : all[i].calls.parts) parts[task] += ticks;
    traffic.Take(archive.streams()[streams[i]].location, all[i].traffic);
  }
  traffic.Finish();
  for (size_t i = 0; i < streams.size(); ++i) {
    const TraceArchive::Stream& stream = archive.streams()[streams[i]];
    const auto idle = limited.find(stream.number);
    std::vector<Value>& values = (*locations)[stream.location];
    values = ValuesOf(archive, process, std::move(all[i].calls), parts,
                      idle == limited.end() ? LimitedVisits() : idle->second);
    AddCounters(archive, process, all[i].counters, metrics, &values);
    const std::vector<Value>& more = traffic_values[stream.location];
    values.insert(values.end(), more.begin(), more.end());
    GroupByMetric(&values);
  }
  return true;
}

}  // namespace

bool ProfileOfTrace(const TraceArchive& archive, Profile* profile, std::vector<std::string>* problems,
                    std::string* error, unsigned threads) {
  for (const TraceArchive::Stream& stream : archive.streams()) {
    if (stream.location != kNone) continue;
    problems->push_back("a thread of the trace is not defined: " + std::to_string(stream.number));
  }
  std::vector<std::string> tallies(archive.streams().size());
  std::vector<std::vector<std::string>> damage(tallies.size());
  ForEachPart(tallies.size(), threads, [&](size_t s) {
    if (archive.streams()[s].location == kNone) return;
    tallies[s] = ReadStream(archive, static_cast<uint32_t>(s), &damage[s]);
  });
  for (const std::vector<std::string>& some : damage) problems->insert(problems->end(), some.begin(), some.end());
  return ProfileOfTallies(archive, tallies, LimitedParallelism(archive, threads), profile, error);
}

bool ProfileOfTallies(const TraceArchive& archive, const std::vector<std::string>& tallies,
                      const std::vector<LimitedThreads>& limited, Profile* profile, std::string* error,
                      const TimeLimit& limit) {
  *profile = archive.definitions().profile;
  // One part has all locations, and its definitions are those of the archive.
  std::vector<ProcessPart> parts(1);
  ProcessPart& part = parts.front();
  part.locations.resize(profile->locations.size());
  part.facts.threads.resize(profile->locations.size());
  TrafficMetrics metrics;
  bool good = true;
  for (const Streams& streams : StreamsByProcess(archive)) {
    limit.Check();
    const LimitedThreads& idle = limited[archive.streams()[streams.front()].process];
    good = good && JoinProcess(archive, streams, tallies, idle, &metrics, &part.locations);
  }
  part.definitions.metrics = metrics.all();
  if (good && FillProfile(parts, profile)) {
    AddImbalance(profile);
    return true;
  }
  *error = "the profile of the trace cannot be made";
  return false;
}

}  // namespace epik::archive
