// SPDX-License-Identifier: BSD-3-Clause
// What an arena says, checked and copied: the bytes may come from a process that was killed in the middle of a store,
// from one that still runs, or from a damaged file. Offline only.
#ifndef EPIK_ARCHIVE_IMAGE_PROCESS_IMAGE_H_
#define EPIK_ARCHIVE_IMAGE_PROCESS_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/event/layout.h"

namespace epik::epitome {

inline constexpr uint32_t kNoNode = 0xffffffff;

struct OpenFrame {
  event::Key key;
  uint64_t entered;
  uint32_t node;  // index into LocationImage::nodes, kNoNode: beyond what was recorded
};

// Words of a trace, in the bytes that were read: valid as long as they are.
struct TraceChunk {
  uint32_t order;  // 1, 2, 3 … in its location's stream
  uint32_t depth;  // frames that are open in the stream where it begins
  uint32_t node;   // line of the innermost one
  const uint64_t* words;
  uint32_t count;
};

struct LocationImage {
  event::Location header;
  std::vector<event::Node> nodes;  // by first visit; Node::parent is an index into this vector or kNoNode
  std::vector<uint32_t> lines;     // of these nodes in the arena, ascending
  std::vector<TraceChunk> trace;   // what is not in the trace file, in order
  std::vector<OpenFrame> frames;   // outermost first
  uint64_t folded_visits = 0;      // that found no room
  // Of an OpenMP thread that waits for its next region: the frames it was found in, which ended at that time. `frames`
  // is what it is in since.
  std::vector<OpenFrame> settled;
  uint64_t settled_at = 0;
};

struct RegionDefinition {
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
  std::string name, unit, text;  // of a missing one: why
};

// A Cartesian topology, and where this process is in it.
struct TopologyDefinition {
  uint64_t id = 0;  // in all processes
  std::string name;
  std::vector<event::TopologyDimension> dimensions;
  std::vector<std::string> dimension_names;  // as many, or none
};

struct ModuleDefinition {
  event::ModuleRecord extent;
  std::string build_id, path;
};

struct ProcessImage {
  event::ProcessHeader header;
  std::string program, title, configuration;
  std::vector<std::string> command;
  std::vector<std::string> notes;
  std::map<uint32_t, RegionDefinition> regions;  // by number
  std::vector<ModuleDefinition> modules;         // by number
  // By number. 0 and 1 are there only if they were given a name.
  std::map<uint32_t, CommunicatorDefinition> communicators;
  std::map<uint32_t, WindowDefinition> windows;
  std::vector<CounterDefinition> counters;
  std::vector<TopologyDefinition> topologies;     // each id once
  std::vector<event::ClockOffset> clock_offsets;  // measured between those of the header
  std::vector<LocationImage> locations;           // by number
  uint64_t skipped = 0;                           // pieces that made no sense and were left out
  // Of whoever found the arena: the file that the process wrote its trace to, and what keeps the bytes that words of
  // traces are in.
  std::string trace_file;
  std::shared_ptr<const void> memory;
  // When set, there is nothing but the header yet: reads all of it, when its turn has come.
  std::function<bool(ProcessImage*)> load;

  // The latest moment anything is known about.
  uint64_t LastTicks() const;
  // Seconds in a tick, by the two clock readings that lie furthest apart; 0 when there is only one.
  double SecondsPerTick() const;
};

// False, with the reason in *error, when the bytes are not an arena. Whatever can be read of a damaged one is.
// REQUIRES: bytes at a multiple of 8, as mappings and allocated memory are.
bool ReadProcessImage(const char* bytes, size_t size, ProcessImage* image, std::string* error);

}  // namespace epik::epitome

#endif  // EPIK_ARCHIVE_IMAGE_PROCESS_IMAGE_H_
