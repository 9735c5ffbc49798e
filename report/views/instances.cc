// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "report/views/found.h"
#include "report/views/views.h"
#include "view/name.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/text.h"

namespace epik::report {

namespace {

constexpr double kLeastOfLongest = 0.01;  // of the longest wait: shorter ones have no sentence
constexpr size_t kPathColumns = 100;      // of a call path in a sentence; the table of --instances has more room

constexpr size_t kStateColumn = 8;  // of the table

// "32.0 ms from 1.20 s on", or "32.0 ms between 1.20 s and 1.30 s" if the thread did something else in between.
std::string WhenInWords(const findings::Instance& instance, const view::Terminal& terminal) {
  constexpr double kTrifle = 0.001;
  const auto in_words = [&](double seconds) { return view::Seconds(seconds, terminal.unicode); };
  const bool is_whole = instance.to_s - instance.from_s - instance.seconds <= kTrifle * instance.seconds;
  return in_words(instance.seconds) +
         (is_whole ? " from " + in_words(instance.from_s) + " on"
                   : " between " + in_words(instance.from_s) + " and " + in_words(instance.to_s));
}

// Parts of a wait state are other words for the same waits.
bool IsPart(const findings::Instance& instance) {
  const patterns::PatternInfo* info = InfoOf(instance.wait_state);
  return info != nullptr && WholeOf(*info) != nullptr;
}

// "rank 3", or in a run with several threads in a process "thread 3:1", as causes name them.
std::string WhoInWords(const Figures& figures, const findings::Who& who) {
  const auto& locations = figures.profile.locations;
  const bool several = std::any_of(locations.begin(), locations.end(), [](const auto& l) { return l.thread > 0; });
  if (who.rank < 0) return "somebody";
  return several ? "thread " + NameOf(who) : "rank " + std::to_string(who.rank);
}

}  // namespace

std::string InstancesInWords(const Figures& figures, const findings::Findings& found, size_t most,
                             const std::string& label, const view::Terminal& terminal) {
  const std::string root = RootPrefix(figures);
  std::string text;
  size_t told = 0;
  for (const findings::Instance& instance : found.instances) {
    if (IsPart(instance)) continue;
    const bool is_trifle = told > 0 && instance.seconds < kLeastOfLongest * found.instances[0].seconds;
    if (told == most || is_trifle) break;
    std::string_view path = instance.callpath;
    if (path.starts_with(root)) path.remove_prefix(root.size());
    const std::string wait = WhenInWords(instance, terminal) + ": " + WhoInWords(figures, instance.who) +
                             " waits for " + WhoInWords(figures, instance.waited_for) + " (" +
                             WaitStateInWords(instance.wait_state, instance.kind) + ") in ";
    text += view::Labelled(told++ == 0 ? label : "",
                           wait + view::ShortPath(view::SplitPath(path), kPathColumns, terminal), terminal.width);
  }
  return text;
}

bool MakeInstances(const Figures& figures, const ViewOptions& options, ViewData* view, std::string* error) {
  if (options.findings == nullptr) {
    *error = "this archive has no instances of waits: epk analyze finds them in a trace";
    return false;
  }
  Sheet sheet;
  sheet.key = "instances";
  sheet.hidden_prefix = RootPrefix(figures);
  sheet.columns = {{"seconds", "time", Unit::kSeconds},
                   {"from_s", "from", Unit::kSeconds, 3},
                   {"to_s", "to", Unit::kSeconds, 4},
                   {"rank", "", Unit::kCount},
                   {"thread", "", Unit::kCount},
                   {"who", "who", Unit::kText, 1},
                   {"waited_for", "for", Unit::kText, 2},
                   {"kind", "", Unit::kText},
                   {"wait_state", "wait state", Unit::kText},
                   {"callpath", "call path", Unit::kText},
                   {"metric", "", Unit::kText}};
  for (const findings::Instance& instance : options.findings->instances) {
    sheet.rows.push_back(
        {instance.seconds, instance.from_s, instance.to_s, static_cast<uint64_t>(std::max(instance.who.rank, 0)),
         static_cast<uint64_t>(std::max(instance.who.thread, 0)), NameOf(instance.who), NameOf(instance.waited_for),
         instance.kind, WaitStateInWords(instance.wait_state, instance.kind), instance.callpath, instance.wait_state});
  }
  constexpr size_t kDefaultInstances = 20;
  view->totals = {{"instances", uint64_t{sheet.rows.size()}}};
  view->text = sheet.rows.empty() ? "Nobody waited for anybody, as far as the trace tells.\n"
                                  : RenderSheet(sheet, options.TopOr(kDefaultInstances), options.terminal) +
                                        PartsInWords(sheet, kStateColumn, options.terminal);
  view->next = "`epk print ARCHIVE --time FROM-TO` shows what went on then; `epk view` draws it.";
  view->sheets.push_back(std::move(sheet));
  return true;
}

}  // namespace epik::report
