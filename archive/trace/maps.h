// SPDX-License-Identifier: BSD-3-Clause
// defs.epk and maps.epk define the numbers in trace files. defs.epk has the definitions of all processes. maps.epk has
// a part for each process, with the definition of each of its numbers, and the scale of its clock.
#ifndef EPIK_ARCHIVE_TRACE_MAPS_H_
#define EPIK_ARCHIVE_TRACE_MAPS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "archive/profile/profile.h"
#include "archive/trace/clock.h"

namespace epik::archive {

inline constexpr char kDefinitionsName[] = "defs.epk";
inline constexpr char kMapsName[] = "maps.epk";

struct Communicator {
  std::string name;
  std::vector<uint32_t> ranks;   // in MPI_COMM_WORLD; empty: not known
  std::vector<uint32_t> remote;  // ranks of the other group, if there is one

  bool operator==(const Communicator&) const = default;
};

struct Window {
  std::string name;
  uint32_t communicator = kNone;

  bool operator==(const Window&) const = default;
};

struct TraceDefinitions {
  int64_t origin_ns = 0;  // begin of the first process, by rank 0's clock
  Profile profile;        // regions, call paths, processes and locations, numbered as in summary.cubex; no metrics
  std::vector<Communicator> communicators;
  std::vector<Window> windows;
};

// Number in the process -> number in the definitions, ascending.
using NumberMap = std::vector<std::pair<uint32_t, uint32_t>>;

// A metric of a process in its trace: the user's, or a counter (EPK_METRICS). Values of counters are whole numbers,
// times `scale`. Counts and sums are those since the thread began, and peaks those since the record before.
struct MetricName {
  enum Kind : uint32_t { kUser, kCount, kSum, kPeak };  // a count has no factor: it is a whole number
  uint32_t number = 0;
  std::string name, unit;
  Kind kind = kUser;
  double scale = 1;

  bool operator==(const MetricName&) const = default;
};

struct ProcessMap {
  int32_t rank = 0;
  uint32_t process_id = 0;
  std::string file;  // its trace in the archive; empty: no trace
  ClockFacts clock;
  uint64_t first_ticks = 0, last_ticks = 0;  // begin and end of the process
  NumberMap nodes;                           // -> call paths
  NumberMap regions, communicators, windows;
  std::vector<MetricName> metrics;
  // Nodes of functions that a compiler made from a construct, ascending: they have the construct's call path.
  std::vector<uint32_t> of_constructs;
};

std::string PackDefinitions(const TraceDefinitions& definitions);
// `file` is the whole file. Returns false, with the reason, when any of it is wrong.
bool UnpackDefinitions(const std::string& file, TraceDefinitions* definitions, std::string* error);

// The part of one process in maps.epk. The beginning of the file has the places of the parts.
std::string PackMap(const ProcessMap& map);
bool UnpackMap(const std::string& part, ProcessMap* map);

struct MapPart {
  uint64_t offset;
  uint32_t bytes;
  uint32_t crc;
};
MapPart DescribeMapPart(const std::string& part);  // without its offset
// Gives places to the parts, and returns the bytes before the first part.
std::string LayOutMaps(std::vector<MapPart>* parts);
// Writes the whole file at once, for tools.
bool WriteMaps(const std::string& path, const std::vector<ProcessMap>& maps, std::string* error);

// Damaged parts are left out, and `problems` names them.
bool ReadMaps(const std::string& path, std::vector<ProcessMap>* maps, std::vector<std::string>* problems,
              std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_MAPS_H_
