// SPDX-License-Identifier: BSD-3-Clause
// epk info: shows the contents of a trace in numbers.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "archive/directory/archive.h"
#include "archive/trace/record_names.h"
#include "archive/trace/trace_archive.h"
#include "tools/epk/command.h"
#include "tools/epk/trace_options.h"
#include "view/number.h"
#include "view/table.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

using archive::TraceArchive;
using event::RecordKind;

constexpr char kInfoManual[] = R"(
DESCRIPTION
  Counts the events of a trace by kind and by rank. It shows the time of the first and the last event, how many bytes
  an event takes, how often a buffer was full before the end, and where events are missing. `--format json` writes the
  same for programs.

EXAMPLES
    epk info epik_solver_4x2_trace
    epk info epik_solver_4x2_trace --rank 0 --format json

SEE ALSO
  epk-print(1), epk-check(1)
)";

struct InfoOptions {
  TraceOptions trace;
  std::string format = "text";
};

struct Counts {
  uint64_t events = 0;
  uint64_t gaps = 0;  // made up by the reader, and records of the measurement
  uint64_t flushes = 0;
  uint64_t flush_ns = 0;
  uint32_t deepest = 0;
  int64_t first = INT64_MAX, last = INT64_MIN;
  std::map<RecordKind, uint64_t> kinds;

  void Add(const Counts& other) {
    events += other.events;
    gaps += other.gaps;
    flushes += other.flushes;
    flush_ns += other.flush_ns;
    deepest = std::max(deepest, other.deepest);
    first = std::min(first, other.first);
    last = std::max(last, other.last);
    for (const auto& [kind, count] : other.kinds) kinds[kind] += count;
  }
};

struct OfRank {
  int32_t rank = 0;
  uint64_t bytes = 0;
  uint64_t threads = 0;
  Counts counts;
};

// Counts stream by stream: no order among streams is needed.
Counts Count(const TraceArchive& archive, uint32_t number, const TimeWindow& window,
             std::vector<std::string>* problems) {
  const TraceArchive::Stream& stream = archive.streams()[number];
  const TraceArchive::Process& process = *archive.processes()[stream.process];
  archive::LocationReader reader(&process.file, stream.number);
  Counts counts;
  uint64_t kinds[epilog::kKinds + 1] = {};
  archive::Event event;
  // A flush that began before the window counts from the window on. Its begin may also be in a part that is missing.
  int64_t flush_began = window.from == INT64_MIN ? INT64_MAX : window.from;
  if (window.from != INT64_MIN) reader.Seek(process.clock.Ticks(window.from));
  while (reader.Next(&event)) {
    const int64_t ns = process.clock.Ns(event.time);
    if (ns < window.from) continue;
    if (ns > window.to) break;
    if (event.kind == RecordKind::kGap) ++counts.gaps;
    if (event.made_up) continue;
    ++counts.events;
    ++kinds[std::min(static_cast<uint32_t>(event.kind), epilog::kKinds)];
    counts.first = std::min(counts.first, ns);
    counts.last = std::max(counts.last, ns);
    counts.deepest = std::max(counts.deepest, event.depth + (event.kind == RecordKind::kEnter ? 1 : 0));
    if (event.kind == RecordKind::kFlushBegin) flush_began = ns;
    if (event.kind == RecordKind::kFlushEnd) {
      ++counts.flushes;
      counts.flush_ns += static_cast<uint64_t>(ns > flush_began ? ns - flush_began : 0);
      flush_began = INT64_MAX;
    }
  }
  for (uint32_t kind = 0; kind <= epilog::kKinds; ++kind) {
    if (kinds[kind] != 0) counts.kinds[static_cast<RecordKind>(kind)] = kinds[kind];
  }
  for (const archive::Damage& damage : reader.damage()) {
    problems->push_back(process.map.file + ", byte " + std::to_string(damage.offset) + ": " + damage.what);
  }
  return counts;
}

nlohmann::ordered_json ToJson(const Counts& counts, uint64_t bytes) {
  nlohmann::ordered_json json;
  json["events"] = counts.events;
  json["bytes"] = bytes;
  json["first_s"] = counts.events == 0 ? 0 : static_cast<double>(counts.first) * 1e-9;
  json["last_s"] = counts.events == 0 ? 0 : static_cast<double>(counts.last) * 1e-9;
  json["deepest"] = counts.deepest;
  json["flushes"] = counts.flushes;
  json["flush_s"] = static_cast<double>(counts.flush_ns) * 1e-9;
  json["gaps"] = counts.gaps;
  for (const auto& [kind, count] : counts.kinds) json["by_kind"][std::string(archive::NameOf(kind).name)] = count;
  return json;
}

std::string InSeconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", seconds);
  return text;
}

// `is_part`: the user chose a part of the events. The bytes are still those of the whole files.
void ShowCounts(const Counts& all, uint64_t bytes, bool is_part, uint64_t lost, const std::vector<OfRank>& ranks) {
  using view::Count;
  const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
  const auto events = static_cast<double>(std::max<uint64_t>(all.events, 1));
  char an_event[32];
  std::snprintf(an_event, sizeof an_event, "%.2f an event", static_cast<double>(bytes) / events);
  view::Table whole({{""}, view::Figure(""), view::Name("")});
  whole.AddRow({"events", Count(all.events)});
  whole.AddRow({"bytes", Count(bytes), is_part ? "of the whole files" : an_event});
  if (all.events != 0) {
    whole.AddRow({"time", InSeconds(static_cast<double>(all.first) * 1e-9),
                  "to " + InSeconds(static_cast<double>(all.last) * 1e-9) + " s"});
  }
  whole.AddRow({"deepest", Count(all.deepest), "frames"});
  whole.AddRow({"flushes", Count(all.flushes), InSeconds(static_cast<double>(all.flush_ns) * 1e-9) + " s"});
  whole.AddRow({"gaps", Count(all.gaps)});
  whole.AddRow({"lost", Count(lost), "events missing in the trace"});
  view::Table kinds({{""}, view::Figure(""), view::Figure("")});
  std::vector<std::pair<RecordKind, uint64_t>> most_first(all.kinds.begin(), all.kinds.end());
  std::stable_sort(most_first.begin(), most_first.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [kind, count] : most_first) {
    kinds.AddRow(
        {std::string(archive::NameOf(kind).name), Count(count), view::Share(static_cast<double>(count) / events)});
  }
  view::Table by_rank({view::Figure("rank"), view::Figure("threads", 1), view::Figure("events"), view::Figure("bytes"),
                       view::Figure("flushes", 3), view::Figure("gaps", 2)});
  for (const OfRank& rank : ranks) {
    by_rank.AddRow({std::to_string(rank.rank), Count(rank.threads), Count(rank.counts.events), Count(rank.bytes),
                    Count(rank.counts.flushes), Count(rank.counts.gaps)});
  }
  std::printf("%s\n", whole.Render(terminal).c_str());
  if (all.events == 0) {
    std::printf("There are no events%s.\n", is_part ? " in this part of the trace" : "");
    return;
  }
  std::printf("%s\n%s", kinds.Render(terminal).c_str(), by_rank.Render(terminal).c_str());
}

// The run's own account of its trace.
uint64_t LostOf(const std::string& path, std::vector<std::string>* problems) {
  archive::Archive archive;
  std::string error;
  if (!archive::Open(path, &archive, &error)) return 0;
  for (const std::string& note : archive.manifest.notes) {
    if (note.find("trace") != std::string::npos) problems->push_back(note);
  }
  return archive.manifest.trace.lost;
}

int Info(const InfoOptions& options) {
  TraceArchive archive;
  std::vector<uint32_t> streams;
  TimeWindow window;
  OpenTrace("info", options.trace, &archive, &streams, &window);
  std::vector<std::string> problems = archive.problems();
  std::map<uint32_t, OfRank> by_process;
  Counts all;
  for (const uint32_t number : streams) {
    const uint32_t process = archive.streams()[number].process;
    OfRank& rank = by_process[process];
    rank.rank = archive.processes()[process]->map.rank;
    rank.bytes = archive.processes()[process]->file.bytes();
    ++rank.threads;
    rank.counts.Add(Count(archive, number, window, &problems));
  }
  uint64_t bytes = 0;
  std::vector<OfRank> ranks;
  for (auto& [process, rank] : by_process) {
    bytes += rank.bytes;
    all.Add(rank.counts);
    ranks.push_back(std::move(rank));
  }
  const uint64_t lost = LostOf(archive.path(), &problems);
  if (options.format == "json") {
    nlohmann::ordered_json json = ToJson(all, bytes);
    json["lost"] = lost;
    for (const OfRank& rank : ranks) {
      nlohmann::ordered_json of_rank = ToJson(rank.counts, rank.bytes);
      of_rank["rank"] = rank.rank;
      of_rank["threads"] = rank.threads;
      json["by_rank"].push_back(of_rank);
    }
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    const bool is_part = !options.trace.time.empty() || !options.trace.threads.empty();
    ShowCounts(all, bytes, is_part, lost, ranks);
  }
  SayProblems("info", problems);
  return kDone;
}

}  // namespace

void AddInfo(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<InfoOptions>();
  AddTraceOptions(app, &options->trace);
  app.AddOption("--format", options->format, "text or json").OneOf({"text", "json"});
  app.Footer(kInfoManual);
  run = [options] { return Info(*options); };
}

}  // namespace epik::epk
