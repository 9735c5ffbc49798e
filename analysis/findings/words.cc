// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/findings/words.h"

#include <algorithm>

#include "analysis/causes/chains.h"
#include "analysis/replay/seconds.h"
#include "archive/profile/path_names.h"
#include "archive/profile/region_class.h"
#include "view/name.h"
#include "view/number.h"
#include "view/terminal.h"

namespace epik::findings {

using replay::kNone;
using replay::Seconds;

namespace {

constexpr size_t kLongestName = 48;  // the path itself is beside the sentence
constexpr size_t kMostLinks = 8;     // of a sentence
constexpr size_t kMostPairs = 1000, kMostPlaces = 20000;

class Teller {
 public:
  Teller(const replay::World& world, const archive::Profile& profile, const graph::Mixtures* mixtures = nullptr)
      : world_(world), profile_(profile), mixtures_(mixtures), names_(profile) {}

  Who WhoIs(uint32_t location) const { return findings::WhoIs(world_, profile_, location); }
  std::string PathOf(uint32_t path) const { return path < profile_.call_paths.size() ? names_.Of(path) : ""; }
  // "rank 3", or of a process with several threads "thread 3:1".
  std::string NameOf(uint32_t location) const {
    const Who who = WhoIs(location);
    const bool several = world_.processes[world_.locations[location].process].locations.size() > 1;
    if (several) return "thread " + std::to_string(who.rank) + ":" + std::to_string(who.thread);
    return "rank " + std::to_string(who.rank);
  }
  // Whether the summary tells its time: the trace has no call of this path there, or lacks calls within it.
  bool IsEstimated(const causes::Cause& cause) const {
    if (mixtures_ == nullptr || mixtures_->IsEmpty()) return false;
    if (mixtures_->Has(cause.location, cause.path)) return true;
    const uint32_t column = world_.locations[cause.location].column, visits = profile_.FindMetric("visits");
    if (visits == kNone || column >= profile_.locations.size() || cause.path >= profile_.call_paths.size())
      return false;
    return profile_.values[visits].Real(cause.path, column) == 0;
  }
  bool IsOfMpi(uint32_t path) const {
    if (path >= profile_.call_paths.size()) return false;
    return archive::KindOf(profile_.regions[profile_.call_paths[path].region]) == archive::RegionKind::kMpi;
  }
  std::string RegionOf(uint32_t path) const {
    if (path >= profile_.call_paths.size()) return "";
    return view::ShortName(profile_.regions[profile_.call_paths[path].region].name, kLongestName, {});
  }
  // The region, after the callers that tell its call path from others: "assemble > spin", "assemble > … > spin".
  std::string PlaceOf(uint32_t path) const {
    if (path >= profile_.call_paths.size()) return "";
    uint32_t first = path, between = 0;
    for (std::vector<uint32_t> alike = OthersLike(path); !alike.empty() && CallerOf(first) != kNone; ++between) {
      first = CallerOf(first);
      for (uint32_t& other : alike) other = CallerOf(other);
      std::erase_if(alike, [&](uint32_t other) { return other == kNone || RegionAt(other) != RegionAt(first); });
    }
    if (between == 0) return RegionOf(path);
    const std::string middle = between == 1 ? "" : between == 2 ? RegionOf(CallerOf(path)) + " > " : "… > ";
    return RegionOf(first) + " > " + middle + RegionOf(path);
  }
  std::string Tell(const causes::Chain& chain, const causes::Delays& delays) const;
  // Counters of which the slower thread counted more than the thread that waited for it.
  std::vector<Difference> Compare(const causes::Chain& chain, const Counted& counted) const;
  static std::string Tell(const std::vector<Difference>& differences);

 private:
  uint32_t CallerOf(uint32_t path) const { return profile_.call_paths[path].parent; }
  uint32_t RegionAt(uint32_t path) const { return profile_.call_paths[path].region; }
  // The other call paths of the same region.
  std::vector<uint32_t> OthersLike(uint32_t path) const {
    std::vector<uint32_t> others;
    for (uint32_t other = 0; other < profile_.call_paths.size(); ++other) {
      if (other != path && RegionAt(other) == RegionAt(path)) others.push_back(other);
    }
    return others;
  }

  const replay::World& world_;
  const archive::Profile& profile_;
  const graph::Mixtures* mixtures_;
  const archive::PathNames names_;
};

std::string Teller::Tell(const causes::Chain& chain, const causes::Delays& delays) const {
  std::string text = NameOf(chain.waits.location) + " waits in " + RegionOf(chain.waits.path);
  uint32_t waiter = chain.waits.location;
  for (size_t number = 0; number < chain.links.size(); ++number) {
    const causes::Chain::Link& link = chain.links[number];
    const bool first = number == 0;
    if (link.cause.location == waiter) {
      return text + (first ? "; the trace does not have what it waits for"
                           : ", which waited for something that is not in the trace");
    }
    waiter = link.cause.location;
    if (number >= kMostLinks / 2 && number + kMostLinks / 2 < chain.links.size()) {
      if (number == kMostLinks / 2) text += ", …";
      continue;
    }
    // A location waits for another one that did something, or that waited in turn.
    text += (first ? " for " : ", which waited for ") + NameOf(link.cause.location);
    const bool late = first && chain.waits.kind == causes::kLateProgress;
    // The thread may have spent that time in an earlier call of MPI.
    const bool again = late && !link.cause.waited && IsOfMpi(link.cause.path);
    if (late) text += again ? " to come to MPI again" : " to come to MPI";
    if (link.cause.waited) continue;
    const std::string region = PlaceOf(link.cause.path);
    text += region.empty() ? ", which started late"
                           : (IsEstimated(link.cause) ? ", which spent about " : ", which spent ") +
                                 view::Seconds(Seconds(link.more)) + " more in " + region + (again ? " before" : "");
    // The one that waited took longer elsewhere, so most of that made nobody wait.
    if (!region.empty() && 2 * link.ns < link.more) {
      text += " since both were last together (" + view::Seconds(Seconds(link.ns)) + " of that made it wait)";
    }
    const auto alone = delays.without_sender.find({link.cause.location, link.cause.path});
    if (alone != delays.without_sender.end() && 2 * alone->second > link.more) {
      text += ", for messages whose sender is not in the trace";
    }
    // Many calls may have a part in it: the sentence names the largest one.
    if (2 * link.ns < chain.ns) text += " (the largest cause: " + view::Seconds(Seconds(link.ns)) + " of it)";
  }
  return text;
}

std::vector<Difference> Teller::Compare(const causes::Chain& chain, const Counted& counted) const {
  if (chain.links.empty() || chain.links.back().cause.waited) return {};
  const size_t last = chain.links.size() - 1;
  const uint32_t waiter = last == 0 ? chain.waits.location : chain.links[last - 1].cause.location;
  const causes::Cause& cause = chain.links[last].cause;
  return counted.Compare(cause.path, WhoIs(cause.location), WhoIs(waiter));
}

// " (there, in the whole run, PAPI_TOT_INS 12,300 against 9,000)".
std::string Teller::Tell(const std::vector<Difference>& differences) {
  std::string text;
  for (const Difference& difference : differences) {
    text += text.empty() ? " (there, in the whole run, " : ", ";
    text += difference.counter + " " + view::Amount(difference.here, difference.unit) + " against " +
            view::Amount(difference.there, difference.unit);
  }
  return text.empty() ? text : text + ")";
}

}  // namespace

Who WhoIs(const replay::World& world, const archive::Profile& profile, uint32_t location) {
  if (location >= world.locations.size()) return {};
  const replay::Location& known = world.locations[location];
  const int thread =
      known.column < profile.locations.size() ? profile.locations[known.column].thread : static_cast<int>(known.number);
  return {world.processes[known.process].rank, thread};
}

void TellCauses(const causes::Delays& delays, const replay::World& world, const archive::Profile& profile,
                const Counted& counted, const graph::Mixtures& mixtures, const StateOf& state_of, Findings* findings) {
  const Teller teller(world, profile, &mixtures);
  findings->are_there = true;
  findings->waited_s = Seconds(delays.waited_ns);
  findings->unknown_s = Seconds(delays.unknown_ns);
  findings->waits = delays.waits;
  for (const causes::Chain& chain : causes::FindChains(delays)) {
    std::vector<Difference> differences = teller.Compare(chain, counted);
    const std::string text = teller.Tell(chain, delays) + Teller::Tell(differences);
    // The graph counts the pieces of a wait, between the tasks that the thread ran in it.
    WaitState state = state_of ? state_of(chain.waits) : WaitState();
    if (state.name.empty()) state.instances = chain.instances;
    findings->chains.push_back({Seconds(chain.ns), state.instances, teller.WhoIs(chain.waits.location),
                                causes::Classes()[chain.waits.kind].metric, teller.PathOf(chain.waits.path), state.name,
                                std::move(differences), text});
  }
  for (const auto& [pair, ns] : delays.pairs) {
    findings->pairs.push_back({teller.WhoIs(pair.waiter), teller.WhoIs(pair.waited_for), Seconds(ns)});
  }
  std::stable_sort(findings->pairs.begin(), findings->pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.seconds > b.seconds; });
  if (findings->pairs.size() > kMostPairs) findings->pairs.resize(kMostPairs);
}

void TellCritical(const critical::Path& path, const std::vector<critical::Segment>& segments,
                  const replay::World& world, const archive::Profile& profile, Findings* findings) {
  const Teller teller(world, profile);
  findings->critical.begin_s = Seconds(path.begin);
  findings->critical.end_s = Seconds(path.end);
  findings->critical.unknown_s = Seconds(path.unknown_ns);
  for (const critical::Segment& segment : segments) {
    findings->critical.segments.push_back(
        {Seconds(segment.from), Seconds(segment.to), teller.WhoIs(segment.location), teller.PathOf(segment.path)});
  }
}

void TellPlaces(const std::vector<critical::ProfileRow>& rows, const replay::World& world,
                const archive::Profile& profile, Findings* findings) {
  const Teller teller(world, profile);
  std::vector<const critical::ProfileRow*> longest;
  for (const critical::ProfileRow& row : rows) {
    if (row.seconds > 0) longest.push_back(&row);
  }
  std::stable_sort(longest.begin(), longest.end(),
                   [](const auto* a, const auto* b) { return a->seconds > b->seconds; });
  if (longest.size() > kMostPlaces) longest.resize(kMostPlaces);
  for (const critical::ProfileRow* row : longest) {
    findings->critical.places.push_back({row->seconds, teller.WhoIs(row->location), teller.PathOf(row->path)});
  }
}

}  // namespace epik::findings
