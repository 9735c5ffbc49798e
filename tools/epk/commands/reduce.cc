// SPDX-License-Identifier: BSD-3-Clause
// epk reduce: makes a filter from profiles by rules, again and again until the rules find no more to exclude.
#include "analysis/reduce.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analysis/filter_text.h"
#include "analysis/pop.h"
#include "analysis/score.h"
#include "archive/directory/archive.h"
#include "archive/files/special_file.h"
#include "config/own_executable.h"
#include "tools/epk/archives_here.h"
#include "tools/epk/calibrated.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"
#include "tools/instrument/filter.h"
#include "tools/instrument/words.h"
#include "tools/launch/child.h"
#include "view/number.h"
#include "view/table.h"

namespace epik::epk {
namespace {

namespace fs = std::filesystem;
using analysis::ReduceRule;
using analysis::RegionCosts;

constexpr char kCallersManual[] = R"(
DESCRIPTION
  Takes out of the measurement what costs more than it tells: the functions for which a rule holds go into a filter,
  for the next run (`epk run -f`), the next build (`epk instrument --filter`), or as options of gcc. With several
  archives, it takes out what any of them alone would.

  When the output is a filter that epk reduce wrote, what it takes out stays taken out: a function whose callees are
  not measured any more looks shorter than it did, and a function that is not measured is not in the profile at all.
  So repeated runs with the same rules come to an end, at which nothing new is excluded. --until-fixed-point runs
  COMMAND with the growing filter in EPK_FILTER until then. The command may build as well: `sh -c 'make && ./solver'`.

RULES
    numcalls > 1000000 & usecs/call < 10      the rule when none is given; fewer
                                              calls below 100 s of CPU time
    percent < 1 | numcalls = 1                # either of them
    USR: excltime < 1000

  One a line, or with | between them; `#` begins a comment. Figures are those of the thread that calls the function
  most often: numcalls, numsubrs (calls made from it), usec or excltime (microseconds in itself), cumusec or inclusive
  (with what it called), usecs/call (inclusive), percent (inclusive, of all time). Comparisons are < > = != <= >=.
  A class before a condition (MPI, OMP, COM, USR, API, see `epk help score`) restricts the rule to it; MPI and OpenMP
  are taken out only by rules that name them.

CALLERS
  --only-mpi-callers writes a list of what to measure instead: the functions that lead to MPI. --only-callers-of WHAT
  does so for other things: a group (mpi, openmp, user, pthread), a region by its name or a pattern, or the field and
  pattern of a rule of filters, as "FILE src/io/". The functions that match are measured, too.

EXAMPLES
    epk reduce epik_solver_4x2_sum -o solver.filter
    epk reduce epik_*_sum --rules my.rules --format gcc
    epk reduce epik_solver_4x2_sum --only-callers-of openmp -o solver.filter
    epk reduce --until-fixed-point -o solver.filter -- mpirun -n 4 ./solver

SEE ALSO
  epk-score(1), epk-instrument(1), epk-run(1)
)";

struct CallersOptions {
  std::vector<std::string> words;  // archives, or the command
  std::string rules, output, format = "filter";
  std::string callers_of;  // a group, a region, or field and pattern
  bool only_mpi_callers = false, until_fixed_point = false, fresh = false;
  int rounds = 20;
};

struct Out {
  uint64_t visits = 0;
  double inclusive = 0, cost = 0;  // seconds
  std::string rule;
};

// Everything known about the program from all rounds and archives.
struct Reduction {
  std::vector<ReduceRule> rules;
  std::set<std::string> before;    // excluded by the output file before
  std::map<std::string, Out> out;  // excluded now, too
  std::set<std::string> callers;   // regions that lead to those that were asked for
  uint64_t visits = 0, visits_out = 0;
  double cost = 0, cost_out = 0;
  double computed = 0;  // CPU seconds; 0: not known
};

bool UsesDefaultRule(const CallersOptions& options) { return options.rules.empty() && options.callers_of.empty(); }

std::vector<ReduceRule> LoadRules(const CallersOptions& options) {
  std::vector<config::FilterProblem> problems;
  if (options.rules.empty()) return {};  // the default rules need a profile
  std::string text, error;
  if (!analysis::ReadText(options.rules, &text, &error)) throw Fault(error);
  std::vector<ReduceRule> rules = analysis::ParseRules(text, &problems);
  for (const std::string& line : config::RenderProblems(options.rules, problems)) {
    TellUser("reduce", line);
  }
  if (rules.empty()) throw Fault(options.rules + ": no rule in it");
  return rules;
}

std::string Unescaped(const std::string& pattern) {
  std::string name;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    name += pattern[i];
  }
  return name;
}

// The first line of each filter that this command writes.
std::string FirstLine() { return std::string(analysis::kWrittenByUs) + "epk reduce\n"; }

bool IsByReduce(const std::string& path) {
  std::string text, none;
  return analysis::ReadText(path, &text, &none) && text.starts_with(FirstLine());
}

// Whether this run writes the rule again: the names that it remembers, and what --only-callers-of makes anew.
bool IsWrittenAgain(const config::FilterRule& rule, bool makes_callers) {
  if (rule.field != config::FilterField::kRegion) return false;
  if (rule.include || rule.pattern == "*") return makes_callers;
  return rule.Text() == "EXCLUDE REGION " + analysis::AsPattern(Unescaped(rule.pattern));
}

// The regions that the output file excludes so far; none when the file is not ours. A file with rules that would be
// lost is not replaced: `epk score --suggest` or the user has put them there.
void Remember(const CallersOptions& options, Reduction* reduction) {
  if (options.fresh || options.output.empty() || archive::IsSpecialFile(options.output)) return;
  config::Filter filter;
  std::vector<std::string> ignored;
  std::string none;
  if (!analysis::ReadFilter(options.output, &filter, &ignored, &none)) return;
  const bool makes_callers = !options.callers_of.empty() && IsByReduce(options.output);
  for (const config::FilterRule& rule : filter.rules()) {
    if (!IsWrittenAgain(rule, makes_callers)) {
      throw Fault(options.output + ":" + std::to_string(rule.line) + ": " + rule.Text() +
                  " would be lost: give another name with -o, or --fresh to start anew");
    }
    if (!rule.include && rule.field == config::FilterField::kRegion && rule.pattern != "*") {
      reduction->before.insert(Unescaped(rule.pattern));
    }
  }
}

// A filter that excludes the regions that --only-callers-of does not select.
config::Filter CalledBy(const std::string& words) {
  const std::string first = words.substr(0, words.find(' '));
  const auto is_one = [](const std::string& word, std::initializer_list<const char*> of) {
    return std::any_of(of.begin(), of.end(), [&word](const char* each) { return word == each; });
  };
  std::string rule = "REGION " + words;
  if (is_one(words, {"mpi", "openmp", "user", "pthread"})) rule = "GROUP " + words;
  if (first != words && is_one(first, {"REGION", "MANGLED", "FILE", "OBJECT", "GROUP"})) rule = words;
  std::vector<config::FilterProblem> problems;
  config::Filter filter = config::Filter::Parse("EXCLUDE " + rule + "\n", &problems);
  if (!problems.empty()) throw UsageError("--only-callers-of " + words + ": " + problems[0].text);
  return filter;
}

void AddCallers(const archive::Profile& profile, const std::string& words, Reduction* reduction) {
  const std::vector<bool> wanted = analysis::Excluded(profile, CalledBy(words), nullptr);
  const std::vector<bool> leads = analysis::LeadingTo(profile, wanted);
  for (uint32_t r = 0; r < profile.regions.size(); ++r) {
    if (leads[r] && profile.regions[r].role != "artificial") reduction->callers.insert(profile.regions[r].name);
  }
}

// The seconds in which the thread that computes most was on a CPU; an upper bound, because an archive has the CPU time
// of all threads together. Functions may wait unseen, but they cannot have computed longer than that.
double ComputedSeconds(const archive::Profile& profile, const archive::Manifest& manifest) {
  const double busiest = analysis::Pop(profile).Whole().useful_max;
  return manifest.cpu_seconds > 0 ? std::min(busiest, manifest.cpu_seconds) : busiest;
}

// 100 s of computation may have a million calls, the limit of TAU's rule. Shorter computation may have proportionally
// fewer. Waiting does not count, because it makes no call cheaper.
std::vector<ReduceRule> DefaultRules(const archive::Profile& profile, const archive::Manifest& manifest) {
  constexpr double kCallsASecond = 1e4, kFewest = 1e3, kMost = 1e6;
  char text[80];
  const double calls = std::clamp(ComputedSeconds(profile, manifest) * kCallsASecond, kFewest, kMost);
  snprintf(text, sizeof text, "numcalls > %.0f & usecs/call < 10", calls);
  std::vector<config::FilterProblem> none;
  return analysis::ParseRules(text, &none);
}

// Adds one profile. Returns how many functions it brought that were not excluded before.
size_t AddArchive(const std::string& path, const CallersOptions& options, Reduction* reduction) {
  archive::Archive archive;
  archive::Profile profile;
  std::string error;
  if (!archive::Open(path, &archive, &error) || !archive.ReadProfile(&profile, &error)) throw Fault(error);
  TakeCosts("reduce", &archive.manifest);
  const archive::Manifest& manifest = archive.manifest;
  const std::vector<RegionCosts> costs = analysis::CostsOf(profile);
  const analysis::Prices prices = analysis::PricesOf(manifest, costs);
  reduction->computed += manifest.cpu_seconds;
  if (UsesDefaultRule(options) && reduction->rules.empty()) {
    reduction->rules = DefaultRules(profile, archive.manifest);
  }
  const std::vector<uint32_t> by = analysis::ApplyRules(profile, costs, reduction->rules);
  if (!options.callers_of.empty()) AddCallers(profile, options.callers_of, reduction);
  size_t fresh = 0;
  for (uint32_t r = 0; r < costs.size(); ++r) {
    const analysis::Cost sum = costs[r].Sum();
    const double cost = analysis::OverheadOf(sum, prices);
    reduction->visits += sum.visits;
    reduction->cost += cost;
    const std::string& name = profile.regions[r].name;
    if (by[r] == archive::kNone) continue;
    reduction->visits_out += sum.visits;
    reduction->cost_out += cost;
    Out& out = reduction->out[name];
    if (out.visits == 0 && reduction->before.count(name) == 0) ++fresh;
    out.visits += sum.visits;
    out.inclusive += sum.inclusive;
    out.cost += cost;
    out.rule = reduction->rules[by[r]].text;
  }
  return fresh;
}

std::string FilterText(const CallersOptions& options, const Reduction& reduction) {
  std::string text = FirstLine();
  for (const ReduceRule& rule : reduction.rules) text += "# " + rule.text + "\n";
  if (!options.callers_of.empty()) {
    text += "EXCLUDE REGION *\n";
    for (const std::string& name : reduction.callers) text += "INCLUDE REGION " + analysis::AsPattern(name) + "\n";
  }
  std::set<std::string> names = reduction.before;
  for (const auto& each : reduction.out) names.insert(each.first);
  for (const std::string& name : names) text += "EXCLUDE REGION " + analysis::AsPattern(name) + "\n";
  return text;
}

void Show(const Reduction& reduction) {
  using enum view::Align;
  view::Table table({{"calls", kRight}, {"a call", kRight}, {"cost", kRight}, {"excluded", kLeft, true}});
  std::vector<std::pair<std::string, Out>> order(reduction.out.begin(), reduction.out.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.visits > b.second.visits; });
  for (const auto& [name, out] : order) {
    table.AddRow({view::Count(out.visits), view::Seconds(out.inclusive / static_cast<double>(out.visits)),
                  view::Seconds(out.cost), name});
  }
  if (!table.empty()) fputs(table.Render(view::DetectTerminal(STDERR_FILENO)).c_str(), stderr);
  const double share =
      reduction.visits == 0 ? 0 : static_cast<double>(reduction.visits_out) / static_cast<double>(reduction.visits);
  std::string of_computation;
  if (reduction.computed > 0) {
    const double part = std::min(reduction.cost_out / reduction.computed, 1.0);
    of_computation = ", " + view::Share(part) + " of the CPU time";
  }
  const std::string before = reduction.before.empty() ? "" : ", " + std::to_string(reduction.before.size()) + " before";
  TellUser("reduce", std::to_string(reduction.out.size()) + " excluded" + before + ": saves " +
                         view::Count(2 * reduction.visits_out) + " of " + view::Count(2 * reduction.visits) +
                         " events (" + view::Share(share) + ") and about " + view::Seconds(reduction.cost_out) +
                         " of measuring" + of_computation);
}

std::string GccFlags(const std::string& filter_text, const std::string& filter_name) {
  const instrument::Filter filter = instrument::ParseFilter(filter_text);
  instrument::Words flags;
  if (!filter.functions.empty()) {
    flags.push_back(instrument::JoinForGcc("-finstrument-functions-exclude-function-list", filter.functions));
  }
  if (!filter.files.empty()) {
    flags.push_back(instrument::JoinForGcc("-finstrument-functions-exclude-file-list", filter.files));
  }
  for (const std::string& line : filter.inexpressible) {
    fprintf(stderr, "epk reduce: gcc cannot leave out %s: use %s in the run\n", line.c_str(), filter_name.c_str());
  }
  return flags.empty() ? "" : instrument::ShellQuote(flags) + "\n";
}

void WriteOut(const CallersOptions& options, const Reduction& reduction) {
  const std::string text = FilterText(options, reduction);
  std::string error;
  if (options.format != "gcc" && options.output.empty()) fputs(text.c_str(), stdout);
  if (!options.output.empty() && !analysis::WriteFilter(options.output, text, &error)) throw Fault(error);
  if (options.format != "filter") {
    fputs(GccFlags(text, options.output.empty() ? "the filter" : options.output).c_str(), stdout);
  }
}

// The archives in a folder, oldest first.
std::vector<std::string> ArchivesIn(const fs::path& folder) {
  std::vector<std::string> archives;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool finished = name.size() < 11 || name.compare(name.size() - 11, 11, archive::kUnfinishedSuffix) != 0;
    if (name.rfind("epik_", 0) == 0 && finished) archives.push_back(entry.path().string());
  }
  std::sort(archives.begin(), archives.end());
  return archives;
}

// A folder for the archives of one round. It is removed with the round.
class RoundFolder {
 public:
  RoundFolder() {
    std::string name = (fs::temp_directory_path() / "epik_reduce_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Fault("cannot make a folder in " + fs::temp_directory_path().string());
    path_ = name;
  }
  ~RoundFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  RoundFolder(const RoundFolder&) = delete;
  RoundFolder& operator=(const RoundFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Puts `epk run` before the command, unless the command has it already.
std::vector<std::string> Measured(std::vector<std::string> words) {
  if (fs::path(words[0]).filename() == "epk") return words;
  const std::string self = config::OwnExecutable();
  words.insert(words.begin(), {self.empty() ? "epk" : self, "run"});
  return words;
}

// Removes the new filter again if no round succeeded.
class NewFilter {
 public:
  explicit NewFilter(std::string path) : path_(std::move(path)) {
    std::error_code ignored;
    is_new_ = !fs::exists(path_, ignored);
  }
  ~NewFilter() {
    std::error_code ignored;
    if (is_new_) fs::remove(path_, ignored);
  }
  NewFilter(const NewFilter&) = delete;
  NewFilter& operator=(const NewFilter&) = delete;
  void Keep() { is_new_ = false; }

 private:
  std::string path_;
  bool is_new_ = false;
};

int FindFixedPoint(const CallersOptions& options) {
  if (options.output.empty()) throw UsageError("--until-fixed-point needs -o FILE: the filter that grows");
  if (options.words.empty()) throw UsageError("--until-fixed-point needs a command to run");
  const std::vector<std::string> command = Measured(options.words);
  NewFilter filter(options.output);
  for (int round = 1; round <= options.rounds; ++round) {
    Reduction reduction;
    reduction.rules = LoadRules(options);
    if (round > 1 || !options.fresh) {
      CallersOptions remembered = options;
      remembered.fresh = false;
      Remember(remembered, &reduction);
    }
    // The file exists from the first round on, so that a build can use it, too.
    std::string error;
    if (!analysis::WriteFilter(options.output, FilterText(options, reduction), &error)) throw Fault(error);
    const RoundFolder folder;
    const launch::Ending ending =
        launch::RunChild(command, {{"EPK_FILTER", fs::absolute(options.output).string()}, {"EPK_GDIR", folder.path()}});
    if (ending.error != 0) throw Fault("cannot start " + options.words[0]);
    if (ending.signal != 0 || ending.status != 0) {
      throw Fault("round " + std::to_string(round) + ": the command failed" +
                  (round > 1 ? "; " + options.output + " holds what is known so far" : ""));
    }
    const std::vector<std::string> archives = ArchivesIn(folder.path());
    if (archives.empty()) throw Fault("round " + std::to_string(round) + ": the command left no archive");
    size_t fresh = 0;
    for (const std::string& archive : archives) fresh += AddArchive(archive, options, &reduction);
    filter.Keep();
    if (fresh == 0) {
      WriteOut(options, reduction);
      fprintf(stderr, "epk reduce: fixed point after %d %s: %zu excluded, measuring takes about %s\n", round,
              round == 1 ? "round" : "rounds", reduction.before.size(), view::Seconds(reduction.cost).c_str());
      return kDone;
    }
    fprintf(stderr, "epk reduce: round %d excludes %zu more\n", round, fresh);
    if (!analysis::WriteFilter(options.output, FilterText(options, reduction), &error)) throw Fault(error);
  }
  fprintf(stderr, "epk reduce: no fixed point after %d rounds\n", options.rounds);
  return kFault;
}

int Reduce(CallersOptions options) {
  if (options.until_fixed_point) return FindFixedPoint(options);
  if (options.words.empty()) options.words = {NamedOrNewest("", "reduce")};
  Reduction reduction;
  reduction.rules = LoadRules(options);
  Remember(options, &reduction);
  size_t fresh = 0;
  for (const std::string& archive : options.words) fresh += AddArchive(archive, options, &reduction);
  if (!reduction.rules.empty()) Show(reduction);
  if (!options.callers_of.empty()) {
    if (reduction.callers.empty()) throw Fault("nothing leads to " + options.callers_of);
    fprintf(stderr, "epk reduce: %zu regions lead to %s\n", reduction.callers.size(),
            options.only_mpi_callers ? "MPI" : options.callers_of.c_str());
  }
  WriteOut(options, reduction);
  if (!reduction.rules.empty() && fresh == 0) {
    TellUser("reduce", "these rules exclude nothing more");
  }
  return kDone;
}

}  // namespace

void AddReduce(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<CallersOptions>();
  app.AddOption("archive", options->words, "archives (default: the newest here), or the command to run")
      .TypeName("ARCHIVE");
  app.AddOption("--rules", options->rules,
                "the rules (default: numcalls > 1000000 & usecs/call < 10, of less than 100 s of computation fewer "
                "calls in proportion)")
      .TypeName("FILE");
  app.AddFlag("--only-mpi-callers", options->only_mpi_callers, "measure only what leads to MPI");
  app.AddOption("--only-callers-of", options->callers_of,
                "measure only what leads to that: openmp, a region, FILE src/io/")
      .TypeName("WHAT");
  app.AddOption("-o,--output", options->output, "where the filter goes (default: standard output)").TypeName("FILE");
  app.AddOption("--format", options->format, "filter, gcc (options for the compiler) or both")
      .OneOf({"filter", "gcc", "both"});
  app.AddFlag("--fresh", options->fresh, "start anew: forget what the output file excludes");
  app.AddFlag("--until-fixed-point", options->until_fixed_point, "run the command until nothing new is excluded");
  app.AddOption("--rounds", options->rounds, "give up after so many (default: 20)").Positive();
  app.Footer(kCallersManual);
  run = [options] {
    if (options->only_mpi_callers) options->callers_of = "mpi";
    return Reduce(*options);
  };
}

}  // namespace epik::epk
