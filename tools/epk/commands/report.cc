// SPDX-License-Identifier: BSD-3-Clause
// epk report: one archive in, one of the writers of report/ out.
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/algebra/experiment.h"
#include "analysis/scaling.h"
#include "archive/directory/archive.h"
#include "archive/profile/profile.h"
#include "archive/trace/trace_archive.h"
#include "archive/trace_profile/trace_profile.h"
#include "report/communication.h"
#include "report/csv.h"
#include "report/figures.h"
#include "report/folded.h"
#include "report/hatchet.h"
#include "report/html.h"
#include "report/json.h"
#include "report/markdown.h"
#include "report/pprof.h"
#include "report/speedscope.h"
#include "report/text.h"
#include "report/views.h"
#include "tools/epk/command.h"
#include "tools/epk/install_dirs.h"

namespace epik::epk {
namespace {

using report::TextOptions;

constexpr char kManual[] = R"(
DESCRIPTION
  Shows a profile: what ran and how it ended, what measuring cost, and the call paths where the time went. Times are
  sums over all threads of all processes; the wall time stands in the header.

  `--tree` (the default) follows the calls downwards, `--flat` adds up what each region took wherever it was called,
  `--callers-of` looks upwards from one region.

  Parallel programs: `--pop` says how much of the machine computed and what took the rest; given several archives, of the
  same program at several scales, how that changed from the smallest on (`--scaling weak`: the problem grew along). `--load` compares processes
  and threads, `--mpi` tells of every MPI function the calls, time, bytes and how ranks differ (`--paths`: of every
  place it is called from; `--matrix`: which rank sent to which), `--omp` of every parallel region the work, the
  imbalance and the waiting. `--counters` has the totals of what EPK_METRICS asked for, ratios and rates computed from
  them, and the call paths with most of each. Each says so when the profile has nothing of the kind.

  `--format json` and `csv` carry everything, with names that stay: see docs/formats.md and report.schema.json. With one
  of these five views, they and `markdown` carry what that view shows. `folded` goes to flame graph scripts,
  `speedscope` to speedscope.app, `pprof` to the pprof tools, `hatchet` to hatchet.GraphFrame.from_literal.

  `--html` writes one file that opens in every browser, from disk, and holds all of the profile.

EXAMPLES
    epk report
    epk report epik_solver_4x2_sum --flat --top 20
    epk report epik_solver_4x2_sum --pop
    epk report --pop epik_solver_4x2_sum epik_solver_8x2_sum epik_solver_16x2_sum
    epk report epik_solver_4x2_sum --mpi --paths
    epk report epik_solver_4x2_sum --mpi --matrix --format csv
    epk report epik_solver_4x2_sum --counters
    epk report epik_solver_4x2_sum --callers-of MPI_Allreduce
    epk report epik_solver_4x2_sum --format csv -o profile.csv
    epk report epik_solver_4x2_sum --html -o profile.html
    epk report epik_new_sum --html --against epik_old_sum -o compared.html

SEE ALSO
  epk-run(1), epk-recover(1)
)";

struct Options {
  std::string archive;
  std::vector<std::string> archives;  // as they were named; more than one only with --pop
  analysis::Problem problem = analysis::Problem::kSame;
  std::string format = "text";
  std::string output;
  std::string against;  // another archive
  std::string metric = "time";
  bool html = false, tree = false, flat = false, load = false, unfold = false, ascii = false;
  bool mpi = false, omp = false, pop = false, counters = false;
  TextOptions text;
};

struct Screen {
  bool terminal = false;
  size_t width = 100, height = 0;
};

Screen StandardOutput() {
  Screen screen;
  screen.terminal = isatty(STDOUT_FILENO) != 0;
  winsize size = {};
  if (screen.terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    screen.width = std::max<size_t>(size.ws_col, 60);
    screen.height = size.ws_row;
  }
  return screen;
}

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool LocaleIsUtf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!IsSet(variable)) continue;
    std::string value = std::getenv(variable);
    std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::tolower(c); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

// Empty when there is none.
std::string NewestArchive() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::file_time_type newest;
  std::string found;
  for (const fs::directory_entry& entry : fs::directory_iterator(".", ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("epik_") || name.ends_with(archive::kUnfinishedSuffix) || !entry.is_directory(ignored))
      continue;
    const fs::file_time_type time = entry.last_write_time(ignored);
    if (found.empty() || time > newest) {
      found = name;
      newest = time;
    }
  }
  return found;
}

// Through a pager, unless all of it fits on the screen.
void Page(const std::string& text, const Screen& screen) {
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  if (!screen.terminal || lines < screen.height) {
    fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  setenv("LESSCHARSET", "utf-8", /*overwrite=*/0);
  fflush(stdout);
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // the reader may leave early
  FILE* pager = popen("less -FRX 2>/dev/null || cat", "w");
  FILE* out = pager != nullptr ? pager : stdout;
  fwrite(text.data(), 1, text.size(), out);
  if (pager != nullptr) pclose(pager);
  std::signal(SIGPIPE, before);
}

bool IsView(TextOptions::View view) {
  return view == TextOptions::View::kMpi || view == TextOptions::View::kOmp || view == TextOptions::View::kPop ||
         view == TextOptions::View::kLoad || view == TextOptions::View::kCounters;
}

// What a view shows, for machines.
bool WriteView(const Options& options, const epitome::Profile& profile, const report::Sink& sink, std::string* error) {
  report::ViewData view;
  if (!report::MakeView(report::Figures(profile), options.text, &view, error)) return false;
  if (options.format == "json") report::WriteViewJson(view, sink);
  if (options.format == "csv") report::WriteViewCsv(view, sink);
  if (options.format == "markdown") report::WriteViewMarkdown(view, sink);
  return true;
}

bool ReadFile(const std::filesystem::path& path, std::string* text) {
  std::ifstream file(path, std::ios::binary);
  text->assign(std::istreambuf_iterator<char>(file), {});
  return file.good() || file.eof();
}

// The page comes with the installation, the rest from beside the profile.
bool WriteHtml(const Options& options, const epitome::Profile& profile, const archive::Manifest& manifest,
               const report::Sink& sink, std::string* error) {
  const std::filesystem::path page = FindInstallDirs().share / "epik" / report::kHtmlTemplate;
  report::HtmlExtras extras;
  if (!ReadFile(page, &extras.page) || extras.page.empty()) {
    *error = "no page to put the profile in: " + page.string() +
             " is missing. It is built by `./dev build` where Node.js (18 or later) and npm are installed";
    return false;
  }
  ReadFile(std::filesystem::path(options.archive) / "communication.csv", &extras.communication);
  if (options.against.empty()) return report::WriteHtml(profile, manifest, extras, sink, error);
  archive::Archive other;
  epitome::Profile base;
  if (!archive::Open(options.against, &other, error) || !other.ReadProfile(&base, error)) return false;
  return report::WriteHtml(profile, manifest, extras, sink, error, {&base, &other.manifest});
}

bool Write(const Options& options, const epitome::Profile& profile, const archive::Manifest& manifest,
           const report::Sink& sink, std::string* error) {
  if (options.format == "folded") return report::WriteFolded(profile, options.metric, sink, error);
  if (options.format == "speedscope") return report::WriteSpeedscope(profile, manifest, options.metric, sink, error);
  if (options.format == "html") return WriteHtml(options, profile, manifest, sink, error);
  if (options.format == "hatchet") return report::WriteHatchet(profile, sink), true;
  if (options.format == "pprof") return report::WritePprof(profile, manifest, sink), true;
  if (options.format == "text") return report::WriteText(profile, manifest, options.text, sink, error);
  if (IsView(options.text.view)) return WriteView(options, profile, sink, error);
  if (options.format == "json") report::WriteJson(profile, manifest, sink);
  if (options.format == "csv") report::WriteCsv(profile, sink);
  if (options.format == "markdown") report::WriteMarkdown(profile, manifest, options.text.top, sink);
  return true;
}

using Writing = std::function<bool(const report::Sink& sink, std::string* error)>;

// To the file, or to standard output; text on a terminal through a pager.
bool WriteOut(const Options& options, const Writing& write, const Screen& screen, std::string* error) {
  if (options.output.empty() && options.format == "text") {
    std::string text;
    if (!write(report::AppendTo(&text), error)) return false;
    Page(text, screen);
    return fflush(stdout) == 0 || (*error = "cannot write to standard output", false);
  }
  FILE* file = options.output.empty() ? stdout : fopen(options.output.c_str(), "w");
  if (file == nullptr) {
    *error = "cannot write " + options.output;
    return false;
  }
  bool complete = true;
  const bool written = write(
      [&](std::string_view text) { complete &= fwrite(text.data(), 1, text.size(), file) == text.size(); }, error);
  complete &= (file == stdout ? fflush(file) : fclose(file)) == 0;
  std::error_code ignored;
  if (!written && std::filesystem::is_regular_file(options.output, ignored)) {
    std::filesystem::remove(options.output, ignored);  // nothing came
  }
  if (written && !complete) *error = "cannot write all of " + (options.output.empty() ? "it" : options.output);
  return written && complete;
}

// communication.csv of an archive; false when it has none.
bool ReadTraffic(const archive::Archive& archive, std::vector<report::Traffic>* traffic, std::string* error) {
  if (!archive.is_directory) return false;
  const std::string path = archive.path + "/communication.csv";
  FILE* file = fopen(path.c_str(), "r");
  if (file == nullptr) return false;
  std::string text;
  char piece[1 << 16];
  for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;) text.append(piece, n);
  fclose(file);
  if (report::ParseCommunication(text, traffic, error)) return true;
  *error = path + ": " + *error;
  return false;
}

int Fail(const std::string& message) {
  fprintf(stderr, "epk report: %s\n", message.c_str());
  return 1;
}

// For a .cubex file of another tool.
archive::Manifest ManifestOf(const std::string& path, const epitome::Profile& profile) {
  archive::Manifest manifest;
  manifest.program = std::filesystem::path(path).filename().string();
  manifest.ended = "";
  manifest.ranks = static_cast<int>(profile.processes.size());
  for (const epitome::Location& location : profile.locations) {
    manifest.threads = std::max(manifest.threads, location.thread + 1);
  }
  return manifest;
}

// The summary, or without one what the trace says.
bool ReadProfile(const archive::Archive& archive, epitome::Profile* profile, std::vector<std::string>* notes,
                 std::string* error) {
  if (!archive.summary_path.empty() || !archive.manifest.trace.there) return archive.ReadProfile(profile, error, notes);
  archive::TraceArchive traces;
  if (!traces.Open(archive.path, error)) return false;
  *notes = traces.problems();
  notes->push_back("this profile is computed from the trace: it has what was logged");
  return archive::ProfileOfTrace(traces, profile, notes, error);
}

// The same run at several scales.
int ReportScaling(const Options& options, const Screen& screen) {
  if (options.format != "text" && options.format != "json" && options.format != "csv" && options.format != "markdown") {
    fprintf(stderr, "epk report: several archives give text, json, csv or markdown\n");
    return 2;
  }
  std::vector<epitome::Profile> profiles(options.archives.size());
  std::vector<const epitome::Profile*> pointers;
  std::string error;
  for (size_t i = 0; i < profiles.size(); ++i) {
    archive::Archive archive;
    std::vector<std::string> notes;
    if (!archive::Open(options.archives[i], &archive, &error)) return Fail(error);
    if (!ReadProfile(archive, &profiles[i], &notes, &error)) return Fail(error);
    if (profiles[i].locations.empty()) return Fail(options.archives[i] + ": nothing was recorded");
    pointers.push_back(&profiles[i]);
  }
  report::ViewData view;
  report::MakeScaling(pointers, options.archives, options.problem, options.text, &view);
  const Writing writing = [&](const report::Sink& sink, std::string*) {
    if (options.format == "text") sink(view.text);
    if (options.format == "json") report::WriteViewJson(view, sink);
    if (options.format == "csv") report::WriteViewCsv(view, sink);
    if (options.format == "markdown") report::WriteViewMarkdown(view, sink);
    return true;
  };
  return WriteOut(options, writing, screen, &error) ? 0 : Fail(error);
}

// What a tree, a list of regions or a load table needs is read row by row when the values are many.
constexpr uint64_t kLargestInMemory = uint64_t{64} << 20;

bool StaysOnDisk(const Options& options, const archive::Archive& archive) {
  const TextOptions::View view = options.text.view;
  const bool can = view == TextOptions::View::kTree || view == TextOptions::View::kFlat ||
                   view == TextOptions::View::kCallers || view == TextOptions::View::kLoad;
  std::error_code ignored;
  return can && options.format == "text" && !archive.summary_path.empty() &&
         std::filesystem::file_size(archive.summary_path, ignored) > kLargestInMemory && !ignored;
}

int ReportFromDisk(const Options& options, archive::Archive* archive, const Screen& screen) {
  std::string error;
  std::vector<std::string> notes;
  const algebra::Operand file = algebra::OpenExperiment(options.archive, nullptr, &notes, &error);
  if (file == nullptr) return Fail(error);
  if (!archive->has_manifest) archive->manifest = ManifestOf(options.archive, file->definitions());
  archive->manifest.notes.insert(archive->manifest.notes.end(), notes.begin(), notes.end());
  const algebra::ExclusiveRows exclusive(*file);
  report::ExclusiveRowSource rows;
  rows.has = [&](uint32_t m, uint32_t p) { return file->HasRow(m, p); };
  rows.read = [&](uint32_t m, uint32_t p, uint64_t* cells, std::string* e) { return exclusive.Read(m, p, cells, e); };
  const report::Figures figures(file->definitions(), rows, options.text.min_percent / 100);
  const Writing writing = [&](const report::Sink& sink, std::string* e) {
    return report::WriteText(figures, archive->manifest, options.text, sink, e);
  };
  return WriteOut(options, writing, screen, &error) ? 0 : Fail(error);
}

int Report(Options options) {
  const Screen screen = StandardOutput();
  const bool to_screen = screen.terminal && options.output.empty();
  options.text.width = to_screen ? screen.width : 100;
  options.text.ink.color = to_screen && !IsSet("NO_COLOR") && std::getenv("TERM") != std::string_view("dumb");
  options.text.ink.unicode = !options.ascii && (!to_screen || LocaleIsUtf8());
  options.text.fold_recursion = !options.unfold;
  options.text.view = !options.text.callers_of.empty() ? TextOptions::View::kCallers
                      : options.flat                   ? TextOptions::View::kFlat
                      : options.load                   ? TextOptions::View::kLoad
                      : options.mpi                    ? TextOptions::View::kMpi
                      : options.omp                    ? TextOptions::View::kOmp
                      : options.pop                    ? TextOptions::View::kPop
                      : options.counters               ? TextOptions::View::kCounters
                                                       : TextOptions::View::kTree;
  if (options.html) options.format = "html";
  if (options.format == "html" && options.output.empty() && screen.terminal) {
    fprintf(stderr, "epk report: say where the page goes: -o report.html\n");
    return 2;
  }
  if (options.archives.size() > 1) {
    if (options.pop) return ReportScaling(options, screen);
    fprintf(stderr, "epk report: several archives only with --pop: one program at several scales\n");
    return 2;
  }
  options.archive = options.archives.empty() ? NewestArchive() : options.archives[0];
  if (options.archives.empty()) {
    if (options.archive.empty()) return Fail("no archive named, and no epik_* directory here");
    fprintf(stderr, "epk report: reading %s, the newest here\n", report::Printable(options.archive).c_str());
  }
  archive::Archive archive;
  epitome::Profile profile;
  std::string error;
  if (!archive::Open(options.archive, &archive, &error)) return Fail(error);
  if (StaysOnDisk(options, archive)) return ReportFromDisk(options, &archive, screen);
  std::vector<std::string> notes;
  if (!ReadProfile(archive, &profile, &notes, &error)) return Fail(error);
  if (!archive.has_manifest) archive.manifest = ManifestOf(options.archive, profile);
  archive.manifest.notes.insert(archive.manifest.notes.end(), notes.begin(), notes.end());
  std::vector<report::Traffic> traffic;
  if (options.mpi && ReadTraffic(archive, &traffic, &error)) options.text.traffic = &traffic;
  if (!error.empty()) return Fail(error);
  const Writing writing = [&](const report::Sink& sink, std::string* e) {
    return Write(options, profile, archive.manifest, sink, e);
  };
  return WriteOut(options, writing, screen, &error) ? 0 : Fail(error);
}

}  // namespace

void AddReport(CLI::App& app, std::function<int()>& run) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = &app;
  sub->add_option(
      "archive", options->archives,
      "An epik_* directory (default: the newest here); with --pop several, of one program at several scales");
  auto* tree = sub->add_flag("--tree", options->tree, "Call tree with its hottest branches (default)");
  auto* flat = sub->add_flag("--flat", options->flat, "By region");
  auto* load = sub->add_flag("--load", options->load, "By rank and thread");
  auto* callers = sub->add_option("--callers-of", options->text.callers_of, "How a region is called; * and ? match");
  auto* mpi = sub->add_flag("--mpi", options->mpi, "By MPI function: calls, time, bytes, differences between ranks");
  auto* omp = sub->add_flag("--omp", options->omp, "By OpenMP parallel region: work, imbalance, waiting");
  auto* pop = sub->add_flag("--pop", options->pop, "Parallel efficiencies: what computed and what took the rest");
  const std::map<std::string, analysis::Problem> problems = {{"strong", analysis::Problem::kSame},
                                                             {"weak", analysis::Problem::kGrows}};
  sub->add_option("--scaling", options->problem,
                  "With --pop and several archives: the same problem (strong, the default), or one that grows with the "
                  "threads (weak)")
      ->needs(pop)
      ->transform(CLI::CheckedTransformer(problems, CLI::ignore_case).description("strong|weak"));
  auto* counters = sub->add_flag("--counters", options->counters, "By counter: totals, and where most was counted");
  for (CLI::Option* view : {tree, flat, load, callers, mpi, omp, pop, counters}) {
    for (CLI::Option* other : {tree, flat, load, callers, mpi, omp, pop, counters}) {
      if (view != other) view->excludes(other);
    }
  }
  auto* paths = sub->add_flag("--paths", options->text.paths, "With --mpi: by call path")->needs(mpi);
  sub->add_flag("--matrix", options->text.matrix, "With --mpi: what each rank sent to each")
      ->needs(mpi)
      ->excludes(paths);
  sub->add_option("--path", options->text.path_pattern, "Only call paths \"a > b > c\" like this; * and ? match")
      ->excludes(flat)
      ->excludes(load)
      ->excludes(callers)
      ->excludes(mpi)
      ->excludes(omp)
      ->excludes(pop)
      ->excludes(counters);
  sub->add_option("--top", options->text.top, "At most so many rows; 0: all");
  const std::map<std::string, TextOptions::Sort> sorts = {{"excl", TextOptions::Sort::kExclusive},
                                                          {"incl", TextOptions::Sort::kInclusive},
                                                          {"visits", TextOptions::Sort::kVisits},
                                                          {"bytes", TextOptions::Sort::kBytes},
                                                          {"name", TextOptions::Sort::kName}};
  sub->add_option("--sort", options->text.sort,
                  "Rows of --flat, --callers-of and --mpi by excl, incl, visits, bytes or name")
      ->type_name("KEY")
      ->transform(CLI::CheckedTransformer(sorts, CLI::ignore_case).description("excl|incl|visits|bytes|name"));
  sub->add_option("--min", options->text.min_percent, "Fold branches below so many percent of the time (default: 1)")
      ->check(CLI::Range(0.0, 100.0));
  sub->add_option("--depth", options->text.depth, "At most so many levels of the tree; 0: all")
      ->check(CLI::NonNegativeNumber);
  sub->add_flag("--unfold", options->unfold, "Show every level of a recursion");
  sub->add_flag("--ascii", options->ascii, "Draw with ASCII only");
  auto* html = sub->add_flag("--html", options->html, "One HTML file to look at: --format html");
  auto* format = sub->add_option("--format", options->format,
                                 "text, html, json, csv, markdown, folded, speedscope, pprof or hatchet")
                     ->check(CLI::IsMember(
                         {"text", "html", "json", "csv", "markdown", "folded", "speedscope", "pprof", "hatchet"}));
  html->excludes(format);
  sub->add_option("--against", options->against, "Another archive, for --html to compare with: the run before")
      ->needs(html);
  sub->add_option("--metric", options->metric, "What folded and speedscope show (default: time)")->needs(format);
  sub->add_option("-o,--output", options->output, "Write to this file");
  sub->footer(kManual);
  run = [options] { return Report(*options); };
}

}  // namespace epik::epk
