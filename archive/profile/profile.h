// SPDX-License-Identifier: BSD-3-Clause
// A call-path profile in memory. Archives store it; all reports, analyses and operations of the algebra work on it. The
// program never sees these types while it runs; libepk_archive.so builds them in its process after it has ended.
#ifndef EPIK_ARCHIVE_PROFILE_PROFILE_H_
#define EPIK_ARCHIVE_PROFILE_PROFILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epik::archive {

inline constexpr uint32_t kNone = 0xffffffff;

// A function, or anything else that is entered and left. Roles and paradigms are words of CUBE 4 (docs/formats.md).
struct Region {
  std::string name;     // for people: demangled, clones folded
  std::string mangled;  // as the linker knows it
  std::string file;     // empty when unknown
  int begin_line = -1;
  int end_line = -1;
  std::string paradigm = "compiler";  // compiler user mpi openmp pthread measurement …
  std::string role = "function";
  std::string description;  // the class in the words of other tools: MPI OMP USR EPIK

  bool operator==(const Region&) const = default;
};

// A node of the call tree. Parents come before their children; siblings keep the order of first visit.
struct CallPath {
  uint32_t region = 0;
  uint32_t parent = kNone;

  bool operator==(const CallPath&) const = default;
};

struct Host {
  std::string name;
  bool operator==(const Host&) const = default;
};

struct Process {
  uint32_t host = 0;
  int rank = 0;
  std::string name;
  bool operator==(const Process&) const = default;
};

// One thread of one process: a column of every metric.
struct Location {
  uint32_t process = 0;
  int thread = 0;  // number within its process
  std::string name;
  bool operator==(const Location&) const = default;
};

// A grid and the places of locations in it. The first location of a process stands for the process.
struct Topology {
  struct Dimension {
    std::string name;  // may be empty
    uint32_t size = 1;
    bool periodic = false;

    bool operator==(const Dimension&) const = default;
  };
  std::string name;
  std::vector<Dimension> dimensions;
  std::vector<uint32_t> locations;    // ascending, each once
  std::vector<uint32_t> coordinates;  // for each location one coordinate a dimension

  bool operator==(const Topology&) const = default;
};

enum class Type : uint8_t { kUint64, kDouble, kMin, kMax };

// Whether the stored value of a call path contains the call paths below it.
enum class Along : uint8_t { kExclusive, kInclusive };

struct Metric {
  std::string unique_name;   // for searches by tools: time, visits, bytes_sent …
  std::string display_name;  // for people
  std::string unit;          // sec, occ, bytes
  std::string description;
  Type type = Type::kDouble;
  Along along = Along::kExclusive;
  uint32_t parent = kNone;  // in the metric tree; stored values include the child metrics

  bool operator==(const Metric&) const = default;
};

// A description that begins with this belongs to a metric that reports compute. A formula follows, then perhaps "; "
// and more text.
inline constexpr std::string_view kComputed = "computed: ";

// The values of one metric: sparse by call path, dense by location.
class Values {
 public:
  Values() = default;
  Values(Type type, size_t paths, size_t locations);

  Type type() const { return type_; }
  size_t locations() const { return locations_; }
  bool Has(uint32_t path) const { return row_[path] != kNone; }

  uint64_t Integer(uint32_t path, uint32_t location) const;  // REQUIRES: type() is kUint64
  double Real(uint32_t path, uint32_t location) const;       // of any type; of a missing value: Empty()
  void Set(uint32_t path, uint32_t location, uint64_t value);
  void Set(uint32_t path, uint32_t location, double value);

  // The 8-byte cells of one call path, for all locations in order; null when the call path has no row.
  const uint64_t* Row(uint32_t path) const;
  uint64_t* MutableRow(uint32_t path);  // makes a row of "no value" if it is missing

  // The bits of "no value": 0, or for kMin and kMax the neutral element.
  static uint64_t EmptyBits(Type type);

 private:
  Type type_ = Type::kDouble;
  size_t locations_ = 0;
  std::vector<uint32_t> row_;    // call path -> row number, or kNone
  std::vector<uint64_t> cells_;  // rows one after the other
};

struct Profile {
  std::string machine = "machine";
  bool is_difference = false;  // the values are what changed between runs, and may be below 0
  std::vector<Host> hosts;
  std::vector<Process> processes;   // by rank
  std::vector<Location> locations;  // by process, then thread
  std::vector<Topology> topologies;
  std::vector<Region> regions;
  std::vector<CallPath> call_paths;  // depth-first preorder
  std::vector<Metric> metrics;
  std::vector<Values> values;  // one for each metric

  uint32_t FindMetric(std::string_view unique_name) const;  // kNone if it is missing
  uint32_t AddMetric(Metric metric);                        // with empty values; returns its index

  // First child and next sibling of each call path (kNone: no child, no sibling), for walks downwards.
  struct Links {
    std::vector<uint32_t> first_child, next_sibling, roots;
  };
  Links MakeLinks() const;

  // One column of a metric over all call paths: without the callees, and with them.
  std::vector<double> Exclusive(uint32_t metric, uint32_t location) const;
  std::vector<double> Inclusive(uint32_t metric, uint32_t location) const;

  // Whether the metric was wanted and no rank measured it (absence.h). That is not the same as zero everywhere.
  bool IsMissing(uint32_t metric) const;

  // "main > solve > MPI_Send"; of many call paths, PathNames (path_names.h) has the names faster.
  std::string PathName(uint32_t path) const;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PROFILE_PROFILE_H_
