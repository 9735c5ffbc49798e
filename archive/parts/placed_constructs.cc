// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/placed_constructs.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace epik::archive {

using event::Construct;

namespace {

// Whether this waits at the end of another construct, whose address it has.
bool IsEnd(Construct construct) {
  return construct == Construct::kImplicitBarrier || construct == Construct::kTaskwait;
}

// Calls whose lines are only those of the code before them: the first of them is that of the first directive behind it.
void SpreadOut(const Definitions& definitions, std::vector<ConstructPlace>* places) {
  std::map<std::tuple<uint32_t, uint64_t, Construct, int>, std::map<uint64_t, ConstructPlace*>> groups;
  for (size_t i = 0; i < places->size(); ++i) {
    ConstructPlace& place = (*places)[i];
    if (place.following.empty()) continue;
    const RegionDefinition& definition = definitions.regions[i];
    groups[{definition.module, place.function, place.construct, place.call_line}][event::AddressOf(definition.key)] =
        &place;
  }
  for (const auto& [where, calls] : groups) {
    size_t next = 0;
    for (const auto& [address, place] : calls) {
      place->line = place->following[std::min(next++, place->following.size() - 1)];
    }
  }
}

// Two directives of one kind in one line are told apart by their columns.
void DropColumns(std::vector<ConstructPlace>* places) {
  std::map<std::tuple<Construct, std::string, int>, std::set<int>> columns;
  const auto key = [](const ConstructPlace& place) { return std::tuple(place.construct, place.file, place.line); };
  for (const ConstructPlace& place : *places) columns[key(place)].insert(place.column);
  for (ConstructPlace& place : *places) {
    if (columns[key(place)].size() == 1) place.column = 0;
  }
}

}  // namespace

std::vector<ConstructPlace> PlaceConstructs(const Definitions& definitions,
                                            const std::vector<const symbols::Symbol*>& symbols) {
  std::vector<ConstructPlace> places(definitions.regions.size());
  std::map<std::pair<uint32_t, uint64_t>, const ConstructPlace*> at;  // a module and an address
  ConstructPlaces known;
  for (const bool ends : {false, true}) {
    for (size_t i = 0; i < places.size(); ++i) {
      const RegionDefinition& definition = definitions.regions[i];
      const Construct construct = event::ConstructOf(definition.key);
      if (symbols[i] == nullptr || construct == Construct::kNone || IsEnd(construct) != ends) continue;
      const uint64_t address = event::AddressOf(definition.key);
      const auto begun = at.find({definition.module, address});
      if (ends && begun != at.end()) {
        const ConstructPlace& start = *begun->second;
        const bool is_explicit = construct == Construct::kImplicitBarrier && start.barrier_line > 0;
        places[i] = is_explicit ? ConstructPlace(Construct::kBarrier, start.file, start.barrier_line)
                                : ConstructPlace(construct, start.file, start.line);
        continue;
      }
      places[i] = known.Find(construct, *symbols[i], address, definitions.modules[definition.module].path);
      // A barrier that a function jumps to has the address of the region, whose end is looked for here.
      if (!ends && construct != Construct::kBarrier) at[{definition.module, address}] = &places[i];
    }
    SpreadOut(definitions, &places);
  }
  DropColumns(&places);
  return places;
}

}  // namespace epik::archive
