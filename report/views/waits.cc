// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "analysis/patterns/wait_profile.h"
#include "report/views/views.h"
#include "view/number.h"

namespace epik::report {

using patterns::Wait;

namespace {

// A wait state at a call path, all locations.
struct Place {
  uint32_t pattern = 0, path = 0;
  double seconds = 0;
  uint64_t instances = 0;
  double most = 0;
  uint32_t who = 0;  // location that waited most
};

std::vector<Place> Places(const std::vector<Wait>& waits) {
  std::map<std::pair<uint32_t, uint32_t>, Place> places;
  for (const Wait& wait : waits) {
    Place& place = places[{wait.pattern, wait.path}];
    place.pattern = wait.pattern;
    place.path = wait.path;
    place.seconds += wait.seconds;
    place.instances += wait.instances;
    if (wait.seconds > place.most) {
      place.most = wait.seconds;
      place.who = wait.location;
    }
  }
  std::vector<Place> sorted;
  for (const auto& [key, place] : places) sorted.push_back(place);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Place& a, const Place& b) { return a.seconds > b.seconds; });
  return sorted;
}

std::string NameOf(const epitome::Profile& profile, uint32_t location) {
  const epitome::Location& known = profile.locations[location];
  return std::to_string(profile.processes[known.process].rank) + ":" + std::to_string(known.thread);
}

Sheet Rows(const epitome::Profile& profile, const std::vector<Wait>& waits) {
  Sheet sheet;
  sheet.key = "waits";
  sheet.columns = {{"rank", "rank", Unit::kCount},         {"thread", "thread", Unit::kCount},
                   {"callpath", "call path", Unit::kText}, {"pattern", "wait state", Unit::kText},
                   {"seconds", "time", Unit::kSeconds},    {"instances", "instances", Unit::kCount}};
  for (const Wait& wait : waits) {
    const epitome::Location& location = profile.locations[wait.location];
    sheet.rows.push_back({static_cast<uint64_t>(std::max(profile.processes[location.process].rank, 0)),
                          static_cast<uint64_t>(std::max(location.thread, 0)), profile.PathName(wait.path),
                          std::string(patterns::AllPatterns()[wait.pattern]->name), wait.seconds, wait.instances});
  }
  return sheet;
}

// Of a summary: calls whose partners could not be asked.
uint64_t UnknownWaits(const epitome::Profile& profile) {
  const uint32_t metric = profile.FindMetric("mpi_waits_unknown");
  uint64_t calls = 0;
  for (uint32_t path = 0; metric != epitome::kNone && path < profile.call_paths.size(); ++path) {
    for (uint32_t l = 0; profile.values[metric].Has(path) && l < profile.locations.size(); ++l) {
      calls += profile.values[metric].Integer(path, l);
    }
  }
  return calls;
}

}  // namespace

bool MakeWaits(const Figures& f, const ViewOptions& options, ViewData* view, std::string* error) {
  const epitome::Profile& profile = f.profile;
  if (!patterns::HasWaits(profile)) {
    *error = "this profile has no wait states: EPK_WAITS=yes measures some, and epk analyze finds them in a trace";
    return false;
  }
  const std::vector<Wait> waits = patterns::WaitsOf(profile);
  view->sheets.push_back(Rows(profile, waits));
  Sheet table;
  table.key = "places";
  table.columns = {{"seconds", "time", Unit::kSeconds},    {"instances", "times", Unit::kCount},
                   {"most_s", "most", Unit::kSeconds},     {"who", "by", Unit::kText},
                   {"pattern", "wait state", Unit::kText}, {"callpath", "call path", Unit::kText}};
  for (const Place& place : Places(waits)) {
    table.rows.push_back({place.seconds, place.instances, place.most, NameOf(profile, place.who),
                          std::string(patterns::AllPatterns()[place.pattern]->label), profile.PathName(place.path)});
  }
  constexpr size_t kDefaultPlaces = 20;
  const uint64_t unknown = UnknownWaits(profile);
  view->totals = {{"wait_states", uint64_t{table.rows.size()}}, {"waits_unknown", unknown}};
  view->text = table.rows.empty() ? "No wait states were found.\n"
                                  : RenderSheet(table, options.TopOr(kDefaultPlaces), options.terminal);
  if (unknown != 0) {
    view->text += "How long " + epik::view::Plural(unknown, "call") + " of collectives waited is not known.\n";
  }
  view->next = "docs/patterns.md says what each is and what to do; `--waits --format csv` has every thread.";
  view->sheets.push_back(std::move(table));
  return true;
}

}  // namespace epik::report
