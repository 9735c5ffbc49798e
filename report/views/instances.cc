// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analysis/causes/classes.h"
#include "report/views/found.h"
#include "report/views/views.h"
#include "view/name.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/text.h"

namespace epik::report {

namespace {

constexpr double kMatters = 0.01;     // of the longest wait: shorter ones have no sentence
constexpr size_t kPathColumns = 100;  // of a call path in a sentence; the table of --instances has more room

std::string LabelOf(const std::string& kind) {
  for (const causes::ClassInfo& info : causes::Classes()) {
    if (kind == info.metric) return info.label;
  }
  return kind;
}

double LengthOf(const findings::Instance& instance) { return instance.to_s - instance.from_s; }

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
  for (size_t i = 0; i < std::min(most, found.instances.size()); ++i) {
    const findings::Instance& instance = found.instances[i];
    if (i > 0 && LengthOf(instance) < kMatters * LengthOf(found.instances[0])) break;
    std::string_view path = instance.callpath;
    if (path.starts_with(root)) path.remove_prefix(root.size());
    const std::string at = view::Seconds(instance.from_s, terminal.unicode);
    const std::string wait = view::Seconds(LengthOf(instance), terminal.unicode) + " from " + at +
                             " on: " + WhoInWords(figures, instance.who) + " waits for " +
                             WhoInWords(figures, instance.waited_for) + " (" + LabelOf(instance.kind) + ") in ";
    text += view::Labelled(i == 0 ? label : "", wait + view::ShortPath(view::SplitPath(path), kPathColumns, terminal),
                           terminal.width);
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
                   {"callpath", "call path", Unit::kText}};
  for (const findings::Instance& instance : options.findings->instances) {
    sheet.rows.push_back({instance.to_s - instance.from_s, instance.from_s, instance.to_s,
                          static_cast<uint64_t>(std::max(instance.who.rank, 0)),
                          static_cast<uint64_t>(std::max(instance.who.thread, 0)), NameOf(instance.who),
                          NameOf(instance.waited_for), instance.kind, LabelOf(instance.kind), instance.callpath});
  }
  constexpr size_t kDefaultInstances = 20;
  view->totals = {{"instances", uint64_t{sheet.rows.size()}}};
  view->text = sheet.rows.empty() ? "Nobody waited for anybody, as far as the trace tells.\n"
                                  : RenderSheet(sheet, options.TopOr(kDefaultInstances), options.terminal);
  view->next = "`epk print ARCHIVE --time FROM-TO` shows what went on then; `epk view` draws it.";
  view->sheets.push_back(std::move(sheet));
  return true;
}

}  // namespace epik::report
