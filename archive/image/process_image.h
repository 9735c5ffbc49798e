// SPDX-License-Identifier: BSD-3-Clause
// Reads an arena: its bytes are checked and copied into a ProcessImage. The process may have been killed between two
// stores or may still be running, or the file may be damaged. All consistent data is read, and the rest is counted in
// `skipped`. Used by libepk_archive.so after the program has ended, by `epk recover` and by `epk top`.
#ifndef EPIK_ARCHIVE_IMAGE_PROCESS_IMAGE_H_
#define EPIK_ARCHIVE_IMAGE_PROCESS_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/event/files.h"
#include "runtime/event/layout.h"

namespace epik::archive {

inline constexpr uint32_t kNoNode = 0xffffffff;

struct OpenFrame {
  event::Key key;
  uint64_t entered;
  uint32_t node;  // index into LocationImage::nodes; kNoNode: its call path was not recorded
};

// Words of a trace. They are not copied, because there may be many: the pointers lead into the bytes that were read.
struct TraceChunk {
  uint32_t order;  // 1, 2, 3 … in its location's stream
  uint32_t depth;  // frames that are open where the chunk begins
  uint32_t node;   // line of the innermost of these frames
  const uint64_t* words;
  uint32_t count;
};

// A call whose waiting time is not known, by the index of its node. A step (runtime/event/collectives.h) always waits
// for others; for other calls, the called function decides.
struct UnknownWait {
  uint32_t node;
  bool is_step;
};

struct LocationImage {
  event::Location header;
  std::vector<event::Node> nodes;  // by first visit; Node::parent is an index into this vector or kNoNode
  std::vector<uint32_t> lines;     // their lines in the arena, ascending
  std::vector<TraceChunk> trace;   // in order; only words that are not in the trace file yet
  std::vector<OpenFrame> frames;   // outermost first
  uint64_t folded_visits = 0;      // visits of call paths without room
  // For an OpenMP thread that waits for its next region: the frames in which it was found, which ended at `settled_at`.
  // Otherwise empty. `frames` has the frames that it is in since then.
  std::vector<OpenFrame> settled;
  uint64_t settled_at = 0;
  // The waiting times of its calls are among the metrics (EPK_WAITS), except for unknown_waits.
  bool waits = false;
  std::vector<UnknownWait> unknown_waits;
};

struct RecordedRegion {
  std::string name, file;  // of a metric: name, unit
  int line = -1;
  event::Role role = event::Role::kUser;
  event::Paradigm paradigm = event::Paradigm::kUser;
};

struct CommunicatorDefinition {
  uint64_t id = 0;  // in all processes
  std::string name;
  std::vector<event::RankRun> own, remote;  // in MPI_COMM_WORLD
};

struct WindowDefinition {
  uint64_t id = 0;
  uint32_t communicator = 0;  // number in the process
  std::string name;
};

struct CounterDefinition {
  uint32_t number = 0;
  event::CounterKind kind = event::CounterKind::kSum;
  double scale = 1;
  std::string name, unit, text;  // `text`: for a counter that is missing, the reason
};

// A Cartesian topology and the place of this process in it.
struct TopologyDefinition {
  uint64_t id = 0;  // in all processes
  std::string name;
  std::vector<event::TopologyDimension> dimensions;
  std::vector<std::string> dimension_names;  // one for each dimension, or none at all
};

struct FileDefinition {
  std::string path;
  event::FileUse use;
};

struct ModuleDefinition {
  event::ModuleRecord extent;
  std::string build_id, path;
};

// How far the definitions in a chunk were read.
struct DefinitionsRead {
  uint32_t line, lines, used;
  bool operator==(const DefinitionsRead&) const = default;
};

struct ImageDefinitions {
  std::string program, title, configuration;
  std::vector<std::string> command;
  std::vector<std::string> notes;
  std::map<uint32_t, RecordedRegion> regions;  // by number
  std::vector<ModuleDefinition> modules;       // by number
  // By number. MPI_COMM_WORLD (0) and MPI_COMM_SELF (1) are listed only when the program named them.
  std::map<uint32_t, CommunicatorDefinition> communicators;
  std::map<uint32_t, WindowDefinition> windows;
  std::vector<CounterDefinition> counters;
  std::vector<FileDefinition> files;
  std::vector<TopologyDefinition> topologies;     // each id once
  std::vector<event::ClockOffset> clock_offsets;  // measured between the two in the header
  std::vector<DefinitionsRead> definitions_read;
  uint64_t skipped_definitions = 0;
};

struct ProcessImage : ImageDefinitions {
  event::ProcessHeader header = {};
  std::vector<LocationImage> locations;  // by number
  uint64_t skipped = 0;                  // damaged pieces that were left out, definitions included
  // The finder of the arena fills these in: the file to which the process wrote its trace, and the owner of the bytes
  // that TraceChunk points into.
  std::string trace_file;
  std::shared_ptr<const void> memory;
  // When set, only the header has been read. This function reads the rest; with thousands of arenas they take turns.
  std::function<bool(ProcessImage*)> load;

  // The latest time in the arena.
  uint64_t LastTicks() const;
  // Seconds in a tick, from the two clock readings that lie furthest apart; 0 when there is only one reading.
  double SecondsPerTick() const;
};

// Returns false, with the reason in *error, when the bytes are not an arena. REQUIRES: the address of the bytes is a
// multiple of 8, as mappings and allocated memory are.
bool ReadProcessImage(const char* bytes, size_t size, ProcessImage* image, std::string* error);

// The same, when *image is an earlier reading of these bytes, or none. A process adds definitions and changes none: as
// long as there are no new ones, those in *image stay and are not read again.
bool ReadProcessImageAgain(const char* bytes, size_t size, ProcessImage* image, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_IMAGE_PROCESS_IMAGE_H_
