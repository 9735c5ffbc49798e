// SPDX-License-Identifier: BSD-3-Clause
// epk view: shows the timeline of a trace in a browser.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/findings.h"
#include "analysis/patterns/analysis.h"
#include "analysis/timeline/draw.h"
#include "analysis/timeline/open.h"
#include "archive/directory/archive.h"
#include "archive/files/byte_source.h"
#include "archive/files/cost_text.h"
#include "archive/files/special_file.h"
#include "archive/trace_profile/trace_profile.h"
#include "report/html/analysis.h"
#include "report/html/html.h"
#include "tools/epk/command.h"
#include "tools/epk/install_dirs.h"
#include "tools/epk/trace_options.h"
#include "tools/serve/server.h"
#include "view/number.h"

namespace epik::epk {
namespace {

constexpr char kViewManual[] = R"(
SYNOPSIS
    epk view [OPTION]... [ARCHIVE [OTHER]]
    epk view ARCHIVE --export FILE [--from T] [--to T] [--bins N]

DESCRIPTION
  Shows the trace of an archive over time, in a browser: a row for each thread, colours for computation, MPI, OpenMP,
  files and waiting; zoomed in, the calls themselves, messages, and for each wait an arrow to the thread that caused
  it. Threads that behave alike share a row. Beside it stand the statistics of what is on screen and the views of
  `epk report --html`.

  The command prints the address of the page, opens a browser when there is one, and serves until Ctrl-C is typed or the
  page is closed. It listens on the loopback address only, and the address holds a token: other users of the machine and
  pages of other sites get nothing. Nothing is loaded from the network.

  OTHER is a second archive, drawn below the first one from the same begin: before and after a change, or measured and
  compensated. With --align REGION, the first calls of that region stand one above the other.

  At the first start it reads the whole trace once and keeps `timeline.epk` in the archive.

  --export writes what the view would draw of a stretch of time, as JSON, to FILE and to standard output (`-`: standard
  output alone), and serves nothing. docs/formats.md has the format.

EXAMPLES
    epk view
    epk view epik_solver_4x2_trace --no-browser --port 8000
    epk view epik_before_4x2_trace epik_after_4x2_trace --align solve
    epk view epik_solver_4x2_trace --export t.json --from 1.5 --to 1.6s

EXIT STATUS
  0 when the page was closed, or SIGINT or SIGTERM came; 1 when the archive has no trace.

SEE ALSO
  epk-print(1), epk-analyze(1), epk-report(1), epk-convert(1)
)";

constexpr int kLingerSeconds = 10;  // after the last page was closed, because it may be loading again

struct TimelineOptions {
  std::string archive, other, align, export_to, from, to;
  int port = 0;
  size_t bins = 1000;
  bool no_browser = false, unfold = false;
};

// An archive that is shown, and the shift of its times that aligns it with the first archive.
struct TimelineSide {
  std::string path;
  timeline::Opened opened;
  int64_t shift = 0;
};

void OpenTimeline(const std::string& path, timeline::Opened* opened) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  bool shown = false;
  const auto progress = [&](uint64_t events) {
    if (!terminal) return;
    shown = true;
    fprintf(stderr, "\repk view: reading the trace, %llu million events\033[K",
            static_cast<unsigned long long>(events / 1'000'000));
  };
  std::string error;
  const bool good = timeline::Open(path, progress, opened, &error);
  if (shown) fprintf(stderr, "\r\033[K");
  if (!good) throw Fault(error);
  SayProblems("view", opened->problems);
}

// Seconds, or with a unit: one end of a window.
int64_t TimeOf(const std::string& option, const std::string& text, int64_t otherwise) {
  if (text.empty()) return otherwise;
  TimeWindow window;
  if (!ParseWindow(text + "-", &window))
    throw UsageError(option + " " + text + ": expected seconds, or a time such as 20ms");
  return window.from;
}

timeline::Question QuestionOf(const TimelineOptions& options, const timeline::Timeline& whole) {
  timeline::Question question;
  question.bins = options.bins;
  question.from = TimeOf("--from", options.from, whole.from);
  question.to = TimeOf("--to", options.to, whole.to);
  if (question.to <= question.from && options.to.empty()) {
    const double end = 1e-9 * static_cast<double>(whole.to);
    throw UsageError("--from " + options.from + ": the trace ends at " + view::Seconds(end));
  }
  if (question.to <= question.from) throw UsageError("--to is not after --from");
  return question;
}

int Export(const TimelineOptions& options, const timeline::Opened& opened) {
  const timeline::Artist artist(&opened.traces, &opened.timeline);
  timeline::Question question = QuestionOf(options, opened.timeline);
  for (uint32_t column = 0; options.unfold && column < opened.timeline.locations.size(); ++column) {
    question.apart.push_back(column);
  }
  const std::string json = artist.ToJson(artist.Draw(question));
  std::string error;
  if (options.export_to != "-" && !archive::WriteFileOrDevice(options.export_to, json, &error)) throw Fault(error);
  fwrite(json.data(), 1, json.size(), stdout);
  return kDone;
}

// Reads the page before any trace, because reading a trace may take minutes.
std::string PageTemplate() {
  const std::filesystem::path page = FindInstallDirs().share / "epik" / report::kHtmlTemplate;
  constexpr uint64_t kMostPage = 16 << 20;
  std::string text, error;
  if (!archive::ReadFile(page.string(), kMostPage, &text, &error)) {
    throw Fault("no page to show: " + page.string() +
                " is missing. It is built by `./dev build` where Node.js (18 or later) and npm are installed");
  }
  return text;
}

// The results that `epk analyze` left in the archive; empty: none.
std::string AnalysisOf(const std::string& path, findings::Findings* found) {
  const std::string file = path + "/" + patterns::kAnalysisName;
  const std::string found_profile = path + "/" + patterns::kProfileName;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return "";
  constexpr uint64_t kMost = 256 << 20;
  std::string text, error;
  archive::Archive analysed;
  archive::Profile profile;
  std::vector<std::string> notes;
  archive::Archive run;
  const bool read = archive::ReadFile(file, kMost, &text, &error) && findings::FromJson(text, found, &error) &&
                    archive::Open(path, &run, &error) && archive::Open(found_profile, &analysed, &error) &&
                    analysed.ReadProfile(&profile, &error, &notes);
  if (read) return report::AnalysisForPage(profile, *found, archive::IsOversubscribed(run.manifest));
  SayProblems("view", {file + " is not shown: " + error});
  return "";
}

// The report's page with the profile, and the timeline asked for from here.
std::string Page(std::string page, const std::string& path, const timeline::Opened& opened) {
  archive::Archive archive;
  archive::Profile profile;
  report::HtmlExtras extras;
  std::string error;
  std::vector<std::string> notes;
  if (!archive::Open(path, &archive, &error)) throw Fault(error);
  const bool read = archive.summary_path.empty() ? archive::ProfileOfTrace(opened.traces, &profile, &notes, &error)
                                                 : archive.ReadProfile(&profile, &error, &notes);
  if (!read) throw Fault(error);
  extras.page = std::move(page);
  extras.asks_server = true;
  findings::Findings found;
  extras.analysis = AnalysisOf(path, &found);
  if (!extras.analysis.empty()) extras.findings = &found;
  std::string html;
  if (!report::WriteHtml(profile, archive.manifest, extras, report::AppendTo(&html), &error)) throw Fault(error);
  return html;
}

int64_t NumberIn(const serve::Request& request, const char* name, int64_t otherwise) {
  const std::string text = request.Get(name);
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  return text.empty() || *end != '\0' ? otherwise : value;
}

// Numbers with commas between them: the columns whose rows are drawn location by location.
std::vector<uint32_t> Columns(const std::string& text) {
  constexpr size_t kMost = 64;
  std::vector<uint32_t> columns;
  std::istringstream words(text);
  for (std::string word; columns.size() < kMost && std::getline(words, word, ',');) {
    columns.push_back(static_cast<uint32_t>(std::strtoul(word.c_str(), nullptr, 10)));
  }
  return columns;
}

serve::Response Tiles(const serve::Request& request, const timeline::Artist& artist, const timeline::Timeline& whole) {
  // Times that no trace has would overflow.
  constexpr int64_t kLongest = INT64_MAX / 4;
  timeline::Question question;
  question.from = std::clamp(NumberIn(request, "from_ns", whole.from), -kLongest, kLongest);
  question.to = std::clamp(NumberIn(request, "to_ns", whole.to), -kLongest, kLongest);
  question.bins = static_cast<size_t>(std::max<int64_t>(NumberIn(request, "bins", 1000), 1));
  question.apart = Columns(request.Get("apart"));
  return {200, "application/json", artist.ToJson(artist.Draw(question)), false};
}

serve::Response Find(const serve::Request& request, const timeline::Artist& artist, const timeline::Timeline& whole) {
  timeline::Search search;
  search.text = request.Get("region");
  search.from = std::clamp(NumberIn(request, "from_ns", whole.from), whole.from - 1, whole.to + 1);
  search.back = request.Get("back") == "1";
  if (search.text.empty()) return {400, "text/plain; charset=utf-8", "no region named\n", false};
  return {200, "application/json", artist.ToJson(artist.Find(search)), false};
}

// The data about the two archives that the page needs, as JSON.
std::string SidesJson(const std::vector<std::unique_ptr<TimelineSide>>& sides) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& side : sides) {
    const std::filesystem::path path = std::filesystem::path(side->path).lexically_normal();
    const std::string name = path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
    all.push_back({{"name", name}, {"shift_ns", side->shift}});
  }
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Makes a file that only its owner can read and that leads a browser to the page. All users can read the arguments of a
// command, so no argument may contain the address with its token. The destructor removes the file.
class WayToPage {
 public:
  explicit WayToPage(const std::string& url) {
    std::error_code none;
    std::string path = (std::filesystem::temp_directory_path(none) / "epik_view_XXXXXX.html").string();
    const int fd = none ? -1 : mkostemps(path.data(), 5, O_CLOEXEC);
    if (fd < 0) return;
    path_ = path;
    const std::string page =
        "<!DOCTYPE html><meta charset=\"utf-8\"><title>epk view</title>"
        "<meta http-equiv=\"refresh\" content=\"0;url=" +
        url + "\">\n";
    written_ = write(fd, page.data(), page.size()) == static_cast<ssize_t>(page.size());
    close(fd);
  }
  ~WayToPage() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  WayToPage(const WayToPage&) = delete;
  WayToPage& operator=(const WayToPage&) = delete;
  explicit operator bool() const { return written_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool written_ = false;
};

bool HasScreen() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

// Opens a browser by the usual command to open pages, if there is one.
void OpenBrowser(const WayToPage& way) {
  if (!way || fork() != 0) return;
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  execlp("xdg-open", "xdg-open", way.path().c_str(), nullptr);
  _exit(127);
}

void SayTunnel(uint16_t port) {
  if (std::getenv("SSH_CONNECTION") == nullptr) return;
  char host[256] = "HOST";
  gethostname(host, sizeof host - 1);
  fprintf(stderr, "epk view: from your own machine: ssh -L %u:127.0.0.1:%u %s, then open the address there\n", port,
          port, host);
}

int Serve(const TimelineOptions& options, std::string page_template,
          const std::vector<std::unique_ptr<TimelineSide>>& sides) {
  std::vector<timeline::Artist> artists;
  for (const auto& side : sides) artists.emplace_back(&side->opened.traces, &side->opened.timeline);
  const std::string page = Page(std::move(page_template), sides[0]->path, sides[0]->opened);
  const std::string described = SidesJson(sides);
  const auto answer = [&](const serve::Request& request) -> serve::Response {
    const int64_t side = NumberIn(request, "side", 0);
    const bool is_known = side >= 0 && side < static_cast<int64_t>(sides.size());
    if (request.path == "/") return {200, "text/html; charset=utf-8", page, false};
    if (request.path == "/alive") return {200, "text/event-stream", "", true};
    if (request.path == "/sides") return {200, "application/json", described, false};
    const auto n = static_cast<size_t>(is_known ? side : 0);
    if (request.path == "/tiles" && is_known) return Tiles(request, artists[n], sides[n]->opened.timeline);
    if (request.path == "/find" && is_known) return Find(request, artists[n], sides[n]->opened.timeline);
    return {404, "text/plain; charset=utf-8", "no such page\n", false};
  };
  serve::ServerOptions server_options;
  server_options.port = static_cast<uint16_t>(options.port);
  server_options.linger_seconds = kLingerSeconds;
  serve::Server server(server_options, answer);
  if (!server.Listen()) throw Fault(server.Error());
  printf("%s\n", server.Url().c_str());
  fflush(stdout);
  SayTunnel(server.Port());
  std::optional<WayToPage> way;
  if (!options.no_browser && HasScreen()) OpenBrowser(way.emplace(server.Url()));
  server.Run();
  return kDone;
}

// The time of the first call of the region at which both archives are aligned.
int64_t AlignAt(const std::string& region, const TimelineSide& side) {
  if (region.empty()) return side.opened.timeline.from;
  const timeline::Artist artist(&side.opened.traces, &side.opened.timeline);
  const timeline::Found found = artist.Find({region, side.opened.timeline.from - 1, false});
  if (found.column == timeline::kNoPath) throw Fault("--align " + region + ": " + side.path + " has no such call");
  return found.call.enter;
}

int ShowTimeline(const TimelineOptions& options) {
  if (!options.align.empty() && options.other.empty()) throw UsageError("--align needs two archives");
  if (!options.export_to.empty() && !options.other.empty()) throw UsageError("--export writes one archive");
  std::string page_template;
  if (options.export_to.empty()) page_template = PageTemplate();
  std::vector<std::unique_ptr<TimelineSide>> sides;
  for (const std::string& path : {NamedOrNewestTrace(options.archive, "view"), options.other}) {
    if (path.empty()) continue;
    sides.push_back(std::make_unique<TimelineSide>());
    sides.back()->path = path;
    OpenTimeline(path, &sides.back()->opened);
  }
  if (!options.export_to.empty()) return Export(options, sides[0]->opened);
  for (const auto& side : sides) side->shift = AlignAt(options.align, *sides[0]) - AlignAt(options.align, *side);
  return Serve(options, std::move(page_template), sides);
}

}  // namespace

void AddView(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<TimelineOptions>();
  app.AddOption("archive", options->archive, "An epik_* directory with a trace (default: the newest here)");
  app.AddOption("other", options->other, "A second archive, to be drawn below the first one");
  app.AddOption("--align", options->align, "With two archives: a region whose first calls stand one above the other")
      .TypeName("REGION");
  app.AddOption("--port", options->port, "The port to serve; 0: any free one (default)")
      .Check(WholeNumberFrom(0, 65535));
  app.AddFlag("--no-browser", options->no_browser, "Open no browser");
  const auto to_file =
      app.AddOption("--export", options->export_to, "Write what the view would draw, as JSON").TypeName("FILE");
  app.AddOption("--from", options->from, "With --export: begin, seconds or a time such as 20ms")
      .TypeName("T")
      .Needs(to_file);
  app.AddOption("--to", options->to, "With --export: end").TypeName("T").Needs(to_file);
  app.AddOption("--bins", options->bins, "With --export: how many bins (default: 1000)")
      .Check(WholeNumberFrom(1, timeline::kMostBinsAsked))
      .Needs(to_file);
  app.AddFlag("--unfold", options->unfold, "With --export: a row for each location").Needs(to_file);
  app.Footer(kViewManual);
  run = [options] { return ShowTimeline(*options); };
}

}  // namespace epik::epk
