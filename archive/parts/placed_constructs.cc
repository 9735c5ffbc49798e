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

// Whether this construct is a wait at the end of another construct, whose address it has.
bool IsEnd(Construct construct) {
  return construct == Construct::kImplicitBarrier || construct == Construct::kTaskwait;
}

// If calls only have the line of the code before them, the first of them belongs to the first directive behind it, and
// so on.
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

// Columns distinguish two directives of one kind in one line; otherwise they are dropped. A compiler may make several
// calls of one directive. If the function jumps to a call, the column of that call is not known.
void DropColumns(std::vector<ConstructPlace>* places) {
  std::map<std::tuple<Construct, std::string, int>, std::set<int>> columns;
  const auto key = [](const ConstructPlace& place) { return std::tuple(place.construct, place.file, place.line); };
  for (const ConstructPlace& place : *places) {
    if (place.column != 0) columns[key(place)].insert(place.column);
  }
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
      // A barrier to which a function jumps has the address of the region, whose end is searched here.
      if (!ends && construct != Construct::kBarrier) at[{definition.module, address}] = &places[i];
    }
    SpreadOut(definitions, &places);
  }
  DropColumns(&places);
  return places;
}

}  // namespace epik::archive
