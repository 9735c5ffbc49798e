// SPDX-License-Identifier: BSD-3-Clause
// epk convert: a profile or a trace in the format of another tool.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/algebra/experiment.h"
#include "archive/files/atomic_file.h"
#include "config/number.h"
#include "report/cube3.h"
#include "report/folded.h"
#include "report/speedscope.h"
#include "report/trace/formats.h"
#include "tools/epk/command.h"
#include "tools/epk/trace_options.h"

namespace epik::epk {
namespace {

constexpr char kManual[] = R"(
SYNOPSIS
    epk convert ARCHIVE --to FORMAT [--metric NAME] [-o FILE]
    epk convert ARCHIVE --to FORMAT [--rank LIST] [--thread LIST] [--time FROM-TO]
                [--min-duration TIME] [--max-size SIZE] [-o FILE]

DESCRIPTION
  Writes a profile in the format of another tool:

    cubex        CUBE 4, as in the archive: CubeGUI, cube_* tools, Extra-P
    cube3        CUBE 3 XML: Scalasca 1 and what reads its files
    folded       stacks, one a line: flame graph scripts
    speedscope   speedscope.app

  What a format has no place for is left out, and said on stderr: CUBE 3 knows no minima and maxima, `folded` and
  `speedscope` show one metric (`--metric`, the time unless told otherwise).

  `cubex` and `cube3` are written row by row: large profiles need little memory. Archives and .cubex files will do, also
  those of Score-P and Scalasca; `--to cubex` makes a plain file of a compressed one.

  Of archives with a trace, it writes the trace:

    perfetto     for ui.perfetto.dev
    chrome       JSON for chrome://tracing and ui.perfetto.dev
    otf2         OTF2, a new directory (-o NAME): Vampir, Scalasca, otf2-print
    paraver      NAME.prv, NAME.pcf and NAME.row (-o NAME): Paraver

  `--rank`, `--thread` and `--time` take a part of it. Calls that are open where the part begins or ends are cut there.
  Messages are drawn where both ends are in the part.

  `perfetto` and `chrome` hold as much as viewers take (256M, or `--max-size`; 0 is any): when it is too much, the
  shortest calls are left out. `--min-duration` leaves out those that are shorter. What was left out, and records that a
  format has no place for, is said on stderr.

EXAMPLES
    epk convert epik_solver_4x2_sum --to cube3 -o solver.cube
    epk convert profile.cubex --to folded | flamegraph.pl > flame.svg
    epk convert epik_solver_4x2_trace --to chrome --time 1.5s-1.6s -o part.json
    epk convert epik_solver_4x2_trace --to otf2 -o solver
    otf2-print solver/traces.otf2

EXIT STATUS
  0 when it is written, 1 when the input is at fault, 2 for wrong usage.

SEE ALSO
  epk-report(1), epk-cut(1)
)";

struct Options {
  std::string archive, format, metric = "time", output;
  TraceOptions trace;
  std::string shortest, most;
};

using Writer = std::function<bool(const report::Sink&, std::string*)>;

bool WriteCube3(const algebra::Experiment& from, const report::Sink& sink, std::string* error) {
  const algebra::ExclusiveRows exclusive(from);
  report::ExclusiveRowSource rows;
  rows.has = [&](uint32_t m, uint32_t p) { return from.HasRow(m, p); };
  rows.read = [&](uint32_t m, uint32_t p, uint64_t* cells, std::string* e) { return exclusive.Read(m, p, cells, e); };
  std::vector<std::string> notes;
  if (!report::WriteCube3(from.definitions(), rows, sink, &notes, error)) return false;
  for (const std::string& note : notes) fprintf(stderr, "epk convert: %s\n", note.c_str());
  return true;
}

bool WriteStacks(const Options& options, const algebra::Experiment& from, const archive::Archive& archive,
                 const report::Sink& sink, std::string* error) {
  epitome::Profile profile;
  if (!ToProfile(from, &profile, error)) return false;
  archive::Manifest manifest = archive.manifest;
  if (manifest.program.empty()) manifest.program = std::filesystem::path(options.archive).filename();
  if (options.format == "folded") return report::WriteFolded(profile, options.metric, sink, error);
  return report::WriteSpeedscope(profile, manifest, options.metric, sink, error);
}

// A file appears only when it is complete.
void WriteOut(const std::string& output, const Writer& write) {
  std::string error, trouble;
  bool complete = true;
  if (output.empty()) {
    if (!write([&](std::string_view text) { complete &= fwrite(text.data(), 1, text.size(), stdout) == text.size(); },
               &error)) {
      throw Fault(error);
    }
    if (!complete || fflush(stdout) != 0) throw Fault("cannot write to standard output");
    return;
  }
  archive::AtomicFile file;
  if (!file.Open(output, &error)) throw Fault(error);
  const report::Sink sink = [&](std::string_view text) {
    complete = complete && file.Write(text.data(), text.size(), &trouble);
  };
  if (!write(sink, &error)) throw Fault(error);
  if (!complete || !file.Commit(/*sync=*/false, &trouble)) throw Fault(trouble);
}

int ConvertTrace(const Options& options, const report::TraceFormat& format) {
  if (format.to_sink == nullptr && options.output.empty())
    throw UsageError("--to " + options.format + " needs -o NAME");
  if (!format.leaves_out && (!options.shortest.empty() || !options.most.empty())) {
    throw UsageError("--to " + options.format + " leaves nothing out: no --min-duration, no --max-size");
  }
  archive::TraceArchive archive;
  report::TracePart part;
  TimeWindow window;
  TraceOptions trace = options.trace;
  trace.archive = options.archive;
  OpenTrace(trace, &archive, &part.streams, &window);
  if (part.streams.empty()) throw Fault(options.archive + ": no events of such ranks and threads");
  part.archive = &archive;
  if (window.from > report::LastNs(part) || window.to < report::FirstNs(part)) {
    throw Fault(options.archive + ": nothing happened in --time " + options.trace.time);
  }
  part.from = window.from;
  part.to = window.to;
  part.most_bytes = format.most_bytes;
  if (!options.shortest.empty() && !config::ParseDuration(options.shortest, &part.shortest)) {
    throw UsageError("--min-duration " + options.shortest + ": expected a time, as in 300ns, 2us or 1ms");
  }
  if (!options.most.empty() && !config::ParseSize(options.most, &part.most_bytes)) {
    throw UsageError("--max-size " + options.most + ": expected bytes, as in 500k, 64M or 1GB");
  }
  std::vector<std::string> notes;
  if (format.to_sink != nullptr) {
    WriteOut(options.output, [&](const report::Sink& sink, std::string* problem) {
      return format.to_sink(part, sink, &notes, problem);
    });
  } else {
    std::string error;
    if (!format.to_path(part, options.output, &notes, &error)) throw Fault(error);
  }
  std::vector<std::string> all = archive.problems();
  all.insert(all.end(), notes.begin(), notes.end());
  SayProblems("convert", all);
  return kDone;
}

int Convert(const Options& options) {
  if (const report::TraceFormat* format = report::FindTraceFormat(options.format))
    return ConvertTrace(options, *format);
  if (options.format == "cubex" && options.output.empty()) throw UsageError("--to cubex needs -o FILE");
  archive::Archive archive;
  std::vector<std::string> notes;
  std::string error;
  const algebra::Operand from = algebra::OpenExperiment(options.archive, &archive, &notes, &error);
  if (from == nullptr) throw Fault(error);
  for (const std::string& note : notes) fprintf(stderr, "epk convert: %s\n", note.c_str());
  if (options.format == "cubex") {
    if (!WriteCubex(*from, options.output, {}, &error)) throw Fault(error);
    return kDone;
  }
  WriteOut(options.output, [&](const report::Sink& sink, std::string* problem) {
    return options.format == "cube3" ? WriteCube3(*from, sink, problem)
                                     : WriteStacks(options, *from, archive, sink, problem);
  });
  return kDone;
}

}  // namespace

void AddConvert(CLI::App& app, std::function<int()>& run) {
  auto options = std::make_shared<Options>();
  app.add_option("archive", options->archive, "an archive or .cubex file")->type_name("ARCHIVE")->required();
  std::vector<std::string> formats = {"cubex", "cube3", "folded", "speedscope"};
  for (const report::TraceFormat& format : report::TraceFormats()) formats.emplace_back(format.name);
  app.add_option("--to", options->format, "the format: one of those above")
      ->type_name("FORMAT")
      ->check(CLI::IsMember(formats))
      ->required();
  app.add_option("--metric", options->metric, "what folded and speedscope show (default: time)")->type_name("NAME");
  app.add_option("-o,--output", options->output, "write to this file")->type_name("FILE");
  app.add_option("--rank", options->trace.ranks, "traces: only these processes, as in 0,2-5")->type_name("LIST");
  app.add_option("--thread", options->trace.threads, "traces: only these threads of each process")->type_name("LIST");
  app.add_option("--time", options->trace.time, "traces: only then, since the job began, as in 1.5-2, 300ms-, -20us")
      ->type_name("FROM-TO");
  app.add_option("--min-duration", options->shortest, "perfetto, chrome: only calls that took so long")
      ->type_name("TIME");
  app.add_option("--max-size", options->most, "perfetto, chrome: the longest calls that fit in (default: 256M)")
      ->type_name("SIZE");
  app.footer(kManual);
  run = [options] { return Convert(*options); };
}

}  // namespace epik::epk
