// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "analysis/causes/classes.h"
#include "analysis/findings/cause_profile.h"
#include "analysis/findings/findings.h"
#include "archive/profile/path_names.h"
#include "report/views/found.h"
#include "report/views/views.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/text.h"

namespace epik::report {

using findings::Cost;

namespace {

constexpr size_t kDefaultChains = 10, kDefaultPlaces = 20, kDefaultPairs = 10;
// AddCauses (cause_profile.cc) gives this ending to costs for others that came by way of further locations.
constexpr std::string_view kLongterm = "_longterm";

Sheet Rows(const archive::Profile& profile, const std::vector<Cost>& costs) {
  Sheet sheet;
  sheet.key = "causes";
  sheet.columns = {{"rank", "rank", Unit::kCount},
                   {"thread", "thread", Unit::kCount},
                   {"callpath", "call path", Unit::kText},
                   {"kind", "kind", Unit::kText},
                   {"seconds", "cost", Unit::kSeconds}};
  const archive::PathNames names(profile);
  for (const Cost& cost : costs) {
    const archive::Location& location = profile.locations[cost.location];
    sheet.rows.push_back({static_cast<uint64_t>(std::max(profile.processes[location.process].rank, 0)),
                          static_cast<uint64_t>(std::max(location.thread, 0)), names.Of(cost.path), cost.kind,
                          cost.seconds});
  }
  return sheet;
}

// The cost of a thread's call path for others that waited, over all kinds of waiting. Idle threads do not wait.
struct CostPlace {
  double direct = 0, longterm = 0;
};

Sheet Places(const Figures& f, const std::vector<Cost>& costs) {
  const archive::Profile& profile = f.profile;
  std::map<std::pair<uint32_t, uint32_t>, CostPlace> places;
  for (const Cost& cost : costs) {
    if (cost.kind.starts_with(causes::Classes()[causes::kIdle].metric)) continue;
    CostPlace& place = places[{cost.location, cost.path}];
    (cost.kind.ends_with(kLongterm) ? place.longterm : place.direct) += cost.seconds;
  }
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, CostPlace>> sorted(places.begin(), places.end());
  // Places with the same cost keep the order of the map, so the same profile gives the same text.
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.direct + a.second.longterm > b.second.direct + b.second.longterm;
  });
  Sheet sheet;
  sheet.key = "places";
  sheet.hidden_prefix = RootPrefix(f);
  sheet.columns = {{"seconds", "cost", Unit::kSeconds},
                   {"direct_s", "direct", Unit::kSeconds, 1},
                   {"longterm_s", "by others", Unit::kSeconds, 2},
                   {"who", "by", Unit::kText},
                   {"callpath", "call path", Unit::kText}};
  const archive::PathNames names(profile);
  for (const auto& [where, place] : sorted) {
    sheet.rows.push_back({place.direct + place.longterm, place.direct, place.longterm,
                          LocationName(profile, where.first), names.Of(where.second)});
  }
  return sheet;
}

Sheet Pairs(const findings::Findings& found) {
  Sheet sheet;
  sheet.key = "pairs";
  sheet.columns = {
      {"seconds", "time", Unit::kSeconds}, {"waiter", "who waits", Unit::kText}, {"waited_for", "for", Unit::kText}};
  for (const findings::Pair& pair : found.pairs) {
    sheet.rows.push_back({pair.seconds, NameOf(pair.waiter), NameOf(pair.waited_for)});
  }
  return sheet;
}

Sheet Chains(const findings::Findings& found) {
  Sheet sheet;
  sheet.key = "chains";
  sheet.columns = {
      {"seconds", "time", Unit::kSeconds}, {"instances", "times", Unit::kCount},      {"text", "cause", Unit::kText},
      {"kind", "", Unit::kText},           {"wait_state", "wait state", Unit::kText}, {"metric", "", Unit::kText}};
  for (const findings::Chain& chain : found.chains) {
    sheet.rows.push_back({chain.seconds, chain.instances, chain.text, chain.kind,
                          WaitStateInWords(chain.wait_state, chain.kind), chain.wait_state});
  }
  return sheet;
}

// Whether call paths without a call in the trace have more than a trifle of the costs.
bool HasEstimates(const Figures& f, const std::vector<Cost>& costs) {
  constexpr double kTrifle = 0.001;
  double all = 0, estimated = 0;
  for (const Cost& cost : costs) {
    all += cost.seconds;
    if (f.visits[cost.path] == 0) estimated += cost.seconds;
  }
  return estimated > kTrifle * all;
}

}  // namespace

std::string NameOf(const findings::Who& who) {
  return who.rank < 0 ? "?" : std::to_string(who.rank) + ":" + std::to_string(who.thread);
}

std::string EstimateInWords(const view::Terminal& terminal) {
  return "\n" + view::Wrapped("",
                              "The trace does not have all calls. Times of those that it lacks are estimated by the "
                              "summary (EPK_TRACE=all has them).",
                              0, terminal.width);
}

size_t ChainsThatMatter(const findings::Findings& found, size_t most) {
  constexpr double kMatters = 0.01;  // of all waiting
  size_t count = 0;
  while (count < std::min(most, found.chains.size()) && found.chains[count].seconds >= kMatters * found.waited_s) {
    ++count;
  }
  return std::max<size_t>(count, 1);
}

std::string ChainsInWords(const findings::Findings& found, size_t most, const std::string& label,
                          const view::Terminal& terminal) {
  std::string text;
  for (size_t c = 0; c < found.chains.size() && (most == 0 || c < most); ++c) {
    const findings::Chain& chain = found.chains[c];
    // A thread may wait in several ways in one call, so the sentence alone does not tell.
    const std::string way = WaitStateInWords(chain.wait_state, chain.kind);
    text += view::Labelled(c == 0 ? label : "",
                           view::Seconds(chain.seconds, terminal.unicode) +
                               (way.empty() ? "" : ", " + view::Printable(way)) + ": " +
                               terminal.Spelled(view::Printable(chain.text)),
                           terminal.width);
  }
  return text;
}

bool MakeCauses(const Figures& f, const ViewOptions& options, ViewData* view, std::string* error) {
  // Both are needed: the profile has the costs by call path, the findings have chains and pairs.
  if (!findings::HasCauses(f.profile) || options.findings == nullptr) {
    *error = "this profile has no causes: epk analyze finds them in a trace";
    return false;
  }
  const std::vector<Cost> costs = findings::CostsOf(f.profile);
  view->sheets.push_back(Rows(f.profile, costs));
  view->sheets.push_back(Places(f, costs));
  view->sheets.push_back(Pairs(*options.findings));
  view->sheets.push_back(Chains(*options.findings));
  view->totals = {{"waited_s", options.findings->waited_s},
                  {"waits", options.findings->waits},
                  {"unknown_s", options.findings->unknown_s}};
  // Programs still get the tables. People need not see empty tables.
  if (options.findings->waits == 0) {
    view->text = "Nobody waited for anybody, as far as the trace tells.\n";
    return true;
  }
  view->text = ChainsInWords(*options.findings, options.TopOr(kDefaultChains), "causes", options.terminal) +
               (options.findings->by_summary && HasEstimates(f, costs) ? EstimateInWords(options.terminal) : "") +
               "\nWhat made others wait\n" +
               RenderSheet(view->sheets[1], options.TopOr(kDefaultPlaces), options.terminal) +
               "\nWho waited for whom\n" + RenderSheet(view->sheets[2], options.TopOr(kDefaultPairs), options.terminal);
  view->next = "`--critical` shows what the length of the run depends on; `--instances` the longest waits.";
  return true;
}

}  // namespace epik::report
