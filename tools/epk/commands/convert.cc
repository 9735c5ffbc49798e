// SPDX-License-Identifier: BSD-3-Clause
// epk convert: writes a profile or a trace in the format of another tool.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/algebra/experiment.h"
#include "archive/files/special_file.h"
#include "config/number.h"
#include "report/formats/formats.h"
#include "report/trace/formats.h"
#include "tools/epk/archives_here.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"
#include "tools/epk/output.h"
#include "tools/epk/trace_options.h"

namespace epik::epk {
namespace {

constexpr char kConvertManual[] = R"(
SYNOPSIS
    epk convert ARCHIVE --to FORMAT [--metric NAME] [-o FILE]
    epk convert ARCHIVE --to FORMAT [--rank LIST] [--thread LIST] [--time FROM-TO]
                [--min-duration TIME] [--max-size SIZE] [-o FILE]

DESCRIPTION
  Writes a profile in the format of another tool:

@PROFILES@
  Values that a format has no place for are left out and named on standard error: CUBE 3 knows no minima and maxima.
  `folded` and `speedscope` show one metric (`--metric`, by default the time).

  `cubex` and `cube3` are written row by row: large profiles need little memory. The input is an archive or a .cubex
  file, also of Score-P or Scalasca; `--to cubex` makes a plain file of a compressed one.

  From archives with a trace, it writes the trace:

@TRACES@
  `--rank`, `--thread` and `--time` take a part of it. Calls that are open where the part begins or ends are cut there.
  Messages are drawn where both ends are in the part.

  `perfetto` and `chrome` hold as much as viewers take (256M, or `--max-size`; 0 is any): when a trace has more, the
  shortest calls are left out. `--min-duration` leaves out calls that are shorter. Standard error names what was left
  out, and records that a format has no place for.

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

std::string Manual() {
  std::string text = kConvertManual;
  const auto put = [&](std::string_view mark, const std::string& lines) {
    text.replace(text.find(mark), mark.size(), lines);
  };
  put("@PROFILES@", "    cubex        CUBE 4, as in the archive: CubeGUI, cube_* tools, Extra-P\n" +
                        report::FormatLines(report::kConverts));
  put("@TRACES@", report::TraceFormatLines());
  return text;
}

struct ConvertOptions {
  std::string archive, format, metric, output;
  TraceOptions trace;
  std::string shortest, most;
};

bool HasMetric(const std::string& format) { return format == "folded" || format == "speedscope"; }

int ConvertTrace(const ConvertOptions& options, const report::TraceFormat& format) {
  if (format.to_sink == nullptr && options.output.empty())
    throw UsageError("--to " + options.format + " needs -o NAME");
  if (!format.leaves_out && (!options.shortest.empty() || !options.most.empty())) {
    throw UsageError("--min-duration and --max-size have no effect with --to " + options.format);
  }
  archive::TraceArchive archive;
  archive::TracePart part;
  TimeWindow window;
  TraceOptions trace = options.trace;
  trace.archive = options.archive;
  OpenTrace("convert", trace, &archive, &part.streams, &window);
  part.archive = &archive;
  if (window.from > archive::LastNs(part) || window.to < archive::FirstNs(part)) {
    throw Fault(archive.path() + ": nothing happened in --time " + options.trace.time);
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
    WriteOutput(options.output, [&](const report::Sink& sink, std::string* problem) {
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

int ConvertProfile(const ConvertOptions& options, const report::Format& format, const algebra::Experiment& from,
                   archive::Manifest manifest) {
  std::string error;
  std::vector<std::string> notes;
  archive::Profile values;
  if (!format.Is(report::kFromRows) && !ToProfile(from, &values, &error)) throw Fault(error);
  const algebra::ExclusiveRows exclusive(from);
  report::ExclusiveRowSource rows;
  rows.has = [&](uint32_t m, uint32_t p) { return from.HasRow(m, p); };
  rows.read = [&](uint32_t m, uint32_t p, uint64_t* cells, std::string* e) { return exclusive.Read(m, p, cells, e); };
  if (manifest.program.empty()) manifest.program = std::filesystem::path(options.archive).filename();
  report::Subject subject{format.Is(report::kFromRows) ? from.definitions() : values, manifest, &rows};
  if (!options.metric.empty()) subject.metric = options.metric;
  WriteOutput(options.output, [&](const report::Sink& sink, std::string* problem) {
    return format.write(subject, sink, &notes, problem);
  });
  SayProblems("convert", notes);
  return kDone;
}

int Convert(ConvertOptions options) {
  if (!options.metric.empty() && !HasMetric(options.format)) {
    TellUser("convert", "--metric has no effect: --to " + options.format + " has all metrics");
  }
  if (const report::TraceFormat* format = report::FindTraceFormat(options.format))
    return ConvertTrace(options, *format);
  const TraceOptions& part = options.trace;
  if (!part.ranks.empty() || !part.threads.empty() || !part.time.empty()) {
    throw UsageError("--rank, --thread and --time choose a part of a trace, and --to " + options.format +
                     " is made of the whole profile");
  }
  if (!options.shortest.empty() || !options.most.empty()) {
    TellUser("convert",
             "--min-duration and --max-size have no effect: --to " + options.format + " is made of a profile");
  }
  if (options.format == "cubex" && options.output.empty()) throw UsageError("--to cubex needs -o FILE");
  options.archive = NamedOrNewest(options.archive, "convert");
  archive::Archive archive;
  std::vector<std::string> notes;
  std::string error;
  const algebra::Operand from = algebra::OpenExperiment(options.archive, &archive, &notes, &error);
  if (from == nullptr) throw Fault(error);
  for (const std::string& note : notes) TellUser("convert", note);
  if (options.format == "cubex") {
    const auto write = [&](const std::string& at, std::string* why) { return WriteCubex(*from, at, {}, why); };
    if (!archive::MakeFileOrDevice(options.output, write, &error)) throw Fault(error);
    return kDone;
  }
  return ConvertProfile(options, *report::FindFormat(options.format), *from, archive.manifest);
}

}  // namespace

void AddConvert(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<ConvertOptions>();
  app.AddOption("archive", options->archive, "an archive or .cubex file (default: the newest archive here)")
      .TypeName("ARCHIVE");
  // Archives have CUBE 4 already. It is copied row by row, and is no report.
  std::vector<std::string> formats = {"cubex"};
  for (const std::string& name : report::FormatNames(report::kConverts)) formats.push_back(name);
  for (const report::TraceFormat& format : report::TraceFormats()) formats.emplace_back(format.name);
  app.AddOption("--to", options->format, "the format: one of those above").TypeName("FORMAT").OneOf(formats).Required();
  app.AddOption("--metric", options->metric, "what folded and speedscope show (default: time)")
      .TypeName("NAME")
      .Check(
          [](const std::string& name) -> std::string { return name.empty() ? "the name of a metric is empty" : ""; });
  app.AddOption("-o,--output", options->output, "write to this file").TypeName("FILE");
  app.AddOption("--rank", options->trace.ranks, "traces: only these processes, as in 0,2-5").TypeName("LIST");
  app.AddOption("--thread", options->trace.threads, "traces: only these threads of each process").TypeName("LIST");
  app.AddOption("--time", options->trace.time, "traces: only this time since the job began, as in 1.5-2, 300ms-, -20us")
      .TypeName("FROM-TO");
  app.AddOption("--min-duration", options->shortest, "perfetto, chrome: only calls that took at least this long")
      .TypeName("TIME");
  app.AddOption("--max-size", options->most, "perfetto, chrome: the longest calls that fit in (default: 256M)")
      .TypeName("SIZE");
  app.Footer(Manual());
  run = [options] { return Convert(*options); };
}

}  // namespace epik::epk
