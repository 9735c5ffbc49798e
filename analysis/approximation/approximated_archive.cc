// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/approximated_archive.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "analysis/approximation/retiming.h"
#include "analysis/replay/archive_world.h"
#include "archive/cubex/writer.h"
#include "archive/directory/archive.h"
#include "archive/directory/new_archive.h"
#include "archive/files/atomic_file.h"
#include "archive/trace/file_writer.h"
#include "archive/trace_profile/trace_profile.h"

namespace epik::approximation {

namespace fs = std::filesystem;
using archive::Manifest;
using archive::ProcessMap;
using event::RecordKind;

namespace {

constexpr double kSecond = 1e9;  // ns
// A tick of these traces is a nanosecond. 0 would mean no event.
constexpr uint64_t kFirstTick = 1;
constexpr double kLastTick = 1e18;

class Writer {
 public:
  Writer(const TracedRun& run, const Change& change, const Times& times, std::string folder)
      : run_(run), change_(change), times_(times), folder_(std::move(folder)) {
    // No event is before the job began.
    const double begin = times.Begin();
    if (std::isfinite(begin)) origin_ = std::min(begin, 0.0);
  }

  bool WriteTraces(std::string* error) {
    auto sources = replay::SourcesOf(run_.traces, &damage_);
    std::vector<ProcessMap> maps;
    for (uint32_t p = 0; p < run_.world.processes.size(); ++p) {
      if (!WriteProcess(p, &sources, &maps.emplace_back(), error)) return false;
    }
    archive::TraceDefinitions definitions = run_.traces.definitions();
    definitions.origin_ns = 0;
    return archive::WriteFileAtomically(folder_ + "/" + archive::kDefinitionsName,
                                        archive::PackDefinitions(definitions), error) &&
           archive::WriteMaps(folder_ + "/" + archive::kMapsName, maps, error);
  }

  const Manifest::Trace& facts() const { return facts_; }

 private:
  using Sources = std::vector<std::unique_ptr<replay::EventSource>>;

  uint64_t Ticks(double ns) const {
    return kFirstTick + static_cast<uint64_t>(std::llround(std::clamp(ns - origin_, 0.0, kLastTick)));
  }

  bool WriteProcess(uint32_t number, Sources* sources, ProcessMap* map, std::string* error) {
    const replay::Process& process = run_.world.processes[number];
    *map = run_.traces.processes()[number]->map;
    char name[64];
    std::snprintf(name, sizeof name, "traces/%03d/%d.elg", map->rank / 1000, map->rank);
    map->file = name;
    std::error_code failed;
    fs::create_directories(fs::path(folder_ + "/" + name).parent_path(), failed);
    archive::FileWriter file;
    file.Open(folder_ + "/" + name, map->process_id);
    uint64_t first = UINT64_MAX, last = 0;
    for (const uint32_t location : process.locations) {
      file.Begin(run_.world.locations[location].number);
      WriteLocation(location, (*sources)[location].get(), &file, &first, &last);
      (*sources)[location].reset();
    }
    if (!file.Finish(map->rank, error)) return false;
    Measure(file.events(), folder_ + "/" + name, map->rank);
    SetClock(process, first, last, map);
    return true;
  }

  void WriteLocation(uint32_t location, replay::EventSource* source, archive::FileWriter* file, uint64_t* first,
                     uint64_t* last) {
    const replay::Process& process = run_.world.processes[run_.world.locations[location].process];
    Retiming retiming(*run_.graph, run_.marks, times_, change_, location);
    archive::Event event;
    uint64_t before = 0;
    while (source->Next(&event)) {
      const uint32_t path = event.kind == RecordKind::kEnter ? process.nodes.At(event.node).path : graph::kNone;
      event.time = Ticks(retiming.Take(event.kind, process.clock.Ns(event.time), path));
      // The only time among the fields: the last event before the gap.
      if (event.kind == RecordKind::kGap) event.field[1] = before == 0 ? event.time : before;
      before = event.time;
      *first = std::min(*first, event.time);
      *last = std::max(*last, event.time);
      file->Put(event);
    }
  }

  // The times before the first event and after the last one stay as they were.
  void SetClock(const replay::Process& process, uint64_t first, uint64_t last, ProcessMap* map) const {
    int64_t measured_first = INT64_MAX, measured_last = INT64_MIN;
    for (const uint32_t location : process.locations) {
      const uint32_t size = run_.graph->size(location);
      if (size == 0) continue;
      measured_first = std::min(measured_first, run_.graph->At({location, 0}).begin);
      measured_last = std::max(measured_last, run_.graph->At({location, size - 1}).end);
      last = std::max(last, Ticks(times_.points[location].back().end));
    }
    const auto rest = [](int64_t from, int64_t to) { return static_cast<uint64_t>(std::max<int64_t>(to - from, 0)); };
    const uint64_t before = measured_first == INT64_MAX ? 0 : rest(process.clock.Ns(map->first_ticks), measured_first);
    const uint64_t after = measured_last == INT64_MIN ? 0 : rest(measured_last, process.clock.Ns(map->last_ticks));
    first = std::min(first, last);
    map->first_ticks = first > before + kFirstTick ? first - before : kFirstTick;
    map->last_ticks = last + std::min<uint64_t>(after, static_cast<uint64_t>(kLastTick));
    map->clock = archive::ClockFacts();
    map->clock.ticks = kFirstTick;
  }

  void Measure(uint64_t events, const std::string& path, int rank) {
    std::error_code ignored;
    const uint64_t bytes = fs::file_size(path, ignored);
    facts_.events += events;
    facts_.bytes += bytes;
    if (bytes <= facts_.largest_bytes) return;
    facts_.largest_bytes = bytes;
    facts_.largest_rank = std::max(rank, 0);
  }

  const TracedRun& run_;
  const Change& change_;
  const Times& times_;
  const std::string folder_;
  double origin_ = 0;
  std::vector<std::string> damage_;  // the damage was reported when the trace was first read
  Manifest::Trace facts_;
};

Manifest ManifestOf(const TracedRun& run, const Times& times, const Description& description,
                    const Manifest::Trace& facts) {
  Manifest manifest = run.manifest;
  const double measured = Measured(*run.graph).Lasted() / kSecond, approximated = times.Lasted() / kSecond;
  manifest.approximation = {true,
                            fs::path(run.path).filename().string(),
                            description.change,
                            description.model,
                            description.bound,
                            measured,
                            approximated,
                            run.prices.pair_ns(),
                            run.prices.spread()};
  manifest.wall_seconds = std::max(0.0, manifest.wall_seconds - measured + approximated);
  // None of these facts was measured in the approximated run.
  const Manifest none;
  manifest.timer = none.timer;
  manifest.ticks_per_second = kSecond;
  manifest.pair_cost_ns = manifest.own_seconds = manifest.cost_seconds = manifest.cost_error_seconds = 0;
  manifest.cost_by_prices_seconds = manifest.cost_percent = 0;
  manifest.cpu_seconds = manifest.cpu_most_seconds = manifest.cpu_without_seconds = 0;
  manifest.ran_seconds = manifest.queued_seconds = 0;
  manifest.wall_without_seconds = manifest.wall_without_least_seconds = manifest.wall_without_most_seconds = 0;
  manifest.preemptions = 0;
  const uint64_t lost = manifest.trace.lost;
  manifest.trace = facts;
  manifest.trace.there = true;
  manifest.trace.lost = lost;
  manifest.notes.insert(manifest.notes.begin(), "this is no measurement: an approximation of " +
                                                    manifest.approximation.of + ", " + description.change + " (model " +
                                                    description.model + ", bound " + description.bound + ")");
  return manifest;
}

// Writes the profile of the trace that was written.
bool WriteProfile(const std::string& folder, std::string* error) {
  archive::TraceArchive traces;
  archive::Profile profile;
  std::vector<std::string> known;  // damage of the written trace that the measured one had, too
  return traces.Open(folder, error) && archive::ProfileOfTrace(traces, &profile, &known, error) &&
         archive::WriteCubex(folder + "/" + archive::kSummaryName, profile, {}, error);
}

// Copies a file that is the same in the measured archive and in the approximation.
void CopyFile(const std::string& from, const std::string& to, const char* name) {
  std::error_code ignored;
  const fs::path source = fs::path(from) / name;
  if (fs::is_regular_file(source, ignored)) fs::copy_file(source, fs::path(to) / name, ignored);
}

}  // namespace

bool WriteApproximatedArchive(const TracedRun& run, const Change& change, const Times& times,
                              const Description& description, const std::string& target, std::string* error) {
  archive::NewArchive made;
  if (!made.Open(target, error)) return false;
  Writer writer(run, change, times, made.path());
  if (!writer.WriteTraces(error) || !WriteProfile(made.path(), error)) return false;
  CopyFile(run.path, made.path(), "epik.conf");
  CopyFile(run.path, made.path(), "communication.csv");
  const Manifest manifest = ManifestOf(run, times, description, writer.facts());
  return archive::WriteFileAtomically(made.path() + "/" + archive::kManifestName, manifest.ToJson(), error) &&
         made.Commit(error);
}

}  // namespace epik::approximation
