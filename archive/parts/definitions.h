// SPDX-License-Identifier: BSD-3-Clause
// The definitions of a process: modules, regions, call paths, metrics. Nothing has a name yet: a function is a pair of
// module and address in its file, so that processes agree wherever their libraries were loaded. Names are looked up
// once, by rank 0, after the definitions of all processes have been merged pairwise (archive/unify/unify.h).
#ifndef EPIK_ARCHIVE_PARTS_DEFINITIONS_H_
#define EPIK_ARCHIVE_PARTS_DEFINITIONS_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/parts/path_numbers.h"
#include "archive/profile/absence.h"
#include "archive/profile/profile.h"
#include "runtime/abi/bytes.h"
#include "runtime/event/layout.h"

namespace epik::archive {

struct ModuleName {
  std::string path, build_id;
};

struct RegionDefinition {
  // For code: its module, and its address in that file with the construct there (event::ConstructKey).
  uint32_t module = kNone;
  event::Key key = 0;
  // For other regions: the name that the process gave it. If it has no name, it is a region of every process, and `key`
  // identifies it.
  std::string name, file;
  int32_t line = -1;
  event::Role role = event::Role::kFunction;
  event::Paradigm paradigm = event::Paradigm::kUser;

  bool IsCode() const { return !event::IsRegion(key); }
};

struct MetricDefinition {
  std::string name, label, unit;
  Type type = Type::kUint64;
  std::string description = {};
  // For counters, which some processes may lack: the ranks that had it, and the reason why the others did not.
  Ranks had = {};
  std::string missing = {};
};

// A communicator or window of MPI, for traces. `id` is the same in all processes.
struct CommunicatorEntry {
  uint64_t id = 0;
  std::string name;
  std::vector<event::RankRun> own, remote;
};
inline constexpr uint64_t kWorldId = ~uint64_t{0};
inline constexpr uint64_t kSelfId = kWorldId - 1;

struct WindowEntry {
  uint64_t id = 0;
  std::string name;
  uint32_t communicator = kNone;
};

struct Definitions {
  std::vector<ModuleName> modules;
  std::vector<RegionDefinition> regions;
  std::vector<CallPath> paths;  // parents first, siblings by first visit
  std::vector<MetricDefinition> metrics;
  std::vector<std::string> notes;  // sentences for people, without duplicates
  std::vector<CommunicatorEntry> communicators;
  std::vector<WindowEntry> windows;
};

// Old number -> new number, for each kind of definition.
struct Mapping {
  std::vector<uint32_t> paths, metrics, regions, communicators, windows;
};

void Pack(const Definitions& definitions, BytesOut* bytes);
// Returns false when the bytes are damaged, or when a number refers to a missing definition.
bool Unpack(BytesIn* bytes, Definitions* definitions);

// Gives each definition a number when it first comes, and the same number ever after.
class DefinitionSet {
 public:
  explicit DefinitionSet(Definitions* definitions);
  uint32_t Module(const ModuleName& module);
  uint32_t Region(const RegionDefinition& region);
  uint32_t Path(uint32_t parent, uint32_t region);
  uint32_t Metric(const MetricDefinition& metric);
  void Note(const std::string& note);
  uint32_t Communicator(const CommunicatorEntry& communicator);
  uint32_t Window(const WindowEntry& window);

  // Adds all definitions of `other` and returns their new numbers.
  Mapping Merge(const Definitions& other);

 private:
  using Numbers = std::unordered_map<std::string, uint32_t>;
  Definitions* definitions_;
  Numbers modules_, regions_, metrics_, notes_;
  PathNumbers paths_;
  std::unordered_map<uint64_t, uint32_t> communicators_, windows_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_DEFINITIONS_H_
