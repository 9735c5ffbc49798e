// SPDX-License-Identifier: BSD-3-Clause
// The definitions of an OTF2 archive. Regions, call paths and locations have the numbers of the trace's definitions.
#ifndef EPIK_ARCHIVE_OTF2_DEFINITIONS_H_
#define EPIK_ARCHIVE_OTF2_DEFINITIONS_H_

#include <otf2/otf2.h>

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/otf2/parameters.h"
#include "archive/otf2/run.h"
#include "archive/trace/walk.h"

namespace epik::archive {

// Gives OTF2 numbers to things while events are written, and writes the definitions of these numbers afterwards.
class Otf2Numbers {
 public:
  // `together`: several processes write one archive, so all of them must use the same numbers and the same origin of
  // time.
  Otf2Numbers(const TracePart& part, bool together, const Otf2Run& run);

  static constexpr uint32_t kProgram = 0;  // the text with the program's name

  const TracePart& part() const { return part_; }
  int64_t origin() const { return origin_; }  // nanoseconds of the time that is 0 in the archive
  uint64_t Time(int64_t ns) const { return ns <= origin_ ? 0 : static_cast<uint64_t>(ns - origin_); }

  uint64_t Location(uint32_t stream) const { return locations_[stream]; }
  uint64_t unknown_communicators() const { return unknown_; }  // records with an unknown communicator
  // All locations, or those of one rank when it is not negative.
  std::vector<uint64_t> Locations(int32_t rank = -1) const;
  uint32_t FoldedRegion() const;

  // Returns the number of a communicator, and the rank in it of a rank of the job. It is MPI_COMM_WORLD when the
  // communicator is not known.
  uint32_t Communicator(uint32_t process, uint64_t number);
  uint32_t RankIn(uint32_t communicator, int32_t world_rank) const;

  // Notes that a communicator is made (from another one) or freed. Returns false when MPI itself made it: such a
  // communicator has no events.
  bool NoteLife(uint32_t communicator, uint32_t from = kNone);
  std::map<uint32_t, uint32_t>& lives() { return lives_; }

  // The threads of a process as an OTF2 team, of OpenMP or of libc; and the place of the thread with this number in the
  // team of OpenMP.
  uint32_t Team(uint32_t process, OTF2_Paradigm paradigm = OTF2_PARADIGM_OPENMP);
  uint32_t ThreadIn(uint32_t process, uint64_t number);

  // Whether this is the first thread of its rank, which tells when the program began and ended.
  bool IsMaster(uint32_t stream) const;

  // Returns kNone when the window is not known. `communicator` is that of the window.
  uint32_t Window(uint32_t process, uint64_t number, uint32_t* communicator) const;

  // Metrics and parameters get their numbers at their first use.
  uint32_t Metric(uint32_t process, uint64_t number, OTF2_Type* type);
  // The parameter and value that a region of EPIK represents; null: it is a real region.
  const ParameterValue* ValueOf(uint32_t region) const { return parameters_.ValueOf(region); }
  uint32_t Parameter(const std::string& name) { return parameters_.Number(name); }

  using Counts = std::map<uint64_t, uint64_t>;  // by location: events
  bool WriteDefinitions(OTF2_GlobalDefWriter* writer, const Counts& counts, int64_t last_ns);

 private:
  uint32_t Text(OTF2_GlobalDefWriter* writer, const std::string& text);
  uint32_t DefineText(OTF2_GlobalDefWriter* writer, const std::string& text);
  uint32_t KnownCommunicator(uint32_t defined) const;  // MPI_COMM_WORLD in place of one with unknown members
  void NumberLocations();
  void DefineTeams(OTF2_Paradigm paradigm);
  void WriteClock(OTF2_GlobalDefWriter* writer, int64_t last_ns);
  void WriteRegions(OTF2_GlobalDefWriter* writer);
  void WriteSystem(OTF2_GlobalDefWriter* writer, const Counts& counts);
  void WriteCommunicators(OTF2_GlobalDefWriter* writer);
  using Places = std::map<int32_t, uint64_t>;  // by rank: the place in the group of all locations
  void WriteCommunicator(OTF2_GlobalDefWriter* writer, uint32_t communicator, const Places& places, uint32_t* group);
  void WriteTeams(OTF2_GlobalDefWriter* writer, uint32_t group);
  void WriteMetrics(OTF2_GlobalDefWriter* writer);
  void WriteParadigms(OTF2_GlobalDefWriter* writer);
  void WriteWindows(OTF2_GlobalDefWriter* writer);
  void Check(OTF2_ErrorCode code) { good_ = good_ && code == OTF2_SUCCESS; }

  const TracePart& part_;
  Otf2Run run_;
  int64_t origin_;
  std::vector<uint64_t> defined_;                               // by location of the definitions: its number
  std::vector<uint64_t> locations_;                             // by stream
  std::map<int32_t, uint64_t> masters_;                         // by rank: the location of its first thread
  std::vector<std::unordered_map<int32_t, uint32_t>> members_;  // by communicator: world rank -> rank in it
  uint32_t world_;                                              // number of MPI_COMM_WORLD
  uint32_t self_ = kNone;                                       // of MPI_COMM_SELF
  using NamedMetric = std::tuple<std::string, std::string, MetricName::Kind>;  // name, unit
  std::map<NamedMetric, uint32_t> metrics_;
  Parameters parameters_;
  std::unordered_map<std::string, uint32_t> texts_;
  uint32_t defined_texts_ = 0;
  struct Threads {
    uint32_t number;                                     // as a team, behind the communicators
    std::vector<std::pair<uint64_t, uint64_t>> members;  // number within the process, and location; ascending
  };
  std::map<std::pair<OTF2_Paradigm, int32_t>, Threads> teams_;  // by paradigm and rank
  std::map<uint32_t, uint32_t> lives_;  // by communicator with such events: its parent, or kNone
  uint64_t unknown_ = 0;
  bool good_ = true;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_OTF2_DEFINITIONS_H_
