// SPDX-License-Identifier: BSD-3-Clause
// epk report: writes a report of an archive in one of the formats of report/formats/formats.cc.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/algebra/experiment.h"
#include "analysis/findings/findings.h"
#include "analysis/patterns/analysis.h"
#include "analysis/patterns/wait_profile.h"
#include "analysis/scaling.h"
#include "analysis/timeline/draw.h"
#include "analysis/timeline/open.h"
#include "archive/directory/archive.h"
#include "archive/files/cost_text.h"
#include "archive/profile/profile.h"
#include "archive/trace/maps.h"
#include "archive/trace/trace_archive.h"
#include "archive/trace_profile/trace_profile.h"
#include "report/formats/formats.h"
#include "report/html/analysis.h"
#include "report/html/html.h"
#include "report/views/communication.h"
#include "report/views/files.h"
#include "tools/epk/archives_here.h"
#include "tools/epk/calibrated.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"
#include "tools/epk/output.h"
#include "tools/epk/page.h"
#include "tools/epk/trace_options.h"
#include "view/csv.h"
#include "view/shell.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

using report::Format;
using report::View;
using report::ViewOptions;

// A larger summary is read row by row where view and format can.
constexpr uint64_t kLargestInMemory = uint64_t{16} << 20;

constexpr char kReportManual[] = R"(
DESCRIPTION
  Shows a profile: what ran and how it ended, what measuring cost, and the call paths where the time went. Times are
  sums over all threads of all processes; the wall time stands in the header.

  `--tree` (the default) follows the calls downwards, `--flat` adds up what each region took wherever it was called,
  `--callers-of` looks upwards from one region.

  Parallel programs: `--pop` shows how much of the machine computed and what took the rest. Given several archives of
  the same program at several scales, it shows how that changed from the smallest on (`--scaling weak`: the problem
  grew along). `--load` compares processes and threads, `--mpi` shows the calls, time and bytes of every MPI function
  and how ranks differ (`--paths`: for every place it is called from; `--matrix`: which rank sent to which). `--omp`
  shows the work, the imbalance and the waiting of every parallel region. `--counters` has the totals of what
  EPK_METRICS asked for, ratios and rates computed from them, and the call paths with most of each. `--iterations`
  shows how phases and parameters of the program change from value to value, and which value is slow. Each view tells
  when the profile has nothing of its kind.

  When `epk analyze` has looked at a trace, every report of it opens with the causes of the largest waits and the
  worst waits. `--waits` shows wait states by call path, each with the thread that waited most, `--causes` what made others
  wait and who waited for whom, `--critical` the critical path, `--instances` the longest waits with their times.

FORMATS
@FORMATS@
  With a view of parallel programs, `json`, `csv` and `markdown` carry what that view shows.

EXAMPLES
    epk report
    epk report epik_solver_4x2_sum --flat --top 20
    epk report epik_solver_4x2_sum --pop
    epk report --pop epik_solver_4x2_sum epik_solver_8x2_sum epik_solver_16x2_sum
    epk report epik_solver_4x2_sum --mpi --paths
    epk report epik_solver_4x2_sum --mpi --matrix --format csv
    epk report epik_solver_4x2_sum --counters
    epk report epik_solver_4x2_trace --waits
    epk report epik_solver_4x2_trace --causes
    epk report epik_solver_4x2_trace --critical --format csv
    epk report epik_solver_4x2_sum --callers-of MPI_Allreduce
    epk report epik_solver_4x2_sum --format csv -o profile.csv
    epk report epik_solver_4x2_sum --html -o profile.html
    epk report epik_new_sum --html --against epik_old_sum -o compared.html
    epk report epik_solver_4x2_trace --html --timeline -o solver.html

SEE ALSO
  epk-run(1), epk-recover(1)
)";

std::string ReportManual() {
  std::string text = kReportManual;
  constexpr std::string_view kMark = "@FORMATS@\n";
  return text.replace(text.find(kMark), kMark.size(), report::FormatLines(report::kReports) + "\n");
}

struct ReportOptions {
  std::vector<std::string> archives;  // as they were named; more than one only with --pop
  analysis::Problem problem = analysis::Problem::kSame;
  std::string format = "text";
  std::string output;
  std::string against;  // another archive
  std::string metric;   // empty: time
  bool html = false, unfold = false, ascii = false, timeline = false;
  double cap_megabytes = 20;   // of the page with a timeline
  std::string ranks, threads;  // of --load
  ViewOptions view;
};

// For a .cubex file of another tool.
archive::Manifest ManifestOf(const std::string& path, const archive::Profile& profile) {
  archive::Manifest manifest;
  manifest.program = std::filesystem::path(path).filename().string();
  manifest.ended = "";
  manifest.ranks = static_cast<int>(profile.processes.size());
  for (const archive::Location& location : profile.locations) {
    manifest.threads = std::max(manifest.threads, location.thread + 1);
  }
  return manifest;
}

// Reads the summary or, without one, makes a profile of the trace.
bool ReadProfile(const archive::Archive& archive, archive::Profile* profile, std::vector<std::string>* notes,
                 std::string* error) {
  if (!archive.summary_path.empty() || !archive.manifest.trace.there) return archive.ReadProfile(profile, error, notes);
  archive::TraceArchive traces;
  if (!traces.Open(archive.path, error)) return false;
  *notes = traces.problems();
  notes->push_back("this profile is computed from the trace: it holds only what was logged");
  return archive::ProfileOfTrace(traces, profile, notes, error);
}

// Reads communication.csv of an archive; false when the archive lacks it.
bool ReadTraffic(const archive::Archive& archive, std::vector<report::Traffic>* traffic) {
  const std::filesystem::path path = std::filesystem::path(archive.path) / kCommunication;
  std::string text, error;
  if (!archive.is_directory || !ReadFile(path, &text)) return false;
  if (!report::ParseCommunication(text, traffic, &error)) throw Fault(path.string() + ": " + error);
  return true;
}

// Reads io.csv of an archive; false when the archive lacks it.
bool ReadFiles(const archive::Archive& archive, std::vector<report::FileFigures>* files) {
  const std::filesystem::path path = std::filesystem::path(archive.path) / "io.csv";
  std::string text, error;
  if (!archive.is_directory || !ReadFile(path, &text)) return false;
  if (!report::ParseFiles(text, files, &error)) throw Fault(path.string() + ": " + error);
  return true;
}

// An archive, and the data that were read from it.
struct Input {
  std::string path;
  archive::Archive archive;
  archive::Profile profile;
  std::vector<report::Traffic> traffic;
  std::vector<report::FileFigures> files;
  findings::Findings findings;
  double run_seconds = -1;  // of ViewOptions
};

void Open(const std::string& path, Input* input) {
  std::string error;
  input->path = path;
  if (!archive::Open(path, &input->archive, &error)) throw Fault(error);
}

void TakeNotes(const std::vector<std::string>& notes, const archive::Profile& profile, Input* input) {
  if (!input->archive.has_manifest) input->archive.manifest = ManifestOf(input->path, profile);
  std::vector<std::string>& all = input->archive.manifest.notes;
  all.insert(all.end(), notes.begin(), notes.end());
}

void Read(Input* input) {
  std::vector<std::string> notes;
  std::string error;
  if (!ReadProfile(input->archive, &input->profile, &notes, &error)) throw Fault(error);
  TakeNotes(notes, input->profile, input);
}

report::ExclusiveRowSource RowsOf(const algebra::Experiment& file, const algebra::ExclusiveRows& exclusive) {
  report::ExclusiveRowSource rows;
  rows.has = [&](uint32_t m, uint32_t p) { return file.HasRow(m, p); };
  rows.read = [&](uint32_t m, uint32_t p, uint64_t* cells, std::string* e) { return exclusive.Read(m, p, cells, e); };
  return rows;
}

// Returns the time of the run over all locations, from its summary. If the archive has no summary, it is negative.
double TimeOfSummary(const archive::Archive& archive) {
  if (archive.summary_path.empty()) return -1;
  constexpr double kKeepNoRow = 2;  // a share of the total
  std::string error;
  const algebra::Operand file = algebra::OpenExperiment(archive.summary_path, nullptr, nullptr, &error);
  if (file == nullptr) return -1;
  const algebra::ExclusiveRows exclusive(*file);
  const archive::Profile& definitions = file->definitions();
  report::Split time;
  const bool read = time.Read(
      definitions, definitions.FindMetric("time"), RowsOf(*file, exclusive), kKeepNoRow,
      [](uint32_t, const std::vector<double>&) {}, &error);
  return read ? time.Total() : -1;
}

// Replaces the summary by the profile that `epk analyze` left in the archive. The summary stays if it has waits of its
// own (EPK_WAITS) and there is no other profile.
void ReadAnalysis(const report::View& view, Input* input) {
  const std::string path = input->archive.path + "/" + patterns::kProfileName;
  std::error_code ignored;
  if (!input->archive.is_directory) return Read(input);
  if (!std::filesystem::exists(path, ignored)) {
    Read(input);
    if (patterns::HasWaits(input->profile)) return;
    const bool waits = view.name == "waits";
    if (std::filesystem::exists(input->archive.path + "/" + archive::kDefinitionsName, ignored)) {
      throw Fault(input->path + " has a trace that is not analysed yet: type: epk analyze " +
                  view::InShell(input->path));
    }
    throw Fault(input->path +
                (waits ? " has no wait states: set EPK_WAITS=yes for the run, or trace it"
                       : " has no analysis of a trace: trace the run (epk run -t comm)") +
                " and type: epk analyze " + view::InShell(input->path));
  }
  archive::Archive analysed;
  std::vector<std::string> notes;
  std::string error;
  if (!archive::Open(path, &analysed, &error) || !analysed.ReadProfile(&input->profile, &error, &notes)) {
    throw Fault(error);
  }
  TakeNotes(notes, input->profile, input);
  input->run_seconds = TimeOfSummary(input->archive);
}

// Reads an analysis's findings beside the profile. An archive without an analysis has none; a view that needs them says
// so.
void ReadFindings(Input* input, report::Subject* subject) {
  std::string text, error;
  if (!input->archive.is_directory) return;
  const std::filesystem::path path = std::filesystem::path(input->archive.path) / patterns::kAnalysisName;
  if (!ReadFile(path, &text)) return;
  if (!findings::FromJson(text, &input->findings, &error)) TellUser("report", path.string() + ": " + error);
  if (input->findings.are_there) subject->options.findings = &input->findings;
}

// Shows the current step on a terminal, in one line that disappears.
class Steps {
 public:
  Steps() : shown_(isatty(STDERR_FILENO) != 0) {}
  ~Steps() {
    if (shown_) fprintf(stderr, "\r\033[K");
  }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  void Show(const std::string& what) const {
    if (shown_) fprintf(stderr, "\repk report: %s\033[K", what.c_str());
  }

 private:
  const bool shown_;
};

// Reads the page from the installation, and the other data from the files beside the profiles.
void FillPage(const Input& input, Input* base, const ReportOptions& options, report::Subject* subject) {
  ReadPage(input.path, &subject->page);
  if (options.against.empty()) return;
  Open(options.against, base);
  Read(base);
  subject->base = {&base->profile, &base->archive.manifest};
}

// Adds the results that `epk analyze` left beside the trace. The page shows the summary, too.
void FillAnalysis(const Input& input, report::Subject* subject) {
  if (!input.findings.are_there) return;
  Input analysed;
  analysed.path = input.path;
  analysed.archive = input.archive;
  ReadAnalysis(*report::FindView("waits"), &analysed);
  subject->page.findings = &input.findings;
  subject->page.analysis =
      report::AnalysisForPage(analysed.profile, input.findings, archive::IsOversubscribed(input.archive.manifest));
}

// Adds the trace as the page's timeline, in as much detail as fits beside the profile.
void FillTimeline(const Input& input, const ReportOptions& options, report::Subject* subject) {
  timeline::Opened opened;
  std::string error;
  if (!timeline::Open(input.path, nullptr, &opened, &error)) throw Fault(error);
  const timeline::Artist artist(&opened.traces, &opened.timeline);
  timeline::Question question;
  question.bins = timeline::kMostBinsAsked / 2;
  const auto cap = static_cast<size_t>(options.cap_megabytes * 1e6);
  constexpr size_t kPackedBytesOfCall = 6;
  constexpr size_t kLeastCalls = 256;
  subject->page.most = std::max(report::kHtmlMost, cap / 2);
  for (question.most_calls = cap / kPackedBytesOfCall;; question.most_calls /= 2) {
    if (question.most_calls < kLeastCalls) question.most_calls = 0;
    subject->page.timeline = artist.ToJson(artist.Draw(question));
    if (question.most_calls == 0 || report::BytesInPage(subject->page.timeline) <= cap) return;
  }
}

// Text may go through a pager, everything else to the output as it is.
void PutReport(const ReportOptions& options, const Writing& write) {
  if (!options.output.empty() || options.format != "text") return WriteOutput(options.output, write);
  std::string text, error;
  if (!write(report::AppendTo(&text), &error)) throw Fault(error);
  ShowText(text);
}

// Reports on the same program at several scales.
int ReportScaling(const ReportOptions& options, const Format& format) {
  if (format.write_view == nullptr)
    throw UsageError("several archives can be shown as text, json, csv or markdown only");
  std::vector<Input> inputs(options.archives.size());
  std::vector<const archive::Profile*> profiles;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Open(options.archives[i], &inputs[i]);
    Read(&inputs[i]);
    if (inputs[i].profile.locations.empty()) throw Fault(options.archives[i] + ": nothing was recorded");
    profiles.push_back(&inputs[i].profile);
  }
  report::ViewData view;
  report::MakeScaling(profiles, options.archives, options.problem, options.view, &view);
  PutReport(options, [&](const report::Sink& sink, std::string*) { return format.write_view(view, sink), true; });
  return kDone;
}

bool StaysOnDisk(const ReportOptions& options, const View& view, const Format& format,
                 const archive::Archive& archive) {
  std::error_code ignored;
  // Small rows are not kept in full, but a part by location needs them.
  if (!options.view.path_pattern.empty() && view.name == "load") return false;
  return view.Is(report::kByRow) && format.Is(report::kFromRows) && !archive.summary_path.empty() &&
         std::filesystem::file_size(archive.summary_path, ignored) > kLargestInMemory && !ignored;
}

int ReportFromDisk(const ReportOptions& options, const Format& format, Input* input) {
  std::string error;
  std::vector<std::string> notes;
  const algebra::Operand file = algebra::OpenExperiment(input->path, nullptr, &notes, &error);
  if (file == nullptr) throw Fault(error);
  TakeNotes(notes, file->definitions(), input);
  const algebra::ExclusiveRows exclusive(*file);
  const report::ExclusiveRowSource rows = RowsOf(*file, exclusive);
  report::Subject subject{file->definitions(), input->archive.manifest, &rows, options.view};
  ReadFindings(input, &subject);
  notes.clear();
  PutReport(options, [&](const report::Sink& sink, std::string* e) { return format.write(subject, sink, &notes, e); });
  SayProblems("report", notes);
  return kDone;
}

int ReportOne(const ReportOptions& options, const Format& format) {
  Input input, base;
  const View& view = *report::FindView(options.view.view);
  const std::string path = NamedOrNewest(options.archives.empty() ? "" : options.archives[0], "report");
  Open(path, &input);
  if (StaysOnDisk(options, view, format, input.archive)) return ReportFromDisk(options, format, &input);
  if (view.Is(report::kAnalysis)) {
    ReadAnalysis(view, &input);
  } else {
    Read(&input);
  }
  if (view.Is(report::kCosts)) TakeCosts("report", &input.archive.manifest);
  report::Subject subject{input.profile, input.archive.manifest, nullptr, options.view};
  if (!options.metric.empty()) subject.metric = options.metric;
  subject.options.run_seconds = input.run_seconds;
  ReadFindings(&input, &subject);
  if (view.Is(report::kTraffic) && ReadTraffic(input.archive, &input.traffic)) subject.options.traffic = &input.traffic;
  if (view.Is(report::kFiles) && ReadFiles(input.archive, &input.files)) subject.options.files = &input.files;
  std::optional<Steps> steps;
  if (format.Is(report::kNeedsPage)) {
    FillPage(input, &base, options, &subject);
    FillAnalysis(input, &subject);
    steps.emplace();
    subject.page.progress = [&steps](const std::string& what) { steps->Show(what); };
  }
  if (options.timeline) FillTimeline(input, options, &subject);
  std::vector<std::string> notes;
  PutReport(options,
            [&](const report::Sink& sink, std::string* error) { return format.write(subject, sink, &notes, error); });
  SayProblems("report", notes);
  return kDone;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Names options that have no effect with this view or format. Scripts may have them, so they do no harm.
void TellWhatIsIgnored(const ReportOptions& options, const Format& format) {
  const View& view = *report::FindView(options.view.view);
  const ViewOptions &chosen = options.view, usual;
  const auto tell = [](bool is_ignored, const std::string& sentence) {
    if (is_ignored) TellUser("report", sentence);
  };
  const bool is_tree = view.name == "tree";
  tell(chosen.sort != usual.sort && !IsOneOf(view.name, {"flat", "callers-of", "mpi"}),
       "--sort has no effect: it goes with --flat, --callers-of and --mpi");
  tell(chosen.depth != usual.depth && !is_tree, "--depth has no effect: it goes with --tree");
  tell(chosen.min_percent != usual.min_percent && !is_tree, "--min has no effect: it goes with --tree");
  tell(!options.metric.empty() && !IsOneOf(format.name, {"folded", "speedscope"}),
       "--metric has no effect: it goes with --format folded and --format speedscope");
  // These formats have the whole profile, unless a view has tables of its own.
  if (view.Is(report::kTyped) || IsOneOf(format.name, {"text", "markdown", "html"})) return;
  const std::string whole = " has no effect: --format " + options.format + " has the whole profile";
  tell(chosen.top != usual.top, "--top" + whole);
  tell(chosen.depth != usual.depth && is_tree, "--depth" + whole);
  tell(!chosen.path_pattern.empty(), "--path" + whole);
}

// Refuses a format without this view, and an order that it does not have.
void RefuseWhatIsIgnored(const ReportOptions& options, const Format& format) {
  const View& view = *report::FindView(options.view.view);
  const bool one = options.archives.size() < 2;  // ReportScaling knows formats of several
  if (one && view.Is(report::kTyped) && format.write_view == nullptr && !format.Is(report::kNeedsPage)) {
    throw UsageError("--" + std::string(view.name) + " can be shown as text, json, csv or markdown only");
  }
  if (options.view.sort == ViewOptions::Sort::kBytes && view.name != "mpi") {
    throw UsageError("--sort bytes goes with --mpi only");
  }
}

int Report(ReportOptions options) {
  if (!options.ranks.empty() && !ParseNumbers(options.ranks, &options.view.ranks)) {
    throw UsageError("--rank " + options.ranks + ": expected numbers like 0,2-5");
  }
  if (!options.threads.empty() && !ParseNumbers(options.threads, &options.view.threads)) {
    throw UsageError("--thread " + options.threads + ": expected numbers like 0,2-5");
  }
  if (!options.ranks.empty() || !options.threads.empty()) options.view.view = "load";
  const bool to_screen = options.output.empty() && isatty(STDOUT_FILENO) != 0;
  const view::Terminal terminal = view::DetectTerminal(to_screen ? STDOUT_FILENO : -1);
  options.view.terminal = terminal;
  if (options.ascii) options.view.terminal.unicode = false;
  options.view.fold_recursion = !options.unfold;
  if (options.html) options.format = "html";
  const Format& format = *report::FindFormat(options.format);
  RefuseWhatIsIgnored(options, format);
  TellWhatIsIgnored(options, format);
  if (format.Is(report::kNeedsPage) && to_screen) throw UsageError("say where the page goes: -o report.html");
  if (options.archives.size() < 2) return ReportOne(options, format);
  if (options.view.view != "pop") throw UsageError("several archives only with --pop: one program at several scales");
  return ReportScaling(options, format);
}

// A flag for each view, of which one at most is given.
std::map<std::string_view, cli::Option> AddViews(cli::App& app, ViewOptions* options) {
  std::map<std::string_view, cli::Option> flags;
  for (const View& view : report::Views()) {
    const std::string flag = "--" + std::string(view.name);
    const auto take = [options, &view](const std::string& argument) {
      options->view = view.name;
      options->argument = argument;
    };
    cli::Option option = view.argument.empty()
                             ? app.AddFlag(
                                   flag, [take] { take(""); }, std::string(view.help))
                             : app.AddOption(flag, take, std::string(view.help)).TypeName(std::string(view.argument));
    for (const auto& [name, other] : flags) option.Excludes(other);
    flags[view.name] = option;
  }
  return flags;
}

std::string WhyNoMetric(const std::string& name) { return name.empty() ? "the name of a metric is empty" : ""; }

// An option whose value is one of these words.
template <class Value>
cli::Option AddWord(cli::App& app, const char* flag, Value* to, const std::map<std::string, Value>& words,
                    const char* choices, const char* help) {
  std::vector<std::string> names;
  for (const auto& [name, value] : words) names.push_back(name);
  const auto take = [to, words](const std::string& word) { *to = words.at(word); };
  return app.AddOption(flag, take, help).OneOfAnyCase(names, choices);
}

}  // namespace

void AddReport(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<ReportOptions>();
  app.AddOption("archive", options->archives,
                "An epik_* directory (default: the newest here); with --pop several, of one program at several scales");
  std::map<std::string_view, cli::Option> views = AddViews(app, &options->view);
  const std::map<std::string, analysis::Problem> problems = {{"strong", analysis::Problem::kSame},
                                                             {"weak", analysis::Problem::kGrows}};
  AddWord(app, "--scaling", &options->problem, problems, "strong|weak",
          "With --pop and several archives: the same problem (strong, the default), or one that grows with the threads "
          "(weak)")
      .TypeName("strong|weak")
      .Needs(views["pop"]);
  const auto paths = app.AddFlag("--paths", options->view.paths, "With --mpi: by call path").Needs(views["mpi"]);
  app.AddFlag("--matrix", options->view.matrix, "With --mpi: what each rank sent to each")
      .Needs(views["mpi"])
      .Excludes(paths);
  const auto path =
      app.AddOption("--path", options->view.path_pattern, "Only call paths \"a > b > c\" like this; * and ? match")
          .TypeName("PATTERN");
  for (const auto& [name, option] : views) {
    if (name != "tree" && name != "load") path.Excludes(option);
  }
  const auto rank = app.AddOption("--rank", options->ranks, "--load of these processes only, as in 0,2-5");
  const auto thread = app.AddOption("--thread", options->threads, "--load of these threads of each process only");
  for (cli::Option selection : {rank, thread}) {
    selection.TypeName("LIST");
    for (const auto& [name, option] : views) {
      if (name != "load") selection.Excludes(option);
    }
  }
  app.AddOption("--top", options->view.top, "At most so many rows; 0: all").Check(WhyNoCount);
  const std::map<std::string, ViewOptions::Sort> sorts = {{"excl", ViewOptions::Sort::kExclusive},
                                                          {"incl", ViewOptions::Sort::kInclusive},
                                                          {"visits", ViewOptions::Sort::kVisits},
                                                          {"bytes", ViewOptions::Sort::kBytes},
                                                          {"name", ViewOptions::Sort::kName}};
  AddWord(app, "--sort", &options->view.sort, sorts, "excl|incl|visits|bytes|name",
          "Rows of --flat, --callers-of and --mpi by excl, incl, visits, name, or bytes (--mpi)")
      .TypeName("KEY");
  app.AddOption("--min", options->view.min_percent, "Fold branches below so many percent of the time (default: 1)")
      .Check(NumberFrom(0, 100));
  app.AddOption("--depth", options->view.depth, "At most so many levels of the tree; 0: all").Check(WhyNoCount);
  app.AddFlag("--unfold", options->unfold, "Show every level of a recursion");
  app.AddFlag("--ascii", options->ascii, "Draw with ASCII only");
  const auto html = app.AddFlag("--html", options->html, "One HTML file to look at: --format html");
  const auto format = app.AddOption("--format", options->format, "One of the formats below")
                          .OneOf(report::FormatNames(report::kReports));
  html.Excludes(format);
  const auto timeline =
      app.AddFlag("--timeline", options->timeline, "With --html: the trace over time, as `epk view` shows it")
          .Needs(html);
  app.AddOption("--cap", options->cap_megabytes, "With --timeline: megabytes of detail at most (default: 20)")
      .Needs(timeline)
      .Check(NumberFrom(1, 2000));
  app.AddOption("--against", options->against, "Another archive, for --html to compare with: the run before")
      .TypeName("ARCHIVE")
      .Needs(html);
  app.AddOption(
         "--csv-safe", [](const std::string& word) { view::ProtectSpreadsheets(word == "on"); },
         "With --format csv: an apostrophe in front of text that a spreadsheet would take for a formula (default: on)")
      .OneOf({"on", "off"})
      .Needs(format);
  app.AddOption("--metric", options->metric, "What folded and speedscope show (default: time)")
      .TypeName("METRIC")
      .Check(WhyNoMetric)
      .Needs(format);
  app.AddOption("-o,--output", options->output, "Write to this file").TypeName("FILE");
  app.Footer(ReportManual());
  run = [options] { return Report(*options); };
}

}  // namespace epik::epk
