// SPDX-License-Identifier: BSD-3-Clause
// epk print: prints the events of a trace, one a line.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "archive/trace/record_names.h"
#include "archive/trace/record_text.h"
#include "archive/trace/trace_archive.h"
#include "config/words.h"
#include "tools/epk/command.h"
#include "tools/epk/output.h"
#include "tools/epk/trace_options.h"
#include "view/number.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::epk {
namespace {

using archive::kNone;
using archive::TraceArchive;
using archive::TraceReader;
using event::RecordKind;

constexpr char kPrintManual[] = R"(
DESCRIPTION
  Shows the events of a trace in the order of one time, that of rank 0's clock, in seconds since the job began:

    0.001204518   0:0    > solve
    0.001206113   0:0      . send to 1, tag 7, comm MPI_COMM_WORLD, bytes 8192
    0.001209874   0:0    < solve  5.36 us

  The second column is rank:thread. `>` is an enter, `<` is an exit, with the time between them; `.` is a record. The
  indent shows the depth. `!` at the end marks an event that is not in the file: a part of the file is missing there,
  and the event must have happened in it.

  `--format json` writes one object a line, with names that stay: docs/formats.md.

  It needs little memory, however long the trace. It leaves out damaged parts, and names them at the end.

EXAMPLES
    epk print epik_solver_4x2_trace
    epk print epik_solver_4x2_trace --rank 0,2-3 --thread 0 --time 1.5s-1.6s
    epk print epik_solver_4x2_trace --region 'MPI_*' --format json

SEE ALSO
  epk-info(1), epk-check(1), epk-report(1)
)";

struct PrintOptions {
  TraceOptions trace;
  std::string format = "text";
  std::string region;
  std::string output;
  uint64_t top = 0;
};

// Returns false when the reader has gone or no more can be written.
using Put = std::function<bool(std::string_view)>;

class Printer {
 public:
  Printer(const TraceArchive& archive, bool json, bool unicode, const Put& put)
      : archive_(archive),
        json_(json),
        unicode_(unicode),
        put_(put),
        entered_(archive.streams().size()),
        path_(archive.streams().size()) {}

  // False: the reader has gone.
  bool Print(const TraceReader::Item& item) { return json_ ? PrintJson(item) : PrintText(item); }

  // Called for all events, printed or not: an exit is printed with the length of its call.
  int64_t Follow(const TraceReader::Item& item) {
    std::vector<int64_t>& open = entered_[item.stream];
    if (item.event.kind == RecordKind::kEnter) open.push_back(item.ns);
    if (item.event.kind != RecordKind::kExit) return -1;
    if (open.empty()) return lasted_ = -1;
    lasted_ = item.ns - open.back();
    open.pop_back();
    return lasted_;
  }

 private:
  std::string NameOf(const TraceReader::Item& item) const {
    const uint32_t process = archive_.streams()[item.stream].process;
    return std::string(archive_.NameOfNode(process, item.event.node));
  }

  bool PrintText(const TraceReader::Item& item) {
    const TraceArchive::Stream& stream = archive_.streams()[item.stream];
    const archive::RecordName& kind = archive::NameOf(item.event.kind);
    std::string line;
    uint64_t& path = path_[item.stream];
    if (item.event.kind == RecordKind::kAt) {
      path = item.event.field[0];  // path of the record that comes next
      return true;
    }
    const int indent = static_cast<int>(2 * std::min(item.event.depth, 60u));
    char head[256];
    std::snprintf(
        head, sizeof head, "%14s %5s  %*s", archive::SecondsText(item.ns).c_str(),
        (std::to_string(archive_.processes()[stream.process]->map.rank) + ":" + std::to_string(stream.number)).c_str(),
        indent, "");
    line = head;
    if (item.event.kind == RecordKind::kEnter) {
      line += "> " + view::Printable(NameOf(item));
    } else if (item.event.kind == RecordKind::kExit) {
      line += "< " + view::Printable(NameOf(item));
      if (lasted_ >= 0) line += "  " + view::Seconds(static_cast<double>(lasted_) * 1e-9, unicode_);
    } else {
      line += ". " + std::string(kind.name);
      for (uint32_t i = 0; i < item.event.fields; ++i) {
        const archive::FieldText field =
            archive::TextOfField(archive_, stream.process, kind.field[i], item.event.field[i]);
        line += (i == 0 ? " " : ", ") + std::string(field.name) + " " + view::Printable(field.text);
      }
      if (path != 0) {
        line += "  in " + view::Printable(archive_.NameOfNode(stream.process, static_cast<uint32_t>(path)));
      }
      path = 0;
    }
    line += item.event.made_up ? "  !\n" : "\n";
    return put_(line);
  }

  bool PrintJson(const TraceReader::Item& item) {
    const TraceArchive::Stream& stream = archive_.streams()[item.stream];
    const archive::RecordName& kind = archive::NameOf(item.event.kind);
    std::string line = "{\"time\":" + archive::SecondsText(item.ns) +
                       ",\"rank\":" + std::to_string(archive_.processes()[stream.process]->map.rank) +
                       ",\"thread\":" + std::to_string(stream.number) + ",\"event\":" + archive::JsonText(kind.name) +
                       ",\"depth\":" + std::to_string(item.event.depth);
    if (item.event.node != 0) line += ",\"region\":" + archive::JsonText(NameOf(item));
    if (item.call_path != kNone) line += ",\"callpath\":" + std::to_string(item.call_path);
    if (item.event.fields > 0) line += "," + archive::JsonMembers(archive_, stream.process, item.event);
    line += item.event.made_up ? ",\"made_up\":true}\n" : "}\n";
    return put_(line);
  }

  const TraceArchive& archive_;
  bool json_;
  bool unicode_;
  const Put& put_;
  std::vector<std::vector<int64_t>> entered_;  // by stream: when the open calls began
  // by stream: node of the record that follows; 0: the stream's current node
  std::vector<uint64_t> path_;
  int64_t lasted_ = -1;
};

// A reader may stop reading early. That is no failure.
void ToReader(const std::function<void(const Put&)>& write) {
  write([](std::string_view line) { return fwrite(line.data(), 1, line.size(), stdout) == line.size(); });
  if (fflush(stdout) == 0 && ferror(stdout) == 0) return;
  if (errno != EPIPE) throw Fault("standard output: could not write everything");
  clearerr(stdout);
}

bool ToPager(const std::function<void(const Put&)>& write) {
  FILE* pager = popen(PagerCommand("-FSRX").c_str(), "w");
  if (pager == nullptr) return false;
  write([&](std::string_view line) { return fwrite(line.data(), 1, line.size(), pager) == line.size(); });
  pclose(pager);
  return true;
}

// On a terminal, lines go through a pager.
void Deliver(const PrintOptions& options, const std::function<void(const Put&)>& write) {
  if (!options.output.empty()) {
    return WriteOutput(options.output, [&](const report::Sink& sink, std::string*) {
      write([&](std::string_view line) { return sink(line), true; });
      return true;
    });
  }
  std::signal(SIGPIPE, SIG_IGN);
  if (isatty(STDOUT_FILENO) != 0 && options.format == "text" && ToPager(write)) return;
  ToReader(write);
}

// Returns the number of lines.
uint64_t PrintLines(const PrintOptions& options, const TraceArchive& archive, const TimeWindow& window,
                    TraceReader* reader, const Put& put) {
  Printer printer(archive, options.format == "json", view::DetectTerminal(STDOUT_FILENO).unicode, put);
  TraceReader::Item item;
  uint64_t lines = 0;
  while (reader->Next(&item) && item.ns <= window.to) {
    printer.Follow(item);
    if (!options.region.empty()) {
      const std::string name(archive.NameOfNode(archive.streams()[item.stream].process, item.event.node));
      if (!config::GlobMatches(options.region, name)) continue;
    }
    const bool goes_on = printer.Print(item);
    if (++lines == options.top || !goes_on) break;
  }
  return lines;
}

int Print(const PrintOptions& options) {
  TraceArchive archive;
  std::vector<uint32_t> streams;
  TimeWindow window;
  OpenTrace("print", options.trace, &archive, &streams, &window);
  TraceReader reader(&archive, streams);
  if (window.from != INT64_MIN) reader.Seek(window.from);
  uint64_t lines = 0;
  Deliver(options, [&](const Put& put) {
    if (!streams.empty()) lines = PrintLines(options, archive, window, &reader, put);
  });
  std::vector<std::string> problems = archive.problems();
  for (std::string& problem : reader.Problems()) problems.push_back(std::move(problem));
  SayProblems("print", problems);
  if (lines > 0) return kDone;
  if (!options.region.empty()) throw Fault("no event matches --region " + options.region);
  if (!options.trace.time.empty()) throw Fault("nothing happened in --time " + options.trace.time);
  return kDone;
}

}  // namespace

void AddPrint(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<PrintOptions>();
  AddTraceOptions(app, &options->trace);
  app.AddOption("--region", options->region, "Only calls of, and records in, regions like this; * and ? match");
  app.AddOption("--top", options->top, "At most so many lines; 0: all").Check(WhyNoCount);
  app.AddOption("--format", options->format, "text or json (one object a line)").OneOf({"text", "json"});
  app.AddOption("-o,--output", options->output, "Write to this file").TypeName("FILE");
  app.Footer(kPrintManual);
  run = [options] { return Print(*options); };
}

}  // namespace epik::epk
